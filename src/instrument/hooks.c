/* SPDX-License-Identifier: Apache-2.0
 *
 * How are hooks declared and called? By the table in abi/hooks.def, which the runtime's prototypes
 * come from as well: an argument that is too many, missing or of another type is a bug of ours.
 */
#include "instrument/internal.h"

#include <assert.h>
#include <string.h>

#define MAX_ARGUMENTS 9

enum type { NOTHING, I1, I32, I64, POINTER, CONST_POINTER, HERE };

struct hook {
    const char *name;
    enum type result, arguments[MAX_ARGUMENTS + 1]; /* up to NOTHING */
};

static const struct hook hooks[] = {
#define HOOK(id, symbol, result, ...) {"__slowpath_" #symbol, result, {__VA_ARGS__}},
#include "abi/hooks.def"
};

static LLVMTypeRef find_type(LLVMContextRef context, enum type type) {
    switch (type) {
    case I1:
        return LLVMInt1TypeInContext(context);
    case I32:
        return LLVMInt32TypeInContext(context);
    case I64:
        return LLVMInt64TypeInContext(context);
    case POINTER:
    case CONST_POINTER:
    case HERE:
        return LLVMPointerTypeInContext(context, 0);
    case NOTHING:
        break;
    }
    return LLVMVoidTypeInContext(context);
}

bool instrument_is_hook(const char *name) {
    static const char *const prefixes[] = {"__slowpath_hook_", "__slowpath_sym_",
                                           "__slowpath_native_", "__slowpath_record_"};
    for (size_t i = 0; i < BASE_COUNT(prefixes); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

bool instrument_is_inline(enum instrument_hook which) {
    static const char prefix[] = "__slowpath_hook_";
    return strncmp(hooks[which].name, prefix, sizeof prefix - 1) == 0;
}

bool instrument_takes_here(enum instrument_hook which) {
    const enum type *last = hooks[which].arguments;
    while (*last != NOTHING && *last != HERE)
        last++;
    return *last == HERE;
}

LLVMValueRef instrument_call_hook(LLVMModuleRef module, LLVMBuilderRef builder,
                                  enum instrument_hook which, LLVMValueRef *arguments) {
    const struct hook *hook = &hooks[which];
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef types[MAX_ARGUMENTS];
    unsigned count = 0;
    for (; hook->arguments[count] != NOTHING; count++) {
        types[count] = find_type(context, hook->arguments[count]);
        assert(arguments[count] && LLVMTypeOf(arguments[count]) == types[count]);
    }
    assert(!arguments[count]);
    LLVMTypeRef type = LLVMFunctionType(find_type(context, hook->result), types, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(module, hook->name);
    if (!function)
        function = LLVMAddFunction(module, hook->name, type);
    return LLVMBuildCall2(builder, type, function, arguments, count, "");
}
