/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the resource-driven search share.
 *
 * From the bottom up: a *value* is what is known of a register or a place in memory; a *state* is
 * all values, calls and loops at one point of an abstract run; the *machine* runs a state to the
 * next branch that may go either way; the *oracle* joins such states to a graph and lists its
 * paths, costliest first; the *guide* checks whether an input takes such a path.
 */
#ifndef SLOWPATH_SEARCH_DRIVEN_H
#define SLOWPATH_SEARCH_DRIVEN_H

#include "search/core/core.h"
#include "search/core/trail.h"

/* ---- value.c: constants, intervals, and relations between them ---- */

/* Does a value depend on the input, so that a branch on it is a decision? */
enum driven_depends { DRIVEN_PLAIN, DRIVEN_PERHAPS, DRIVEN_SURELY };

enum driven_kind { DRIVEN_UNKNOWN, DRIVEN_INTEGER, DRIVEN_POINTER, DRIVEN_FUNCTION };

/* An integer is scale * symbol + offset, which never exceeds the range of its width (signed; 0 and
 * 1 for one bit). Two values with the same symbol move together. A pointer is an object and such an
 * offset in bytes. */
struct driven_value {
    uint8_t kind, width, depends;
    uint8_t is_indexed; /* of a pointer: computed with an index that is not constant */
    uint32_t object;    /* of a pointer: its object; of a function: its number */
    uint32_t symbol;    /* 0: none, the value is `offset` */
    uint32_t padding;
    int64_t scale, offset;
};

struct driven_range {
    int64_t low, high; /* empty if low > high */
};

#define DRIVEN_ROOTS 4

struct driven_symbol {
    struct driven_range range;
    uint8_t is_not_zero; /* even if zero is in the range */
    uint8_t was_asked;   /* a branch on it may not be a decision: it may have been decided before */
    uint8_t is_untraced; /* its origin is unknown */
    uint32_t
        roots[DRIVEN_ROOTS]; /* symbols of the input that it is made of; itself if there are none */
};

struct driven_symbols { /* a vector; number 0 is none */
    struct driven_symbol *data;
    size_t count, capacity;
};

typedef __int128 driven_wide;

struct driven_range driven_full_range(unsigned width);
/* From LOW to HIGH, or the full range of the width if that is exceeded. */
struct driven_range driven_range_within(driven_wide low, driven_wide high, unsigned width);
struct driven_range driven_range_of(const struct driven_symbols *symbols,
                                    const struct driven_value *value);
bool driven_is_constant(const struct driven_value *value);
struct driven_value driven_number(unsigned width, int64_t value);
/* The same constant with another width. */
struct driven_value driven_fit(struct driven_value value, unsigned width);
/* Replaces a symbol that has a single possible value by that value. */
struct driven_value driven_settle(const struct driven_symbols *symbols, struct driven_value value);
struct driven_value driven_unknown(enum driven_depends depends);
struct driven_value driven_fresh(struct driven_symbols *symbols, unsigned width,
                                 struct driven_range range, enum driven_depends depends);
/* The value scale * symbol + offset; a fresh one if it may exceed the width. */
struct driven_value driven_linear(struct driven_symbols *symbols, unsigned width, uint32_t symbol,
                                  driven_wide scale, driven_wide offset,
                                  enum driven_depends depends);
/* Is it a symbol that is known not to be zero? */
bool driven_is_not_zero(const struct driven_symbols *symbols, const struct driven_value *value);
enum driven_depends driven_depends_of(const struct driven_value *a, const struct driven_value *b);

/* ---- arithmetic.c: results of operations ---- */

struct driven_value driven_binary(struct driven_symbols *symbols, enum ir_operation operation,
                                  unsigned width, const struct driven_value *a,
                                  const struct driven_value *b);
struct driven_value driven_cast(struct driven_symbols *symbols, enum ir_operation operation,
                                unsigned width, const struct driven_value *value);
/* One of the two, unknown which. */
struct driven_value driven_join(struct driven_symbols *symbols, const struct driven_value *a,
                                const struct driven_value *b, enum driven_depends depends);

/* ---- value.c again: comparisons, by LLVM's predicates ---- */

/* 1 or 0 if the ranges decide it, else -1. */
int driven_compare(const struct driven_symbols *symbols, unsigned predicate,
                   const struct driven_value *a, const struct driven_value *b);
/* Narrows the symbols given that the comparison holds, or does not. False when that is impossible.
 */
bool driven_assume(struct driven_symbols *symbols, unsigned predicate, bool holds,
                   const struct driven_value *a, const struct driven_value *b);

/* ---- state.c: one point of an abstract run ---- */

enum driven_content { DRIVEN_ZERO, DRIVEN_INPUT, DRIVEN_ANYTHING };

struct driven_cell {
    int64_t offset;
    uint32_t bytes;
    uint32_t is_stored; /* it was written, and is not input */
    struct driven_value value;
};

struct driven_object {
    uint32_t global;  /* number of the variable, or IR_NONE */
    uint8_t content;  /* of bytes without a cell: enum driven_content */
    uint8_t is_array; /* it was accessed by an index */
    uint8_t is_heap;
    uint8_t is_freed;
    uint8_t was_asked; /* an element that was forgotten may have been decided on */
    uint64_t base;     /* of DRIVEN_INPUT: its offset in the input */
    struct driven_value size;
    BASE_VECTOR(struct driven_cell) cells; /* by offset; none overlap */
};

struct driven_turn { /* a loop that the run is in */
    uint32_t loop, turns;
    uint32_t told;    /* iterations reported to the trail, or UINT32_MAX */
    uint32_t decides; /* enum driven_depends of the branches in it */
};

struct driven_frame {
    uint32_t function, block, code; /* CODE of BLOCK is the next instruction */
    uint32_t from;                  /* the previous block, for phis */
    uint32_t first;                 /* register */
    uint32_t first_turn, turn_count;
};

struct driven_state {
    BASE_VECTOR(struct driven_frame) frames; /* innermost last */
    BASE_VECTOR(struct driven_value) registers;
    BASE_VECTOR(struct driven_turn) turns;
    struct driven_object *objects;
    size_t object_count, object_capacity;
    struct driven_symbols symbols;
    struct search_follower follower; /* of the user's partial trace */
};
void driven_state_init(struct driven_state *state);
void driven_state_done(struct driven_state *state);
void driven_state_clear(struct driven_state *state);
static inline struct driven_frame *driven_top(struct driven_state *state) {
    return &state->frames.data[state->frames.count - 1];
}
uint32_t driven_add_object(struct driven_state *state, enum driven_content content,
                           struct driven_value size);
struct driven_cell *driven_find_cell(struct driven_object *object, int64_t offset, uint32_t bytes);
/* Removes cells that overlap these bytes. The rest of a partly overlapped cell becomes unknown. */
void driven_drop_cells(struct driven_object *object, int64_t offset, int64_t bytes);
void driven_put_cell(struct driven_object *object, int64_t offset, uint32_t bytes,
                     struct driven_value value);
/* The same for a value that was there all along. */
void driven_note_cell(struct driven_object *object, int64_t offset, uint32_t bytes,
                      struct driven_value value);
/* Forgets all memory that the program can write to. */
void driven_forget_memory(struct driven_state *state);
/* Forgets the values of array elements that are not constant. */
void driven_forget_elements(struct driven_state *state);

/* ---- origin.c: may a branch on this value have been decided before? ---- */

/* The value, which is a symbol, is a part of the input. */
void driven_make_root(struct driven_symbols *symbols, const struct driven_value *value,
                      bool was_asked);
/* The value was computed from operands, which are then added one by one. Its symbol is new if it is
 * not below FIRST. */
void driven_begin_origin(struct driven_symbols *symbols, const struct driven_value *made,
                         size_t first);
void driven_add_origin(struct driven_symbols *symbols, const struct driven_value *made,
                       size_t first, const struct driven_value *operand);
/* VALUE replaces OLD, of which nothing else is known any more. */
void driven_forget_origin(struct driven_symbols *symbols, const struct driven_value *old,
                          const struct driven_value *value);
/* Lists the input symbols in VALUE that no branch has depended on yet, up to DRIVEN_ROOTS; returns
 * their number. */
uint32_t driven_find_roots(const struct driven_symbols *symbols, const struct driven_value *value,
                           uint32_t *roots);
/* A branch was decided on it. Then driven_is_news: was none before? */
void driven_note_asked(struct driven_state *state, const struct driven_value *value);
void driven_note_all_asked(struct driven_state *state);
bool driven_is_news(const struct driven_symbols *symbols, const struct driven_value *value);

/* ---- code.c: which registers are live, and where they are defined ---- */

struct driven_code {
    const struct ir_facts *facts;
    uint32_t *first_word; /* by function: index of the first word of its blocks */
    uint64_t *live_out;   /* by block and register */
    uint32_t *definitions_first;
    uint32_t *definitions; /* by function and register: the defining instruction, or IR_NONE */
};
void driven_code_init(struct driven_code *code, const struct ir_facts *facts);
void driven_code_done(struct driven_code *code);
/* Sets the bits of the registers that are read after instruction AFTER of a block. */
void driven_live_at(const struct driven_code *code, uint32_t block, uint32_t after, uint64_t *bits);
size_t driven_word_count(const struct driven_code *code, uint32_t function);
const struct ir_code *driven_definition(const struct driven_code *code, uint32_t function,
                                        uint32_t number);

/* ---- key.c: a state as bytes; equal states have equal bytes ---- */

void driven_save_state(const struct driven_code *code, struct driven_state *state, bool has_trail,
                       struct base_buffer *out);
void driven_load_state(const struct driven_code *code, const char *data, bool has_trail,
                       struct driven_state *state);

/* ---- machine.c, memory.c, choose.c, calls.c: the abstract run ---- */

/* How much does the oracle know? The graph only; values, but not of elements that are not constant;
 * those, too, until the next iteration of a loop; and which element an index selects. */
enum driven_precision { DRIVEN_NAIVE, DRIVEN_COARSE, DRIVEN_FINE, DRIVEN_EXACT };

/* Reasons why the oracle's bound is not a proof, with the number of occurrences. */
struct driven_doubts {
    uint64_t unpriced;  /* calls with unknown cost */
    uint64_t unbounded; /* loops that were cut off though they may not depend on the input */
    uint64_t unknown;   /* calls through unknown pointers, and places where the run was given up */
};

/* A branch on the path: which way it went, after how many instructions. Includes branches that do
 * not seem to depend on the input, since the symbolic build may know better. */
struct driven_mark {
    uint32_t site, outcome;
    uint32_t instructions; /* since the last choice */
    uint8_t depends, is_switch;
    /* If not 0: a load or store whose address depends on the input, by its number in the block,
     * from 1 on. Its outcome is the offset in bytes from the start of its object. */
    uint16_t access;
};

#define DRIVEN_UNREACHABLE 7 /* LLVM's number; it has no name in opcodes.def */

enum driven_stop {
    DRIVEN_CHOICE,  /* the current branch may go either way */
    DRIVEN_END,     /* the run has ended normally */
    DRIVEN_NO_PATH, /* it ends in a crash, or is impossible within the bounds */
    DRIVEN_GIVE_UP  /* what follows is unknown */
};

struct driven_cost { /* of one stretch: the change of cost, and its maximum on the way */
    double change, most;
};

struct driven_prices {
    const double *blocks; /* block_count + 1; the first is per byte touched by the library */
    double allocated, allocation; /* per byte, and per object */
    double live;                  /* per byte of the heap's peak; freeing subtracts */
    bool is_whole;                /* the measure has no other parts */
};

struct driven_machine {
    const struct ir_facts *facts;
    const struct search_subject *subject;
    struct driven_code code;
    struct driven_prices prices;
    enum driven_precision precision;
    uint64_t loop_bound;
    const struct search_trail *trail;
    struct driven_state state;
    /* Of the current stretch: */
    struct driven_cost cost;
    bool is_open;          /* its cost is only an upper bound */
    bool is_inexact;       /* and so is its number of instructions */
    uint64_t instructions; /* since the last choice */
    BASE_VECTOR(struct driven_mark) marks;
    struct driven_doubts *doubts;
    uint64_t cut;    /* paths beyond the loop bound */
    bool has_forked; /* an index was chosen somewhere */
    uint64_t steps;  /* instructions executed in total */
};
void driven_spend(struct driven_machine *machine, double amount);
struct driven_value driven_read(struct driven_machine *machine, const struct ir_operand *operand);
void driven_write(struct driven_machine *machine, uint32_t number, struct driven_value value);
const struct ir_operand *driven_operand(const struct driven_machine *machine,
                                        const struct ir_code *code, uint32_t index);
struct driven_value driven_read_at(struct driven_machine *machine, const struct ir_code *code,
                                   uint32_t index);
/* Gives constants the width of the other operand. */
void driven_fit_widths(struct driven_value *a, struct driven_value *b, unsigned width);
/* A value of which only the width is known. */
struct driven_value driven_anything(struct driven_machine *machine, unsigned width,
                                    enum driven_depends depends);
struct driven_value driven_load(struct driven_machine *machine, const struct driven_value *address,
                                unsigned width);
void driven_store(struct driven_machine *machine, const struct driven_value *address,
                  unsigned width, struct driven_value value);
/* The number of places among which the access must choose before the run can go on; 0: it need not
 * choose. */
uint32_t driven_count_places(struct driven_machine *machine, const struct driven_value *address,
                             unsigned width, bool is_store);
/* Chooses place INDEX among them. False when that is outside of the object. */
bool driven_choose_place(struct driven_machine *machine, const struct driven_value *address,
                         unsigned width, uint32_t index);
/* Adds a mark if the address depends on the input and is known. */
void driven_mark_access(struct driven_machine *machine, const struct driven_value *address);
const struct ir_code *driven_code_at_hand(const struct driven_machine *machine);
/* Leaves the innermost loop of the call; false when the path leaves the trail. */
bool driven_leave_loop(struct driven_machine *machine);
/* Follows a branch or switch that known values decide; *IS_OPEN: they do not. False: no path goes
 * on. */
bool driven_follow(struct driven_machine *machine, const struct ir_code *code, bool *is_open);
/* Enters another block of the same call; false when no path within the bounds goes on. */
bool driven_enter_block(struct driven_machine *machine, uint32_t from, uint32_t to);
void driven_push_frame(struct driven_machine *machine, uint32_t function);
/* Executes a call; DRIVEN_CHOICE means that the run goes on. */
enum driven_stop driven_call(struct driven_machine *machine, const struct ir_code *code);

/* ---- library.c: calls of functions outside of the program ---- */

struct driven_arguments {
    struct driven_machine *machine;
    const struct ir_code *code;
    struct driven_value values[4];
    uint32_t count; /* may be more than are stored */
    struct driven_value result;
};
typedef enum driven_stop driven_model(struct driven_arguments *call);
driven_model driven_copy_memory, driven_set_memory;
enum driven_stop driven_call_library(struct driven_arguments *call, const char *name);
/* At most this many bytes are touched. False: it is unknown. */
bool driven_charge(struct driven_machine *machine, struct driven_range bytes);
/* Can an allocation fail? If so, the outcome is chosen before the call. */
bool driven_may_fail(struct driven_machine *machine, const struct ir_code *code);
/* Chooses whether the allocation succeeds; false when that is impossible. */
bool driven_choose_memory(struct driven_machine *machine, const struct ir_code *code,
                          bool is_there);
void driven_read_arguments(struct driven_machine *machine, const struct ir_code *code,
                           struct driven_arguments *call);

/* Runs the state until it stops. */
enum driven_stop driven_run(struct driven_machine *machine);
/* The number of outcomes of the current branch or access; driven_choose takes one, if it is
 * possible. */
uint32_t driven_choices(struct driven_machine *machine);
/* The values that decide the current branch or switch. */
void driven_find_asked(struct driven_machine *machine, struct driven_value *a,
                       struct driven_value *b);
bool driven_choose(struct driven_machine *machine, uint32_t outcome);

/* start.c: the state in which the entry is called. False when there is nothing to call. */
bool driven_start(struct driven_machine *machine);

/* ---- oracle.c: paths, costliest first ---- */

struct driven_oracle;

struct driven_trace {                      /* a proposal */
    BASE_VECTOR(struct driven_mark) marks; /* instructions counted from the start */
    BASE_VECTOR(uint32_t) nodes;           /* by mark: its node in the tree of traces */
    uint64_t instructions;                 /* of the whole trace */
    double bound;                          /* upper bound on the cost of inputs that take it */
    bool is_open;                          /* some inputs cost less */
    bool is_inexact;
};

struct driven_oracle *driven_oracle_new(struct search *search, enum driven_precision precision);
void driven_oracle_free(struct driven_oracle *oracle);
/* Builds the whole graph. False when that takes too long, or there is no path. */
bool driven_oracle_prepare(struct driven_oracle *oracle, double seconds);
/* The next proposal; false when there is none. */
bool driven_oracle_next(struct driven_oracle *oracle, struct driven_trace *trace);
/* Upper bound on the cost of the next one; -INFINITY when there is none. */
double driven_oracle_bound(struct driven_oracle *oracle);
/* No input takes the trace up to mark AT: no trace with this beginning is proposed again. */
void driven_oracle_learn(struct driven_oracle *oracle, const struct driven_trace *trace, size_t at);
bool driven_oracle_knows(const struct driven_oracle *oracle, const struct driven_trace *trace);
const struct driven_doubts *driven_oracle_doubts(const struct driven_oracle *oracle);
uint64_t driven_oracle_cut(const struct driven_oracle *oracle);
/* Was an index chosen anywhere? If not, DRIVEN_EXACT equals DRIVEN_FINE. */
bool driven_oracle_has_forked(const struct driven_oracle *oracle);
size_t driven_oracle_size(const struct driven_oracle *oracle); /* states */
size_t driven_oracle_waiting(const struct driven_oracle *oracle);
void driven_trace_done(struct driven_trace *trace);

/* ---- guide.c: does an input take a trace? ---- */

enum driven_fate {
    DRIVEN_FEASIBLE,
    DRIVEN_INFEASIBLE, /* no input takes it past mark `at` */
    DRIVEN_BEYOND,     /* it exceeds the loop bound at mark `at` */
    DRIVEN_FAULTY,     /* its inputs crash, or never end */
    DRIVEN_STRAYED,    /* the program does something that the oracle did not expect */
    DRIVEN_UNCERTAIN   /* the solver gave up, or too many fixed values were tried */
};

struct driven_verdict {
    enum driven_fate fate;
    size_t at; /* mark */
    double cost;
    bool is_open;    /* other inputs on the path cost less */
    bool has_first;  /* the input is followed by the one with which the path was found */
    bool is_untried; /* time was up */
    uint32_t decisions;
    struct search_path path;
    struct abi_result result;
    struct search_counters counters; /* of the runs that were needed */
    uint8_t *input;                  /* if feasible; has twice the size; the caller frees it */
};

/* A value that a run had to fix, or a decision that the oracle does not know. */
struct driven_pin {
    uint64_t value;
    uint32_t span;
    BASE_VECTOR(struct driven_range) excluded; /* values that led to contradictions */
};

struct driven_guide {
    struct search *search;
    const struct search_program *program;
    struct solver *solver;
    struct search_walk walk;
    bool has_begun; /* the first input has been run */
    uint8_t *input, *model;
    BASE_VECTOR(uint64_t) times;
    BASE_VECTOR(struct driven_pin) pins;
    BASE_VECTOR(uint32_t) asserted;
};

/* pass.c: the pass over the conditions of one run. */
enum driven_attempt { PASS_DONE, PASS_AGAIN, PASS_FAILED, PASS_BEYOND, PASS_UNSURE };

struct driven_pass {
    struct driven_guide *guide;
    const struct driven_trace *trace;
    struct driven_verdict *verdict;
    size_t next;    /* next mark to expect */
    size_t pins;    /* so far */
    bool is_mended; /* the input differs from the one that was run */
};
enum driven_attempt driven_take_conditions(struct driven_pass *pass);
/* The mark of a decision, NULL if the oracle does not know it. */
const struct driven_mark *driven_find_mark(struct driven_pass *pass, const struct search_step *step,
                                           uint64_t instructions);
/* Is the run as long as the trace, as far as that is known? */
bool driven_has_length(const struct driven_pass *pass);
void driven_clear_pins(struct driven_guide *guide, size_t from);

void driven_guide_init(struct driven_guide *guide, struct search *search, size_t worker);
void driven_guide_done(struct driven_guide *guide);
bool driven_guide_try(struct driven_guide *guide, const struct driven_trace *trace,
                      struct driven_verdict *verdict, struct base_error *error);

/* ---- share.c: traces and verdicts in messages ---- */

void driven_put_trace(const struct driven_trace *trace, struct base_buffer *out);
/* TRACE is empty before; false: it is not a trace of this program. */
bool driven_get_trace(const char *data, size_t size, const struct ir_facts *facts,
                      struct driven_trace *trace);
/* BYTES: size of an input. */
void driven_put_verdict(const struct driven_verdict *verdict, size_t bytes,
                        struct base_buffer *out);
bool driven_get_verdict(const char *data, size_t size, struct driven_verdict *verdict);

/* ---- tell.c: a proposal as text ---- */

void driven_print_proposal(const struct ir_facts *facts, const struct driven_trace *trace,
                           const struct driven_verdict *verdict, struct base_buffer *out);

#endif
