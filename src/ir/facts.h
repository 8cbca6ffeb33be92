/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known about a program without running it: its functions, blocks, loops, calls, lines,
 * switches and the bytes it looks for. Flat arrays, saved beside a variant and mapped again without
 * LLVM; ir_facts_make (ir/module.h) fills them.
 */
#ifndef SLOWPATH_IR_FACTS_H
#define SLOWPATH_IR_FACTS_H

#include "base/base.h"

#define IR_NONE UINT32_MAX

struct ir_function {
    uint32_t name; /* offset into strings: name in the module */
    uint32_t file; /* offset into strings, 0 = unknown ("") */
    uint32_t line;
    uint32_t first_block, block_count; /* block_count 0: no bitcode (library) */
    uint32_t type; /* functions of one type have one number; for indirect calls */
    uint32_t address_taken;
    uint32_t first_loop, loop_count;
    uint32_t parameter_count, register_count; /* registers: parameters, then results */
};

struct ir_block {
    uint32_t function;
    uint32_t file, line, column;   /* where its first instruction comes from, 0 = unknown */
    uint32_t end_line, end_column; /* and its last one, a branch for instance */
    uint32_t loop;                 /* innermost loop, or IR_NONE */
    uint32_t dominator; /* immediate dominator (block number), IR_NONE for entry and unreachable */
    uint32_t leader;    /* 0 or, + 1, the block that always runs as often and is counted for it */
    uint32_t sum;       /* 0 or, + 1, the sum of other counts that its count is */
    uint32_t instructions; /* without phi, debug, lifetime and assume instructions */
    uint32_t first_successor, successor_count; /* in successors[] */
    uint32_t first_opcode, opcode_count;       /* in opcodes[] */
    uint32_t first_call, call_count;           /* in calls[] */
    uint32_t first_line, line_count;           /* in lines[] */
    uint32_t first_code, code_count;           /* in codes[] */
};

/* What an instruction does, by the numbers of LLVM's C interface; see opcodes.def. */
enum ir_operation {
#define IR_OPCODE(name, constant, llvm, number) IR_OP_##constant = number,
#include "ir/opcodes.def"
#undef IR_OPCODE
};
#define IR_OP_PHI 44 /* LLVM's number; users have no name for it */

struct ir_opcode {
    uint16_t opcode; /* enum ir_operation, or one that has no name there */
    uint16_t count;
};

struct ir_call {
    uint32_t callee; /* function number, or IR_NONE: indirect */
    uint32_t type;   /* function type number, to find candidates of an indirect call */
    uint32_t line;
};

struct ir_line {
    uint32_t file, line, instructions;
};

/* The count of a block that has no counter. Terms have counters, or are earlier sums. */
struct ir_sum {
    uint32_t block, first_term, term_count; /* in terms[] */
};

struct ir_loop {
    uint32_t function, header;
    uint32_t parent; /* loop number or IR_NONE */
    uint32_t depth;  /* 1 = outermost in its function */
    uint32_t file, line;
    uint32_t irreducible; /* a region with more than one entry; header is its first block */
    uint32_t block_count; /* blocks in it, inner loops included */
};

/* A switch by what it decides: its outcomes are the distinct blocks that it can go to, numbered in
 * the order of their first appearance among the successors, so that the default is outcome 0 and
 * several case values can share one outcome (also the default's). */
struct ir_switch {
    uint32_t block;                  /* that the switch ends */
    uint32_t first_case, case_count; /* in cases[] */
    uint32_t default_outcome;
};

struct ir_case {
    uint64_t value; /* zero-extended */
    uint32_t outcome;
    uint32_t reserved;
};

/* Bytes that the program itself knows; see tokens.c. */
enum ir_token_kind {
    IR_TOKEN_NUMBER, /* a constant that something is compared with, a byte of a set */
    IR_TOKEN_CASE,   /* of a switch */
    IR_TOKEN_WORD,   /* a text that is handed to a comparing or searching function */
    IR_TOKEN_TEXT    /* another short literal */
};

struct ir_token {
    uint32_t first, size; /* in token_bytes[] */
    uint32_t kind;        /* enum ir_token_kind */
    uint32_t reserved;
};

/* ---- what the instructions do, for those who follow values (code.c) ---- */

enum ir_operand_kind {
    IR_OPERAND_UNKNOWN,  /* nothing is known about it */
    IR_OPERAND_REGISTER, /* `number` of its function */
    IR_OPERAND_NUMBER,   /* `value`; a null pointer is 0 */
    IR_OPERAND_GLOBAL,   /* the address of variable `number`, and `value` bytes on */
    IR_OPERAND_FUNCTION, /* the address of function `number` */
    IR_OPERAND_BLOCK     /* of a phi: the next operand comes from block `number` */
};

struct ir_operand {
    uint32_t kind; /* enum ir_operand_kind */
    uint32_t number;
    int64_t value; /* sign-extended */
};

/* Calls of intrinsics that are known by name. */
enum ir_intrinsic {
    IR_INTRINSIC_NONE,
    IR_INTRINSIC_IGNORED, /* it does nothing that matters */
    IR_INTRINSIC_COPY,    /* memcpy, memmove */
    IR_INTRINSIC_SET,
    IR_INTRINSIC_SMAX,
    IR_INTRINSIC_SMIN,
    IR_INTRINSIC_UMAX,
    IR_INTRINSIC_UMIN,
    IR_INTRINSIC_ABS,
    IR_INTRINSIC_OTHER
};

/* One instruction. Operands: as LLVM has them, but
 *   gep     base, bytes, then pairs of an index and the bytes that it counts
 *   alloca  bytes of one, how many
 *   phi     pairs of a block and a value
 *   call    the callee, then its arguments
 *   br      the condition, if it has one; where it goes is in successors[] */
struct ir_code {
    uint16_t opcode; /* enum ir_operation, or one that has no name there */
    uint8_t width;   /* bits of the result, or of what is stored: 1 to 64; 0: none, or no integer */
    uint8_t detail;  /* of icmp: its predicate; of a call: enum ir_intrinsic; of zext, sext,
                        trunc and switch: bits of the operand */
    uint32_t result; /* register, or IR_NONE */
    uint32_t first_operand, operand_count;
};

struct ir_global {
    uint64_t bytes;
    uint32_t is_known; /* its first content is zero but for its initials */
    uint32_t first_initial, initial_count;
    uint32_t is_constant; /* nobody writes to it */
};

struct ir_initial { /* an integer or an address in a global */
    uint64_t offset;
    uint32_t width, reserved;
    struct ir_operand operand;
};

struct ir_facts {
    struct ir_function *functions;
    struct ir_block *blocks;
    uint32_t *successors;
    struct ir_opcode *opcodes;
    struct ir_call *calls;
    struct ir_line *lines;
    struct ir_sum *sums;
    uint32_t *terms; /* blocks */
    struct ir_loop *loops;
    struct ir_switch *switches; /* in the order of their blocks */
    struct ir_case *cases;
    struct ir_token *tokens;
    char *token_bytes;
    struct ir_code *codes; /* none when the program is too large for those who use them */
    struct ir_operand *operands;
    struct ir_global *globals;
    struct ir_initial *initials;
    char *strings;
    uint32_t function_count, block_count, successor_count, opcode_count, call_count, line_count,
        sum_count, term_count, loop_count, switch_count, case_count, token_count, token_byte_count,
        code_count, operand_count, global_count, initial_count, string_size;
    void *mapping; /* when loaded: owns all of the above */
    size_t mapping_size;
};

bool ir_facts_save(const struct ir_facts *facts, const char *path, struct base_error *error);
bool ir_facts_load(const char *path, struct ir_facts *facts, struct base_error *error);
void ir_facts_done(struct ir_facts *facts);
/* Appends what is known about another program, of which nothing is kept; TO was not loaded. */
void ir_facts_add(struct ir_facts *to, const struct ir_facts *from);
/* Calls VISIT for each function that the call may reach: the callee, or for an indirect call every
 * function of that type whose address is taken. */
void ir_call_targets(const struct ir_facts *facts, const struct ir_call *call,
                     void (*visit)(uint32_t function, void *context), void *context);
/* Where the compiler was started that gave a source file its name; "": not known. FILE is the
 * offset of the name. */
const char *ir_file_folder(const struct ir_facts *facts, uint32_t file);
uint32_t ir_find_function(const struct ir_facts *facts, const char *name); /* or IR_NONE */
/* Does the measuring build count this block? For the others, counts and weights are moved: */
bool ir_has_counter(const struct ir_block *block);
/* Fills in the counts of blocks without a counter. COUNTS has one for each block. */
void ir_complete_counts(const struct ir_facts *facts, uint64_t *counts);
/* Adds the weights of blocks without a counter to those that are counted for them. */
void ir_fold_weights(const struct ir_facts *facts, uint32_t *weights);
/* The count of one block, where COUNTS has only those of counters. */
uint64_t ir_count_of(const struct ir_facts *facts, const uint64_t *counts, uint32_t block);
/* The switch that ends a block, or NULL. */
const struct ir_switch *ir_find_switch(const struct ir_facts *facts, uint32_t block);
/* Does block A dominate block B (same function)? */
bool ir_dominates(const struct ir_facts *facts, uint32_t a, uint32_t b);

#endif
