/* SPDX-License-Identifier: Apache-2.0
 *
 * By which name do the parts of a module know a static function or variable? One that stays the
 * same when the rest of the program changes.
 */
#include "instrument/parts.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(LLVMValueRef value) {
    size_t length;
    return LLVMGetValueName2(value, &length);
}

bool instrument_is_local(LLVMValueRef value) {
    LLVMLinkage linkage = LLVMGetLinkage(value);
    return !LLVMIsDeclaration(value) &&
           (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage);
}

void instrument_publish(LLVMValueRef value, const char *name) {
    char *whole = base_format("%s" INSTRUMENT_PART_SUFFIX, name);
    LLVMSetValueName2(value, whole, strlen(whole));
    free(whole);
    LLVMSetLinkage(value, LLVMExternalLinkage);
    LLVMSetVisibility(value, LLVMHiddenVisibility);
}

/* A literal is called by what it holds, unless that has names of its own that are not known yet. */
static void publish_literal(LLVMValueRef global, bool with_names) {
    char *text = LLVMPrintValueToString(LLVMGetInitializer(global));
    if (with_names || !strchr(text, '@')) {
        struct base_hash hash;
        char key[33];
        base_hash_init(&hash);
        base_hash_add_text(&hash, text);
        base_hash_done(&hash, key);
        char *name = base_format("literal.%.16s", key);
        instrument_publish(global, name);
        free(name);
    }
    LLVMDisposeMessage(text);
}

void instrument_publish_variables(LLVMModuleRef module) {
    for (int with_names = 0; with_names < 2; with_names++)
        for (LLVMValueRef at = LLVMGetFirstGlobal(module); at; at = LLVMGetNextGlobal(at)) {
            if (!instrument_is_local(at) || LLVMGetLinkage(at) == LLVMAppendingLinkage)
                continue;
            if (LLVMGetLinkage(at) == LLVMPrivateLinkage || !*name_of(at))
                publish_literal(at, with_names);
            else
                instrument_publish(at, name_of(at));
        }
}
