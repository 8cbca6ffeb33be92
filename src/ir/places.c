/* SPDX-License-Identifier: Apache-2.0
 *
 * Which file and line does an instruction come from, by a name that a person would use?
 *
 * A name that is relative to where its compiler was started is what the user typed, and stays as it
 * is unless two folders have a file of that name.
 */
#include "ir/places.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

uint32_t ir_places_string(struct ir_places *places, const char *text, size_t size) {
    uint32_t offset = (uint32_t)places->strings.count;
    base_buffer_add(&places->strings, text, size);
    base_buffer_add(&places->strings, "", 1);
    return offset;
}

static uint32_t number_of(struct base_map *map, const char *key) {
    uint32_t number = base_map_get(map, key);
    if (number == BASE_MAP_NONE)
        base_map_set(map, key, number = (uint32_t)map->count);
    return number;
}

static char *file_directory(LLVMMetadataRef file) {
    unsigned size = 0;
    const char *text = LLVMDIFileGetDirectory(file, &size);
    return base_format("%.*s", (int)size, text ? text : "");
}

static char *file_short_name(LLVMMetadataRef file) {
    unsigned size = 0;
    const char *text = LLVMDIFileGetFilename(file, &size);
    return base_format("%.*s", (int)size, text ? text : "");
}

/* A name relative to where its compiler was started is what the user typed. It is not when clang
 * cut a common prefix off another path, nor when two folders have a file of that name. */
static bool is_clear(struct ir_places *places, const char *directory, const char *name) {
    if (name[0] == '/' || !*directory)
        return true;
    if (base_map_get(&places->directories, directory) == BASE_MAP_NONE)
        return false;
    uint32_t number = number_of(&places->all_directories, directory);
    uint32_t origin = base_map_get(&places->file_origins, name);
    if (origin == BASE_MAP_NONE)
        base_map_set(&places->file_origins, name, origin = number);
    return origin == number;
}

static uint32_t name_file(struct ir_places *places, LLVMMetadataRef file) {
    char *name = file_short_name(file), *directory = file_directory(file);
    if (!is_clear(places, directory, name)) {
        char *whole = base_format("%s/%s", directory, name);
        free(name);
        name = whole;
    }
    uint32_t offset = base_map_get(&places->file_names, name);
    if (!*name)
        offset = 0;
    else if (offset == BASE_MAP_NONE) {
        base_map_set(&places->file_names, name,
                     offset = ir_places_string(places, name, strlen(name)));
        ir_places_string(places, directory, strlen(directory)); /* for ir_file_folder */
    }
    free(name);
    free(directory);
    return offset;
}

uint32_t ir_places_file(struct ir_places *places, LLVMMetadataRef scope) {
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    if (!file)
        return 0;
    uint32_t offset = ir_pointers_get(&places->files, file);
    if (offset == IR_POINTERS_NONE)
        ir_pointers_set(&places->files, file, offset = name_file(places, file));
    return offset;
}

struct ir_place ir_places_find(struct ir_places *places, LLVMMetadataRef location) {
    if (!location)
        return (struct ir_place){0};
    if (location != places->last) {
        uint32_t line = LLVMDILocationGetLine(location);
        uint32_t file = line ? ir_places_file(places, LLVMDILocationGetScope(location)) : 0;
        places->last = location;
        places->last_place = (struct ir_place){file, line};
    }
    return places->last_place;
}

void ir_places_begin(struct ir_places *places, LLVMModuleRef module) {
    base_buffer_add(&places->strings, "", 1); /* offset 0 is the empty name */
    unsigned count = LLVMGetNamedMetadataNumOperands(module, "llvm.dbg.cu");
    LLVMValueRef *units = base_alloc(count * sizeof *units);
    LLVMGetNamedMetadataOperands(module, "llvm.dbg.cu", units);
    for (unsigned i = 0; i < count; i++) {
        LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMValueAsMetadata(units[i]));
        if (!file)
            continue;
        char *directory = file_directory(file);
        base_map_set(&places->directories, directory, 1);
        free(directory);
    }
    free(units);
}

void ir_places_done(struct ir_places *places) {
    ir_pointers_done(&places->files);
    base_map_done(&places->directories);
    base_map_done(&places->file_names);
    base_map_done(&places->file_origins);
    base_map_done(&places->all_directories);
}
