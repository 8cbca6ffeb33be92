/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run of the symbolic build leaves behind: the expressions it built and the events of its
 * path. A trace is bounded; a run that outgrows it goes on concretely and is marked truncated.
 *
 * One batch writes its traces one after the other into the trace area: for each run a header, then
 * node_count nodes, then event_count events. Runs that follow each other begin alike: of both, the
 * first that are the same as in the trace before are left out there. The engine must take nothing
 * in them for granted: the target may have written over them.
 */
#ifndef SLOWPATH_ABI_TRACE_H
#define SLOWPATH_ABI_TRACE_H

#include "abi/costs.h"

#include <stdint.h>

#define ABI_TRACE_MAGIC 0x45435254u /* "TRCE" */

/* Operations of expression nodes. NODE(identifier, "C text" or name, number of operands). All
 * operands of an operation have one width (but for casts, CONCAT and ITE's condition). Comparisons
 * are 1 bit wide; of pairs such as < and > only one exists. */
#define ABI_NODES(NODE)                                                                            \
    NODE(NONE, "", 0)                                                                              \
    NODE(CONST, "const", 0) /* value in b (low) and c (high) */                                    \
    NODE(INPUT, "input", 0) /* little-endian integer of width/8 bytes at offset a of the input */  \
    NODE(ADD, "+", 2)                                                                              \
    NODE(SUB, "-", 2)                                                                              \
    NODE(MUL, "*", 2)                                                                              \
    NODE(UDIV, "/u", 2)                                                                            \
    NODE(SDIV, "/", 2)                                                                             \
    NODE(UREM, "%u", 2)                                                                            \
    NODE(SREM, "%", 2)                                                                             \
    NODE(SHL, "<<", 2)                                                                             \
    NODE(LSHR, ">>u", 2)                                                                           \
    NODE(ASHR, ">>", 2)                                                                            \
    NODE(AND, "&", 2)                                                                              \
    NODE(OR, "|", 2)                                                                               \
    NODE(XOR, "^", 2)                                                                              \
    NODE(EQ, "==", 2)                                                                              \
    NODE(ULT, "<u", 2)                                                                             \
    NODE(ULE, "<=u", 2)                                                                            \
    NODE(SLT, "<", 2)                                                                              \
    NODE(SLE, "<=", 2)                                                                             \
    NODE(NOT, "!", 1) /* bitwise; of a 1-bit value: logical */                                     \
    NODE(ZEXT, "zext", 1)                                                                          \
    NODE(SEXT, "sext", 1)                                                                          \
    NODE(EXTRACT, "extract", 1) /* width bits of a, from bit `extra` on */                         \
    NODE(CONCAT, "concat", 2)   /* a high, b low */                                                \
    NODE(ITE, "?:", 3)                                                                             \
    NODE(TABLE, "table", 1) /* element a (any width, unsigned) of the table b; see abi_table */    \
    /* Floating point, on the bits of float (32) and double (64). Comparisons with NaN fail, zeros \
     * are equal; arithmetic rounds to nearest, and what it makes of NaN is one NaN. */            \
    NODE(FEQ, "==f", 2)                                                                            \
    NODE(FLT, "<f", 2)                                                                             \
    NODE(FLE, "<=f", 2)                                                                            \
    NODE(FADD, "+f", 2)                                                                            \
    NODE(FSUB, "-f", 2)                                                                            \
    NODE(FMUL, "*f", 2)                                                                            \
    NODE(FDIV, "/f", 2)                                                                            \
    NODE(FSQRT, "sqrt", 1)                                                                         \
    NODE(FLOOR, "floor", 1)                                                                        \
    NODE(FCEIL, "ceil", 1)                                                                         \
    NODE(FTRUNC, "trunc", 1)                                                                       \
    NODE(FROUND, "round", 1) /* halves away from zero */                                           \
    NODE(FRINT, "rint", 1)   /* halves to even */                                                  \
    NODE(FCVT, "fcvt", 1)    /* between float and double */                                        \
    NODE(STOF, "stof", 1)    /* of a signed integer of 32 or 64 bits */                            \
    NODE(UTOF, "utof", 1)    /* of an unsigned integer of 64 bits */                               \
    NODE(FTOS, "ftos", 1)    /* to such integers, towards zero; out of range: the least number */  \
    NODE(FTOU, "ftou", 1)    /* the same for 2^63 and above; below as FTOS */

enum abi_op {
#define NODE(id, text, operands) ABI_OP_##id,
    ABI_NODES(NODE)
#undef NODE
        ABI_OP_COUNT
};

static inline int abi_op_is_float(unsigned op) {
    return op >= ABI_OP_FEQ && op <= ABI_OP_FTOU;
}

/* To a whole number of the same type. */
static inline int abi_op_rounds(unsigned op) {
    return op >= ABI_OP_FLOOR && op <= ABI_OP_FRINT;
}

static inline int abi_op_compares_floats(unsigned op) {
    return op >= ABI_OP_FEQ && op <= ABI_OP_FLE;
}

/* Intrinsics of LLVM that become several nodes, as the instrumenter names them to the runtime. */
enum abi_intrinsic {
    ABI_INTRINSIC_SMAX = 1,
    ABI_INTRINSIC_SMIN,
    ABI_INTRINSIC_UMAX,
    ABI_INTRINSIC_UMIN,
    ABI_INTRINSIC_ABS,
    ABI_INTRINSIC_BSWAP,
    ABI_INTRINSIC_USUB_SAT,
    ABI_INTRINSIC_UADD_SAT,
    ABI_INTRINSIC_UADD_OVERFLOW, /* these have two results: the value, and whether it wrapped */
    ABI_INTRINSIC_USUB_OVERFLOW,
    ABI_INTRINSIC_UMUL_OVERFLOW,
    ABI_INTRINSIC_SADD_OVERFLOW,
    ABI_INTRINSIC_SSUB_OVERFLOW,
    ABI_INTRINSIC_SMUL_OVERFLOW
};

/* Node 0 is never used: 0 means concrete. Operands have smaller numbers than their users. */
struct abi_node {
    uint8_t op;
    uint8_t width; /* bits, 1 to 64 */
    uint16_t extra;
    uint32_t a, b, c;
};

enum abi_event_kind {
    ABI_EVENT_NONE,
    ABI_EVENT_BRANCH,   /* expr: 1-bit condition; value: 1 taken (true), 0 not */
    ABI_EVENT_SWITCH,   /* expr: what is switched on; value: its value; site has the cases */
    ABI_EVENT_ADDRESS,  /* expr was fixed to `value` because it is an address or size; site: bytes
                           from the start of its object, or UINT32_MAX */
    ABI_EVENT_CONCRETE, /* expr was fixed to `value` because an operation has no expression */
    ABI_EVENT_ASSUME,   /* slowpath_assume(expr), 1 bit; value 1 */
    ABI_EVENT_ALLOC,    /* expr: size of an object; value: its size in this run */
    ABI_EVENT_OBJECT,   /* expr: an address; it lies in the `site` bytes from `value` on */
    ABI_EVENT_BOUNDS,   /* expr: 1-bit condition "the access is within its object"; value: is it? */
    ABI_EVENT_OUTPUT,   /* expr: a byte written to descriptor `site`; value: what it was */
    ABI_EVENT_LINK,   /* expr: 1-bit condition "this pointer of the input leads there"; value: does
                         it? */
    ABI_EVENT_AMOUNT, /* expr: what the cost `site` (enum abi_cost) grows by; value: in this run */
    /* The rest has no expression. Written by the variant that tells of loops alone, for what a
     * decision is made in: site is the first block of a function or the header of a loop, value the
     * number of back edges taken since the loop was entered. */
    ABI_EVENT_CALL, /* a function was entered */
    ABI_EVENT_RETURN,
    ABI_EVENT_LOOP, /* a loop was entered (and has perhaps turned since) */
    ABI_EVENT_TURN,
    ABI_EVENT_LEAVE,
    /* site: enum abi_cost; value: what it is now. Stands before the event at which it is seen. */
    ABI_EVENT_COST,
    ABI_EVENT_FREE, /* an object of symbolic size is gone */
    ABI_EVENT_LOSS, /* something symbolic became concrete without a decision: site is its number in
                       abi_control's losses, value how often in this run; once for each name */
    ABI_EVENT_OUTPUT_PLAIN, /* `count` concrete bytes written to descriptor `site`; value has them,
                               the first lowest. Told only when the engine asks */
    ABI_EVENT_COUNT
};

static inline int abi_event_has_expr(uint32_t kind) {
    return kind < ABI_EVENT_CALL;
}

struct abi_event {
    uint16_t kind;
    union {
        uint16_t is_first; /* a branch: the first of its site since its function was entered */
        uint16_t access;   /* ADDRESS: which load or store of its block, from 1 on; 0: who knows */
    };
    uint32_t site; /* number of the block that it ends (branch, switch), or in which it lies */
    uint32_t expr;
    union {
        uint32_t calls; /* functions called so far, at most UINT32_MAX */
        /* ALLOC, FREE: which object, counted from 1 in the order of their allocation. Objects
         * have a number from the first of symbolic size on; the others are in the costs alone.
         * realloc frees one and allocates another. */
        uint32_t object;
        uint32_t count; /* OUTPUT_PLAIN: bytes, 1 to 8 */
    };
    uint64_t value;
    uint64_t cost; /* instructions so far */
};

static inline int abi_event_has_object(uint32_t kind) {
    return kind == ABI_EVENT_ALLOC || kind == ABI_EVENT_FREE;
}

static inline int abi_event_has_calls(uint32_t kind) {
    return !abi_event_has_object(kind) && kind != ABI_EVENT_OUTPUT_PLAIN;
}

enum abi_trace_flags {
    ABI_TRACE_TRUNCATED = 1 /* nodes or events did not fit: the rest of the run is not in it */
};

/* Constant tables that expressions read from, behind the events. */
struct abi_table {
    uint64_t address; /* in the target */
    uint32_t count;   /* elements */
    uint32_t width;   /* bits of an element: 8, 16, 32, 64 */
    uint32_t offset;  /* of its bytes, from the end of the table array */
    uint32_t step;    /* bytes from one element to the next where they lie in the target: less than
                         the width if elements overlap */
};

struct abi_trace {
    uint32_t magic;
    uint32_t flags;
    uint32_t run;        /* which input of the batch */
    uint32_t node_count; /* with the unused node 0 */
    uint32_t event_count;
    uint32_t same_nodes, same_events; /* so many first ones are those of the trace before it */
    uint32_t table_count;
    uint32_t table_bytes;
    uint32_t concretised; /* operations on symbolic values that have no expression */
    uint32_t reserved;
    uint64_t cost;  /* instructions at the end */
    uint64_t calls; /* and functions called; all other costs are in the last events */
    uint64_t size;  /* bytes of this record, header included; the next one follows */
    uint64_t image_first, image_end; /* where the program's own variables and functions lie */
};

#define ABI_TRACE_MAX_NODES (1u << 22)
#define ABI_TRACE_MAX_EVENTS (1u << 20)
#define ABI_TRACE_MAX_TABLES 1024u
#define ABI_TRACE_MAX_TABLE_BYTES (1u << 20)
#define ABI_MAX_LOSSES 32u

#endif
