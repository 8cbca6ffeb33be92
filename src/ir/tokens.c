/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes does the program itself know? Constants that it compares with, the cases of its
 * switches, the texts that it hands to comparing and searching functions, and its other short
 * literals: whoever makes inputs up gets further with these than with random bytes.
 *
 * Every token is there once, under the first kind that it was seen as. Numbers are in the
 * machine's byte order and as short as their value allows. What is long or looks like a message
 * for a person is left out, and there are at most MOST_TOKENS.
 */
#include "ir/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TOKENS 4096
#define LONGEST_WORD 64 /* of texts that are compared with something */
#define LONGEST_TEXT 24 /* of others */
#define SHORT_SET 16    /* a text of so few bytes may be a set of them */

struct gathering {
    struct base_map known; /* by their bytes in hexadecimal */
    BASE_VECTOR(struct ir_token) tokens;
    struct base_buffer bytes;
};

static void add_token(struct gathering *gathering, enum ir_token_kind kind, const void *bytes,
                      size_t size) {
    char key[2 * LONGEST_WORD + 1] = "";
    if (!size || size > LONGEST_WORD || gathering->tokens.count >= MOST_TOKENS)
        return;
    for (size_t i = 0; i < size; i++)
        snprintf(key + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
    if (base_map_get(&gathering->known, key) != BASE_MAP_NONE)
        return;
    base_map_set(&gathering->known, key, 1);
    base_push(&gathering->tokens,
              (struct ir_token){(uint32_t)gathering->bytes.count, (uint32_t)size, kind, 0});
    base_buffer_add(&gathering->bytes, bytes, size);
}

/* ---- numbers ---- */

/* As few bytes as hold the value, be it meant signed or unsigned. */
static size_t number_size(uint64_t value, unsigned width) {
    int64_t as_signed = (int64_t)(value << (64 - width)) >> (64 - width);
    for (size_t size = 1; size < 8; size *= 2) {
        int64_t low = -((int64_t)1 << (8 * size - 1)), high = (int64_t)1 << (8 * size);
        if (8 * size >= width || (as_signed >= low && as_signed < high))
            return size;
    }
    return 8;
}

static void add_number(struct gathering *gathering, enum ir_token_kind kind, LLVMValueRef value) {
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(value));
    if (width < 8 || width > 64)
        return;
    uint64_t number = LLVMConstIntGetZExtValue(value);
    add_token(gathering, kind, &number, number_size(number, width));
}

static void look_at_comparison(struct gathering *gathering, LLVMValueRef compare) {
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef operand = LLVMIsAConstantInt(LLVMGetOperand(compare, i));
        if (operand)
            add_number(gathering, IR_TOKEN_NUMBER, operand);
    }
}

static void look_at_switch(struct gathering *gathering, LLVMValueRef terminator) {
    unsigned count = LLVMGetNumSuccessors(terminator);
    for (unsigned i = 1; i < count; i++)
        add_number(gathering, IR_TOKEN_CASE, LLVMGetOperand(terminator, 2 * i));
}

/* ---- texts ---- */

/* The bytes of a constant array of bytes, without the NUL at its end; NULL when it is none. */
static const char *literal(LLVMValueRef value, size_t *size) {
    LLVMValueRef global = LLVMIsAGlobalVariable(value);
    LLVMValueRef initial =
        global && LLVMIsGlobalConstant(global) ? LLVMGetInitializer(global) : NULL;
    if (!initial || !LLVMIsAConstantDataSequential(initial) || !LLVMIsConstantString(initial))
        return NULL;
    const char *text = LLVMGetAsString(initial, size);
    if (*size && !text[*size - 1])
        --*size;
    return text;
}

/* A message for a person, or a format for one. */
static bool is_message(const char *text, size_t size) {
    size_t blanks = 0;
    for (size_t i = 0; i < size; i++)
        blanks += text[i] == ' ';
    return blanks > 1 || (size > 2 && (memchr(text, '%', size) || text[size - 1] == '\n'));
}

static bool compares(LLVMValueRef call) {
    static const char *const names[] = {"cmp", "chr", "str", "mem", "spn", "brk", "equal", "match"};
    size_t size;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &size);
    for (size_t i = 0; size && i < BASE_COUNT(names); i++)
        if (strstr(name, names[i]))
            return true;
    return false;
}

static void look_at_call(struct gathering *gathering, LLVMValueRef call) {
    if (!compares(call))
        return;
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count; i++) {
        size_t size;
        const char *text = literal(LLVMGetOperand(call, i), &size);
        if (!text)
            continue;
        add_token(gathering, IR_TOKEN_WORD, text, size);
        for (size_t at = 0; size <= SHORT_SET && at < size; at++)
            add_token(gathering, IR_TOKEN_NUMBER, text + at, 1);
    }
}

static void look_at_global(struct gathering *gathering, LLVMValueRef global) {
    size_t size;
    const char *text = literal(global, &size);
    if (text && size <= LONGEST_TEXT && !is_message(text, size))
        add_token(gathering, IR_TOKEN_TEXT, text, size);
}

/* ---- the whole ---- */

static void look_at_instruction(struct gathering *gathering, LLVMValueRef instruction) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if (opcode == LLVMICmp)
        look_at_comparison(gathering, instruction);
    else if (opcode == LLVMSwitch)
        look_at_switch(gathering, instruction);
    else if (opcode == LLVMCall)
        look_at_call(gathering, instruction);
}

void ir_tokens_make(const struct ir_module *module, struct ir_facts *facts) {
    struct gathering gathering = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(module->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                look_at_instruction(&gathering, i);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module->module); g; g = LLVMGetNextGlobal(g))
        look_at_global(&gathering, g);
    base_map_done(&gathering.known);
    facts->tokens = gathering.tokens.data;
    facts->token_count = (uint32_t)gathering.tokens.count;
    facts->token_bytes = gathering.bytes.data;
    facts->token_byte_count = (uint32_t)gathering.bytes.count;
}
