/* SPDX-License-Identifier: Apache-2.0
 *
 * How does one part come out of a large module without the cost of the whole? The module lies in
 * memory as bitcode, of which LLVM reads a function's body only when it is asked to. So the bodies
 * of the part are read, and those of the functions that are copied to where they are called; the
 * others become declarations unread.
 *
 * Invariant: what is left depends on the functions of the part, on what they refer to, and on
 * nothing else of the program.
 */
#include "instrument/part.h"

#include <llvm-c/BitReader.h>
#include <stdlib.h>

struct reading {
    LLVMModuleRef module;
    const struct instrument_whole *whole;
    LLVMPassManagerRef reader;   /* has no passes: what it runs on is read first */
    struct instrument_map *seen; /* functions that were read, constants that were looked at */
    BASE_VECTOR(LLVMValueRef) unscanned; /* bodies that are there */
};

/* ---- which functions ---- */

static uint32_t home_of(const struct reading *reading, LLVMValueRef function) {
    size_t length;
    return base_map_get(reading->whole->homes, LLVMGetValueName2(function, &length));
}

/* Hooks and the like have no home: they are wherever they are used. */
static bool is_everywhere(const struct reading *reading, LLVMValueRef function) {
    return home_of(reading, function) == BASE_MAP_NONE;
}

static bool is_of_part(const struct reading *reading, LLVMValueRef function, unsigned part) {
    uint32_t home = home_of(reading, function);
    return home != BASE_MAP_NONE && home / 2 == part;
}

static bool is_copied(const struct reading *reading, LLVMValueRef function) {
    uint32_t home = home_of(reading, function);
    return home != BASE_MAP_NONE && home % 2;
}

static bool is_new(struct reading *reading, LLVMValueRef value) {
    uintptr_t unused;
    if (instrument_map_get(reading->seen, value, &unused))
        return false;
    instrument_map_set(reading->seen, value, 1);
    return true;
}

/* ---- reading bodies ---- */

static void read_body(struct reading *reading, LLVMValueRef function) {
    if (LLVMIsDeclaration(function) || !is_new(reading, function))
        return;
    LLVMRunFunctionPassManager(reading->reader, function);
    base_push(&reading->unscanned, function);
}

/* What the part refers to: functions that it has a copy of are read as well. */
static void follow(struct reading *reading, LLVMValueRef value) {
    if (LLVMIsAFunction(value)) {
        if (is_everywhere(reading, value) || is_copied(reading, value))
            read_body(reading, value);
    } else if (LLVMIsAGlobalVariable(value)) {
        LLVMValueRef content = LLVMGetInitializer(value);
        if (content && LLVMGetLinkage(value) == LLVMAvailableExternallyLinkage &&
            is_new(reading, value))
            follow(reading, content);
    } else if (LLVMIsAConstant(value) && LLVMGetNumOperands(value) > 0 && is_new(reading, value)) {
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            if (LLVMGetOperand(value, (unsigned)i))
                follow(reading, LLVMGetOperand(value, (unsigned)i));
    }
}

static void scan(struct reading *reading, LLVMValueRef function) {
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            for (int i = 0; i < LLVMGetNumOperands(at); i++)
                if (LLVMIsAConstant(LLVMGetOperand(at, (unsigned)i)))
                    follow(reading, LLVMGetOperand(at, (unsigned)i));
}

/* A variable may refer to a hook: before a body is read, all uses of functions are of that kind. */
static void read_used(struct reading *reading) {
    for (LLVMValueRef at = LLVMGetFirstFunction(reading->module); at; at = LLVMGetNextFunction(at))
        if (is_everywhere(reading, at) && LLVMGetFirstUse(at))
            read_body(reading, at);
}

static void read_bodies(struct reading *reading, unsigned part) {
    read_used(reading);
    for (LLVMValueRef at = LLVMGetFirstFunction(reading->module); at; at = LLVMGetNextFunction(at))
        if (is_of_part(reading, at, part))
            read_body(reading, at);
    while (reading->unscanned.count)
        scan(reading, reading->unscanned.data[--reading->unscanned.count]);
}

/* ---- dropping the rest ---- */

/* What is declared anew comes last, whether the whole still had its body or not. */
static void drop_rest(struct reading *reading, unsigned part) {
    LLVMValueRef last = LLVMGetLastFunction(reading->module);
    for (LLVMValueRef at = LLVMGetFirstFunction(reading->module), next; at; at = next) {
        uintptr_t unused;
        next = at == last ? NULL : LLVMGetNextFunction(at);
        if (LLVMIsDeclaration(at) && is_everywhere(reading, at))
            continue;
        if (!instrument_map_get(reading->seen, at, &unused))
            instrument_drop_body(reading->module, at);
        else if (!is_everywhere(reading, at) && !is_of_part(reading, at, part))
            LLVMSetLinkage(at, LLVMAvailableExternallyLinkage);
    }
}

static bool open_whole(const struct instrument_whole *whole, LLVMModuleRef *module) {
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(whole->bitcode, whole->size, "", 0);
    return !LLVMGetBitcodeModuleInContext2(LLVMContextCreate(), buffer, module);
}

LLVMModuleRef instrument_read_part(const struct instrument_whole *whole, unsigned part) {
    struct reading reading = {.whole = whole, .seen = instrument_map_new()};
    if (!open_whole(whole, &reading.module))
        base_panic("a module that was just written cannot be read");
    if (part) {
        LLVMSetModuleInlineAsm2(reading.module, "", 0);
        instrument_drop_aliases(reading.module);
        instrument_drop_variables(reading.module);
    }
    reading.reader = LLVMCreateFunctionPassManagerForModule(reading.module);
    read_bodies(&reading, part);
    LLVMDisposePassManager(reading.reader);
    drop_rest(&reading, part);
    instrument_run_passes(reading.module, "globaldce,strip-dead-prototypes");
    instrument_map_free(reading.seen);
    base_vector_done(&reading.unscanned);
    return reading.module;
}

void instrument_close_part(LLVMModuleRef module) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
