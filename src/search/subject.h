/* SPDX-License-Identifier: Apache-2.0
 *
 * What is searched: the programs to run, the facts about their code, the meaning of an input's
 * bytes, and the sizes an input can have.
 *
 * A strategy sees nothing but its subject, so it can be tested without a target. core/target.c
 * makes a subject from a function, a harness or a program; with a template, the inputs are fillings
 * of a text (core/template.c).
 */
#ifndef SLOWPATH_SEARCH_SUBJECT_H
#define SLOWPATH_SEARCH_SUBJECT_H

#include "ir/facts.h"
#include "measure/measure.h"
#include "solver/solver.h"
#include "target/entry.h"
#include "target/target.h"

/* ---- what one worker can run ---- */

struct search_counter { /* one of the user's counters (slowpath_count) */
    char name[ABI_NAME_SIZE];
    uint32_t measured; /* its number in results of the measuring build; UINT32_MAX: not there */
    double price;      /* its factor in the measure */
};

struct search_program {
    void *self;
    /* Like target_run_traced; NULL when there is no symbolic build. */
    bool (*trace)(void *self, const struct target_input *inputs, size_t count, target_visit *visit,
                  void *context, struct base_error *error);
    /* Is the build that traces need ready? If not, tracing waits for it. NULL: it is. */
    bool (*can_trace)(void *self);
    /* Like target_loss, for these traces; NULL: there are none. */
    bool (*loss)(void *self, uint32_t number, struct abi_loss *loss);
    /* The counter with this number in traces; false or NULL: there is none. */
    bool (*counter)(void *self, uint32_t number, struct search_counter *counter);
    /* Runs inputs in the measuring build; COSTS are by the chosen measure. */
    bool (*measure)(void *self, const struct target_input *inputs, size_t count,
                    struct abi_result *results, double *costs, struct base_error *error);
    /* Like target_set_aim, for the next traces; NULL: whole runs are traced, with all bytes
     * symbolic. */
    void (*aim)(void *self, const struct target_aim *aim);
    /* Like target_set_force; NULL: branches cannot be forced. */
    void (*force)(void *self, const struct target_force *force);
    /* Like target_set_records; NULL: records are not reported. */
    uint64_t *(*records)(void *self, size_t *count);
    /* Like measure, for one input; COUNTS are the block counts, valid until the next run. NULL: not
     * available. */
    bool (*count)(void *self, const struct target_input *input, struct abi_result *result,
                  double *cost, const uint64_t **counts, struct base_error *error);
    /* Like target_limit_run, for the measuring build; NULL: runs end by themselves. */
    void (*limit)(void *self, double seconds);
};

/* ---- what the bytes of an input mean ---- */

struct search_layout {
    uint64_t bytes; /* of an input; of the largest one if the strategy varies the size */
    bool is_typed;  /* the fields of an entry: only this number of bytes fits */
    struct target_fields fields;             /* else a single one, of bytes */
    BASE_VECTOR(struct solver_range) ranges; /* of single fields, from --range, and of pointers */
    unsigned heap_form;                      /* enum target_heap_form: where pointers may lead */
};
void search_layout_done(struct search_layout *layout);
/* One field of so many bytes, called "in". */
void search_layout_of_bytes(uint64_t bytes, struct search_layout *layout);
/* Pointers lead to one of the objects, or are null. */
void search_layout_bound_links(struct search_layout *layout, unsigned form);
/* Adds NAME=LOW..HIGH for every element of a field. */
bool search_layout_bound(struct search_layout *layout, const char *text, struct base_error *error);

/* ---- the sizes of an input, for strategies that learn from small ones ---- */

struct search_sizes {
    size_t count; /* sizes that grow, the largest first; at least 1 */
    const char *names[ABI_MAX_SIZES];
    int64_t wanted[ABI_MAX_SIZES];
    /* Lays out inputs whose selected size is SIZE; false when there are none. LAYOUT is empty
     * before. */
    bool (*layout)(void *self, int64_t size, struct search_layout *layout);
    /* From now on size WHICH varies, and the others have the given VALUES. Initially size 0 varies.
     */
    void (*select)(void *self, size_t which, const int64_t *values);
    void *self;
};

/* ---- which costs are wanted ---- */

/* The factor in the measure of each cost that is known during a run. */
struct search_prices {
    double of[ABI_COST_COUNT]; /* by enum abi_cost */
    bool is_partial;           /* the measure has other parts, too: only whole runs tell it */
};

struct search_limit {
    char *text; /* of its measure */
    struct measure measure;
    struct search_prices prices;
    double bound;
    bool at_most;   /* else at least */
    bool is_strict; /* the bound itself is excluded */
};

/* --policy: tests must meet all limits. */
struct search_policy {
    BASE_VECTOR(struct search_limit) limits;
    size_t top; /* only this many of the costliest are wanted; 0: as --tests says */
    /* What a run costs by the measure of a limit. */
    double (*value)(void *self, size_t limit, const struct abi_result *result);
    void *self;
};
/* Parses the text; the caller fills in measures and prices. */
bool search_policy_parse(const char *text, struct search_policy *policy, struct base_error *error);
void search_policy_done(struct search_policy *policy);

/* ---- a range of sizes, all of which are searched ---- */

struct search_sweep {
    const char *name;
    int64_t first;
    size_t count;                  /* sizes, starting there */
    struct search_layout *layouts; /* of each */
};

/* ---- for strategies that look at the code ---- */

struct search_entry {
    const struct target_entry *form; /* the parsed --entry; NULL: there is none */
    /* The sizes of an input with this many bytes, in the order of the form. */
    bool (*sizes)(void *self, uint64_t bytes, int64_t *values);
    void *self;
    /* The price in the measure of one run of each block, from index 1 on; index 0 is the price of
     * each byte that a library function touches. NULL: not known. */
    const double *prices;
    bool is_whole; /* the measure has no other parts, except for the heap */
};

/* ---- the subject ---- */

struct search_tried { /* an input that was run successfully before the search */
    struct target_input input;
    struct abi_result result;
    double cost;
};

struct search_subject {
    const struct search_program *programs; /* one for each worker */
    size_t jobs;                           /* workers */
    const struct ir_facts *facts;
    struct search_layout layout;
    bool sizes_vary; /* inputs of any other number of bytes can be run, too */
    bool is_long;    /* tracing a whole input takes long, tracing a part of it less */
    const struct search_sizes *sizes;  /* NULL: inputs have one size */
    const struct search_sweep *sweep;  /* NULL: there is no range of sizes */
    const struct target_input *starts; /* inputs to start from: full size, or smaller */
    size_t start_count;
    const struct search_tried *tried; /* NULL: there is none */
    struct search_prices prices;
    const struct search_policy *policy; /* NULL: all costs are wanted */
    struct search_entry entry;
    double run_seconds;  /* limit of a single run; 0: not known */
    uint64_t run_memory; /* limit of the heap of a run, in bytes; 0: not known */
};

/* The layout of inputs with this many bytes, where a range of sizes is searched. */
const struct search_layout *search_layout_for(const struct search_subject *subject, uint64_t bytes);

/* ---- a target as a subject ---- */

struct search_strategy;
struct target_template;

/* What the user specified about the target and its input. All of it is borrowed. */
struct search_request {
    struct target_options target; /* `kind`, `tells_loops` and `fresh` may be changed here */
    const char *measure;
    const struct measure_weights *weights;
    const struct search_strategy *strategy;
    size_t jobs;
    double seconds;       /* for the search; 0: no limit */
    bool may_start_early; /* without the symbolic build, if that takes long: makes turns depend on
                             time */
    uint64_t seed;
    const char *policy; /* the text of --policy, or NULL */
    const char *swept;  /* a size of which all values from FIRST on are searched, or NULL */
    int64_t first;
    int64_t input_bytes;               /* of an input without entry; -1: not given */
    uint64_t most_bytes;               /* of inputs whose size was not given */
    const struct base_strings *ranges; /* the texts of --range */
    const struct target_input *seeds;  /* of any size */
    size_t seed_count;
    const struct target_template *form; /* NULL: inputs are not made from a template */
};

struct search_target { /* read only */
    struct search_subject subject;
    /* The requested one, except that for a template `auto` is replaced by one that fits it. */
    const struct search_strategy *strategy;
    struct measure measure;
    struct target *measuring; /* the build of the first worker, to ask about the entry */
    double build_seconds;     /* spent waiting for it */
};
/* Builds the target and starts it for every worker. The symbolic build is made at once if the
 * strategy needs it; otherwise when it is first used, or in the background if it takes long. NULL
 * and ERROR on failure. */
struct search_target *search_target_open(const struct search_request *request,
                                         struct base_error *error);
void search_target_close(struct search_target *target);
/* Progress of a build made in the background, and for how long it has run. False: there is none. */
struct search_aside {
    unsigned done, all; /* functions; all is 0 before they are compiled */
    bool is_over;
    double seconds;
};
bool search_target_aside(const struct search_target *target, struct search_aside *aside);
bool search_target_has_symbolic(const struct search_target *target); /* that build is ready */
double search_target_waited(const struct search_target *target);     /* for runs, by all workers */

#endif
