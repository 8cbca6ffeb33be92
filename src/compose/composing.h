/* SPDX-License-Identifier: Apache-2.0
 *
 * A composition under way: the state shared by compose.c, which runs it, and its parts.
 */
#ifndef SLOWPATH_COMPOSE_COMPOSING_H
#define SLOWPATH_COMPOSE_COMPOSING_H

#include "compose/compose.h"
#include "compose/explore.h"
#include "compose/relax.h"
#include "target/pipeline.h"

#define COMPOSING_POLISHING 0.2        /* of the time, for tracing the whole at the end */
#define COMPOSING_MOST_BYTES (1 << 17) /* input size up to which a stage is summarised */

struct compose_spreading;

struct composing_summary {
    size_t stage;
    struct compose_summary summary;
};

struct composing_rank { /* a path of the first stage, and the whole's cost on its input */
    struct compose_path *path;
    double cost;
};

enum composing_phase {
    COMPOSING_BEGINS,
    COMPOSING_JOINS,
    COMPOSING_FEEDS,
    COMPOSING_POLISHES,
    COMPOSING_IS_OVER
};

struct search_builder;

/* A stage that uses files besides its input is not summarised: its behaviour depends on the whole
 * tree. Instead, the path that it takes with the current tree is traced (files.c). */
struct composing_files {
    bool is_known, reads;    /* does it use files? */
    double heaviest;         /* of the paths traced so far */
    struct target *symbolic; /* NULL: not opened yet */
};

struct composing {
    const struct compose_request *request;
    struct compose_outcome *outcome;
    const struct target_pipeline *pipeline;
    struct target *target; /* the whole */
    struct measure measure;
    struct solver *solver; /* shared by all tests, as Z3 is slow to start */
    struct compose_settings settings;
    struct compose_program programs[TARGET_MOST_STAGES];
    struct search_sites sites[TARGET_MOST_STAGES];
    struct composing_files files[TARGET_MOST_STAGES];
    struct target_pipeline first;           /* the first stage alone, which reads the tree */
    bool is_joined[TARGET_MOST_STAGES];     /* it was part of a test ... */
    const char *reason[TARGET_MOST_STAGES]; /* ... or why not; NULL: not tried */
    BASE_VECTOR(struct composing_summary *) summaries;
    struct search_builder *builder; /* of the symbolic builds */
    double began, share;            /* seconds for one summary */
    double used;                    /* seconds of all steps */
    enum composing_phase phase;
    const struct compose_path *at_hand; /* of the first stage, where the test starts; or NULL */
    struct composing_rank *ranked;      /* paths of the first stage */
    size_t rank_count, next_rank;
    bool was_readable;                      /* at least one of them was readable */
    size_t to_join;                         /* tests still to be made */
    size_t wins[COMPOSE_RULES];             /* tests for which that rule was best */
    BASE_VECTOR(struct compose_test) known; /* costly inputs of the whole that others found */
    uint64_t hoped_for; /* hash of the test that compose_has_hope checked last, and its result */
    bool has_hope;
};

/* compose.c */
void composing_note(struct composing *self, const char *format, ...) BASE_PRINTF(2, 3);
bool composing_is_over(const struct composing *self);
const char *composing_name(const struct composing *self, size_t stage);

/* stock.c. NULL: the stage cannot be summarised, or not in time. */
struct compose_summary *composing_find_summary(struct composing *self, size_t stage,
                                               uint64_t bytes);
/* Is there a summary for this size, or may one be made? */
bool composing_can_read(const struct composing *self, size_t stage, uint64_t bytes);
void composing_look_ahead(struct composing *self);
struct compose_spreading composing_spread(struct composing *self);

/* Is the input a tree of files? */
bool composing_has_tree(const struct composing *self);

/* files.c. Does the behaviour of a stage depend on the files? */
bool composing_reads_files(struct composing *self, size_t stage);
/* Traces the path that it takes on OWN with the files of TREE; its input is OWN and the tree.
 * False: it cannot be traced. */
bool composing_follow(struct composing *self, size_t stage, const struct target_input *own,
                      const struct target_input *tree, struct compose_path *path);
void composing_files_done(struct composing *self);

/* join.c: joins paths of all stages to a test, starting from path FIRST of the first stage. */
bool composing_join(struct composing *self, struct compose_path *first, struct base_error *error);

/* whole.c. A run that fails costs NAN. */
bool composing_measure(struct composing *self, const uint8_t *input, size_t size, double *cost,
                       struct base_error *error);
struct compose_test composing_new_test(const uint8_t *input, size_t size, double cost);
void composing_sort(struct compose_test *tests, size_t count); /* costliest first */
/* What a stage reads when the whole runs on costly inputs that others found. The caller frees it.
 */
struct composing_starts {
    struct target_input *data;
    size_t count, capacity;
};
void composing_list_starts(struct composing *self, size_t stage, struct composing_starts *starts);
/* Runs the whole on worst inputs of single stages. */
bool composing_feed_alone(struct composing *self, struct base_error *error);
bool composing_polish(struct composing *self, struct base_error *error);

#endif
