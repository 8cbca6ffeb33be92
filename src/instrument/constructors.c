/* SPDX-License-Identifier: Apache-2.0
 *
 * How do constructors and destructors get to run? LLVM lists them in two globals of its own, and a
 * code generator that is set up through the C API writes those lists to .ctors and .dtors, which
 * no start-up code looks at any more. So the pointers are put into .init_array and .fini_array by
 * name, each priority in its own section, where the linker sorts them.
 */
#include "instrument/internal.h"

#include <string.h>

#define DEFAULT_PRIORITY 65535u

static void place_one(LLVMModuleRef module, LLVMValueRef entry, const char *section) {
    LLVMValueRef function = LLVMGetAggregateElement(entry, 1);
    unsigned long long priority = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(entry, 0));
    if (!function || LLVMIsNull(function))
        return;
    char name[32];
    if (priority == DEFAULT_PRIORITY)
        snprintf(name, sizeof name, "%s", section);
    else
        snprintf(name, sizeof name, "%s.%05llu", section, priority);
    LLVMValueRef pointer = LLVMAddGlobal(module, LLVMTypeOf(function), "__slowpath_start_end");
    LLVMSetInitializer(pointer, function);
    LLVMSetLinkage(pointer, LLVMInternalLinkage);
    LLVMSetSection(pointer, name);
    LLVMSetAlignment(pointer, 8);
}

static void place_list(LLVMModuleRef module, const char *list_name, const char *section) {
    LLVMValueRef list = LLVMGetNamedGlobal(module, list_name);
    if (!list)
        return;
    LLVMValueRef entries = LLVMGetInitializer(list);
    uint64_t count = LLVMGetArrayLength2(LLVMTypeOf(entries));
    for (uint64_t i = 0; i < count; i++)
        place_one(module, LLVMGetAggregateElement(entries, (unsigned)i), section);
    LLVMDeleteGlobal(list);
}

void instrument_place_constructors(LLVMModuleRef module) {
    place_list(module, "llvm.global_ctors", ".init_array");
    place_list(module, "llvm.global_dtors", ".fini_array");
}
