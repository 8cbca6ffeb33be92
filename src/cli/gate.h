/* SPDX-License-Identifier: Apache-2.0
 *
 * Baselines on the command line: where one comes from, and whether a suite meets it.
 */
#ifndef SLOWPATH_CLI_GATE_H
#define SLOWPATH_CLI_GATE_H

#include "cli/session.h"
#include "suite/baseline.h"

struct cli_tolerance { /* for a measure other than the suite's own */
    char *name;
    double percent;
};

struct cli_law { /* of a test with a recipe */
    bool is_known;
    struct measure_growth now;
    bool is_worse;
};

struct cli_gate {
    bool has_baseline;
    struct suite_baseline baseline;
    char *source;   /* its origin, for messages */
    double percent; /* for the suite's own measure */
    BASE_VECTOR(struct cli_tolerance) others;
    struct cli_law *laws; /* per test; NULL: not checked */
    size_t worse_laws, unknown_tests, new_findings, improved, beyond;
};

/* Reads --tolerance. */
bool cli_gate_init(struct cli_gate *gate, const struct cli_values *values,
                   struct base_error *error);
void cli_gate_done(struct cli_gate *gate);
/* Finds the baseline before the target is built; BASE_UNTOLD if it is missing, or belongs to
 * another environment. */
bool cli_gate_load(struct cli_gate *gate, const struct cli_session *session,
                   struct base_error *error);
/* With --baseline REV: builds the target of that revision and measures the suite. */
bool cli_gate_measure(struct cli_gate *gate, struct cli_session *session, struct base_error *error);
/* Replaces the suite's recorded costs by those of the baseline. */
void cli_gate_apply(struct cli_gate *gate, struct suite *suite);
/* Checks laws, other measures and findings, after the tests were run. */
bool cli_gate_judge(struct cli_gate *gate, struct cli_session *session,
                    struct suite_replayed *results, struct base_error *error);
void cli_gate_print(FILE *out, const struct cli_gate *gate, const struct cli_session *session);

/* A baseline from the tests' current costs; TARGET may be another build. */
bool cli_baseline_make(const struct cli_session *session, struct target *target,
                       const struct suite_replayed *results, struct suite_baseline *baseline,
                       struct base_error *error);

#endif
