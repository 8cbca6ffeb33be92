/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the resource-driven search share.
 *
 * From the bottom up: a *value* is what is known of a register or a place in memory; a *state* is
 * all values, calls and loops at one point of an abstract run; the *machine* runs a state on to the
 * next branch that may go either way; the *oracle* joins such states to a graph and tells its paths
 * by cost, costliest first; the *guide* asks whether an input takes such a path.
 */
#ifndef SLOWPATH_SEARCH_DRIVEN_H
#define SLOWPATH_SEARCH_DRIVEN_H

#include "search/core/core.h"
#include "search/core/trail.h"

/* ---- value.c: constants, intervals, and how they hang together ---- */

/* Does a value depend on the input, so that a branch on it is a decision? */
enum driven_depends { DRIVEN_PLAIN, DRIVEN_PERHAPS, DRIVEN_SURELY };

enum driven_kind { DRIVEN_UNKNOWN, DRIVEN_INTEGER, DRIVEN_POINTER, DRIVEN_FUNCTION };

/* An integer is scale * symbol + offset, which never leaves the numbers of its width: signed, but
 * of one bit 0 and 1. Two values with one symbol move together. A pointer is an object and such a
 * number of bytes. */
struct driven_value {
    uint8_t kind, width, depends;
    uint8_t is_indexed; /* of a pointer: an index that is no constant led to it */
    uint32_t object;    /* of a pointer: its object; of a function: its number */
    uint32_t symbol;    /* 0: none, the value is `offset` */
    uint32_t padding;
    int64_t scale, offset;
};

struct driven_range {
    int64_t low, high; /* empty when low is above high */
};

#define DRIVEN_ROOTS 4

struct driven_symbol {
    struct driven_range range;
    uint8_t is_not_zero; /* though zero may lie within */
    uint8_t was_asked;   /* a branch on it may be no decision: it may have been made before */
    uint8_t is_untraced; /* nobody knows what it is made of */
    uint32_t
        roots[DRIVEN_ROOTS]; /* symbols of the input it is made of; itself when there are none */
};

struct driven_symbols { /* a vector; number 0 is none */
    struct driven_symbol *data;
    size_t count, capacity;
};

typedef __int128 driven_wide;

struct driven_range driven_full_range(unsigned width);
/* From LOW to HIGH, or all of the width if that leaves it. */
struct driven_range driven_range_within(driven_wide low, driven_wide high, unsigned width);
struct driven_range driven_range_of(const struct driven_symbols *symbols,
                                    const struct driven_value *value);
bool driven_is_constant(const struct driven_value *value);
struct driven_value driven_number(unsigned width, int64_t value);
/* The same constant, of another width. */
struct driven_value driven_fit(struct driven_value value, unsigned width);
/* A symbol with one value left is that value. */
struct driven_value driven_settle(const struct driven_symbols *symbols, struct driven_value value);
struct driven_value driven_unknown(enum driven_depends depends);
struct driven_value driven_fresh(struct driven_symbols *symbols, unsigned width,
                                 struct driven_range range, enum driven_depends depends);
/* Of scale * symbol + offset; a fresh value where that leaves the width. */
struct driven_value driven_linear(struct driven_symbols *symbols, unsigned width, uint32_t symbol,
                                  driven_wide scale, driven_wide offset,
                                  enum driven_depends depends);
/* It is a symbol of which it was said that it is not zero. */
bool driven_is_not_zero(const struct driven_symbols *symbols, const struct driven_value *value);
enum driven_depends driven_depends_of(const struct driven_value *a, const struct driven_value *b);

/* ---- arithmetic.c: what comes out of an operation ---- */

struct driven_value driven_binary(struct driven_symbols *symbols, enum ir_operation operation,
                                  unsigned width, const struct driven_value *a,
                                  const struct driven_value *b);
struct driven_value driven_cast(struct driven_symbols *symbols, enum ir_operation operation,
                                unsigned width, const struct driven_value *value);
/* One of the two, nobody knows which. */
struct driven_value driven_join(struct driven_symbols *symbols, const struct driven_value *a,
                                const struct driven_value *b, enum driven_depends depends);

/* ---- value.c again: comparisons, by LLVM's predicates ---- */

/* 1 or 0 when the ranges tell, else -1. */
int driven_compare(const struct driven_symbols *symbols, unsigned predicate,
                   const struct driven_value *a, const struct driven_value *b);
/* The comparison holds, or does not: what follows for the symbols. False when it cannot be. */
bool driven_assume(struct driven_symbols *symbols, unsigned predicate, bool holds,
                   const struct driven_value *a, const struct driven_value *b);

/* ---- state.c: one point of an abstract run ---- */

enum driven_content { DRIVEN_ZERO, DRIVEN_INPUT, DRIVEN_ANYTHING };

struct driven_cell {
    int64_t offset;
    uint32_t bytes;
    uint32_t is_stored; /* not what the input holds there */
    struct driven_value value;
};

struct driven_object {
    uint32_t global;  /* number of the variable, or IR_NONE */
    uint8_t content;  /* of what has no cell: enum driven_content */
    uint8_t is_array; /* it was accessed by an index */
    uint8_t is_heap;
    uint8_t is_freed;
    uint8_t was_asked; /* so was an element that is forgotten */
    uint64_t base;     /* of DRIVEN_INPUT: where it begins in the input */
    struct driven_value size;
    BASE_VECTOR(struct driven_cell) cells; /* by offset; none overlap */
};

struct driven_turn { /* a loop that the run is in */
    uint32_t loop, turns;
    uint32_t told;    /* turns that a trail was told of, or UINT32_MAX */
    uint32_t decides; /* enum driven_depends of the branches decided in it */
};

struct driven_frame {
    uint32_t function, block, code; /* the next instruction is CODE of BLOCK */
    uint32_t from;                  /* the block before, for phis */
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
/* Removes what overlaps these bytes. Of a cell that goes beyond them, the rest is unknown. */
void driven_drop_cells(struct driven_object *object, int64_t offset, int64_t bytes);
void driven_put_cell(struct driven_object *object, int64_t offset, uint32_t bytes,
                     struct driven_value value);
/* The same for what was there all along. */
void driven_note_cell(struct driven_object *object, int64_t offset, uint32_t bytes,
                      struct driven_value value);
/* Nothing is known of any memory that the program can write to. */
void driven_forget_memory(struct driven_state *state);
/* The values of array elements that are not constant are forgotten. */
void driven_forget_elements(struct driven_state *state);

/* ---- origin.c: has a branch on this been decided before? ---- */

/* The value, a symbol of its own, is a part of the input. */
void driven_make_root(struct driven_symbols *symbols, const struct driven_value *value,
                      bool was_asked);
/* It was computed, from operands that are added one by one. Its symbol is new if it is not below
 * FIRST. */
void driven_begin_origin(struct driven_symbols *symbols, const struct driven_value *made,
                         size_t first);
void driven_add_origin(struct driven_symbols *symbols, const struct driven_value *made,
                       size_t first, const struct driven_value *operand);
/* VALUE stands for OLD, of which nothing else is known any more. */
void driven_forget_origin(struct driven_symbols *symbols, const struct driven_value *old,
                          const struct driven_value *value);
/* The symbols of the input in VALUE that nothing was asked about, up to DRIVEN_ROOTS; how many? */
uint32_t driven_find_roots(const struct driven_symbols *symbols, const struct driven_value *value,
                           uint32_t *roots);
/* A branch was decided on it, or perhaps only on what is known of it. Was none before? */
void driven_note_asked(struct driven_state *state, const struct driven_value *value);
void driven_note_all_asked(struct driven_state *state);
bool driven_is_news(const struct driven_symbols *symbols, const struct driven_value *value);

/* ---- code.c: what registers are alive, and where they come from ---- */

struct driven_code {
    const struct ir_facts *facts;
    uint32_t *first_word; /* by function: where the bits of its blocks begin */
    uint64_t *live_out;   /* by block and register */
    uint32_t *definitions_first;
    uint32_t *definitions; /* by function and register: its instruction, or IR_NONE */
};
void driven_code_init(struct driven_code *code, const struct ir_facts *facts);
void driven_code_done(struct driven_code *code);
/* The registers that are read after instruction AFTER of a block; bits. */
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

/* How much does the oracle know? Nothing but the graph; values, but none of elements that are not
 * constant; those, too, until the next turn of a loop; and which element an index means. */
enum driven_precision { DRIVEN_NAIVE, DRIVEN_COARSE, DRIVEN_FINE, DRIVEN_EXACT };

/* Why is the oracle's bound no proof? Counted by how often it was met. */
struct driven_doubts {
    uint64_t unpriced;  /* calls whose cost is not known */
    uint64_t unbounded; /* loops that were cut though they may not depend on the input */
    uint64_t unknown;   /* calls through unknown pointers, and what was given up */
};

/* A branch on the way: which way it went, after how many instructions. Also those that do not seem
 * to depend on the input, since the symbolic build may know better. */
struct driven_mark {
    uint32_t site, outcome;
    uint32_t instructions; /* since the last choice */
    uint8_t depends, is_switch;
    /* Not a branch, but a load or store whose address depends on the input: the how many-th of its
     * block, from 1 on. Its outcome is how many bytes it lies behind the start of its object. */
    uint16_t access;
};

#define DRIVEN_UNREACHABLE 7 /* LLVM's number; it has no name in opcodes.def */

enum driven_stop {
    DRIVEN_CHOICE,  /* the branch at hand may go either way */
    DRIVEN_END,     /* the run has ended well */
    DRIVEN_NO_PATH, /* it ends badly, or nobody gets here within the bounds */
    DRIVEN_GIVE_UP  /* nobody can say what comes */
};

struct driven_cost { /* what one stretch adds to what was spent, and the most it was on the way */
    double change, most;
};

struct driven_prices {
    const double *blocks; /* block_count + 1; the first is for a byte that the library touches */
    double allocated, allocation; /* for a byte, and for an object */
    double live;                  /* for a byte of the heap's peak, minus what was freed */
    bool is_whole;                /* there is nothing else in the measure */
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
    /* Of the stretch at hand: */
    struct driven_cost cost;
    bool is_open;          /* its cost is only known up to a bound */
    bool is_inexact;       /* and so are its instructions */
    uint64_t instructions; /* since the last choice */
    BASE_VECTOR(struct driven_mark) marks;
    struct driven_doubts *doubts;
    uint64_t cut;    /* paths beyond the bound on loops */
    bool has_forked; /* an index was chosen somewhere */
    uint64_t steps;  /* instructions that were looked at, all in all */
};
void driven_spend(struct driven_machine *machine, double amount);
struct driven_value driven_read(struct driven_machine *machine, const struct ir_operand *operand);
void driven_write(struct driven_machine *machine, uint32_t number, struct driven_value value);
const struct ir_operand *driven_operand(const struct driven_machine *machine,
                                        const struct ir_code *code, uint32_t index);
struct driven_value driven_read_at(struct driven_machine *machine, const struct ir_code *code,
                                   uint32_t index);
/* Constants have the width of what they are used with. */
void driven_fit_widths(struct driven_value *a, struct driven_value *b, unsigned width);
/* A value of which nothing is known but its width. */
struct driven_value driven_anything(struct driven_machine *machine, unsigned width,
                                    enum driven_depends depends);
struct driven_value driven_load(struct driven_machine *machine, const struct driven_value *address,
                                unsigned width);
void driven_store(struct driven_machine *machine, const struct driven_value *address,
                  unsigned width, struct driven_value value);
/* Between how many places has the access to choose before the run can go on? 0: there is no need.
 */
uint32_t driven_count_places(struct driven_machine *machine, const struct driven_value *address,
                             unsigned width, bool is_store);
/* It is place INDEX of them. False when that lies outside of the object. */
bool driven_choose_place(struct driven_machine *machine, const struct driven_value *address,
                         unsigned width, uint32_t index);
/* Leaves a mark where the address depends on the input, and is known. */
void driven_mark_access(struct driven_machine *machine, const struct driven_value *address);
const struct ir_code *driven_code_at_hand(const struct driven_machine *machine);
/* The innermost loop of the call is left; false when the trail was. */
bool driven_leave_loop(struct driven_machine *machine);
/* A branch or switch is decided by what is known; *IS_OPEN: it is not. False: nobody gets there. */
bool driven_follow(struct driven_machine *machine, const struct ir_code *code, bool *is_open);
/* On to another block of the same call; false when nobody gets there within the bounds. */
bool driven_enter_block(struct driven_machine *machine, uint32_t from, uint32_t to);
void driven_push_frame(struct driven_machine *machine, uint32_t function);
/* A call: DRIVEN_CHOICE means that the run goes on. */
enum driven_stop driven_call(struct driven_machine *machine, const struct ir_code *code);

/* ---- library.c: the same for a function that is not the program's ---- */

struct driven_arguments {
    struct driven_machine *machine;
    const struct ir_code *code;
    struct driven_value values[4];
    uint32_t count; /* there may be more than are kept */
    struct driven_value result;
};
typedef enum driven_stop driven_model(struct driven_arguments *call);
driven_model driven_copy_memory, driven_set_memory;
enum driven_stop driven_call_library(struct driven_arguments *call, const char *name);
/* So many bytes are touched at most. False: nobody knows. */
bool driven_charge(struct driven_machine *machine, struct driven_range bytes);
/* May a call to allocate find no memory? Then that is to be chosen before it is made. */
bool driven_may_fail(struct driven_machine *machine, const struct ir_code *code);
/* There is memory, or there is none; false when that cannot be. */
bool driven_choose_memory(struct driven_machine *machine, const struct ir_code *code,
                          bool is_there);
void driven_read_arguments(struct driven_machine *machine, const struct ir_code *code,
                           struct driven_arguments *call);

/* Runs the state until it stops. */
enum driven_stop driven_run(struct driven_machine *machine);
/* How many ways can the branch or access at hand go, and does one of them exist? */
uint32_t driven_choices(struct driven_machine *machine);
/* What the branch or switch at hand is decided by. */
void driven_find_asked(struct driven_machine *machine, struct driven_value *a,
                       struct driven_value *b);
bool driven_choose(struct driven_machine *machine, uint32_t outcome);

/* start.c: the state in which the entry is called. False when there is none to call. */
bool driven_start(struct driven_machine *machine);

/* ---- oracle.c: paths, costliest first ---- */

struct driven_oracle;

struct driven_trace {                      /* a proposal */
    BASE_VECTOR(struct driven_mark) marks; /* instructions counted from the start */
    BASE_VECTOR(uint32_t) nodes;           /* by mark: where in the tree of traces it ends */
    uint64_t instructions;                 /* of all of it */
    double bound;                          /* no input that takes it costs more */
    bool is_open;                          /* some cost less */
    bool is_inexact;
};

struct driven_oracle *driven_oracle_new(struct search *search, enum driven_precision precision);
void driven_oracle_free(struct driven_oracle *oracle);
/* Looks at the whole graph. False when that is too much, or there is none. */
bool driven_oracle_prepare(struct driven_oracle *oracle, double seconds);
/* The next one; false when there is none. */
bool driven_oracle_next(struct driven_oracle *oracle, struct driven_trace *trace);
/* What the next one can cost at most; -INFINITY when there is none. */
double driven_oracle_bound(struct driven_oracle *oracle);
/* No input takes the trace up to its mark AT: nothing that begins so is proposed again. */
void driven_oracle_learn(struct driven_oracle *oracle, const struct driven_trace *trace, size_t at);
bool driven_oracle_knows(const struct driven_oracle *oracle, const struct driven_trace *trace);
const struct driven_doubts *driven_oracle_doubts(const struct driven_oracle *oracle);
uint64_t driven_oracle_cut(const struct driven_oracle *oracle);
/* Did it choose an index somewhere? Else DRIVEN_EXACT is DRIVEN_FINE. */
bool driven_oracle_has_forked(const struct driven_oracle *oracle);
size_t driven_oracle_size(const struct driven_oracle *oracle); /* states */
size_t driven_oracle_waiting(const struct driven_oracle *oracle);
void driven_trace_done(struct driven_trace *trace);

/* ---- guide.c: does an input take a trace? ---- */

enum driven_fate {
    DRIVEN_FEASIBLE,
    DRIVEN_INFEASIBLE, /* no input takes it beyond mark `at` */
    DRIVEN_BEYOND,     /* at mark `at` it leaves the bound on loops */
    DRIVEN_FAULTY,     /* its inputs end in a crash, or not at all */
    DRIVEN_STRAYED,    /* the program does something else than the oracle expects */
    DRIVEN_UNCERTAIN   /* the solver could not tell, or too many values had to be fixed */
};

struct driven_verdict {
    enum driven_fate fate;
    size_t at; /* mark */
    double cost;
    bool is_open;    /* other inputs of the path cost less */
    bool has_first;  /* behind the input lies the one by which the path was found */
    bool is_untried; /* the time was up */
    uint32_t decisions;
    struct search_path path;
    struct abi_result result;
    struct search_counters counters; /* of the runs that it took */
    uint8_t *input;                  /* of a feasible one, twice its size; the caller frees */
};

/* A value that a run had to fix, or a decision that the oracle knows nothing of. */
struct driven_pin {
    uint64_t value;
    uint32_t span;
    BASE_VECTOR(struct driven_range) excluded; /* values that led nowhere */
};

struct driven_guide {
    struct search *search;
    const struct search_program *program;
    struct solver *solver;
    struct search_walk walk;
    bool has_begun; /* the first input was run */
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
    size_t next;    /* mark that is to come */
    size_t pins;    /* so far */
    bool is_mended; /* the input is not the one that ran */
};
enum driven_attempt driven_take_conditions(struct driven_pass *pass);
/* The mark of a decision, NULL: the oracle does not know of it. */
const struct driven_mark *driven_find_mark(struct driven_pass *pass, const struct search_step *step,
                                           uint64_t instructions);
/* The run is as long as the trace, as far as that is known. */
bool driven_has_length(const struct driven_pass *pass);
void driven_clear_pins(struct driven_guide *guide, size_t from);

void driven_guide_init(struct driven_guide *guide, struct search *search, size_t worker);
void driven_guide_done(struct driven_guide *guide);
bool driven_guide_try(struct driven_guide *guide, const struct driven_trace *trace,
                      struct driven_verdict *verdict, struct base_error *error);

/* ---- share.c: traces and verdicts as messages ---- */

void driven_put_trace(const struct driven_trace *trace, struct base_buffer *out);
/* TRACE is empty before; false: it is no trace of this program. */
bool driven_get_trace(const char *data, size_t size, const struct ir_facts *facts,
                      struct driven_trace *trace);
/* BYTES: of an input. */
void driven_put_verdict(const struct driven_verdict *verdict, size_t bytes,
                        struct base_buffer *out);
bool driven_get_verdict(const char *data, size_t size, struct driven_verdict *verdict);

/* ---- tell.c: a proposal in words ---- */

void driven_print_proposal(const struct ir_facts *facts, const struct driven_trace *trace,
                           const struct driven_verdict *verdict, struct base_buffer *out);

#endif
