/* SPDX-License-Identifier: Apache-2.0
 *
 * ir: bitcode in and out, the whole program as one module, and the static facts about it.
 *
 * The journey: ir_extract takes frames out of objects, archives and executables; ir_link joins
 * their bitcode to one module; ir_clean brings it into the form that is measured and explored
 * (decisions of the source stay decisions); ir_facts_make numbers its blocks and describes them.
 * Block numbers are the order of functions and blocks in the cleaned module, and the instrumenter
 * uses the same numbers.
 */
#ifndef SLOWPATH_IR_H
#define SLOWPATH_IR_H

#include "base/base.h"
#include <llvm-c/Core.h>

/* ---- frames: what an object file carries (see abi/bundle.h) ---- */

struct ir_frame {
    uint32_t kind; /* enum abi_frame_kind */
    char *name;    /* source file, as it was given to the compiler */
    char *data;
    size_t size;
};

struct ir_frames {
    struct ir_frame *data;
    size_t count, capacity;
};

/* Appends the frames of an object, archive (every member), shared library or executable. It is
 * not an error when there are none; a damaged frame, a file that is not ELF or ar, is. */
bool ir_extract(const char *path, struct ir_frames *frames, struct base_error *error);
void ir_frames_done(struct ir_frames *frames);
/* Shared libraries (DT_NEEDED) of an executable, resolved to paths as the loader would. */
bool ir_needed_libraries(const char *path, struct base_strings *paths, struct base_error *error);

/* ---- the module ---- */

struct ir_module {
    LLVMContextRef context;
    LLVMModuleRef module;
};

/* Links the bitcode frames to one module. LIBRARY frames (may be NULL) come from shared libraries:
 * a definition of the program wins over theirs. */
bool ir_link(const struct ir_frames *program, const struct ir_frames *library,
             struct ir_module *module, struct base_error *error);
/* Fails with BASE_TARGET and the nearest names when the module does not define this function. */
bool ir_check_function(const struct ir_module *module, const char *function,
                       struct base_error *error);
/* Memory to registers, constants, dead code, common subexpressions; no branch is removed by
 * turning it into a select, no loop is changed. Also gives bodies that are only available for
 * inlining (available_externally) a real, internal definition. */
bool ir_clean(struct ir_module *module, struct base_error *error);
void ir_module_done(struct ir_module *module);

/* ---- facts: flat arrays, saved beside a variant and mapped again without LLVM ---- */

#define IR_NONE UINT32_MAX

struct ir_function {
    uint32_t name; /* offset into strings: name in the module */
    uint32_t file; /* offset into strings, 0 = unknown ("") */
    uint32_t line;
    uint32_t first_block, block_count; /* block_count 0: no bitcode (library) */
    uint32_t type; /* functions of one type have one number; for indirect calls */
    uint32_t address_taken;
    uint32_t first_loop, loop_count;
};

struct ir_block {
    uint32_t function;
    uint32_t file, line; /* first source line in it, 0 = unknown */
    uint32_t loop;       /* innermost loop, or IR_NONE */
    uint32_t dominator;  /* immediate dominator (block number), IR_NONE for entry and unreachable */
    uint32_t instructions; /* without phi, debug, lifetime and assume instructions */
    uint32_t first_successor, successor_count; /* in successors[] */
    uint32_t first_opcode, opcode_count;       /* in opcodes[] */
    uint32_t first_call, call_count;           /* in calls[] */
    uint32_t first_line, line_count;           /* in lines[] */
};

struct ir_opcode {
    uint16_t opcode; /* LLVMOpcode */
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

struct ir_facts {
    struct ir_function *functions;
    struct ir_block *blocks;
    uint32_t *successors;
    struct ir_opcode *opcodes;
    struct ir_call *calls;
    struct ir_line *lines;
    struct ir_loop *loops;
    struct ir_switch *switches; /* in the order of their blocks */
    struct ir_case *cases;
    struct ir_token *tokens;
    char *token_bytes;
    char *strings;
    uint32_t function_count, block_count, successor_count, opcode_count, call_count, line_count,
        loop_count, switch_count, case_count, token_count, token_byte_count, string_size;
    void *mapping; /* when loaded: owns all of the above */
    size_t mapping_size;
};

/* Analyses every defined function of a cleaned module. */
void ir_facts_make(const struct ir_module *module, struct ir_facts *facts);
bool ir_facts_save(const struct ir_facts *facts, const char *path, struct base_error *error);
bool ir_facts_load(const char *path, struct ir_facts *facts, struct base_error *error);
void ir_facts_done(struct ir_facts *facts);
/* Calls VISIT for each function that the call may reach: the callee, or for an indirect call every
 * function of that type whose address is taken. */
void ir_call_targets(const struct ir_facts *facts, const struct ir_call *call,
                     void (*visit)(uint32_t function, void *context), void *context);
uint32_t ir_find_function(const struct ir_facts *facts, const char *name); /* or IR_NONE */
/* The switch that ends a block, or NULL. */
const struct ir_switch *ir_find_switch(const struct ir_facts *facts, uint32_t block);
/* Does block A dominate block B (same function)? */
bool ir_dominates(const struct ir_facts *facts, uint32_t a, uint32_t b);
/* An instruction that costs something: not a phi, debug, lifetime or assume instruction. */
bool ir_counts(LLVMValueRef instruction);

/* ---- types from DWARF ---- */

enum ir_type_kind {
    IR_TYPE_VOID,
    IR_TYPE_BOOL,
    IR_TYPE_SIGNED,
    IR_TYPE_UNSIGNED,
    IR_TYPE_CHAR, /* plain char, signed char, unsigned char: prints as text where useful */
    IR_TYPE_FLOAT,
    IR_TYPE_ENUM,
    IR_TYPE_POINTER,
    IR_TYPE_ARRAY,
    IR_TYPE_STRUCT,
    IR_TYPE_UNION,
    IR_TYPE_FUNCTION
};

struct ir_member {
    const char *name; /* "" if anonymous */
    const struct ir_type *type;
    uint64_t offset;               /* bytes */
    uint32_t bit_size, bit_offset; /* bit_size 0: not a bit-field */
};

struct ir_type {
    enum ir_type_kind kind;
    const char *name;              /* as in the source ("unsigned int", struct tag); may be "" */
    uint64_t size;                 /* bytes; 0 if incomplete */
    const struct ir_type *element; /* pointee, array element or return type; NULL = void */
    uint64_t count;                /* array elements */
    struct ir_member *members;     /* of a struct or union; parameters of a function type */
    uint32_t member_count;
    bool is_variadic;
};

struct ir_signature {
    const char *name, *file;
    uint32_t line;
    const struct ir_type *result; /* NULL = void */
    struct ir_member *parameters;
    uint32_t parameter_count;
    bool is_variadic;
};

/* Reads the signature of a function from the DWARF of an object or executable (relocatable objects
 * included). All memory belongs to ARENA. Fails with BASE_TARGET and the nearest names (up to
 * three) when there is no such function. */
bool ir_read_signature(const char *path, const char *function, struct base_arena *arena,
                       struct ir_signature *signature, struct base_error *error);
/* Prints a C declaration of NAME with this type ("int (*f)(char)", "struct node *p"). */
void ir_print_declaration(const struct ir_type *type, const char *name, struct base_buffer *out);
/* Prints C definitions of every struct, union and enum that the signature needs, in order, laid
 * out exactly as DWARF says, then nothing else. */
void ir_print_definitions(const struct ir_signature *signature, struct base_buffer *out);

/* Describes a code address of an executable that is not relocated: "parse (json.c:120)". */
bool ir_locate(const char *path, uint64_t address, struct base_buffer *text);

#endif
