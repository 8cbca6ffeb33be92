/* SPDX-License-Identifier: Apache-2.0
 *
 * A campaign from the command line: campaign.c prepares it and tells of it, campaign_slices.c runs
 * the processes.
 */
#ifndef SLOWPATH_CLI_CAMPAIGN_H
#define SLOWPATH_CLI_CAMPAIGN_H

#include "campaign/campaign.h"
#include "cli/cli.h"
#include "fleet/fleet.h"
#include <sys/types.h>

struct cli_slice { /* a process that runs */
    size_t target;
    pid_t pid;
    double began;
    bool is_resumed;
};

struct cli_campaign {
    const struct cli_values *values;
    struct campaign campaign;
    const char *file;
    char *folder; /* in which the words of FILE hold */
    char *out;    /* absolute */
    char *shared; /* of several ranks: their fleet's folder; NULL: it was started alone */
    char *fleet;  /* absolute: where the targets' fleets are */
    char instance[FLEET_NAME_BYTES];
    double seconds; /* of the whole campaign; 0: no end */
    double first;   /* seconds of a target's first slice */
    double before;  /* seconds of earlier sessions */
    double began;
    uint64_t seed;
    size_t jobs;
    BASE_VECTOR(struct cli_slice) slices;
    bool *is_anew; /* by target: its state cannot be resumed */
};

/* campaign_slices.c: all slices, until the time is up or somebody ends it. BEAT is called now and
 * then, CHANGED when a slice has ended. */
void cli_slices_run(struct cli_campaign *campaign, void (*beat)(struct cli_campaign *campaign),
                    void (*changed)(struct cli_campaign *campaign));
bool cli_slices_were_stopped(void); /* by a signal */
/* Of a target that has a suite: its report, for at most so many seconds. */
void cli_slices_report(struct cli_campaign *campaign, size_t target, double seconds);

#endif
