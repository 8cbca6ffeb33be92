/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the program look like, without running it?
 *
 * One walk over the cleaned module fills flat arrays: functions, blocks, calls, source lines,
 * loops. Everything refers to everything else by number, so that the arrays can be written to a
 * file and mapped again by a process that never loads LLVM (see facts_file.c).
 *
 * Invariants: functions are in the order of the module, declarations included, intrinsics not;
 * blocks are in the order of the functions and of the blocks in them; what belongs to a block or a
 * function is one contiguous range. Successors are in the terminator's order, one per edge, so
 * that the place in the range says which way a decision went. The instructions of a block's lines
 * add up to its instructions; those without a source line are under line 0.
 */
#include "ir/module.h"

#include "ir/code.h"
#include "ir/graph.h"
#include "ir/places.h"
#include "ir/pointers.h"
#include "ir/tokens.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OPCODE_LIMIT 256

#define IR_OPCODE(name, constant, llvm, number)                                                    \
    _Static_assert((int)IR_OP_##constant == (int)llvm, #name);
#include "ir/opcodes.def"
#undef IR_OPCODE

struct builder {
    LLVMModuleRef module;
    struct ir_pointers functions, types, blocks;
    struct ir_places sources;
    unsigned loop_kind; /* metadata "llvm.loop" */
    BASE_VECTOR(struct ir_function) function_list;
    BASE_VECTOR(struct ir_block) block_list;
    BASE_VECTOR(uint32_t) successors;
    BASE_VECTOR(struct ir_opcode) opcodes;
    BASE_VECTOR(struct ir_call) calls;
    BASE_VECTOR(struct ir_line) lines;
    BASE_VECTOR(struct ir_sum) sums;
    BASE_VECTOR(uint32_t) terms;
    BASE_VECTOR(struct ir_loop) loops;
    BASE_VECTOR(struct ir_switch) switches;
    BASE_VECTOR(struct ir_case) cases;
    BASE_VECTOR(uint64_t) places; /* of one block: file in the upper half, line in the lower */
};

/* ---- functions ---- */

static uint32_t number_type(struct builder *builder, LLVMTypeRef type) {
    uint32_t number = ir_pointers_get(&builder->types, type);
    if (number == IR_POINTERS_NONE)
        ir_pointers_set(&builder->types, type, number = (uint32_t)builder->types.count);
    return number;
}

/* Lists that name functions without anyone calling through them. */
static bool is_bookkeeping(LLVMValueRef global) {
    size_t size;
    const char *name = LLVMGetValueName2(global, &size);
    return strcmp(name, "llvm.used") == 0 || strcmp(name, "llvm.compiler.used") == 0 ||
           strcmp(name, "llvm.global_ctors") == 0 || strcmp(name, "llvm.global_dtors") == 0;
}

static bool is_argument(LLVMValueRef call, LLVMValueRef value) {
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count; i++)
        if (LLVMGetOperand(call, i) == value)
            return true;
    return false;
}

static bool is_address_taken(LLVMValueRef value);

static bool is_taken_by(LLVMValueRef value, LLVMValueRef user) {
    if (LLVMIsACallInst(user) || LLVMIsAInvokeInst(user))
        return LLVMGetCalledValue(user) != value || is_argument(user, value);
    if (LLVMIsABlockAddress(user))
        return false;
    if (LLVMIsAGlobalVariable(user))
        return !is_bookkeeping(user);
    if (LLVMIsAGlobalAlias(user) || (LLVMIsAConstant(user) && !LLVMIsAGlobalValue(user)))
        return is_address_taken(user);
    return !LLVMIsAGlobalIFunc(user); /* an ifunc calls its resolver */
}

static bool is_address_taken(LLVMValueRef value) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (is_taken_by(value, LLVMGetUser(use)))
            return true;
    return false;
}

static void add_function(struct builder *builder, LLVMValueRef function) {
    size_t size;
    const char *name = LLVMGetValueName2(function, &size);
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    ir_pointers_set(&builder->functions, function, (uint32_t)builder->function_list.count);
    base_push(&builder->function_list,
              (struct ir_function){
                  .name = size ? ir_places_string(&builder->sources, name, size) : 0,
                  .file = ir_places_file(&builder->sources, subprogram),
                  .line = subprogram ? LLVMDISubprogramGetLine(subprogram) : 0,
                  .type = number_type(builder, LLVMGlobalGetValueType(function)),
                  .address_taken = is_address_taken(function),
              });
}

/* ---- instructions ---- */

static bool has_prefix(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The function that a call names, through aliases; NULL for pointers, ifuncs and assembler. */
static LLVMValueRef called_function(LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    while (LLVMIsAGlobalAlias(callee))
        callee = LLVMAliasGetAliasee(callee);
    return LLVMIsAFunction(callee);
}

bool ir_counts(LLVMValueRef instruction) {
    static const char *const free_of_charge[] = {"llvm.dbg.",       "llvm.lifetime.",
                                                 "llvm.assume",     "llvm.experimental.noalias.",
                                                 "llvm.invariant.", "llvm.donothing"};
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if (opcode != LLVMCall)
        return opcode != LLVMPHI;
    LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(instruction));
    if (!callee || !LLVMGetIntrinsicID(callee))
        return true;
    size_t size;
    const char *name = LLVMGetValueName2(callee, &size);
    for (size_t i = 0; i < BASE_COUNT(free_of_charge); i++)
        if (has_prefix(name, free_of_charge[i]))
            return false;
    return true;
}

/* A call without a prototype has a variadic type made from its arguments; the functions that it
 * may reach have the plain one. */
static uint32_t number_call_type(struct builder *builder, LLVMValueRef call) {
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    unsigned count = LLVMCountParamTypes(type);
    if (LLVMIsFunctionVarArg(type) && count == LLVMGetNumArgOperands(call) &&
        ir_pointers_get(&builder->types, type) == IR_POINTERS_NONE) {
        LLVMTypeRef *parameters = base_alloc(count * sizeof *parameters);
        LLVMGetParamTypes(type, parameters);
        type = LLVMFunctionType(LLVMGetReturnType(type), parameters, count, 0);
        free(parameters);
    }
    return number_type(builder, type);
}

static void add_call(struct builder *builder, LLVMValueRef call, uint32_t line) {
    LLVMValueRef function = called_function(call);
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)) || (function && LLVMGetIntrinsicID(function)))
        return;
    base_push(&builder->calls,
              (struct ir_call){
                  .callee = function ? ir_pointers_get(&builder->functions, function) : IR_NONE,
                  .type = function ? number_type(builder, LLVMGlobalGetValueType(function))
                                   : number_call_type(builder, call),
                  .line = line,
              });
}

/* ---- blocks ---- */

static int compare_places(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void add_lines(struct builder *builder) {
    size_t count = builder->places.count;
    if (count)
        qsort(builder->places.data, count, sizeof *builder->places.data, compare_places);
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t place = builder->places.data[i];
        for (end = i + 1; end < count && builder->places.data[end] == place;)
            end++;
        base_push(&builder->lines,
                  (struct ir_line){(uint32_t)(place >> 32), (uint32_t)place, (uint32_t)(end - i)});
    }
    builder->places.count = 0;
}

static void add_opcodes(struct builder *builder, const uint32_t *counts) {
    for (uint32_t opcode = 0; opcode < OPCODE_LIMIT; opcode++)
        for (uint32_t left = counts[opcode]; left;) {
            uint16_t part = left > UINT16_MAX ? UINT16_MAX : (uint16_t)left;
            base_push(&builder->opcodes, (struct ir_opcode){(uint16_t)opcode, part});
            left -= part;
        }
}

/* Where the last instruction comes from. Clang places the branch of a do loop at its body; its
 * condition knows better. */
static void find_end(struct builder *builder, LLVMBasicBlockRef from, struct ir_block *block) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(from);
    LLVMValueRef condition =
        LLVMIsABranchInst(last) && LLVMIsConditional(last) ? LLVMGetCondition(last) : NULL;
    block->end_line = ir_places_find(&builder->sources, LLVMInstructionGetDebugLoc(last)).line;
    if (condition && LLVMIsAInstruction(condition)) {
        uint32_t line =
            ir_places_find(&builder->sources, LLVMInstructionGetDebugLoc(condition)).line;
        if (line > block->end_line && LLVMGetInstructionParent(condition) == from) {
            block->end_line = line;
            last = condition;
        }
    }
    block->end_column = block->end_line ? LLVMGetDebugLocColumn(last) : 0;
}

static void add_instructions(struct builder *builder, LLVMBasicBlockRef from,
                             struct ir_block *block) {
    uint32_t counts[OPCODE_LIMIT] = {0};
    for (LLVMValueRef i = LLVMGetFirstInstruction(from); i; i = LLVMGetNextInstruction(i)) {
        struct ir_place place = ir_places_find(&builder->sources, LLVMInstructionGetDebugLoc(i));
        if (!ir_counts(i))
            continue;
        if (!block->line && place.line) {
            block->file = place.file;
            block->line = place.line;
            block->column = LLVMGetDebugLocColumn(i);
        }
        block->instructions++;
        counts[(unsigned)LLVMGetInstructionOpcode(i) % OPCODE_LIMIT]++;
        base_push(&builder->places, (uint64_t)place.file << 32 | place.line);
        if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
            add_call(builder, i, place.line);
    }
    add_opcodes(builder, counts);
    add_lines(builder);
}

static void add_successors(struct builder *builder, LLVMBasicBlockRef from) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(from);
    unsigned count = LLVMGetNumSuccessors(terminator);
    for (unsigned i = 0; i < count; i++)
        base_push(&builder->successors,
                  ir_pointers_get(&builder->blocks, LLVMGetSuccessor(terminator, i)));
}

/* Edges to one block are one outcome. */
static uint32_t *number_outcomes(const uint32_t *successors, uint32_t count) {
    uint32_t *outcomes = base_alloc(count * sizeof *outcomes), distinct = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = 0;
        while (successors[j] != successors[i])
            j++;
        outcomes[i] = j == i ? distinct++ : outcomes[j];
    }
    return outcomes;
}

/* A switch on more than 64 bits is none here: no expression is that wide. */
static void add_switch(struct builder *builder, LLVMBasicBlockRef from,
                       const struct ir_block *block) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(from);
    if (!LLVMIsASwitchInst(terminator) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(terminator, 0))) > 64)
        return;
    uint32_t *outcomes = number_outcomes(builder->successors.data + block->first_successor,
                                         LLVMGetNumSuccessors(terminator));
    struct ir_switch entry = {.block = (uint32_t)builder->block_list.count,
                              .first_case = (uint32_t)builder->cases.count,
                              .case_count = LLVMGetNumSuccessors(terminator) - 1};
    for (uint32_t i = 1; i <= entry.case_count; i++)
        base_push(&builder->cases,
                  (struct ir_case){
                      .value = LLVMConstIntGetZExtValue(LLVMGetOperand(terminator, 2 * i)),
                      .outcome = outcomes[i],
                  });
    free(outcomes);
    base_push(&builder->switches, entry);
}

static void add_block(struct builder *builder, LLVMBasicBlockRef from, uint32_t function) {
    struct ir_block block = {.function = function,
                             .loop = IR_NONE,
                             .dominator = IR_NONE,
                             .first_successor = (uint32_t)builder->successors.count,
                             .first_opcode = (uint32_t)builder->opcodes.count,
                             .first_call = (uint32_t)builder->calls.count,
                             .first_line = (uint32_t)builder->lines.count};
    add_successors(builder, from);
    add_instructions(builder, from, &block);
    find_end(builder, from, &block);
    block.successor_count = (uint32_t)builder->successors.count - block.first_successor;
    block.opcode_count = (uint32_t)builder->opcodes.count - block.first_opcode;
    block.call_count = (uint32_t)builder->calls.count - block.first_call;
    block.line_count = (uint32_t)builder->lines.count - block.first_line;
    add_switch(builder, from, &block);
    base_push(&builder->block_list, block);
}

/* ---- loops ---- */

/* Clang notes at a loop's back edge where its statement starts, which a person knows it by. */
static struct ir_place place_of_loop(struct builder *builder, LLVMValueRef back_branch) {
    LLVMValueRef node = LLVMGetMetadata(back_branch, builder->loop_kind);
    struct ir_place place = {0};
    if (!node)
        return place;
    unsigned count = LLVMGetMDNodeNumOperands(node);
    LLVMValueRef *operands = base_alloc(count * sizeof *operands);
    LLVMGetMDNodeOperands(node, operands);
    for (unsigned i = 1; i < count && !place.line; i++) {
        LLVMMetadataRef operand = operands[i] ? LLVMValueAsMetadata(operands[i]) : NULL;
        if (operand && LLVMGetMetadataKind(operand) == LLVMDILocationMetadataKind)
            place = ir_places_find(&builder->sources, operand);
    }
    free(operands);
    return place;
}

static void place_loops(struct builder *builder, LLVMValueRef function, uint32_t first_block) {
    uint32_t number = first_block;
    for (LLVMBasicBlockRef from = LLVMGetFirstBasicBlock(function); from;
         from = LLVMGetNextBasicBlock(from), number++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(from);
        struct ir_place place = place_of_loop(builder, terminator);
        const struct ir_block *block = &builder->block_list.data[number];
        for (uint32_t s = 0; place.line && s < block->successor_count; s++) {
            uint32_t target = builder->successors.data[block->first_successor + s];
            uint32_t loop = builder->block_list.data[target].loop;
            if (loop != IR_NONE && builder->loops.data[loop].header == target) {
                builder->loops.data[loop].file = place.file;
                builder->loops.data[loop].line = place.line;
            }
        }
    }
}

static void add_loops(struct builder *builder, const struct ir_graph_shape *shape,
                      uint32_t function, uint32_t first_block) {
    uint32_t first = (uint32_t)builder->loops.count;
    for (uint32_t i = 0; i < shape->loop_count; i++) {
        const struct ir_graph_loop *loop = &shape->loops[i];
        const struct ir_block *header = &builder->block_list.data[first_block + loop->header];
        base_push(&builder->loops,
                  (struct ir_loop){.function = function,
                                   .header = first_block + loop->header,
                                   .parent = loop->parent == IR_GRAPH_NONE ? IR_NONE
                                                                           : first + loop->parent,
                                   .depth = loop->depth,
                                   .file = header->file,
                                   .line = header->line,
                                   .irreducible = loop->irreducible,
                                   .block_count = loop->block_count});
    }
    builder->function_list.data[function].first_loop = first;
    builder->function_list.data[function].loop_count = shape->loop_count;
}

/* A call may not come back, or come back twice. */
static void share_counters(struct builder *builder, const struct ir_graph *graph, uint32_t base) {
    struct ir_block *blocks = builder->block_list.data + base;
    bool *leaves = base_alloc(graph->count + 1);
    for (uint32_t i = 0; i < graph->count; i++)
        leaves[i] = blocks[i].call_count != 0;
    struct ir_graph_counting counting;
    ir_graph_count(graph, leaves, &counting);
    for (uint32_t i = 0; i < graph->count; i++)
        blocks[i].leader = counting.leader[i] == i ? 0 : base + counting.leader[i] + 1;
    uint32_t first_term = (uint32_t)builder->terms.count;
    for (size_t i = 0; i < counting.sums.count; i++) {
        const struct ir_graph_sum *sum = &counting.sums.data[i];
        base_push(&builder->sums, (struct ir_sum){base + sum->block, first_term + sum->first_term,
                                                  sum->term_count});
        blocks[sum->block].sum = (uint32_t)builder->sums.count;
    }
    for (size_t i = 0; i < counting.terms.count; i++)
        base_push(&builder->terms, base + counting.terms.data[i]);
    ir_graph_counting_done(&counting);
    free(leaves);
}

static void shape_function(struct builder *builder, uint32_t function) {
    const struct ir_function *facts = &builder->function_list.data[function];
    uint32_t base = facts->first_block, count = facts->block_count;
    struct ir_block *blocks = builder->block_list.data + base;
    uint32_t edge_base = count ? blocks[0].first_successor : 0;
    uint32_t edge_count = (uint32_t)builder->successors.count - edge_base;
    uint32_t *first = base_alloc((count + 1) * sizeof *first);
    uint32_t *targets = base_alloc(edge_count * sizeof *targets);
    for (uint32_t i = 0; i < count; i++)
        first[i] = blocks[i].first_successor - edge_base;
    first[count] = edge_count;
    for (uint32_t i = 0; i < edge_count; i++)
        targets[i] = builder->successors.data[edge_base + i] - base;
    struct ir_graph_shape shape;
    struct ir_graph graph = {count, first, targets};
    ir_graph_analyse(&graph, &shape);
    share_counters(builder, &graph, base);
    add_loops(builder, &shape, function, base);
    uint32_t first_loop = facts->first_loop;
    for (uint32_t i = 0; i < count; i++) {
        if (shape.dominator[i] != IR_GRAPH_NONE)
            blocks[i].dominator = base + shape.dominator[i];
        if (shape.loop[i] != IR_GRAPH_NONE)
            blocks[i].loop = first_loop + shape.loop[i];
    }
    ir_graph_done(&shape);
    free(first);
    free(targets);
}

/* ---- the whole ---- */

static void describe_function(struct builder *builder, LLVMValueRef from, uint32_t function) {
    struct ir_function *facts = &builder->function_list.data[function];
    facts->first_block = (uint32_t)builder->block_list.count;
    facts->first_loop = (uint32_t)builder->loops.count;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b; b = LLVMGetNextBasicBlock(b))
        ir_pointers_set(&builder->blocks, b, facts->first_block + facts->block_count++);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b; b = LLVMGetNextBasicBlock(b))
        add_block(builder, b, function);
    if (!facts->block_count)
        return;
    shape_function(builder, function);
    if (facts->loop_count)
        place_loops(builder, from, facts->first_block);
}

static void builder_done(struct builder *builder) {
    ir_pointers_done(&builder->functions);
    ir_pointers_done(&builder->types);
    ir_pointers_done(&builder->blocks);
    ir_places_done(&builder->sources);
    base_vector_done(&builder->places);
}

/* Hands the arrays over. */
static void take_arrays(struct ir_facts *facts, struct builder *builder) {
    *facts = (struct ir_facts){
        .functions = builder->function_list.data,
        .blocks = builder->block_list.data,
        .successors = builder->successors.data,
        .opcodes = builder->opcodes.data,
        .calls = builder->calls.data,
        .lines = builder->lines.data,
        .sums = builder->sums.data,
        .terms = builder->terms.data,
        .loops = builder->loops.data,
        .switches = builder->switches.data,
        .cases = builder->cases.data,
        .strings = builder->sources.strings.data,
        .function_count = (uint32_t)builder->function_list.count,
        .block_count = (uint32_t)builder->block_list.count,
        .successor_count = (uint32_t)builder->successors.count,
        .opcode_count = (uint32_t)builder->opcodes.count,
        .call_count = (uint32_t)builder->calls.count,
        .line_count = (uint32_t)builder->lines.count,
        .sum_count = (uint32_t)builder->sums.count,
        .term_count = (uint32_t)builder->terms.count,
        .loop_count = (uint32_t)builder->loops.count,
        .switch_count = (uint32_t)builder->switches.count,
        .case_count = (uint32_t)builder->cases.count,
        .string_size = (uint32_t)builder->sources.strings.count,
    };
}

void ir_facts_make(const struct ir_module *module, struct ir_facts *facts) {
    struct builder builder = {.module = module->module};
    const char *loop_name = "llvm.loop";
    builder.loop_kind =
        LLVMGetMDKindIDInContext(module->context, loop_name, (unsigned)strlen(loop_name));
    ir_places_begin(&builder.sources, module->module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMGetIntrinsicID(f))
            add_function(&builder, f);
    uint32_t number = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMGetIntrinsicID(f))
            describe_function(&builder, f, number++);
    take_arrays(facts, &builder);
    ir_tokens_make(module, facts);
    ir_code_make(module, facts);
    builder_done(&builder);
}

void ir_facts_done(struct ir_facts *facts) {
    if (facts->mapping) {
        munmap(facts->mapping, facts->mapping_size);
    } else {
        free(facts->functions);
        free(facts->blocks);
        free(facts->successors);
        free(facts->opcodes);
        free(facts->calls);
        free(facts->lines);
        free(facts->sums);
        free(facts->terms);
        free(facts->loops);
        free(facts->switches);
        free(facts->cases);
        free(facts->tokens);
        free(facts->token_bytes);
        free(facts->codes);
        free(facts->operands);
        free(facts->globals);
        free(facts->initials);
        free(facts->strings);
    }
    *facts = (struct ir_facts){0};
}
