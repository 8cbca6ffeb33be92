/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files that write an input as a C program: entry_program.c writes the program and
 * its arguments, entry_objects.c the heap objects, entry_value.c the literals.
 */
#ifndef SLOWPATH_TARGET_ENTRY_PROGRAM_H
#define SLOWPATH_TARGET_ENTRY_PROGRAM_H

#include "target/entry.h"

/* A pointer inside an object: its offset, and the object or function of a pool that it leads to. */
struct target_program_link {
    uint64_t offset;
    uint32_t pool, number;
};

struct target_program_object {
    const struct ir_type *type;
    const struct target_heap *heap;
    uint32_t pool, number;
    uint64_t bytes;
    unsigned char *image;
    BASE_VECTOR(struct target_program_link) links;
};

struct target_program {
    const struct target_entry *entry;
    const char *function;
    const char *source; /* included; NULL: linked */
    struct base_buffer *out;
    const unsigned char *input;
    size_t left;
    struct base_arena arena;
    struct target_shape shape;
    BASE_VECTOR(struct target_program_object *) objects;
};

/* ---- entry_program.c ---- */

/* A declaration of NAME, or for "" just the type. Lives as long as the program. */
const char *target_spell(struct target_program *program, const struct ir_type *type,
                         const char *name);
/* Turns raw bytes into a valid value: pointers become null, _Bool 0 or 1. */
void target_clean_value(const struct ir_type *type, unsigned char *image);

/* ---- entry_objects.c ---- */

/* Objects may point to each other, so all are allocated before the first one is filled. */
void target_print_objects(struct target_program *program);

/* ---- entry_value.c ---- */

bool target_has_literal(const struct ir_type *type);
/* OBJECT, if any, contains IMAGE and knows where its pointers lead. */
void target_print_value(const struct target_program_object *object, const struct ir_type *type,
                        const unsigned char *image, struct base_buffer *out);
void target_print_elements(const struct target_program_object *object, const struct ir_type *type,
                           uint64_t count, const unsigned char *image, struct base_buffer *out);
/* The name of an object in the program. */
void target_print_object_name(uint32_t pool, uint32_t number, struct base_buffer *out);
/* Prints what a pointer into a pool points to. */
void target_print_pointer(const struct target_heap *heap, uint32_t pool, uint32_t number,
                          struct base_buffer *out);
void target_print_link(const struct target_program_object *object,
                       const struct target_program_link *link, struct base_buffer *out);
void target_print_byte_list(const unsigned char *image, uint64_t bytes, struct base_buffer *out);

#endif
