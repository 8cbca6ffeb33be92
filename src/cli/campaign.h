/* SPDX-License-Identifier: Apache-2.0
 *
 * A campaign: campaign.c prepares it and prints, campaign_slices.c runs the processes.
 */
#ifndef SLOWPATH_CLI_CAMPAIGN_H
#define SLOWPATH_CLI_CAMPAIGN_H

#include "campaign/campaign.h"
#include "cli/cli.h"
#include "fleet/fleet.h"
#include <sys/types.h>

struct cli_slice { /* a running process */
    size_t target;
    pid_t pid;
    double began;
    bool is_resumed;
};

struct cli_campaign {
    const struct cli_values *values;
    struct campaign campaign;
    const char *file;
    char *folder; /* base for the words of FILE */
    char *out;    /* absolute */
    char *shared; /* the fleet folder of several ranks; NULL: started alone */
    char *fleet;  /* absolute: the folder of the targets' fleets */
    char instance[FLEET_NAME_BYTES];
    double seconds; /* for the whole campaign; 0: no limit */
    double first;   /* seconds of a target's first slice */
    double before;  /* seconds in earlier sessions */
    double began;
    uint64_t seed;
    size_t jobs;
    BASE_VECTOR(struct cli_slice) slices;
    bool *is_anew; /* by target: its state cannot be resumed */
};

/* campaign_slices.c: runs all slices, until the time is up or the user stops it. BEAT is called now
 * and then, CHANGED after a slice has ended. */
void cli_slices_run(struct cli_campaign *campaign, void (*beat)(struct cli_campaign *campaign),
                    void (*changed)(struct cli_campaign *campaign));
bool cli_slices_were_stopped(void); /* by a signal */
/* Writes the report of a target with a suite, in at most so many seconds. */
void cli_slices_report(struct cli_campaign *campaign, size_t target, double seconds);

#endif
