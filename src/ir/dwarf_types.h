/* SPDX-License-Identifier: Apache-2.0
 *
 * Types and attributes of debug information, for dwarf.c.
 */
#ifndef SLOWPATH_IR_DWARF_TYPES_H
#define SLOWPATH_IR_DWARF_TYPES_H

#include "ir/types.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

struct debug_known_type {
    const void *unit;
    const void *address; /* of the entry in the debug information */
    struct ir_type *type;
};

/* Types live in the arena; the table of known ones is the caller's to free. */
struct debug_reader {
    struct base_arena *arena;
    Dwfl *dwfl;
    BASE_VECTOR(struct debug_known_type) known;
    unsigned anonymous;
};

const char *debug_text_or_empty(const char *text);
uint64_t debug_number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise);
bool debug_has_flag(Dwarf_Die *die, unsigned name);

/* The type of DIE; NULL is void. */
const struct ir_type *debug_type_of(struct debug_reader *reader, Dwarf_Die *die);
/* The parameters of a function or of its type. */
void debug_read_parameters(struct debug_reader *reader, Dwarf_Die *die,
                           struct ir_member **parameters, uint32_t *count, bool *is_variadic);

#endif
