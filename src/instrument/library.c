/* SPDX-License-Identifier: Apache-2.0
 *
 * Which library functions does the target get our version of? Those of abi/library.def that it
 * declares and does not define. The declaration is renamed; the runtime defines the new name.
 */
#include "abi/abi.h"
#include "instrument/internal.h"

#include <string.h>

static const char *const library_functions[] = {
#define INLINE(name) #name,
#define NATIVE(name) #name,
#include "abi/library.def"
};

/* What a header or LLVM knows of the library's function is not true of ours, which counts. */
static const char *const false_promises[] = {"memory",       "readnone",  "readonly", "writeonly",
                                             "speculatable", "allockind", "allocsize"};

static void drop_promises(LLVMValueRef function) {
    for (size_t i = 0; i < BASE_COUNT(false_promises); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(false_promises[i],
                                                        strlen(false_promises[i]));
        if (!kind)
            continue;
        LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
        for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function)
                LLVMRemoveCallSiteEnumAttribute(user, LLVMAttributeFunctionIndex, kind);
        }
    }
}

void instrument_redirect_library(LLVMModuleRef module) {
    for (size_t i = 0; i < BASE_COUNT(library_functions); i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, library_functions[i]);
        if (!function || !LLVMIsDeclaration(function))
            continue;
        char name[64];
        int length =
            snprintf(name, sizeof name, ABI_LIBRARY_PREFIX "%s", library_functions[i]);
        drop_promises(function);
        LLVMSetValueName2(function, name, (size_t)length);
    }
}
