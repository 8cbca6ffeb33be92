/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of --entry, from its parse to the C code that calls the function.
 *
 * The steps: target_entry_parse reads `isort(arr[n], n)` (entry.c). target_entry_check fits it to
 * the function's signature (entry_fit.c); then it is known how many bytes of input there are and
 * what they mean (entry_sizes.c). target_entry_driver writes the driver that is linked to the
 * target (entry_driver.c). target_entry_test_program writes one input as a program
 * (entry_program.c).
 *
 * The input consists of the symbolic arguments in order, each as laid out in memory, without gaps.
 * A pointer into the heap (`&node`) is a two-byte number: 0 is null, k the k-th object of its type.
 * The objects follow the arguments: for every reachable type (a pool), for each of its parts, that
 * part of all objects, one after the other (entry_heap.c). A pointer in an object is such a number,
 * too, if it leads to a known type; otherwise it is null and not part of the input. A bit-field is
 * stored as its whole type. Bytes beyond the end of the input are zero. Pointers inside structs
 * that are arrays or values are null.
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
    char operation; /* '#': a number, 'n': a size, or + - * / */
    int64_t value;  /* the number, or the index of the size */
};

#define TARGET_DIMENSIONS 8

struct target_dimension {
    struct target_step *steps;
    uint32_t count;
};

struct target_item {
    enum target_item_kind kind;
    const char *name;                                      /* "" if the value is fixed */
    const char *text;                                      /* as the user wrote it */
    struct target_dimension dimensions[TARGET_DIMENSIONS]; /* of an array, outermost first */
    uint32_t dimension_count;
    uint32_t size;     /* of a size or shape: index of the size */
    bool is_checked;   /* of a shape: checked by the invariant */
    uint32_t pool;     /* of a shape: what it points to; set by target_entry_check */
    const char *bytes; /* of a string: without the final NUL */
    size_t byte_count;
    bool is_real, is_negative; /* of a number */
    uint64_t magnitude;
    bool has_strings, has_numbers, has_braces; /* of a list, within its own braces */
    /* set by target_entry_check */
    struct target_dimension elements; /* of an array: number of elements */
    /* Dimensions of an array that its type does not have: the last ones. */
    uint32_t inner_count;
    const struct ir_type *type; /* of the parameter; NULL in `...` */
    /* Of an array or list (void: bytes); of a shape: the object. */
    const struct ir_type *element;
};

/* ---- objects on the heap ---- */

enum target_column_kind {
    TARGET_RAW,   /* as laid out in memory */
    TARGET_TRUTH, /* a _Bool */
    TARGET_BITS,  /* a bit-field */
    TARGET_LINK   /* a pointer to an object of a pool */
};

/* One part of all objects of a type, all of one kind: COUNT elements, STRIDE bytes apart. */
struct target_column {
    enum target_column_kind kind;
    const char *name;           /* node.next */
    const char *member;         /* next; "" if the object is the element itself */
    const struct ir_type *type; /* of one element */
    uint64_t offset, stride;
    uint64_t count;               /* 0: the number given by the size `elements` */
    const struct ir_member *bits; /* for a bit-field in OWNER */
    const struct ir_type *owner;  /* a struct with a tag, at OWNER_AT */
    uint64_t owner_at;
    uint32_t pool; /* of a link: the pool it leads to */
    /* a link in a union: a number one beyond the last object means that the bytes, which another
     * column gives, are no pointer */
    bool is_in_union;
};

/* All objects of one type, or the functions that pointers of that type may lead to. */
struct target_pool {
    const struct ir_type *type;
    const char *name;    /* node, int, ... */
    uint64_t size, more; /* bytes of an object, and of each of `elements` */
    BASE_VECTOR(struct target_column) parts;
    /* Functions of the target that have the type; for target_entry_driver. */
    struct base_strings functions;
};

enum target_heap_form { TARGET_HEAP_ANY, TARGET_HEAP_ACYCLIC, TARGET_HEAP_TREE };

struct target_heap {
    BASE_VECTOR(struct target_pool) pools;
    /* The size that gives the number of elements behind a pointer to scalars, and in a flexible
     * array; UINT32_MAX: there are no such elements. */
    uint32_t elements;
};
#define TARGET_CHOICE_BYTES 2u
#define TARGET_MOST_OBJECTS 65535

struct target_size {
    const char *name;
    int64_t otherwise; /* default; 0: it must be given */
};

struct target_entry {
    struct base_arena arena; /* owns the texts */
    const char *text;        /* on one line */
    const char *function;
    bool by_name; /* just `f`: every parameter is a scalar of that name */
    BASE_VECTOR(struct target_item) items;
    /* A shape has a size of the same name: the number of objects in the input. */
    BASE_VECTOR(struct target_size) sizes;
    /* C expressions over the parameters that hold for every input; borrowed. */
    const char *const *assumptions;
    size_t assumption_count;
    struct target_heap heap;
    enum target_heap_form form;
    const char *invariant; /* function that checks an argument; or NULL */
    const struct ir_type *invariant_result;
};

/* A syntax error is BASE_USAGE, with the text and a caret under it; then ENTRY needs no done. */
bool target_entry_parse(const char *text, struct target_entry *entry, struct base_error *error);
void target_entry_done(struct target_entry *entry);

/* Does the entry fit the function? If not, BASE_TARGET with one line. The entry keeps pointers to
 * the signature's types. Everything below needs a checked entry. */
bool target_entry_check(struct target_entry *entry, const struct ir_signature *signature,
                        struct base_error *error);

/* Bytes of input for these sizes (in the order of entry->sizes). False if the sizes are invalid: a
 * negative count, a division by zero, more than memory can hold. */
bool target_entry_bytes(const struct target_entry *entry, const int64_t *sizes, uint64_t *bytes);

/* Computes the one size that is not KNOWN from the length of an input. An entry without shapes must
 * fit exactly; otherwise the error says which lengths would. */
bool target_entry_solve_sizes(const struct target_entry *entry, int64_t *sizes, const bool *known,
                              uint64_t bytes, struct base_error *error);

/* One field of the input. */
struct target_field {
    const char *name;
    const struct ir_type *type; /* of one element; multi-dimensional arrays are flattened */
    const struct ir_type *row;  /* the same, not flattened */
    uint64_t element_size, count, offset;
    uint64_t inner[TARGET_DIMENSIONS]; /* int a[n][m]: all counts but the first */
    uint32_t inner_count;
    bool is_array; /* declared with [..] */
    bool is_signed, is_float, is_char;
    bool is_link; /* object numbers, from 0 to MOST_OBJECTS */
    uint32_t most_objects;
    uint32_t pool, owner; /* of a link: its target, and its owner */
    uint64_t each;        /* links per object; 0: an argument */
    bool is_code;         /* points to functions */
    /* MOST_OBJECTS is not an object, but means that the union holds no pointer. */
    bool is_in_union;
};

struct target_fields {
    struct target_field *data;
    size_t count, capacity;
};

/* Appends the fields in order; names and types are borrowed from ENTRY. */
bool target_entry_layout(const struct target_entry *entry, const int64_t *sizes,
                         struct target_fields *fields);

/* bounds.c: NAME=LOW..HIGH. FIELD is one of FIELDS, whose elements are integers and can hold
 * both. */
bool target_parse_bound(const char *text, const struct target_fields *fields,
                        const struct target_field **field, int64_t *low, int64_t *high,
                        struct base_error *error);

/* Writes the driver of abi/driver.h as C source. SYMBOL is the function's linker name. */
void target_entry_driver(const struct target_entry *entry, const struct ir_signature *signature,
                         const char *symbol, struct base_buffer *c_source);

/* Writes a stand-alone program that calls the function with one input. SOURCE is the file with the
 * function, to be included if its names are not visible to others (static functions, a main of its
 * own); NULL: link instead. */
bool target_entry_test_program(const struct target_entry *entry,
                               const struct ir_signature *signature, const char *source,
                               const int64_t *sizes, const void *input, size_t input_size,
                               struct base_buffer *c_source);

/* ---- shared by the files above ---- */

extern const struct ir_type target_byte_type; /* unsigned char */

/* The function as a type: as declared, or if BARE, only what a call needs, without names. */
struct ir_type target_function_type(struct base_arena *arena, const struct ir_signature *signature,
                                    bool bare);
bool target_evaluate(const struct target_dimension *dimension, const int64_t *sizes,
                     int64_t *value);
/* Is this a pointer to something that can be made from the input? */
bool target_is_link(const struct ir_type *type);
extern const struct ir_type target_choice_type; /* of a link's number in the input */

bool target_has_link(const struct ir_type *type);         /* of a union: can it hold a pointer? */
bool target_pool_is_code(const struct target_pool *pool); /* are its objects functions? */
/* entry_heap.c: finds the pools that the shapes of the entry can reach, and their parts. */
void target_heap_init(struct target_entry *entry);
void target_heap_done(struct target_heap *heap);
/* The number of objects of each type. */
uint64_t target_heap_objects(const struct target_entry *entry, const int64_t *sizes);
uint32_t target_pool_objects(const struct target_entry *entry, const struct target_pool *pool,
                             const int64_t *sizes); /* of objects that a pointer may lead to */
uint64_t target_column_count(const struct target_entry *entry, const struct target_column *part,
                             const int64_t *sizes);
uint64_t target_column_bytes(const struct target_column *part); /* bytes of input per element */
/* Bytes of input for all objects; false: too many. */
bool target_heap_bytes(const struct target_entry *entry, const int64_t *sizes, uint64_t *bytes);
void target_heap_layout(const struct target_entry *entry, const int64_t *sizes, uint64_t offset,
                        struct target_fields *fields);

/* Marks the arguments that the invariant checks, by its parameter type; false: there are none. */
bool target_entry_find_checked(struct target_entry *entry, const struct ir_type *type);
/* entry_heap_driver.c: writes make_objects and fill_objects in C, if there are objects. */
void target_heap_driver(const struct target_entry *entry, struct base_buffer *c_source);

/* entry_sizes.c: bytes of input for one argument. */
bool target_item_bytes(const struct target_item *item, const int64_t *sizes, uint64_t *bytes);

/* ---- entry_shape.c: the objects of one input ---- */

struct target_place {            /* an element of a part */
    uint32_t pool, object, part; /* object from 1; 0: argument number PART */
    uint64_t element;
};

struct target_shape {
    const struct target_entry *entry;
    const int64_t *sizes;
    const unsigned char *input;
    size_t size;
    uint64_t objects; /* per type */
    uint64_t start;   /* offset of the objects in the input */
    char ***names;    /* [pool][object]: a C expression for the object; NULL: unreachable */
};
/* Borrows everything until done. */
void target_shape_init(struct target_shape *shape, const struct target_entry *entry,
                       const int64_t *sizes, const void *input, size_t size);
void target_shape_done(struct target_shape *shape);
bool target_shape_find(const struct target_shape *shape, uint64_t offset,
                       struct target_place *place, uint64_t *inside);
uint64_t target_shape_offset(const struct target_shape *shape, const struct target_place *place);
/* For a union: is it a pointer in this input? */
bool target_shape_is_link(const struct target_shape *shape, const struct target_place *place);
/* The object that a link leads to; 0: none. */
uint32_t target_shape_follow(const struct target_shape *shape, const struct target_place *place);
const struct ir_type *target_shape_type(const struct target_shape *shape,
                                        const struct target_place *place);
/* A readable name for the object that a link would lead to. */
bool target_shape_name_target(const struct target_shape *shape, const struct target_place *place,
                              uint32_t object, struct base_buffer *out);
/* A readable name such as l->next->v; false if nothing leads there. */
bool target_shape_name(const struct target_shape *shape, const struct target_place *place,
                       struct base_buffer *out);
/* Can any bytes be used as this type? No pointer, no _Bool, no struct. */
bool target_is_raw(const struct ir_type *type);
bool target_is_signed(const struct ir_type *type);
/* Prints decoded bytes as a C string literal. */
void target_print_string(const char *bytes, size_t count, struct base_buffer *out);
/* Prints an integer constant of any type up to 64 bits. */
void target_print_integer(bool is_negative, uint64_t magnitude, struct base_buffer *out);

#endif
