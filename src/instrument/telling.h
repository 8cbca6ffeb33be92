/* SPDX-License-Identifier: Apache-2.0
 *
 * How a row of numbers is written (content.c).
 */
#ifndef SLOWPATH_INSTRUMENT_TELLING_H
#define SLOWPATH_INSTRUMENT_TELLING_H

#include "instrument/content.h"

struct telling {
    struct instrument_content *to;
    struct instrument_map *places; /* of what was written */
    uintptr_t count;
    LLVMContextRef context;
    unsigned kind_limit; /* kinds of metadata from here on have no fixed number */
    /* In a body: */
    LLVMValueRef counters; /* or NULL */
    uint64_t first_slot;
    LLVMMetadataRef subprogram;
};

enum instrument_mark { MARK_NONE, MARK_KNOWN, MARK_NEW, MARK_COUNTER, MARK_BLOCK };

struct telling instrument_begin_telling(LLVMModuleRef module, struct instrument_content *content);
void instrument_end_telling(struct telling *telling);

void instrument_tell(struct telling *telling, uint64_t word);
void instrument_tell_bytes(struct telling *telling, const char *bytes, size_t count);
void instrument_tell_text(struct telling *telling, const char *text); /* NULL: "" */
void instrument_be_unusual(struct telling *telling);
/* False: it is new, and what it is has to follow. */
bool instrument_is_told(struct telling *telling, const void *thing);

void instrument_tell_type(struct telling *telling, LLVMTypeRef type);
/* Of a function, or of a call. */
void instrument_tell_attributes(struct telling *telling, LLVMValueRef value, unsigned parameters);
/* ENTRIES are given back. */
void instrument_tell_attached(struct telling *telling, LLVMValueMetadataEntry *entries,
                              size_t count);
/* Constants, functions and variables; what has a place already. */
void instrument_tell_value(struct telling *telling, LLVMValueRef value);

#endif
