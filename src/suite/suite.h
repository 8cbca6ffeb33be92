/* SPDX-License-Identifier: Apache-2.0
 *
 * suite: tests in a folder. suite.json describes them, tests/0001.input holds the bytes of the
 * first, tests/0001.c a program that calls the entry with it, faults/0001.input an input that
 * crashed, slow/0001.input one that was ended at a limit, `state` what a search needs to go on.
 *
 * A reader sees the old suite or the new one, never a mixture or a half. The folder may hold other
 * files: they are never touched.
 */
#ifndef SLOWPATH_SUITE_H
#define SLOWPATH_SUITE_H

#include "measure/measure.h"
#include "target/target.h"
#include <jansson.h>

/* ---- storing ---- */

struct suite_test {
    const void *input;
    size_t size;
    json_t *cost; /* taken over */
    bool verified;
    bool is_predicted;
    double predicted; /* the cost, from smaller sizes */
    uint32_t decisions;
    const char *condition; /* NULL: unknown */
    const char *trace;     /* branches by source line, or NULL */
    const char *tables;    /* C definitions of what it reads from, or NULL */
    json_t *symbolic;      /* costs in terms of the input; taken over; NULL: plain numbers */
    const char *program;   /* C source, or NULL */
    json_t *more;          /* an object of further members; taken over; NULL: none */
};

/* An input that did not end well. */
struct suite_fault {
    const void *input;
    size_t size;
    const char *status, *reason;
    bool is_slow; /* it was ended because it took too much: it may be the costliest of all */
    double limit; /* that it ran into, in seconds or in MiB; 0: none */
};
/* "faults/0001.input" or "slow/0001.input": the file of a fault in the suite's folder. */
#define SUITE_NAME_BYTES 64
void suite_name_fault(const struct suite_fault *faults, size_t index, char name[SUITE_NAME_BYTES]);

struct suite_extra {
    char *name; /* in the suite's folder */
    char *data;
    size_t size;
    bool is_program; /* it can be run */
};

/* The JSON values are taken over; NULL means that there is nothing to say. */
struct suite_head {
    const char *const *targets;
    size_t target_count;
    const char *folder; /* in which the targets' names hold, seen from the suite's; may be NULL */
    const char *entry;  /* may be NULL */
    const char *strategy, *measure;
    json_t *sizes, *options, *stats;
    json_t *model;    /* cost as a function of size */
    json_t *baseline; /* what the tests are compared with */
    json_t *findings; /* causes, costliest first: see finding.h */
    const struct suite_fault *faults;
    size_t fault_count;
    const struct suite_extra *extras; /* files besides */
    size_t extra_count;
};

/* suite.json as a value; takes over all JSON values in it. */
json_t *suite_describe(const struct suite_head *head, const struct suite_test *tests, size_t count);
/* May a suite be written there, and can it be? Not over what is something else. Leaves no trace. */
bool suite_check_place(const char *path, struct base_error *error);
/* The current folder, seen from the suite's folder at PATH; the caller frees it. */
char *suite_way_back(const char *path);
/* Finishes what a crash may have interrupted; all that read or write a suite begin with it. */
bool suite_settle(const char *folder, struct base_error *error);
/* A name inside a suite's folder: no way up, no other root. */
bool suite_is_inside(const char *file);
/* ROOT is borrowed, of HEAD only the faults and extras matter. STATE is written beside it unless it
 * is empty. */
bool suite_store(const char *path, const json_t *root, const struct suite_head *head,
                 const struct suite_test *tests, size_t count, const struct base_buffer *state,
                 struct base_error *error);

/* ---- the suite that was there before ---- */

enum suite_kinship {
    SUITE_ALONE,     /* there is none */
    SUITE_ALIKE,     /* its tests could be ours */
    SUITE_DIFFERENT, /* the same target with other inputs, or measured by something else */
    SUITE_FOREIGN    /* another target */
};
/* FRESH: the new suite, described; its tests do not matter. */
enum suite_kinship suite_look_around(const char *path, const struct suite_head *head,
                                     const json_t *fresh);
/* Copies the suite to a folder of its own inside; the caller frees *PLACE. */
bool suite_set_aside(const char *path, char **place, struct base_error *error);

/* ---- the state of a search ---- */

/* KEY says what the state belongs to: it is only loaded with the same one. Its first line stands
 * for the program. */
void suite_seal_state(const char *key, const struct base_buffer *state, struct base_buffer *sealed);
bool suite_save_state(const char *path, const struct base_buffer *sealed, struct base_error *error);
/* Is there a file that begins like a state? */
bool suite_has_state(const char *path);
/* Was it made with the program of KEY as it is now? */
bool suite_state_is_of(const char *path, const char *key);
/* The caller frees *STATE. */
bool suite_load_state(const char *path, const char *key, char **state, size_t *size,
                      struct base_error *error);
/* One file of such a kind. */
bool suite_read_state(const char *file, const char *key, char **state, size_t *size,
                      struct base_error *error);

/* ---- ranks.c: the state of a search on several ranks, a file of each ---- */

struct suite_rank_file {
    uint32_t moment, rank;
    uint32_t part; /* 0: what the rank had; from 1 on: work that came late */
};
bool suite_save_rank(const char *path, const char *key, const struct suite_rank_file *file,
                     const struct base_buffer *state, struct base_error *error);
/* From now on that moment counts, of so many ranks and MORE files with late work. */
bool suite_commit_ranks(const char *path, uint32_t moment, uint32_t ranks, uint32_t more,
                        struct base_error *error);
bool suite_has_ranks(const char *path);
uint32_t suite_last_moment(const char *path); /* 0: there is none */
/* The folder of ranks is there, and nobody else's files are in it; a moment need not be whole. */
bool suite_owns_ranks(const char *path);
/* Files of moments that never became whole: those of another number of ranks must not mix. */
void suite_forget_unfinished(const char *path);
void suite_drop_ranks(const char *path);
struct suite_rank_reader {
    bool (*take)(void *context, const char *state, size_t size, bool is_rest,
                 struct base_error *error);
    void *context;
};
bool suite_load_ranks(const char *path, const char *key, const struct suite_rank_reader *reader,
                      struct base_error *error);

/* ---- findings of a search that goes on ---- */

/* They are lines of JSON in found.jsonl, and the first begins like this. */
#define SUITE_FOUND_BEGINS "{\"law\":"
bool suite_has_found(const char *path);
bool suite_add_found(const char *path, const char *line, struct base_error *error);
void suite_drop_found(const char *path);

/* ---- loading and replaying ---- */

struct suite_item {
    const char *file;  /* "tests/0001.input" */
    double cost;       /* by the suite's measure */
    const json_t *all; /* its cost object */
    char *input;
    size_t size;
};

struct suite {
    json_t *root; /* owns what the texts below borrow */
    const char *entry, *measure;
    const char *folder; /* in which the targets' names hold, seen from the suite's; NULL: unknown */
    struct base_strings targets, cflags, args;
    uint32_t arg_index;
    const char *pipeline; /* of which the targets are the programs; NULL: it is none */
    struct abi_tree tree; /* its input is one, if there are objects */
    const char *weights;  /* NULL: the usual ones */
    struct target_given *sizes;
    size_t size_count;
    double limit_time, limit_memory, limit_file; /* 0: not recorded */
    struct suite_item *items;
    size_t count;
    struct suite_fault *faults; /* as far as their files are there */
    size_t fault_count;
};

/* A missing or broken suite is BASE_USAGE, with one line that says which file and why. */
bool suite_load(const char *path, struct suite *suite, struct base_error *error);
void suite_done(struct suite *suite);

/* From now on the recorded costs are those by this measure; false: they were not recorded. */
bool suite_use_measure(struct suite *suite, const struct measure *measure,
                       struct base_error *error);

enum suite_verdict {
    SUITE_SAME,
    SUITE_CHEAPER,
    SUITE_DEARER,   /* within the tolerance */
    SUITE_EXCEEDED, /* beyond it */
    SUITE_BROKEN    /* crashed, took too long, was rejected */
};

struct suite_replayed {
    enum suite_verdict verdict;
    struct abi_result result;
    double cost;
};
/* Runs every test; RESULTS has one place for each. A test may cost THRESHOLD percent more. */
bool suite_replay(const struct suite *suite, struct target *target, const struct measure *measure,
                  double threshold, struct suite_replayed *results, struct base_error *error);

#endif
