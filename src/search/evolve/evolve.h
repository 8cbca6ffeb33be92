/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the evolving search share: tokens, drafts and the operators that change them,
 * and the corpus of inputs that were worth keeping.
 *
 * Nothing here reads a clock: with one worker, everything follows from the seed and from the costs
 * of the runs.
 */
#ifndef SLOWPATH_SEARCH_EVOLVE_H
#define SLOWPATH_SEARCH_EVOLVE_H

#include "search/core/core.h"

/* ---- tokens.c: bytes that the program or the user distinguishes ---- */

enum evolve_group {
    EVOLVE_BYTES, /* single bytes */
    EVOLVE_WORDS, /* longer ones that the program compares with */
    EVOLVE_TEXTS, /* other literals */
    EVOLVE_GIVEN, /* all of the dictionary */
    EVOLVE_GROUPS
};

struct evolve_tokens {
    struct base_arena arena;
    struct evolve_token_list {
        struct target_input *data;
        size_t count, capacity;
    } groups[EVOLVE_GROUPS];
};
/* From the facts and the dictionary; multi-byte numbers are included in both byte orders. */
void evolve_tokens_init(struct evolve_tokens *tokens, const struct ir_facts *facts,
                        const struct search_options *options);
void evolve_tokens_done(struct evolve_tokens *tokens);
/* Borrowed; NULL when there is none. */
const struct target_input *evolve_pick_token(const struct evolve_tokens *tokens, uint64_t *random);

/* ---- mutate.c, mutate_typed.c: one change to an input ---- */

/* An array of elements of one type in the input. */
struct evolve_lane {
    size_t offset, count;
    unsigned width; /* bytes of an element, up to 8 */
    bool is_signed, is_float, is_bounded;
    int64_t low, high; /* of the elements, if they are bounded */
};

struct evolve_lanes {
    struct evolve_lane *data;
    size_t count, capacity;
};
/* The fields of an entry as lanes; none for plain bytes. */
void evolve_lanes_init(struct evolve_lanes *lanes, const struct search_layout *layout);

struct evolve_draft {
    uint8_t *bytes; /* room for LIMIT */
    size_t size, limit;
    uint64_t *random;
    const struct evolve_tokens *tokens;
    const struct evolve_lanes *lanes; /* if there are any, the size is fixed */
    struct target_input mate;         /* another input to take parts from */
};

/* OPERATOR(identifier, works on lanes, "what it does") */
#define EVOLVE_OPERATORS(OPERATOR)                                                                 \
    OPERATOR(repeat, false, "a block several times more")                                          \
    OPERATOR(fill, false, "nothing but one block, as often as there is room")                      \
    OPERATOR(copy, false, "a block also elsewhere")                                                \
    OPERATOR(delete, false, "a block less")                                                        \
    OPERATOR(exchange, false, "two neighbouring blocks in the other order")                        \
    OPERATOR(nest, false, "two blocks several times more around what is between them")             \
    OPERATOR(count, false, "a block several times more, with a running number in it")              \
    OPERATOR(insert, false, "a token more")                                                        \
    OPERATOR(replace, false, "a token instead of what is there")                                   \
    OPERATOR(multiply, false, "a token many times")                                                \
    OPERATOR(splice, false, "the end of another input")                                            \
    OPERATOR(borrow, false, "a block of another input")                                            \
    OPERATOR(digits, false, "another number in decimal digits")                                    \
    OPERATOR(grow, false, "random bytes more")                                                     \
    OPERATOR(set, true, "any value")                                                               \
    OPERATOR(step, true, "a little more or less")                                                  \
    OPERATOR(bound, true, "a boundary value")                                                      \
    OPERATOR(bit, true, "one bit flipped")                                                         \
    OPERATOR(swap, true, "two elements in each other's place")                                     \
    OPERATOR(move, true, "an element to another place, those between move up")                     \
    OPERATOR(sort, true, "a range in order")                                                       \
    OPERATOR(reverse, true, "a range backwards")                                                   \
    OPERATOR(level, true, "a range of equal values")                                               \
    OPERATOR(ramp, true, "a range that rises or falls evenly")                                     \
    OPERATOR(echo, true, "a range over another one")                                               \
    OPERATOR(mix, true, "a range of another input")

enum evolve_operator {
#define OPERATOR(id, typed, text) EVOLVE_OPERATOR_##id,
    EVOLVE_OPERATORS(OPERATOR)
#undef OPERATOR
        EVOLVE_OPERATOR_COUNT
};

/* False when the operator does not apply to this draft, which is then unchanged. */
bool evolve_apply(struct evolve_draft *draft, enum evolve_operator operator);
bool evolve_is_typed(enum evolve_operator operator);
const char *evolve_operator_name(enum evolve_operator operator);

#define OPERATOR(id, typed, text) bool evolve_change_##id(struct evolve_draft *draft);
EVOLVE_OPERATORS(OPERATOR)
#undef OPERATOR

/* 0 .. limit - 1 (0 for limit 0). */
static inline size_t evolve_below(uint64_t *random, size_t limit) {
    return limit ? (size_t)(((unsigned __int128)search_random(random) * limit) >> 64) : 0;
}
/* 1 .. limit, smaller ones more likely (0 for limit 0). */
static inline size_t evolve_few(uint64_t *random, size_t limit) {
    unsigned bits = limit ? 64 - (unsigned)__builtin_clzll(limit) : 0;
    size_t top = (size_t)1 << evolve_below(random, bits + 1);
    return limit ? 1 + evolve_below(random, top < limit ? top : limit) : 0;
}

/* ---- corpus.c: inputs worth keeping ---- */

struct evolve_entry {
    uint8_t *bytes;
    size_t size;
    double cost;
    uint64_t instructions; /* of a run */
    struct search_path path;
    uint32_t broken; /* records that it broke when it was added */
    uint32_t roles;  /* number of champion places it holds */
    uint32_t picks, finds;
    uint32_t strikes; /* children that took too long */
    bool is_flipped;  /* its decisions have been flipped */
    bool is_met;      /* its keys have been made to collide */
};

#define EVOLVE_BUCKETS 33   /* sizes by powers of two */
#define EVOLVE_CHAMPIONS 4u /* of a bucket, by each measure */
enum evolve_worth { EVOLVE_BY_COST, EVOLVE_BY_RATE, EVOLVE_WORTHS };

struct evolve_bucket {
    uint32_t champions[EVOLVE_WORTHS][EVOLVE_CHAMPIONS]; /* newest first */
    uint32_t count[EVOLVE_WORTHS];
};

struct evolve_corpus {
    struct evolve_entry *entries;
    size_t count, capacity;
    size_t limit; /* of entries */
    struct evolve_bucket buckets[EVOLVE_BUCKETS];
    uint32_t newest[16]; /* entries, as a ring */
    uint32_t newest_count;
    uint64_t dropped;           /* entries that were replaced */
    BASE_VECTOR(uint32_t) idle; /* entries that can be reused */
};
void evolve_corpus_init(struct evolve_corpus *corpus, size_t limit);
void evolve_corpus_done(struct evolve_corpus *corpus);
unsigned evolve_bucket_of(size_t size);
/* Copies an input that breaks a record, or that costs more (in total or per byte) than all others
 * of about its size; with DRIFTS, also one that costs as much as the best. Returns the index, or
 * UINT32_MAX if it is not kept. */
uint32_t evolve_corpus_offer(struct evolve_corpus *corpus, const struct search_test *test,
                             bool drifts);
/* An entry to mutate, of at most LIMIT bytes if there are such. */
uint32_t evolve_corpus_pick(const struct evolve_corpus *corpus, uint64_t *random, size_t limit);
/* The best of the bucket, or NULL. */
const struct evolve_entry *evolve_champion(const struct evolve_corpus *corpus, unsigned bucket,
                                           enum evolve_worth worth);
void evolve_corpus_save(const struct evolve_corpus *corpus, struct base_buffer *out);
bool evolve_corpus_load(struct evolve_corpus *corpus, const char **data, const char *end);

/* ---- flip.c: the other side of decisions, by the solver ---- */

struct evolve_flip;
struct evolve_flip *evolve_flip_new(struct search *search);
void evolve_flip_free(struct evolve_flip *flip);
const struct solver_statistics *evolve_flip_solver(const struct evolve_flip *flip);
/* Traces an input with PROGRAM and appends inputs that take another direction at decisions whose
 * other side is worth it. RECORDS: those of the blocks; NULL: unknown. */
struct evolve_children {
    struct evolve_child {
        uint8_t *bytes;
        size_t size;
    } *data;
    size_t count, capacity;
};
bool evolve_flip_follow(struct evolve_flip *flip, const struct search_program *program,
                        const struct target_input *input, const uint64_t *records,
                        struct evolve_children *children, struct search_counters *counters,
                        struct base_error *error);
/* Traces an input and appends versions of it whose keys collide. */
bool evolve_flip_meet(struct evolve_flip *flip, const struct search_program *program,
                      const struct target_input *input, uint64_t *random,
                      struct evolve_children *children, struct search_counters *counters,
                      struct base_error *error);
void evolve_children_done(struct evolve_children *children);

/* ---- meet.c: keys that collide ---- */

/* Appends children for each access of the path (which was imported) whose keys can be moved. */
void evolve_meet(struct search *search, struct search_walk *walk, const struct target_input *input,
                 uint64_t *random, struct evolve_children *children);

/* ---- the state of the strategy ---- */

#define EVOLVE_BATCH 1024u
#define EVOLVE_FIRST_LIMIT 64u /* initial size limit */

struct evolve_birth { /* how an input was made */
    uint32_t parent, operators;
};

struct evolve_worker {
    const struct search_program *program;
    uint64_t random;
    uint64_t *records; /* of this worker's target, NULL: there are none */
    uint64_t seen;     /* the version of the common records that they include */
    uint8_t *bytes;
    size_t count;
    struct target_input inputs[EVOLVE_BATCH];
    struct evolve_birth births[EVOLVE_BATCH];
    struct abi_result results[EVOLVE_BATCH];
    double costs[EVOLVE_BATCH];
    struct evolve_flip *flip;
    size_t stretch; /* inputs run between checks of the clock */
};

struct evolve_epoch {
    uint64_t runs, cost; /* of this epoch so far */
    uint64_t broken;     /* inputs that broke a record in it */
    double best;         /* the best of the largest size when the epoch began, to compare with */
    uint32_t quiet;      /* epochs in a row without success */
};

struct evolve_state {
    struct evolve_corpus corpus;
    struct evolve_tokens tokens;
    struct evolve_lanes lanes;
    struct evolve_children pending; /* inputs waiting for their first run */
    size_t next_pending;
    size_t limit; /* current size limit */
    struct evolve_epoch epoch;
    double uses[EVOLVE_OPERATOR_COUNT], finds[EVOLVE_OPERATOR_COUNT];
    double chances[EVOLVE_OPERATOR_COUNT]; /* cumulative, the last is 1 */
    uint64_t *records;                     /* the highest of all workers */
    size_t record_count;
    uint64_t version; /* of the records */
    struct evolve_worker *workers;
    size_t busy;          /* workers that may still add entries */
    uint32_t patience;    /* quiet epochs before the next input is traced */
    bool no_flips;        /* there is no symbolic build */
    uint32_t epochs;      /* that have ended */
    uint32_t next_meet;   /* the epoch after which the keys of the best input are moved */
    double slowest_start; /* seconds it took */
};

/* breed.c; all with the lock held: the starting inputs, how often each operator is drawn, and the
 * inputs of a worker's next batch. */
void evolve_add_starts(struct search *search);
void evolve_add_pending(struct evolve_state *state, const void *bytes, size_t size);
void evolve_weigh_operators(struct evolve_state *state);
void evolve_make_batch(struct search *search, struct evolve_worker *worker);
size_t evolve_largest_batch(const struct search *search);

/* follow.c; with the lock held, which is released meanwhile: traces an input if it is time to. */
void evolve_follow(struct search *search, struct evolve_worker *worker);

/* Is the size given by the fields of an entry? */
static inline bool evolve_has_fixed_size(const struct search *search) {
    return search->subject.layout.is_typed;
}

#endif
