/* SPDX-License-Identifier: Apache-2.0
 *
 * What debug information (DWARF) tells: the types of a function's parameters, and which source line
 * an address belongs to.
 */
#ifndef SLOWPATH_IR_TYPES_H
#define SLOWPATH_IR_TYPES_H

#include "base/base.h"

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
    uint32_t variable;             /* of a pointer: dimensions of unknown length below it */
    bool is_const;                 /* of a pointer: what it points to is not to be changed */
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
    bool is_old_style; /* int f(c) char c; {}: callers pass an int, and a double for a float */
    bool is_static;    /* seen in its own file only */
};

/* Reads the signature of a function from the DWARF of an object or executable (relocatable objects
 * included). All memory belongs to ARENA. Fails with BASE_TARGET and the nearest names (up to
 * three) when there is no such function. */
bool ir_read_signature(const char *path, const char *function, struct base_arena *arena,
                       struct ir_signature *signature, struct base_error *error);
struct ir_signatures { /* a vector */
    struct ir_signature *data;
    size_t count, capacity;
};
struct ir_objects { /* a vector of variables */
    struct ir_member *data;
    size_t count, capacity;
};
/* The signatures of all functions that other files see and that have a body, in the order of the
 * debug information, and the structs that they see. Types are shared between them: a struct is one
 * object wherever it is used. What cannot be called from C is left out. The caller frees the
 * vectors, ARENA owns the rest. */
bool ir_read_signatures(const char *path, struct base_arena *arena,
                        struct ir_signatures *signatures, struct ir_objects *objects,
                        struct base_error *error);
/* Prints a C declaration of NAME with this type ("int (*f)(char)", "struct node *p"). */
void ir_print_declaration(const struct ir_type *type, const char *name, struct base_buffer *out);
/* Prints C definitions of every struct, union and enum that the signature needs, in order, laid
 * out exactly as DWARF says, then nothing else. */
void ir_print_definitions(const struct ir_signature *signature, struct base_buffer *out);

/* Describes a code address of an executable that is not relocated: "parse (json.c:120)". Its debug
 * information has lines by function (instrument/lines.c); FACTS knows where functions begin. */
struct ir_facts;
bool ir_locate(const char *path, const struct ir_facts *facts, uint64_t address,
               struct base_buffer *text);

#endif
