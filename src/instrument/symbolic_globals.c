/* SPDX-License-Identifier: Apache-2.0
 *
 * Where do global variables begin and end? The runtime gets a list of them, so that it knows which
 * object a symbolic address is meant for. Behind each is a gap: a pointer to the end of one would
 * else be a pointer to the start of the next, and nobody could tell which is meant.
 */
#include "instrument/symbolic.h"

#include <stdlib.h>
#include <string.h>

#define GAP 16 /* bytes */

/* The linker lays variables of one section next to each other, and pointers may cross. */
static bool is_gathered(LLVMValueRef global) {
    const char *section = LLVMGetSection(global);
    return section && *section;
}

static bool is_listed(LLVMValueRef global) {
    size_t length;
    const char *name = LLVMGetValueName2(global, &length);
    return !LLVMIsDeclaration(global) && !LLVMIsThreadLocal(global) && !is_gathered(global) &&
           strncmp(name, "llvm.", 5) != 0 && strncmp(name, "__slowpath", 10) != 0;
}

/* A variable of the same name with room behind it, so that a pointer to its end is none to the
 * start of another. */
static LLVMValueRef pad_global(const struct symbolic *symbolic, LLVMValueRef global) {
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    LLVMTypeRef parts[] = {type, LLVMArrayType2(symbolic->i8, GAP)};
    LLVMTypeRef padded = LLVMStructTypeInContext(symbolic->context, parts, 2, false);
    LLVMValueRef values[] = {LLVMGetInitializer(global), LLVMConstNull(parts[1])};
    LLVMValueRef copy = LLVMAddGlobal(symbolic->module, padded, "");
    LLVMSetInitializer(copy, LLVMIsNull(values[0])
                                 ? LLVMConstNull(padded)
                                 : LLVMConstStructInContext(symbolic->context, values, 2, false));
    LLVMSetLinkage(copy, LLVMGetLinkage(global));
    LLVMSetVisibility(copy, LLVMGetVisibility(global));
    LLVMSetGlobalConstant(copy, LLVMIsGlobalConstant(global));
    LLVMSetExternallyInitialized(copy, LLVMIsExternallyInitialized(global));
    LLVMSetUnnamedAddress(copy, LLVMGetUnnamedAddress(global));
    unsigned alignment = LLVMGetAlignment(global);
    LLVMSetAlignment(copy, alignment ? alignment
                                     : LLVMPreferredAlignmentOfGlobal(symbolic->layout, global));
    LLVMReplaceAllUsesWith(global, copy);
    size_t length;
    char *name = base_strdup(LLVMGetValueName2(global, &length));
    LLVMDeleteGlobal(global);
    LLVMSetValueName2(copy, name, strlen(name));
    free(name);
    return copy;
}

/* For a person; a literal has no name of its own. */
static LLVMValueRef name_of_global(const struct symbolic *symbolic, LLVMValueRef global) {
    size_t length;
    const char *name = LLVMGetValueName2(global, &length);
    if (strncmp(name, ".str", 4) == 0)
        name = "a string literal";
    LLVMValueRef text = LLVMConstStringInContext2(symbolic->context, name, strlen(name), false);
    LLVMValueRef holder = LLVMAddGlobal(symbolic->module, LLVMTypeOf(text), "__slowpath_sym_name");
    LLVMSetInitializer(holder, text);
    LLVMSetLinkage(holder, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(holder, true);
    return holder;
}

typedef BASE_VECTOR(LLVMValueRef) values;

/* Start, size, name. */
static void add_row(struct symbolic *symbolic, LLVMTypeRef type, LLVMValueRef global,
                    values *rows) {
    uint64_t size = LLVMABISizeOfType(symbolic->layout, LLVMGlobalGetValueType(global));
    LLVMValueRef name = name_of_global(symbolic, global);
    LLVMValueRef parts[] = {pad_global(symbolic, global), symbolic_long(symbolic, size), name};
    instrument_map_set(symbolic->globals, parts[0], size);
    base_push(rows, LLVMConstNamedStruct(type, parts, 3));
}

void symbolic_list_globals(struct symbolic *symbolic) {
    LLVMTypeRef fields[] = {symbolic->pointer, symbolic->i64, symbolic->pointer};
    LLVMTypeRef row = LLVMStructTypeInContext(symbolic->context, fields, 3, false);
    values globals = {0}, rows = {0};
    for (LLVMValueRef at = LLVMGetFirstGlobal(symbolic->module); at; at = LLVMGetNextGlobal(at))
        if (is_listed(at))
            base_push(&globals, at);
    for (size_t i = 0; i < globals.count; i++)
        add_row(symbolic, row, globals.data[i], &rows);
    LLVMValueRef list =
        LLVMAddGlobal(symbolic->module, LLVMArrayType2(row, rows.count), "__slowpath_sym_globals");
    LLVMSetInitializer(list, LLVMConstArray2(row, rows.data, rows.count));
    LLVMValueRef count =
        LLVMAddGlobal(symbolic->module, symbolic->i64, "__slowpath_sym_global_count");
    LLVMSetInitializer(count, symbolic_long(symbolic, rows.count));
    base_vector_done(&globals);
    base_vector_done(&rows);
}
