/* SPDX-License-Identifier: Apache-2.0
 *
 * suite: tests in a folder. suite.json describes them, tests/0001.input has the bytes of the first
 * one, tests/0001.c is a program that calls the entry with it, faults/0001.input is an input that
 * crashed, slow/0001.input one that hit a limit, and `state` is what a search needs to continue.
 *
 * A reader sees the old suite or the new one, never a mixture or a part. The folder may contain
 * other files, which are never touched.
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
    json_t *cost; /* owned */
    bool verified;
    bool is_predicted;
    double predicted; /* the cost extrapolated from smaller sizes */
    uint32_t decisions;
    const char *condition; /* or NULL */
    const char *trace;     /* branches by source line, or NULL */
    const char *tables;    /* C definitions of tables it reads, or NULL */
    json_t *symbolic;      /* costs in terms of the input; owned; NULL: plain numbers */
    const char *program;   /* C source, or NULL */
    json_t *more;          /* an object of additional members; owned; or NULL */
};

/* An input that crashed or was stopped. */
struct suite_fault {
    const void *input;
    size_t size;
    const char *status, *reason;
    bool is_slow; /* stopped at a limit: it may be the costliest input of all */
    double limit; /* the limit it hit, in seconds or MiB; 0: none */
};
/* "faults/0001.input" or "slow/0001.input": a fault's file in the suite's folder. */
#define SUITE_NAME_BYTES 64
void suite_name_fault(const struct suite_fault *faults, size_t index, char name[SUITE_NAME_BYTES]);

struct suite_extra {
    char *name; /* path in the suite's folder */
    char *data;
    size_t size;
    bool is_program; /* executable */
};

/* The JSON values are owned; NULL means none. */
struct suite_head {
    const char *const *targets;
    size_t target_count;
    /* Base of the targets' paths, relative to the suite's folder; may be NULL. */
    const char *folder;
    const char *entry; /* may be NULL */
    const char *strategy, *measure;
    json_t *sizes, *options, *stats;
    json_t *model;    /* cost as a function of size */
    json_t *baseline; /* what the tests are compared with */
    json_t *findings; /* causes, costliest first: see finding.h */
    const struct suite_fault *faults;
    size_t fault_count;
    const struct suite_extra *extras; /* additional files */
    size_t extra_count;
};

/* Makes suite.json as a value; takes ownership of all JSON values passed. */
json_t *suite_describe(const struct suite_head *head, const struct suite_test *tests, size_t count);
/* Can a suite be written there without replacing anything else? Leaves no trace. */
bool suite_check_place(const char *path, struct base_error *error);
/* The current folder relative to the suite's folder at PATH; the caller frees it. */
char *suite_way_back(const char *path);
/* Finishes a commit that a crash interrupted. Call it before reading or writing a suite. */
bool suite_settle(const char *folder, struct base_error *error);
/* Is this a path inside a suite's folder: relative and without ".."? */
bool suite_is_inside(const char *file);
/* ROOT is borrowed; only the faults and extras of HEAD are used. Writes STATE as well unless it is
 * empty. */
bool suite_store(const char *path, const json_t *root, const struct suite_head *head,
                 const struct suite_test *tests, size_t count, const struct base_buffer *state,
                 struct base_error *error);

/* ---- the existing suite ---- */

enum suite_kinship {
    SUITE_ALONE,     /* no suite yet */
    SUITE_ALIKE,     /* could share tests with ours */
    SUITE_DIFFERENT, /* the same target with other inputs, or another measure */
    SUITE_FOREIGN    /* another target */
};
/* FRESH: the description of the new suite; its tests are ignored. */
enum suite_kinship suite_look_around(const char *path, const struct suite_head *head,
                                     const json_t *fresh);
/* Copies the suite to a new subfolder; the caller frees *PLACE. */
bool suite_set_aside(const char *path, char **place, struct base_error *error);

/* ---- the state of a search ---- */

/* KEY identifies what was searched: a state is loaded only with the same key. Its first line
 * identifies the program. */
void suite_seal_state(const char *key, const struct base_buffer *state, struct base_buffer *sealed);
bool suite_save_state(const char *path, const struct base_buffer *sealed, struct base_error *error);
/* Is there a file that starts like a state? */
bool suite_has_state(const char *path);
/* Does it belong to the program of KEY as it is now? */
bool suite_state_is_of(const char *path, const char *key);
/* The caller frees *STATE. */
bool suite_load_state(const char *path, const char *key, char **state, size_t *size,
                      struct base_error *error);
/* Reads one such file. */
bool suite_read_state(const char *file, const char *key, char **state, size_t *size,
                      struct base_error *error);

/* ---- ranks.c: the state of a search on several ranks, one file each ---- */

struct suite_rank_file {
    uint32_t moment, rank;
    uint32_t part; /* 0: the rank's state; from 1: messages that were still under way */
};
bool suite_save_rank(const char *path, const char *key, const struct suite_rank_file *file,
                     const struct base_buffer *state, struct base_error *error);
/* Commits a checkpoint of so many ranks and MORE files of late work. */
bool suite_commit_ranks(const char *path, uint32_t moment, uint32_t ranks, uint32_t more,
                        struct base_error *error);
bool suite_has_ranks(const char *path);
uint32_t suite_last_moment(const char *path); /* 0: none */
/* Is the folder of ranks there, with no other files in it? A checkpoint need not be complete. */
bool suite_owns_ranks(const char *path);
/* Removes checkpoints that were never completed: files of different numbers of ranks must not
 * mix. */
void suite_forget_unfinished(const char *path);
void suite_drop_ranks(const char *path);
struct suite_rank_reader {
    bool (*take)(void *context, const char *state, size_t size, bool is_rest,
                 struct base_error *error);
    void *context;
};
bool suite_load_ranks(const char *path, const char *key, const struct suite_rank_reader *reader,
                      struct base_error *error);

/* ---- findings of an unfinished search ---- */

/* They are lines of JSON in found.jsonl; the first starts like this. */
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
    json_t *root; /* owns the texts borrowed below */
    const char *entry, *measure;
    /* Base of the targets' paths, relative to the suite's folder; NULL: unknown. */
    const char *folder;
    struct base_strings targets, cflags, args;
    uint32_t arg_index;
    const char *pipeline; /* the targets are its programs; or NULL */
    struct abi_tree tree; /* the input is a tree, if it has objects */
    const char *weights;  /* NULL: default */
    struct target_given *sizes;
    size_t size_count;
    double limit_time, limit_memory, limit_file; /* 0: not recorded */
    struct suite_item *items;
    size_t count;
    struct suite_fault *faults; /* those whose files exist */
    size_t fault_count;
};

/* A missing or broken suite is BASE_USAGE, with one line that names the file and the reason. */
bool suite_load(const char *path, struct suite *suite, struct base_error *error);
void suite_done(struct suite *suite);

/* Uses the recorded costs of this measure from now on; false: they were not recorded. */
bool suite_use_measure(struct suite *suite, const struct measure *measure,
                       struct base_error *error);

enum suite_verdict {
    SUITE_SAME,
    SUITE_CHEAPER,
    SUITE_DEARER,   /* costlier, but within the tolerance */
    SUITE_EXCEEDED, /* beyond it */
    SUITE_BROKEN    /* crashed, timed out, or rejected */
};

struct suite_replayed {
    enum suite_verdict verdict;
    struct abi_result result;
    double cost;
};
/* Runs every test; RESULTS has one place for each. A test may cost up to THRESHOLD percent more. */
bool suite_replay(const struct suite *suite, struct target *target, const struct measure *measure,
                  double threshold, struct suite_replayed *results, struct base_error *error);

#endif
