/* SPDX-License-Identifier: Apache-2.0
 *
 * Which library functions does the target get our version of? Those of abi/library.def that it
 * declares and does not define. The declaration is renamed; the runtime defines the new name.
 */
#include "abi/abi.h"
#include "instrument/internal.h"

#include <string.h>

/* The variants that get our version of a function: all of them where it contains the target (the
 * heap, files, the end), so that they differ in nothing else. */
enum {
    PLAIN = 1 << INSTRUMENT_PLAIN,
    MEASURE = 1 << INSTRUMENT_MEASURE,
    SYMBOLIC = 1 << INSTRUMENT_SYMBOLIC,
    RECORD = 1 << INSTRUMENT_RECORD
};

struct library_function {
    const char *name;
    unsigned kinds;
    const char *ours; /* or NULL: by the same name */
};

static const struct library_function library_functions[] = {
#define ALIAS(name, of) {#name, SYMBOLIC, #of},
#define INLINE(name) {#name, MEASURE | SYMBOLIC | RECORD, NULL},
#define SAME(name, of) {#name, MEASURE | SYMBOLIC | RECORD, #of},
#define NATIVE(name) {#name, PLAIN | MEASURE | SYMBOLIC | RECORD, NULL},
#define SHADOWED_ALWAYS(name) {#name, PLAIN | MEASURE | SYMBOLIC | RECORD, NULL},
#define MODELLED(name) {#name, SYMBOLIC, NULL},
#define SHADOWED(name) {#name, SYMBOLIC, NULL},
#define WRITES(name) {#name, SYMBOLIC, NULL},
#include "abi/library.def"
};

/* What the source, a header or LLVM knows of a function is not true once it counts: a pure function
 * whose calls are merged or dropped would be counted too seldom. */
static const char *const false_promises[] = {"memory",       "readnone",  "readonly", "writeonly",
                                             "speculatable", "allockind", "allocsize"};

static void drop_call_promises(LLVMValueRef instruction, void *context) {
    const unsigned *kinds = context;
    if (LLVMIsACallInst(instruction) && !LLVMIsAIntrinsicInst(instruction))
        for (size_t i = 0; i < BASE_COUNT(false_promises); i++)
            if (kinds[i])
                LLVMRemoveCallSiteEnumAttribute(instruction, LLVMAttributeFunctionIndex, kinds[i]);
}

void instrument_drop_promises(LLVMModuleRef module) {
    unsigned kinds[BASE_COUNT(false_promises)];
    for (size_t i = 0; i < BASE_COUNT(false_promises); i++)
        kinds[i] = LLVMGetEnumAttributeKindForName(false_promises[i], strlen(false_promises[i]));
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function))
        for (size_t i = 0; !LLVMGetIntrinsicID(function) && i < BASE_COUNT(kinds); i++)
            if (kinds[i])
                LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kinds[i]);
    instrument_each_instruction(module, drop_call_promises, kinds);
}

/* Two names of one function may be declared. */
static void rename_to(LLVMModuleRef module, LLVMValueRef function, const char *ours) {
    char name[64];
    int length = snprintf(name, sizeof name, ABI_LIBRARY_PREFIX "%s", ours);
    LLVMValueRef other = LLVMGetNamedFunction(module, name);
    if (!other) {
        LLVMSetValueName2(function, name, (size_t)length);
        return;
    }
    LLVMReplaceAllUsesWith(function, other);
    LLVMDeleteFunction(function);
}

void instrument_redirect_library(LLVMModuleRef module, enum instrument_kind kind) {
    for (size_t i = 0; i < BASE_COUNT(library_functions); i++) {
        const struct library_function *row = &library_functions[i];
        LLVMValueRef function = LLVMGetNamedFunction(module, row->name);
        if (function && LLVMIsDeclaration(function) && row->kinds >> kind & 1)
            rename_to(module, function, row->ours ? row->ours : row->name);
    }
}
