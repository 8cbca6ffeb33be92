/* SPDX-License-Identifier: Apache-2.0
 *
 * What is searched: the programs to run, what is known about their code, what the bytes of an
 * input mean, and which sizes an input can have.
 *
 * A strategy sees a subject and nothing else of the outside, so it can be tested without a target.
 * core/target.c makes a subject from a function, a harness or a program; with a template its inputs
 * are the fillings of a text (core/template.c).
 */
#ifndef SLOWPATH_SEARCH_SUBJECT_H
#define SLOWPATH_SEARCH_SUBJECT_H

#include "ir/facts.h"
#include "measure/measure.h"
#include "solver/solver.h"
#include "target/entry.h"
#include "target/target.h"

/* ---- what one worker may run ---- */

struct search_counter { /* one of the user's (slowpath_count) */
    char name[ABI_NAME_SIZE];
    uint32_t measured; /* its number in results of the measuring build; UINT32_MAX: not there */
    double price;      /* what it counts in the measure */
};

struct search_program {
    void *self;
    /* Like target_run_traced; NULL when there is no symbolic build. */
    bool (*trace)(void *self, const struct target_input *inputs, size_t count, target_visit *visit,
                  void *context, struct base_error *error);
    /* Is the build there that traces need? Before, they wait for it. NULL: it is. */
    bool (*can_trace)(void *self);
    /* Like target_loss, of those traces; NULL: they have none. */
    bool (*loss)(void *self, uint32_t number, struct abi_loss *loss);
    /* The counter that traces know by this number; false or NULL: there is none. */
    bool (*counter)(void *self, uint32_t number, struct search_counter *counter);
    /* Runs inputs in the measuring build; COSTS are by the chosen measure. */
    bool (*measure)(void *self, const struct target_input *inputs, size_t count,
                    struct abi_result *results, double *costs, struct base_error *error);
    /* Like target_set_aim, for the next traces; NULL: they tell of whole runs and all bytes. */
    void (*aim)(void *self, const struct target_aim *aim);
    /* Like target_set_force; NULL: branches cannot be forced. */
    void (*force)(void *self, const struct target_force *force);
    /* Like target_set_records; NULL: no run is said to break any. */
    uint64_t *(*records)(void *self, size_t *count);
    /* Like measure, for one input; COUNTS are the counters it left, valid until the next run. NULL:
     * they cannot be had. */
    bool (*count)(void *self, const struct target_input *input, struct abi_result *result,
                  double *cost, const uint64_t **counts, struct base_error *error);
    /* Like target_limit_run, for the measuring build; NULL: runs end by themselves. */
    void (*limit)(void *self, double seconds);
};

/* ---- what the bytes of an input mean ---- */

struct search_layout {
    uint64_t bytes;              /* of an input; of strategies that vary the size: of the largest */
    bool is_typed;               /* the fields of an entry: no other number of bytes fits them */
    struct target_fields fields; /* else a single one, of bytes */
    BASE_VECTOR(struct solver_range) ranges; /* of single fields, from --range, and of pointers */
    unsigned heap_form;                      /* enum target_heap_form: what pointers may lead to */
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
    /* Inputs whose selected size is SIZE; false when there are none. LAYOUT is empty before. */
    bool (*layout)(void *self, int64_t size, struct search_layout *layout);
    /* From now on size WHICH varies, and the others have the VALUES. At first it is size 0. */
    void (*select)(void *self, size_t which, const int64_t *values);
    void *self;
};

/* ---- what costs are wanted ---- */

/* How much each cost that is known while a run is under way counts in the measure. */
struct search_prices {
    double of[ABI_COST_COUNT]; /* by enum abi_cost */
    bool is_partial;           /* the measure has other parts, too: only a whole run tells */
};

struct search_limit {
    char *text; /* of its measure */
    struct measure measure;
    struct search_prices prices;
    double bound;
    bool at_most;   /* else at least */
    bool is_strict; /* the bound itself is too much, or too little */
};

/* --policy: tests must keep all limits. */
struct search_policy {
    BASE_VECTOR(struct search_limit) limits;
    size_t top; /* only so many of the costliest are wanted; 0: as many as --tests says */
    /* What a run costs by the measure of a limit. */
    double (*value)(void *self, size_t limit, const struct abi_result *result);
    void *self;
};
/* Reads the text; measures and prices are for others to fill in. */
bool search_policy_parse(const char *text, struct search_policy *policy, struct base_error *error);
void search_policy_done(struct search_policy *policy);

/* ---- a range of sizes, all of which are searched ---- */

struct search_sweep {
    const char *name;
    int64_t first;
    size_t count;                  /* sizes from there on */
    struct search_layout *layouts; /* of each */
};

/* ---- for those who look at the code ---- */

struct search_entry {
    const struct target_entry *form; /* what --entry says; NULL: there is none */
    /* The sizes of an input of so many bytes, in the order of the form's. */
    bool (*sizes)(void *self, uint64_t bytes, int64_t *values);
    void *self;
    /* What one run of each block counts in the measure, from the second on; the first is for each
     * byte that a library function touches. NULL: it is not known. */
    const double *prices;
    bool is_whole; /* but for the heap there is nothing else in the measure */
};

/* ---- the subject ---- */

struct search_tried { /* an input that ran before the search, and ended well */
    struct target_input input;
    struct abi_result result;
    double cost;
};

struct search_subject {
    const struct search_program *programs; /* one for each worker */
    size_t jobs;                           /* workers */
    const struct ir_facts *facts;
    struct search_layout layout;
    bool sizes_vary;                   /* inputs of any other number of bytes can be run, too */
    bool is_long;                      /* to follow a whole input takes long, a part of it less */
    const struct search_sizes *sizes;  /* NULL: inputs have one size */
    const struct search_sweep *sweep;  /* NULL: there is no range of sizes */
    const struct target_input *starts; /* inputs to begin with: as large as all, or smaller */
    size_t start_count;
    const struct search_tried *tried; /* NULL: there is none */
    struct search_prices prices;
    const struct search_policy *policy; /* NULL: all costs are welcome */
    struct search_entry entry;
    double run_seconds;  /* what one run may take; 0: not known */
    uint64_t run_memory; /* bytes of heap that one may hold at a time; 0: not known */
};

/* What inputs of so many bytes mean, where a range of sizes is searched. */
const struct search_layout *search_layout_for(const struct search_subject *subject, uint64_t bytes);

/* ---- a target as a subject ---- */

struct search_strategy;
struct target_template;

/* What the user says about the target and its input. All of it is borrowed. */
struct search_request {
    struct target_options target; /* `kind`, `tells_loops` and `fresh` may be changed here */
    const char *measure;
    const struct measure_weights *weights;
    const struct search_strategy *strategy;
    size_t jobs;
    double seconds;       /* that the search may take; 0: as long as it likes */
    bool may_start_early; /* without the symbolic build, if it takes long: turns depend on time */
    uint64_t seed;
    const char *policy; /* the text of --policy, or NULL */
    const char *swept;  /* a size of which all values from FIRST on are searched, or NULL */
    int64_t first;
    int64_t input_bytes;               /* of an input without entry; -1: not given */
    uint64_t most_bytes;               /* of inputs whose size nobody gave */
    const struct base_strings *ranges; /* the texts of --range */
    const struct target_input *seeds;  /* of any size */
    size_t seed_count;
    const struct target_template *form; /* NULL: inputs are not made from a template */
};

struct search_target { /* read only */
    struct search_subject subject;
    /* The one of the request, but for a template: then `auto` is one that fits it. */
    const struct search_strategy *strategy;
    struct measure measure;
    struct target *measuring; /* the build of the first worker, to ask about the entry */
    double build_seconds;     /* that one had to wait */
};
/* Builds the target and starts it for every worker. The symbolic build is made at once if the
 * strategy cannot do without; else when it is first used, or beside the search if it takes long.
 * NULL and ERROR on failure. */
struct search_target *search_target_open(const struct search_request *request,
                                         struct base_error *error);
void search_target_close(struct search_target *target);
/* A build that is made beside the search: how far it is, and for how long. False: there is none. */
struct search_aside {
    unsigned done, all; /* functions; all is 0 before they are compiled */
    bool is_over;
    double seconds;
};
bool search_target_aside(const struct search_target *target, struct search_aside *aside);
bool search_target_has_symbolic(const struct search_target *target); /* that build is there */
double search_target_waited(const struct search_target *target);     /* for runs, of all workers */

#endif
