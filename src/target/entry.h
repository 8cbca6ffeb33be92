/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of --entry, from its parse to the C code that calls the function.
 *
 * The journey: target_entry_parse reads `isort(arr[n], n)` (entry.c); target_entry_check fits it to
 * the function's signature (entry_fit.c), after which it knows how many bytes of input there are
 * and what they mean (entry_sizes.c); target_entry_driver writes the driver that is linked to the
 * target (entry_driver.c); target_entry_test_program writes one input as a program
 * (entry_program.c).
 *
 * The input is the symbolic arguments in order, each as it lies in memory, nothing between them.
 * A heap shape (`&node`) is a stream: one selector byte (0 null, 1 a fresh object, 2 + k the k-th
 * object of that struct type made so far, or null if there is none); a fresh object is followed by
 * its members in order: a pointer to a complete struct as such a stream, any other pointer as
 * nothing (it is null), all else as it lies in memory (a bit-field as its whole type). What lies
 * beyond the end of the input is zero. Pointers inside structs that are arrays or values are null.
 */
#ifndef SLOWPATH_TARGET_ENTRY_H
#define SLOWPATH_TARGET_ENTRY_H

#include "base/base.h"
#include "ir/types.h"

enum target_item_kind {
    TARGET_ARRAY,    /* arr[n] */
    TARGET_SIZE,     /* n, used in some [..] */
    TARGET_SCALAR,   /* x */
    TARGET_SHAPE,    /* &node */
    TARGET_CALLBACK, /* compare, where the parameter is a pointer to a function */
    TARGET_STRING,   /* "abc" */
    TARGET_LIST,     /* {1, 2, 3} */
    TARGET_NUMBER,   /* 42, -1.5, 'c' */
    TARGET_NULL      /* NULL */
};

/* One step of an expression over sizes, in postfix order. */
struct target_step {
    char operation; /* '#' a number, 'n' a size, or + - * / */
    int64_t value;  /* the number, or which size */
};

#define TARGET_DIMENSIONS 8

struct target_dimension {
    struct target_step *steps;
    uint32_t count;
};

struct target_item {
    enum target_item_kind kind;
    const char *name;                                      /* "" if fixed */
    const char *text;                                      /* as it was written */
    struct target_dimension dimensions[TARGET_DIMENSIONS]; /* of an array, the outermost first */
    uint32_t dimension_count;
    uint32_t size;     /* of a size or shape: which size */
    const char *bytes; /* of a string: without the final NUL */
    size_t byte_count;
    bool is_real, is_negative; /* of a number */
    uint64_t magnitude;
    bool has_strings, has_numbers, has_braces; /* of a list, inside its own braces */
    /* set by target_entry_check */
    struct target_dimension elements; /* of an array: how many there are */
    uint32_t inner_count;             /* of its dimensions: the last ones that the type has not */
    const struct ir_type *type;       /* of the parameter; NULL for one of `...` */
    const struct ir_type *element;    /* of an array or list (void: bytes); the struct of a shape */
};

struct target_size {
    const char *name;
    int64_t otherwise; /* when it is not given; 0: it must be given */
};

struct target_entry {
    struct base_arena arena; /* owns the texts */
    const char *text;        /* on one line */
    const char *function;
    bool by_name; /* just `f`: every parameter is a scalar of its own name */
    BASE_VECTOR(struct target_item) items;
    /* A shape has a size of its own name: how many objects there is input for. */
    BASE_VECTOR(struct target_size) sizes;
    /* C over the parameters that every input meets; borrowed. */
    const char *const *assumptions;
    size_t assumption_count;
};

/* A syntax error is BASE_USAGE, with the text and a caret under it. ENTRY needs no done then. */
bool target_entry_parse(const char *text, struct target_entry *entry, struct base_error *error);
void target_entry_done(struct target_entry *entry);

/* Does the entry fit the function? BASE_TARGET with one line if not. The entry keeps pointers to
 * the signature's types. Everything below needs a checked entry. */
bool target_entry_check(struct target_entry *entry, const struct ir_signature *signature,
                        struct base_error *error);

/* Bytes of input for these sizes (in the order of entry->sizes). False when the sizes make no
 * sense: a negative count, a division by zero, more than memory can hold. */
bool target_entry_bytes(const struct target_entry *entry, const int64_t *sizes, uint64_t *bytes);

/* Finds the one size that is not KNOWN from the length of an input. An entry without shapes must
 * fit exactly; otherwise the error says which lengths would. */
bool target_entry_solve_sizes(const struct target_entry *entry, int64_t *sizes, const bool *known,
                              uint64_t bytes, struct base_error *error);

/* What the bytes of the input mean. */
struct target_field {
    const char *name;
    const struct ir_type *type; /* of one element; rows of rows are flattened */
    const struct ir_type *row;  /* the same, not flattened */
    uint64_t element_size, count, offset;
    uint64_t inner[TARGET_DIMENSIONS]; /* int a[n][m]: the counts of all dimensions but the first */
    uint32_t inner_count;
    bool is_array; /* written with [..] */
    bool is_signed, is_float, is_char;
    bool is_shape; /* a stream of COUNT bytes; TYPE is the struct */
};

struct target_fields {
    struct target_field *data;
    size_t count, capacity;
};

/* Appends the fields in order; names and types are borrowed from ENTRY. */
bool target_entry_layout(const struct target_entry *entry, const int64_t *sizes,
                         struct target_fields *fields);

/* bounds.c: NAME=LOW..HIGH; FIELD is one of FIELDS, whose elements are integers that hold both. */
bool target_parse_bound(const char *text, const struct target_fields *fields,
                        const struct target_field **field, int64_t *low, int64_t *high,
                        struct base_error *error);

/* The driver of abi/driver.h as C source. SYMBOL is the function's name for the linker. */
void target_entry_driver(const struct target_entry *entry, const struct ir_signature *signature,
                         const char *symbol, struct base_buffer *c_source);

/* A stand-alone program that calls the function with one input. SOURCE is the file that the
 * function is in, to be included because its names are not for others (static functions, a main of
 * its own); NULL: the two are linked. */
bool target_entry_test_program(const struct target_entry *entry,
                               const struct ir_signature *signature, const char *source,
                               const int64_t *sizes, const void *input, size_t input_size,
                               struct base_buffer *c_source);

/* ---- shared by the files above ---- */

extern const struct ir_type target_byte_type; /* unsigned char */

/* The function as a type: as it is written, or, if BARE, as it is called, without names. */
struct ir_type target_function_type(struct base_arena *arena, const struct ir_signature *signature,
                                    bool bare);
bool target_evaluate(const struct target_dimension *dimension, const int64_t *sizes,
                     int64_t *value);
/* A pointer that a heap shape follows: to a struct whose members are known. */
bool target_is_link(const struct ir_type *type);
/* Raw bytes that need no care: no pointer, no _Bool, no struct. */
bool target_is_raw(const struct ir_type *type);
bool target_is_signed(const struct ir_type *type);
/* Prints decoded bytes as a C string literal. */
void target_print_string(const char *bytes, size_t count, struct base_buffer *out);
/* Prints an integer constant of any type up to 64 bits. */
void target_print_integer(bool is_negative, uint64_t magnitude, struct base_buffer *out);

#endif
