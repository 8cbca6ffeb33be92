/* SPDX-License-Identifier: Apache-2.0
 *
 * How does native code tell where it comes from, and stay the same when its function moves? After a
 * crash one wants the source line of an address and nothing else of the debug information, which
 * is much work for the optimiser and the code generator. So all of it goes, and each function
 * is described anew as if it were a file of its own: the name of the file is the function's, line 1
 * is where it begins. The facts know where that is (ir/locate.c adds the two), and a function whose
 * text did not change compiles to the same code wherever it stands in its file.
 */
#include "instrument/internal.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

struct lines {
    LLVMModuleRef module;
    LLVMDIBuilderRef builder;
    LLVMMetadataRef scope;        /* of the function at hand */
    BASE_VECTOR(int64_t) numbers; /* one for each instruction, in order; -1: it has no place */
    size_t next;
};

/* ---- what there is ---- */

/* Lines from another file (an #include within a body) are unknown. */
static int64_t line_in(LLVMValueRef instruction, LLVMMetadataRef function) {
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
    if (!location)
        return -1;
    int64_t first = LLVMDISubprogramGetLine(function), line = LLVMDILocationGetLine(location);
    bool is_here =
        LLVMDIScopeGetFile(LLVMDILocationGetScope(location)) == LLVMDIScopeGetFile(function);
    return line < first || !is_here ? 0 : line - first + 1;
}

static void note_lines(struct lines *lines, LLVMValueRef function) {
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); subprogram && block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            if (!LLVMIsADbgInfoIntrinsic(at)) /* these go */
                base_push(&lines->numbers, line_in(at, subprogram));
}

/* ---- what there will be ---- */

static void describe(struct lines *lines, LLVMValueRef function) {
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    LLVMMetadataRef file = LLVMDIBuilderCreateFile(lines->builder, name, length, "", 0);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(lines->builder, file, NULL, 0, 0);
    lines->scope = LLVMDIBuilderCreateFunction(lines->builder, file, name, length, "", 0, file, 0,
                                               type, true, true, 0, 0, true);
    LLVMSetSubprogram(function, lines->scope);
}

static void place(struct lines *lines, LLVMValueRef instruction) {
    int64_t line = lines->next < lines->numbers.count ? lines->numbers.data[lines->next++] : -1;
    if (line >= 0)
        LLVMInstructionSetDebugLoc(
            instruction, LLVMDIBuilderCreateDebugLocation(LLVMGetModuleContext(lines->module),
                                                          (unsigned)line, 0, lines->scope, NULL));
}

static void place_all(struct lines *lines, LLVMValueRef function) {
    describe(lines, function);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            place(lines, at);
}

static void begin_unit(struct lines *lines) {
    lines->builder = LLVMCreateDIBuilder(lines->module);
    LLVMMetadataRef file = LLVMDIBuilderCreateFile(lines->builder, "target", 6, "", 0);
    LLVMDIBuilderCreateCompileUnit(lines->builder, LLVMDWARFSourceLanguageC11, file, "slowpath", 8,
                                   true, "", 0, 0, "", 0, LLVMDWARFEmissionLineTablesOnly, 0, false,
                                   false, "", 0, "", 0);
}

void instrument_shorten_lines(LLVMModuleRef module) {
    struct lines lines = {.module = module};
    BASE_VECTOR(LLVMValueRef) described = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetSubprogram(f)) {
            note_lines(&lines, f);
            base_push(&described, f);
        }
    LLVMStripModuleDebugInfo(module);
    if (described.count)
        begin_unit(&lines);
    for (size_t i = 0; i < described.count; i++)
        place_all(&lines, described.data[i]);
    if (lines.builder) {
        LLVMDIBuilderFinalize(lines.builder);
        LLVMDisposeDIBuilder(lines.builder);
    }
    base_vector_done(&described);
    base_vector_done(&lines.numbers);
}
