/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a definition become a declaration, because it is compiled elsewhere?
 */
#include "instrument/parts.h"

#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_CONSTANT 64 /* bytes: its value is worth knowing everywhere */

/* ---- functions ---- */

static void copy_attributes(LLVMValueRef from, LLVMValueRef to) {
    unsigned last = LLVMCountParams(from) + 1;
    for (unsigned i = 0; i <= last; i++) {
        LLVMAttributeIndex index = i == last ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : i;
        unsigned count = LLVMGetAttributeCountAtIndex(from, index);
        LLVMAttributeRef *attributes = base_alloc(count * sizeof *attributes);
        LLVMGetAttributesAtIndex(from, index, attributes);
        for (unsigned a = 0; a < count; a++)
            LLVMAddAttributeAtIndex(to, index, attributes[a]);
        free(attributes);
    }
}

static char *take_name(LLVMValueRef value) {
    size_t length;
    char *name = base_strdup(LLVMGetValueName2(value, &length));
    LLVMSetValueName2(value, "", 0);
    return name;
}

void instrument_drop_body(LLVMModuleRef module, LLVMValueRef function) {
    if (!LLVMGetFirstUse(function)) {
        LLVMDeleteFunction(function);
        return;
    }
    char *name = take_name(function);
    LLVMValueRef declaration = LLVMAddFunction(module, name, LLVMGlobalGetValueType(function));
    LLVMSetVisibility(declaration, LLVMGetVisibility(function));
    LLVMSetFunctionCallConv(declaration, LLVMGetFunctionCallConv(function));
    copy_attributes(function, declaration);
    LLVMReplaceAllUsesWith(function, declaration);
    LLVMDeleteFunction(function);
    free(name);
}

/* ---- variables ---- */

bool instrument_keeps_value(LLVMModuleRef module, LLVMValueRef global) {
    return !LLVMIsDeclaration(global) && LLVMIsGlobalConstant(global) &&
           LLVMGetLinkage(global) == LLVMExternalLinkage &&
           LLVMABISizeOfType(LLVMGetModuleDataLayout(module), LLVMGlobalGetValueType(global)) <=
               SMALL_CONSTANT;
}

void instrument_drop_variables(LLVMModuleRef module) {
    for (LLVMValueRef at = LLVMGetFirstGlobal(module), next; at; at = next) {
        next = LLVMGetNextGlobal(at);
        if (LLVMGetLinkage(at) == LLVMAppendingLinkage) {
            LLVMDeleteGlobal(at);
        } else if (LLVMIsDeclaration(at)) {
            continue;
        } else if (instrument_keeps_value(module, at)) {
            LLVMSetLinkage(at, LLVMAvailableExternallyLinkage);
        } else {
            LLVMSetInitializer(at, NULL);
            LLVMSetLinkage(at, LLVMExternalLinkage);
        }
    }
}

/* ---- second names ---- */

bool instrument_has_alias(LLVMValueRef value) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGlobalAlias(user) || LLVMIsAGlobalIFunc(user) ||
            (LLVMIsAConstantExpr(user) && instrument_has_alias(user)))
            return true;
    }
    return false;
}

static void declare_in_place_of(LLVMModuleRef module, LLVMValueRef alias) {
    LLVMTypeRef type = LLVMGlobalGetValueType(alias);
    char *name = take_name(alias);
    LLVMValueRef declaration = LLVMGetTypeKind(type) == LLVMFunctionTypeKind
                                   ? LLVMAddFunction(module, name, type)
                                   : LLVMAddGlobal(module, type, name);
    LLVMSetVisibility(declaration, LLVMGetVisibility(alias));
    LLVMReplaceAllUsesWith(alias, declaration);
    free(name);
}

/* Something that an unused alias can be a name of. */
static LLVMValueRef add_nothing(LLVMModuleRef module) {
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef nothing = LLVMAddGlobal(module, byte, "");
    LLVMSetInitializer(nothing, LLVMConstNull(byte));
    LLVMSetLinkage(nothing, LLVMInternalLinkage);
    return nothing;
}

/* An alias cannot be erased, but nobody uses it any more, so that `globaldce` will. What it was a
 * name of can become a declaration. */
void instrument_drop_aliases(LLVMModuleRef module) {
    LLVMValueRef nothing = LLVMGetFirstGlobalAlias(module) ? add_nothing(module) : NULL;
    for (LLVMValueRef at = LLVMGetFirstGlobalAlias(module); at; at = LLVMGetNextGlobalAlias(at)) {
        declare_in_place_of(module, at);
        LLVMAliasSetAliasee(at, nothing);
        LLVMSetVisibility(at, LLVMDefaultVisibility);
        LLVMSetLinkage(at, LLVMInternalLinkage);
    }
    for (LLVMValueRef at = LLVMGetFirstGlobalIFunc(module), next; at; at = next) {
        next = LLVMGetNextGlobalIFunc(at);
        declare_in_place_of(module, at);
        LLVMEraseGlobalIFunc(at);
    }
}
