/* SPDX-License-Identifier: Apache-2.0
 *
 * How do the static facts get from the process that compiled the target to the one that searches?
 *
 * A facts file is a header and the arrays of struct ir_facts one after the other, each on an
 * 8-byte boundary, in the machine's own byte order: it lives in a cache beside the variant it
 * describes and is never carried to another machine. Loading maps the file and sets pointers.
 *
 * Invariant: a file that was loaded is safe to follow. The content hash finds accidents; the
 * checks after it also find files that were written by something else than this program: every
 * number is in range, every name ends, dominators and loop parents have no cycles.
 */
#include "ir/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FACTS_MAGIC "SLOWPFA6"

/* Every array of the facts: field, its counter, element type. The order is that of the file. */
#define FACTS_ARRAYS(X)                                                                            \
    X(functions, function_count, struct ir_function)                                               \
    X(blocks, block_count, struct ir_block)                                                        \
    X(successors, successor_count, uint32_t)                                                       \
    X(opcodes, opcode_count, struct ir_opcode)                                                     \
    X(calls, call_count, struct ir_call)                                                           \
    X(lines, line_count, struct ir_line)                                                           \
    X(sums, sum_count, struct ir_sum)                                                              \
    X(terms, term_count, uint32_t)                                                                 \
    X(loops, loop_count, struct ir_loop)                                                           \
    X(switches, switch_count, struct ir_switch)                                                    \
    X(cases, case_count, struct ir_case)                                                           \
    X(tokens, token_count, struct ir_token)                                                        \
    X(token_bytes, token_byte_count, char)                                                         \
    X(codes, code_count, struct ir_code)                                                           \
    X(operands, operand_count, struct ir_operand)                                                  \
    X(globals, global_count, struct ir_global)                                                     \
    X(initials, initial_count, struct ir_initial)                                                  \
    X(strings, string_size, char)

#define NUMBER_ARRAY(field, counter, type) ARRAY_##field,
enum { FACTS_ARRAYS(NUMBER_ARRAY) ARRAY_COUNT };

struct header {
    char magic[8];
    char hash[40]; /* of all that follows, hexadecimal */
    struct {
        uint32_t count, element;
    } arrays[ARRAY_COUNT];
};

static size_t align(size_t size) {
    return (size + 7) & ~(size_t)7;
}

static void hash_payload(const char *file, size_t size, char text[33]) {
    size_t start = offsetof(struct header, arrays);
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add(&hash, file + start, size - start);
    base_hash_done(&hash, text);
}

/* ---- saving ---- */

static void add_array(struct base_buffer *file, const void *data, size_t bytes) {
    static const char padding[8];
    base_buffer_add(file, data, bytes);
    base_buffer_add(file, padding, align(file->count) - file->count);
}

bool ir_facts_save(const struct ir_facts *facts, const char *path, struct base_error *error) {
    struct header header = {.magic = FACTS_MAGIC};
    struct base_buffer file = {0};
    size_t array = 0;
#define DESCRIBE_ARRAY(field, counter, type)                                                       \
    header.arrays[array].count = facts->counter;                                                   \
    header.arrays[array++].element = sizeof(type);
    FACTS_ARRAYS(DESCRIBE_ARRAY)
    add_array(&file, &header, sizeof header);
#define WRITE_ARRAY(field, counter, type)                                                          \
    add_array(&file, facts->field, facts->counter * sizeof(type));
    FACTS_ARRAYS(WRITE_ARRAY)
    char text[33];
    hash_payload(file.data, file.count, text);
    memcpy(file.data + offsetof(struct header, hash), text, sizeof text);
    bool good = base_write_file(path, file.data, file.count, error);
    base_buffer_done(&file);
    return good;
}

/* ---- checks ---- */

static bool in_range(uint32_t first, uint32_t count, uint32_t limit) {
    return first <= limit && count <= limit - first;
}

static bool is_within(uint32_t number, uint32_t first, uint32_t count) {
    return number >= first && number - first < count;
}

static bool check_function(const struct ir_facts *facts, const struct ir_function *function,
                           const struct ir_function *previous) {
    uint32_t block = previous ? previous->first_block + previous->block_count : 0;
    uint32_t loop = previous ? previous->first_loop + previous->loop_count : 0;
    return function->first_block == block && function->first_loop == loop &&
           in_range(block, function->block_count, facts->block_count) &&
           in_range(loop, function->loop_count, facts->loop_count) &&
           function->name < facts->string_size && function->file < facts->string_size;
}

static bool check_functions(const struct ir_facts *facts) {
    uint32_t blocks = 0, loops = 0;
    for (uint32_t f = 0; f < facts->function_count; f++) {
        const struct ir_function *function = &facts->functions[f];
        if (!check_function(facts, function, f ? function - 1 : NULL))
            return false;
        blocks = function->first_block + function->block_count;
        loops = function->first_loop + function->loop_count;
    }
    return blocks == facts->block_count && loops == facts->loop_count;
}

static bool check_successors(const struct ir_facts *facts, const struct ir_block *block,
                             const struct ir_function *function) {
    for (uint32_t i = 0; i < block->successor_count; i++)
        if (!is_within(facts->successors[block->first_successor + i], function->first_block,
                       function->block_count))
            return false;
    return true;
}

static bool check_block(const struct ir_facts *facts, uint32_t number) {
    const struct ir_block *block = &facts->blocks[number];
    if (block->function >= facts->function_count)
        return false;
    const struct ir_function *function = &facts->functions[block->function];
    return is_within(number, function->first_block, function->block_count) &&
           block->file < facts->string_size &&
           (block->loop == IR_NONE ||
            is_within(block->loop, function->first_loop, function->loop_count)) &&
           (block->dominator == IR_NONE ||
            is_within(block->dominator, function->first_block, function->block_count)) &&
           block->leader <= facts->block_count && block->sum <= facts->sum_count &&
           in_range(block->first_successor, block->successor_count, facts->successor_count) &&
           in_range(block->first_opcode, block->opcode_count, facts->opcode_count) &&
           in_range(block->first_call, block->call_count, facts->call_count) &&
           in_range(block->first_line, block->line_count, facts->line_count) &&
           in_range(block->first_code, block->code_count, facts->code_count) &&
           check_successors(facts, block, function);
}

/* A leader counts for itself, a term has a counter or is an earlier sum. */
static bool check_term(const struct ir_facts *facts, uint32_t block, uint32_t earlier) {
    return block < facts->block_count && !facts->blocks[block].leader &&
           facts->blocks[block].sum <= earlier;
}

static bool check_sums(const struct ir_facts *facts) {
    for (uint32_t i = 0; i < facts->block_count; i++)
        if (facts->blocks[i].leader &&
            (facts->blocks[i].sum || facts->blocks[facts->blocks[i].leader - 1].leader))
            return false;
    for (uint32_t i = 0; i < facts->sum_count; i++) {
        const struct ir_sum *sum = &facts->sums[i];
        if (sum->block >= facts->block_count || facts->blocks[sum->block].sum != i + 1 ||
            !in_range(sum->first_term, sum->term_count, facts->term_count))
            return false;
        for (uint32_t t = 0; t < sum->term_count; t++)
            if (!check_term(facts, facts->terms[sum->first_term + t], i))
                return false;
    }
    return true;
}

/* Walks up from each block to one that is known to be good; a walk that meets itself is a cycle.
 * Each block is passed once. */
static bool check_dominators(const struct ir_facts *facts) {
    uint32_t *seen = base_alloc(facts->block_count * sizeof *seen); /* by which walk, + 1 */
    bool good = true;
    for (uint32_t start = 0; good && start < facts->block_count; start++) {
        uint32_t block = start;
        for (; block != IR_NONE && !seen[block]; block = facts->blocks[block].dominator)
            seen[block] = start + 1;
        good = block == IR_NONE || seen[block] != start + 1;
    }
    free(seen);
    return good;
}

static bool check_loop(const struct ir_facts *facts, uint32_t number) {
    const struct ir_loop *loop = &facts->loops[number];
    if (loop->function >= facts->function_count)
        return false;
    const struct ir_function *function = &facts->functions[loop->function];
    return is_within(number, function->first_loop, function->loop_count) &&
           is_within(loop->header, function->first_block, function->block_count) &&
           loop->file < facts->string_size && loop->block_count <= function->block_count &&
           (loop->parent == IR_NONE ||
            (loop->parent < number && loop->parent >= function->first_loop));
}

/* Switches are in the order of their blocks and own consecutive cases. */
static bool check_switches(const struct ir_facts *facts) {
    uint32_t cases = 0;
    for (uint32_t i = 0; i < facts->switch_count; i++) {
        const struct ir_switch *entry = &facts->switches[i];
        if (entry->block >= facts->block_count || (i && entry->block <= entry[-1].block) ||
            entry->first_case != cases || !in_range(cases, entry->case_count, facts->case_count) ||
            entry->default_outcome > entry->case_count ||
            facts->blocks[entry->block].successor_count != entry->case_count + 1)
            return false;
        for (uint32_t end = cases + entry->case_count; cases < end; cases++)
            if (facts->cases[cases].outcome > entry->case_count)
                return false;
    }
    return cases == facts->case_count;
}

static bool check_calls_and_lines(const struct ir_facts *facts) {
    for (uint32_t i = 0; i < facts->call_count; i++)
        if (facts->calls[i].callee != IR_NONE && facts->calls[i].callee >= facts->function_count)
            return false;
    for (uint32_t i = 0; i < facts->line_count; i++)
        if (facts->lines[i].file >= facts->string_size)
            return false;
    return true;
}

static bool check_tokens(const struct ir_facts *facts) {
    for (uint32_t i = 0; i < facts->token_count; i++)
        if (!facts->tokens[i].size ||
            !in_range(facts->tokens[i].first, facts->tokens[i].size, facts->token_byte_count))
            return false;
    return true;
}

static bool check_operand(const struct ir_facts *facts, const struct ir_operand *operand) {
    switch (operand->kind) {
    case IR_OPERAND_GLOBAL:
        return operand->number < facts->global_count;
    case IR_OPERAND_FUNCTION:
        return operand->number < facts->function_count;
    case IR_OPERAND_BLOCK:
        return operand->number < facts->block_count;
    default:
        return operand->kind <= IR_OPERAND_BLOCK;
    }
}

static bool check_registers(const struct ir_facts *facts, const struct ir_block *block) {
    uint32_t registers = facts->functions[block->function].register_count;
    for (uint32_t i = 0; i < block->code_count; i++) {
        const struct ir_code *code = &facts->codes[block->first_code + i];
        if ((code->result != IR_NONE && code->result >= registers) || code->width > 64 ||
            !in_range(code->first_operand, code->operand_count, facts->operand_count))
            return false;
        for (uint32_t k = 0; k < code->operand_count; k++) {
            const struct ir_operand *operand = &facts->operands[code->first_operand + k];
            if (!check_operand(facts, operand) ||
                (operand->kind == IR_OPERAND_REGISTER && operand->number >= registers))
                return false;
        }
    }
    return true;
}

static bool check_code(const struct ir_facts *facts) {
    for (uint32_t f = 0; f < facts->function_count; f++)
        if (facts->functions[f].parameter_count > facts->functions[f].register_count)
            return false;
    for (uint32_t b = 0; b < facts->block_count; b++)
        if (!check_registers(facts, &facts->blocks[b]))
            return false;
    for (uint32_t i = 0; i < facts->initial_count; i++)
        if (!check_operand(facts, &facts->initials[i].operand))
            return false;
    for (uint32_t g = 0; g < facts->global_count; g++)
        if (!in_range(facts->globals[g].first_initial, facts->globals[g].initial_count,
                      facts->initial_count))
            return false;
    return true;
}

static bool check_facts(const struct ir_facts *facts) {
    if (!facts->string_size || facts->strings[0] || facts->strings[facts->string_size - 1])
        return false;
    if (!check_functions(facts))
        return false;
    for (uint32_t b = 0; b < facts->block_count; b++)
        if (!check_block(facts, b))
            return false;
    for (uint32_t l = 0; l < facts->loop_count; l++)
        if (!check_loop(facts, l))
            return false;
    return check_calls_and_lines(facts) && check_switches(facts) && check_tokens(facts) &&
           check_dominators(facts) && check_sums(facts) && check_code(facts);
}

/* ---- loading ---- */

/* Sets the pointers; false if the arrays do not fill the file exactly. */
static bool place_arrays(struct ir_facts *facts) {
    const struct header *header = facts->mapping;
    size_t at = align(sizeof *header), array = 0;
#define PLACE_ARRAY(field, counter, type)                                                          \
    if (header->arrays[array].element != sizeof(type))                                             \
        return false;                                                                              \
    facts->counter = header->arrays[array++].count;                                                \
    if ((facts->mapping_size - at) / sizeof(type) < facts->counter)                                \
        return false;                                                                              \
    facts->field = (void *)((char *)facts->mapping + at);                                          \
    at = align(at + facts->counter * sizeof(type));                                                \
    if (at > facts->mapping_size)                                                                  \
        return false;
    FACTS_ARRAYS(PLACE_ARRAY)
    return at == facts->mapping_size;
}

static const char *find_damage(struct ir_facts *facts) {
    const struct header *header = facts->mapping;
    char text[33];
    if (facts->mapping_size < sizeof *header || memcmp(header->magic, FACTS_MAGIC, 8) != 0)
        return "is not a facts file of this version";
    hash_payload(facts->mapping, facts->mapping_size, text);
    if (memcmp(header->hash, text, sizeof text) != 0)
        return "is damaged (its content does not match its hash)";
    if (!place_arrays(facts))
        return "is damaged (its parts do not fill it)";
    return check_facts(facts) ? NULL : "is damaged (it refers to something that is not there)";
}

static bool map_file(const char *path, struct ir_facts *facts) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = fstat(fd, &status) == 0;
    if (good && status.st_size > 0) {
        void *mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        good = mapping != MAP_FAILED;
        if (good) {
            facts->mapping = mapping;
            facts->mapping_size = (size_t)status.st_size;
        }
    }
    int problem = errno;
    close(fd);
    errno = problem;
    return good;
}

bool ir_facts_load(const char *path, struct ir_facts *facts, struct base_error *error) {
    *facts = (struct ir_facts){0};
    if (!map_file(path, facts))
        return base_fail(error, BASE_USAGE, "cannot read '%s': %s", path, strerror(errno));
    const char *damage = find_damage(facts);
    if (!damage)
        return true;
    if (facts->mapping)
        ir_facts_done(facts);
    *facts = (struct ir_facts){0};
    return base_fail(error, BASE_USAGE, "'%s' %s; remove it and build the target again", path,
                     damage);
}
