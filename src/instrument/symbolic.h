/* SPDX-License-Identifier: Apache-2.0
 *
 * The symbolic variant, as its files share it. Every value of the program has a shadow: a 32-bit
 * number of an expression, 0 for concrete. A struct value has a struct of shadows. Values of other
 * types (vectors, long double, integers over 64 bits) have none and are concrete.
 */
#ifndef SLOWPATH_INSTRUMENT_SYMBOLIC_H
#define SLOWPATH_INSTRUMENT_SYMBOLIC_H

#include "abi/trace.h"
#include "instrument/internal.h"
#include <llvm-c/Target.h>

struct symbolic {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef i1, i8, i32, i64, pointer;
    LLVMValueRef zero;               /* the shadow of what is concrete */
    LLVMValueRef null;               /* a pointer to nothing */
    LLVMValueRef arguments, results; /* where shadows of arguments and results travel */
    LLVMValueRef given;              /* not 0: some argument of the call that begins has one */
    bool tells_loops;                /* of calls and loops, too: every function has one body */
    bool is_cut;                     /* the function at hand has two bodies */
    bool is_plain;                   /* the body at hand has no shadows */
    struct instrument_map *sites;    /* block -> number */
    uint32_t access;                 /* loads and stores of the block, up to the one at hand */
    uint32_t program_sites; /* numbers below are the program's; the library costs nothing here */
    struct instrument_map *globals; /* variables of known bounds -> size */
    bool takes_writer;              /* an output function may be called through a pointer */
    struct instrument_map *shadows; /* value -> shadow, of the function at hand */
    LLVMValueRef function;
    LLVMValueRef variadic; /* what the function keeps about its arguments behind `...` */
    bool has_stack;        /* it has objects on the stack whose size may depend on the input */
    LLVMValueRef here;     /* its struct abi_here; a null pointer: it is not the program's */
    /* Where that is told: costs.c. */
    LLVMValueRef cost, frame, counter_tag;
};

#define SYMBOLIC_ARGUMENTS 64 /* shadows of further arguments are lost: the values are fixed */
#define SYMBOLIC_RESULTS 8
#define SYMBOLIC_VARIADIC_WORDS 34 /* of 64 bits; see runtime/sym_variadic.c */

/* ---- shadows (symbolic.c) ---- */

/* i32, a struct of such, or NULL. */
LLVMTypeRef symbolic_shadow_type(const struct symbolic *symbolic, LLVMTypeRef type);
LLVMValueRef symbolic_shadow(struct symbolic *symbolic, LLVMValueRef value);
void symbolic_set_shadow(struct symbolic *symbolic, LLVMValueRef value, LLVMValueRef shadow);
bool symbolic_is_zero(LLVMValueRef shadow); /* known to be concrete at build time */
/* A scalar as a 64-bit integer, zero-extended. */
LLVMValueRef symbolic_wide(struct symbolic *symbolic, LLVMValueRef value);
unsigned symbolic_width(const struct symbolic *symbolic, LLVMTypeRef type); /* bits, 0: no scalar */
LLVMValueRef symbolic_number(const struct symbolic *symbolic, uint32_t number); /* 32 bits */
LLVMValueRef symbolic_long(const struct symbolic *symbolic, uint64_t number);   /* 64 bits */
/* Costs are told before a hook that is not inline. */
LLVMValueRef symbolic_call_hook(struct symbolic *symbolic, enum instrument_hook which,
                                const LLVMValueRef *arguments);
#define symbolic_hook(symbolic, which, ...)                                                        \
    symbolic_call_hook(symbolic, which, (LLVMValueRef[]){__VA_ARGS__ __VA_OPT__(, ) NULL})
/* The shadow that a hook makes of two operands, or zero: neither can be symbolic. */
LLVMValueRef symbolic_two(struct symbolic *symbolic, enum instrument_hook hook, uint32_t kind,
                          LLVMValueRef a, LLVMValueRef b);
/* The shadow of a value that is cast between widths, in bits. */
LLVMValueRef symbolic_cast(struct symbolic *symbolic, enum abi_op op, unsigned from, unsigned to,
                           LLVMValueRef shadow);
/* The shadow of A OP B, both 64-bit. */
LLVMValueRef symbolic_binary(struct symbolic *symbolic, enum abi_op op, unsigned width,
                             LLVMValueRef a, LLVMValueRef shadow_a, LLVMValueRef b,
                             LLVMValueRef shadow_b);
/* Fixes a value to what it is now, if it is symbolic. */
void symbolic_fix(struct symbolic *symbolic, LLVMValueRef value);
/* A getelementptr that is a constant: a variable and an offset. */
bool symbolic_is_constant_address(LLVMValueRef value);
uint32_t symbolic_site(const struct symbolic *symbolic, LLVMValueRef instruction);

void symbolic_list_globals(struct symbolic *symbolic); /* globals.c: for the runtime */

/* costs.c: what the run has cost so far, kept in the function at hand. */
void symbolic_find_costs(struct symbolic *symbolic);
void symbolic_enter_costs(struct symbolic *symbolic, LLVMValueRef first); /* of its instructions */
void symbolic_add_cost(struct symbolic *symbolic, LLVMValueRef amount);   /* 64 bits */
void symbolic_tell_cost(struct symbolic *symbolic);
void symbolic_tell_frame(struct symbolic *symbolic);
void symbolic_take_cost(struct symbolic *symbolic); /* others may have run */

/* stack.c: variables on the stack that others may see. First room is made behind them, then, when
 * all else is in place, the runtime is told of them. */
struct symbolic_values {
    LLVMValueRef *data;
    size_t count, capacity;
};
void symbolic_pad_stack(struct symbolic *symbolic, LLVMValueRef function,
                        struct symbolic_values *found);
void symbolic_tell_stack(struct symbolic *symbolic, const struct symbolic_values *found);

/* plain.c: a body of the function at hand without shadows, beside the one with. */
struct symbolic_code {
    LLVMValueRef own, copy; /* of the body with shadows, of the plain one */
    bool is_early;          /* in the plain body it comes before the look at the loads */
    bool is_looked_at;      /* a load that may find something symbolic */
};
struct symbolic_part { /* of a block */
    LLVMBasicBlockRef block;
    LLVMBasicBlockRef plain, plain_end; /* in the plain body, up to the look, and from it on */
    size_t first, end;                  /* its code */
    uint32_t access;                    /* loads and stores of the block before it */
    bool begins;                        /* the block does */
    bool looks;                         /* it has loads that are looked at */
    bool calls;                         /* its last instruction has a result that may be symbolic */
};
struct symbolic_body {
    LLVMBasicBlockRef entry; /* of both */
    uint32_t moved_cost;     /* of the variables that it has */
    BASE_VECTOR(struct symbolic_part) parts;
    BASE_VECTOR(struct symbolic_code) code;
};
bool symbolic_may_be_plain(const struct symbolic *symbolic, LLVMValueRef function);
/* Blocks in an order in which definitions come before uses. Fills BODY. */
void symbolic_cut(struct symbolic *symbolic, LLVMBasicBlockRef *blocks, size_t count,
                  struct symbolic_body *body);
/* Where the plain body is left: at a load, behind a call; at the start, unless GIVEN is 0. The
 * block that comes then is returned. */
void symbolic_go_over(struct symbolic *symbolic, const struct symbolic_body *body);
LLVMBasicBlockRef symbolic_begin(struct symbolic *symbolic, const struct symbolic_body *body,
                                 LLVMValueRef given);
/* Only the code, for a function with one body. */
void symbolic_list_code(LLVMBasicBlockRef *blocks, size_t count, struct symbolic_body *body);
void symbolic_body_done(struct symbolic_body *body);
/* join.c: when all else is in place, values of the plain body go on in the other. */
void symbolic_join(struct symbolic *symbolic, const struct symbolic_body *body,
                   LLVMBasicBlockRef prologue);

/* ---- instructions; each sets the shadow of the result ---- */

void symbolic_operation(struct symbolic *symbolic, LLVMValueRef instruction); /* arithmetic.c */
void symbolic_address(struct symbolic *symbolic, LLVMValueRef instruction);   /* getelementptr */
void symbolic_float(struct symbolic *symbolic, LLVMValueRef instruction);     /* float.c */
/* A call of a function on floating-point numbers; false: NAME is no such function. */
bool symbolic_float_call(struct symbolic *symbolic, LLVMValueRef call, const char *name);
void symbolic_load(struct symbolic *symbolic, LLVMValueRef instruction); /* memory.c */
/* May a load find something symbolic at a concrete address? The marks of what it looks at. */
bool symbolic_is_looked_at(const struct symbolic *symbolic, LLVMValueRef load);
LLVMValueRef symbolic_marks(struct symbolic *symbolic, LLVMValueRef load);
void symbolic_store(struct symbolic *symbolic, LLVMValueRef instruction);
void symbolic_atomic(struct symbolic *symbolic, LLVMValueRef instruction);
void symbolic_stack(struct symbolic *symbolic, LLVMValueRef instruction);
void symbolic_release_stack(struct symbolic *symbolic);
void symbolic_memory_call(struct symbolic *symbolic, LLVMValueRef instruction, bool is_set);
void symbolic_call(struct symbolic *symbolic, LLVMValueRef instruction); /* calls.c */
/* May its result be symbolic, and is it used? All shadows of that result, as one number. */
bool symbolic_gives_result(const struct symbolic *symbolic, LLVMValueRef instruction);
LLVMValueRef symbolic_any_result(struct symbolic *symbolic, LLVMValueRef call);
bool symbolic_knows_shadows(const char *name); /* a function of ours that is not explored */
bool symbolic_takes_writer(LLVMModuleRef module);
bool symbolic_is_taken(LLVMValueRef function); /* outside.c: is its address? */
void symbolic_call_outside(struct symbolic *symbolic, LLVMValueRef call);          /* outside.c */
void symbolic_tell_loops(struct symbolic *symbolic, const struct ir_facts *facts); /* loops.c */
void symbolic_enter(struct symbolic *symbolic); /* the function at hand */
LLVMValueRef symbolic_any_argument(struct symbolic *symbolic);
/* Their shadows, which mean nothing if GIVEN is 0; NULL: it is not. */
void symbolic_take_arguments(struct symbolic *symbolic, LLVMValueRef given);
/* variadic.c. Arguments before the number returned travel like named ones. */
unsigned symbolic_give_variadic(struct symbolic *symbolic, LLVMValueRef call, unsigned fixed);
void symbolic_enter_variadic(struct symbolic *symbolic);
void symbolic_start_variadic(struct symbolic *symbolic, LLVMValueRef call);
void symbolic_return(struct symbolic *symbolic, LLVMValueRef instruction);

#endif
