/* SPDX-License-Identifier: Apache-2.0
 *
 * The recording variant: where do loops, calls, loads and stores of the program tell of
 * themselves? What becomes of that is the runtime's affair (runtime/record.c, abi/record.h).
 *
 * A function takes note of the calls and loops under way when it is entered, and puts them back
 * behind each call and before it returns; so a longjmp or a library function that calls back leaves
 * nothing wrong behind.
 */
#include "abi/record.h"
#include "instrument/internal.h"
#include "instrument/record.h"

#include <llvm-c/Target.h>
#include <string.h>

struct recording {
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef i32, i64;
    const struct instrument_map *sites;
    const struct ir_facts *facts;
    bool *is_exit;   /* by block: a loop may be left to it, */
    bool *is_end;    /* and it may be left by its header */
    bool *is_tested; /* by loop: its header may leave it */
    bool *writes;    /* by loop: it stores something */
    bool *recurs;    /* by function: it may call itself */
    uint32_t next_site;
    struct record_varies *varies;
    /* of the function under way */
    LLVMValueRef calls, first_depth, depth;
};

#define hook(recording, which, ...)                                                                \
    instrument_hook((recording)->module, (recording)->builder, which, __VA_ARGS__)

static LLVMValueRef number(const struct recording *recording, uint32_t value) {
    return LLVMConstInt(recording->i32, value, false);
}

/* ---- what is known before ---- */

static bool contains(const struct ir_facts *facts, uint32_t loop, uint32_t block) {
    uint32_t at = facts->blocks[block].loop;
    while (at != IR_NONE && at != loop)
        at = facts->loops[at].parent;
    return at == loop;
}

static void find_exits(struct recording *recording) {
    const struct ir_facts *facts = recording->facts;
    for (uint32_t b = 0; b < facts->block_count; b++) {
        const struct ir_block *block = &facts->blocks[b];
        for (uint32_t i = 0; block->loop != IR_NONE && i < block->successor_count; i++) {
            uint32_t next = facts->successors[block->first_successor + i];
            if (contains(facts, block->loop, next))
                continue;
            recording->is_exit[next] = true;
            if (facts->loops[block->loop].header == b)
                recording->is_tested[block->loop] = recording->is_end[next] = true;
        }
    }
}

/* Which functions does a function reach by calls of known functions? Itself, perhaps. */
struct reach {
    const struct ir_facts *facts;
    uint32_t *seen; /* by function: the search that it was seen in, from 1 */
    uint32_t *stack;
};

static bool reaches_itself(const struct reach *reach, uint32_t start) {
    const struct ir_facts *facts = reach->facts;
    size_t height = 0;
    reach->stack[height++] = start;
    while (height) {
        const struct ir_function *function = &facts->functions[reach->stack[--height]];
        uint32_t end = function->first_block + function->block_count;
        for (uint32_t b = function->first_block; b < end; b++)
            for (uint32_t i = 0; i < facts->blocks[b].call_count; i++) {
                uint32_t callee = facts->calls[facts->blocks[b].first_call + i].callee;
                if (callee == start)
                    return true;
                if (callee == IR_NONE || reach->seen[callee] == start + 1)
                    continue;
                reach->seen[callee] = start + 1;
                reach->stack[height++] = callee;
            }
    }
    return false;
}

/* In a large program only functions that call themselves directly: the search is quadratic. */
static bool calls_itself(const struct ir_facts *facts, uint32_t f) {
    const struct ir_function *function = &facts->functions[f];
    for (uint32_t b = function->first_block; b < function->first_block + function->block_count; b++)
        for (uint32_t i = 0; i < facts->blocks[b].call_count; i++)
            if (facts->calls[facts->blocks[b].first_call + i].callee == f)
                return true;
    return false;
}

#define MOST_SEARCHED 3000 /* functions */

static void find_recursion(struct recording *recording, struct base_arena *arena) {
    const struct ir_facts *facts = recording->facts;
    uint32_t count = facts->function_count;
    struct reach reach = {facts, base_arena_alloc(arena, (count + 1) * sizeof(uint32_t)),
                          base_arena_alloc(arena, (count + 1) * sizeof(uint32_t))};
    for (uint32_t f = 0; f < count; f++)
        recording->recurs[f] =
            count <= MOST_SEARCHED ? reaches_itself(&reach, f) : calls_itself(facts, f);
}

/* ---- loads and stores ---- */

/* What a value is told as: its bits, or the address that it is. */
static LLVMValueRef as_word(const struct recording *recording, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    LLVMBuilderRef builder = recording->builder;
    if (kind == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(builder, value, recording->i64, "");
    if (kind == LLVMFloatTypeKind)
        return LLVMBuildZExt(builder, LLVMBuildBitCast(builder, value, recording->i32, ""),
                             recording->i64, "");
    if (kind == LLVMDoubleTypeKind)
        return LLVMBuildBitCast(builder, value, recording->i64, "");
    if (kind == LLVMIntegerTypeKind)
        return LLVMBuildIntCast2(builder, value, recording->i64, false, "");
    return LLVMConstNull(recording->i64);
}

static void tell_load(struct recording *recording, LLVMValueRef load) {
    LLVMPositionBuilderBefore(recording->builder, LLVMGetNextInstruction(load));
    hook(recording, HOOK_RECORD_LOAD, LLVMGetOperand(load, 0), as_word(recording, load),
         number(recording, recording->next_site++));
}

static void tell_store(struct recording *recording, LLVMValueRef store) {
    uint64_t bytes = LLVMStoreSizeOfType(recording->layout, LLVMTypeOf(LLVMGetOperand(store, 0)));
    LLVMPositionBuilderBefore(recording->builder, store);
    hook(recording, HOOK_RECORD_STORE, LLVMGetOperand(store, 1),
         LLVMConstInt(recording->i64, bytes, false));
}

static bool is_on_stack(LLVMValueRef pointer) {
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAAllocaInst(pointer) != NULL;
}

static LLVMValueRef start_of_block(LLVMBasicBlockRef block) {
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    return at;
}

/* Variables of the stack are the function's own affair. */
static void count_accesses(struct recording *recording, LLVMBasicBlockRef block,
                           uint32_t number_of) {
    uint32_t loads = 0, stores = 0;
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
        loads += LLVMIsALoadInst(at) != NULL;
        stores += LLVMIsAStoreInst(at) && !is_on_stack(LLVMGetOperand(at, 1));
    }
    const struct ir_facts *facts = recording->facts;
    for (uint32_t loop = facts->blocks[number_of].loop; stores && loop != IR_NONE;
         loop = facts->loops[loop].parent)
        recording->writes[loop] = true;
    LLVMPositionBuilderBefore(recording->builder, start_of_block(block));
    if (loads || stores)
        hook(recording, HOOK_RECORD_BLOCK, number(recording, loads), number(recording, stores));
}

/* ---- calls ---- */

static bool name_begins(LLVMValueRef function, const char *prefix) {
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool tell_intrinsic(struct recording *recording, LLVMValueRef call, LLVMValueRef callee) {
    bool copies = name_begins(callee, "llvm.memcpy") || name_begins(callee, "llvm.memmove");
    if (!copies && !name_begins(callee, "llvm.memset"))
        return false;
    LLVMValueRef to = LLVMGetArgOperand(call, 0);
    LLVMPositionBuilderBefore(recording->builder, call);
    LLVMValueRef bytes = LLVMBuildIntCast2(recording->builder, LLVMGetArgOperand(call, 2),
                                           recording->i64, false, "");
    if (copies)
        hook(recording, HOOK_RECORD_COPY, to, LLVMGetArgOperand(call, 1), bytes,
             number(recording, recording->next_site++));
    else
        hook(recording, HOOK_RECORD_FILL, to, bytes);
    return true;
}

/* Library functions that write where a caller says. */
enum filling {
    BYTES,    /* as many as an argument says */
    ELEMENTS, /* ... times the one before it */
    TEXT,     /* a text */
    LINE      /* as many as the result says, where an argument's pointer points */
};
static const struct writer {
    const char *name;
    unsigned memory, bytes;
    enum filling filling;
} writers[] = {
    {"read", 1, 2, BYTES},      {"pread", 1, 2, BYTES},    {"recv", 1, 2, BYTES},
    {"fread", 0, 2, ELEMENTS},  {"fgets", 0, 1, BYTES},    {"sprintf", 0, 0, TEXT},
    {"vsprintf", 0, 0, TEXT},   {"snprintf", 0, 0, TEXT},  {"vsnprintf", 0, 0, TEXT},
    {"strftime", 0, 1, BYTES},  {"getline", 0, 0, LINE},   {"getdelim", 0, 0, LINE},
    {"__getdelim", 0, 0, LINE}, {"qsort", 0, 2, ELEMENTS},
};

static const struct writer *find_writer(LLVMValueRef callee) {
    size_t length;
    const char *name = LLVMIsAFunction(callee) && LLVMIsDeclaration(callee)
                           ? LLVMGetValueName2(callee, &length)
                           : "";
    const char prefix[] = "__slowpath_lib_";
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    for (size_t i = 0; i < BASE_COUNT(writers); i++)
        if (strcmp(writers[i].name, name) == 0)
            return &writers[i];
    return NULL;
}

static LLVMValueRef word_argument(struct recording *recording, LLVMValueRef call, unsigned index) {
    LLVMValueRef value = LLVMGetArgOperand(call, index);
    return LLVMBuildIntCast2(recording->builder, value, recording->i64, false, "");
}

static void tell_written(struct recording *recording, LLVMValueRef call,
                         const struct writer *writer) {
    if (LLVMGetNumArgOperands(call) <= writer->bytes)
        return;
    LLVMValueRef memory = LLVMGetArgOperand(call, writer->memory), bytes;
    switch (writer->filling) {
    case TEXT:
        hook(recording, HOOK_RECORD_TEXT, memory);
        return;
    case LINE:
        hook(recording, HOOK_RECORD_LINE, memory,
             LLVMBuildIntCast2(recording->builder, call, recording->i64, true, ""));
        return;
    case BYTES:
        bytes = word_argument(recording, call, writer->bytes);
        break;
    case ELEMENTS:
        bytes = LLVMBuildMul(recording->builder, word_argument(recording, call, writer->bytes - 1),
                             word_argument(recording, call, writer->bytes), "");
        break;
    }
    hook(recording, HOOK_RECORD_FILL, memory, bytes);
}

static bool is_tail(LLVMValueRef call) {
    return LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
}

static void tell_call(struct recording *recording, LLVMValueRef call, uint32_t block,
                      uint32_t index) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    uint32_t loop = recording->facts->blocks[block].loop;
    uint32_t site =
        block << ABI_CALL_INDEX_BITS | (index < ABI_CALL_INDEX ? index : ABI_CALL_INDEX);
    bool varies = loop == IR_NONE || record_call_varies(recording->varies, call, loop);
    LLVMPositionBuilderBefore(recording->builder, call);
    hook(recording, HOOK_RECORD_CALL, recording->calls,
         number(recording, (site & ~ABI_CALL_VARIES) | (varies ? ABI_CALL_VARIES : 0)));
    if (is_tail(call))
        return;
    LLVMPositionBuilderBefore(recording->builder, LLVMGetNextInstruction(call));
    hook(recording, HOOK_RECORD_BACK, recording->calls);
    const struct writer *writer = find_writer(callee);
    if (writer)
        tell_written(recording, call, writer);
}

static bool is_hook(LLVMValueRef callee) {
    size_t length;
    return LLVMIsAFunction(callee) && instrument_is_hook(LLVMGetValueName2(callee, &length));
}

static void tell_instructions(struct recording *recording, LLVMBasicBlockRef block,
                              uint32_t block_number) {
    uint32_t calls = 0;
    for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at; at = next) {
        next = LLVMGetNextInstruction(at);
        if (LLVMIsALoadInst(at))
            tell_load(recording, at);
        else if (LLVMIsAStoreInst(at))
            tell_store(recording, at);
        if (!LLVMIsACallInst(at))
            continue;
        LLVMValueRef callee = LLVMGetCalledValue(at);
        if (LLVMIsAInlineAsm(callee) || is_hook(callee))
            continue;
        if (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee))
            tell_intrinsic(recording, at, callee);
        else
            tell_call(recording, at, block_number, calls++);
    }
}

/* ---- loops ---- */

/* A call that must be in tail position allows nothing between it and the return. */
static LLVMValueRef end_of_function(LLVMValueRef instruction) {
    LLVMValueRef last = LLVMGetPreviousInstruction(instruction);
    return last && LLVMIsACallInst(last) && is_tail(last) ? last : instruction;
}

static uint32_t loop_word(const struct recording *recording, uint32_t loop) {
    uint32_t parent = recording->facts->loops[loop].parent;
    bool varies = parent == IR_NONE || record_loop_varies(recording->varies, loop, parent);
    return (loop & ABI_LOOP_NUMBER) | (recording->is_tested[loop] ? ABI_LOOP_TESTED : 0) |
           (recording->writes[loop] ? ABI_LOOP_WRITES : 0) | (varies ? ABI_LOOP_VARIES : 0);
}

static void tell_loop(struct recording *recording, LLVMBasicBlockRef block, uint32_t number_of) {
    const struct ir_facts *facts = recording->facts;
    uint32_t loop = facts->blocks[number_of].loop;
    LLVMValueRef depth = number(recording, loop == IR_NONE ? 0 : facts->loops[loop].depth);
    LLVMPositionBuilderBefore(recording->builder, start_of_block(block));
    if (loop != IR_NONE && facts->loops[loop].header == number_of)
        hook(recording, HOOK_RECORD_TURN, recording->depth, depth,
             number(recording, loop_word(recording, loop)));
    else if (recording->is_exit[number_of])
        hook(recording, HOOK_RECORD_LEAVE, recording->depth, depth,
             number(recording, !recording->is_end[number_of]));
}

static void tell_return(struct recording *recording, LLVMBasicBlockRef block) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!LLVMIsAReturnInst(end))
        return;
    LLVMPositionBuilderBefore(recording->builder, end_of_function(end));
    hook(recording, HOOK_RECORD_LEAVE, recording->first_depth, number(recording, 0),
         number(recording, 1));
}

/* ---- functions ---- */

static void enter_function(struct recording *recording, LLVMBasicBlockRef entry,
                           uint32_t number_of) {
    uint32_t loop = (recording->facts->loop_count + number_of) & ABI_LOOP_NUMBER;
    LLVMPositionBuilderBefore(recording->builder, start_of_block(entry));
    recording->first_depth = recording->depth =
        instrument_hook(recording->module, recording->builder, HOOK_RECORD_DEPTH);
    if (recording->recurs[number_of]) {
        hook(recording, HOOK_RECORD_RECUR, number(recording, loop));
        recording->depth =
            instrument_hook(recording->module, recording->builder, HOOK_RECORD_DEPTH);
    }
    recording->calls = instrument_hook(recording->module, recording->builder, HOOK_RECORD_ENTER);
}

static void record_function(struct recording *recording, LLVMValueRef function) {
    const struct ir_facts *facts = recording->facts;
    LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(function);
    uintptr_t first;
    if (!entry || !instrument_map_get(recording->sites, entry, &first) ||
        first >= facts->block_count)
        return;
    uint32_t own = facts->blocks[first].function;
    bool has_frames = facts->functions[own].loop_count || recording->recurs[own];
    uint32_t at = (uint32_t)first;
    for (LLVMBasicBlockRef block = entry; block; block = LLVMGetNextBasicBlock(block))
        count_accesses(recording, block, at++);
    enter_function(recording, entry, own);
    at = (uint32_t)first;
    for (LLVMBasicBlockRef block = entry; block; block = LLVMGetNextBasicBlock(block), at++) {
        tell_instructions(recording, block, at);
        tell_loop(recording, block, at);
        if (has_frames)
            tell_return(recording, block);
    }
}

void instrument_record(LLVMModuleRef module, const struct instrument_map *sites,
                       const struct ir_facts *facts) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct base_arena arena = {0};
    struct recording recording = {.module = module,
                                  .builder = LLVMCreateBuilderInContext(context),
                                  .layout = LLVMGetModuleDataLayout(module),
                                  .i32 = LLVMInt32TypeInContext(context),
                                  .i64 = LLVMInt64TypeInContext(context),
                                  .sites = sites,
                                  .facts = facts,
                                  .is_exit = base_arena_alloc(&arena, facts->block_count + 1),
                                  .is_end = base_arena_alloc(&arena, facts->block_count + 1),
                                  .is_tested = base_arena_alloc(&arena, facts->loop_count + 1),
                                  .writes = base_arena_alloc(&arena, facts->loop_count + 1),
                                  .recurs = base_arena_alloc(&arena, facts->function_count + 1),
                                  .next_site = 16,
                                  .varies = record_varies_new(module, sites, facts)};
    find_exits(&recording);
    find_recursion(&recording, &arena);
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function))
        record_function(&recording, function);
    record_varies_free(recording.varies);
    LLVMDisposeBuilder(recording.builder);
    base_arena_done(&arena);
}
