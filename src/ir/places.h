/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and source places of a module, gathered as one text whose parts are known by their offset.
 */
#ifndef SLOWPATH_IR_PLACES_H
#define SLOWPATH_IR_PLACES_H

#include "base/base.h"
#include "ir/pointers.h"
#include <llvm-c/Core.h>

struct ir_place {
    uint32_t file, line; /* the file's name is a string of the places; 0: none */
};

struct ir_places {
    struct base_buffer strings;
    struct ir_pointers files;     /* to their names */
    struct base_map directories;  /* of the compile units */
    struct base_map file_names;   /* to their place in strings */
    struct base_map file_origins; /* short name to the number of its directory */
    struct base_map all_directories;
    LLVMMetadataRef last; /* location: neighbours share them */
    struct ir_place last_place;
};

void ir_places_begin(struct ir_places *places, LLVMModuleRef module);
/* Frees all but the strings. */
void ir_places_done(struct ir_places *places);

/* The offset of a copy that ends with NUL. */
uint32_t ir_places_string(struct ir_places *places, const char *text, size_t size);
uint32_t ir_places_file(struct ir_places *places, LLVMMetadataRef scope);
struct ir_place ir_places_find(struct ir_places *places, LLVMMetadataRef location);

#endif
