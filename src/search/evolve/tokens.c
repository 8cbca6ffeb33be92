/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes may mean something to the target? What its code compares with (see ir/tokens.c) and
 * what the dictionary lists. They are drawn by groups, so that even a program with a thousand texts
 * is often tried with its few single bytes and with what the user named.
 */
#include "search/evolve/evolve.h"

#include <stdlib.h>
#include <string.h>

#define GIVEN 4 /* one draw in so many is from the dictionary, if there is one */

static void add(struct evolve_tokens *tokens, enum evolve_group group, const void *bytes,
                size_t size) {
    struct evolve_token_list *list =
        &tokens->groups[size == 1 && group != EVOLVE_GIVEN ? EVOLVE_BYTES : group];
    for (size_t i = 0; size == 1 && i < list->count; i++)
        if (memcmp(list->data[i].data, bytes, 1) == 0)
            return;
    uint8_t *copy = base_arena_alloc(&tokens->arena, size);
    memcpy(copy, bytes, size);
    base_push(list, (struct target_input){copy, size});
}

static void add_backwards(struct evolve_tokens *tokens, const char *bytes, size_t size) {
    char turned[8];
    for (size_t i = 0; i < size; i++)
        turned[i] = bytes[size - 1 - i];
    add(tokens, EVOLVE_WORDS, turned, size);
}

static void add_facts(struct evolve_tokens *tokens, const struct ir_facts *facts) {
    for (uint32_t i = 0; facts && i < facts->token_count; i++) {
        const struct ir_token *token = &facts->tokens[i];
        const char *bytes = facts->token_bytes + token->first;
        bool is_number = token->kind == IR_TOKEN_NUMBER || token->kind == IR_TOKEN_CASE;
        add(tokens, token->kind == IR_TOKEN_TEXT ? EVOLVE_TEXTS : EVOLVE_WORDS, bytes, token->size);
        if (is_number && token->size > 1 && token->size <= 8)
            add_backwards(tokens, bytes, token->size);
    }
}

void evolve_tokens_init(struct evolve_tokens *tokens, const struct ir_facts *facts,
                        const struct search_options *options) {
    *tokens = (struct evolve_tokens){0};
    add_facts(tokens, facts);
    for (size_t i = 0; i < options->dictionary_count; i++)
        if (options->dictionary[i].size)
            add(tokens, EVOLVE_GIVEN, options->dictionary[i].data, options->dictionary[i].size);
}

void evolve_tokens_done(struct evolve_tokens *tokens) {
    for (int i = 0; i < EVOLVE_GROUPS; i++)
        base_vector_done(&tokens->groups[i]);
    base_arena_done(&tokens->arena);
}

const struct target_input *evolve_pick_token(const struct evolve_tokens *tokens, uint64_t *random) {
    static const uint8_t order[8] = {EVOLVE_BYTES, EVOLVE_BYTES, EVOLVE_BYTES, EVOLVE_BYTES,
                                     EVOLVE_WORDS, EVOLVE_WORDS, EVOLVE_WORDS, EVOLVE_TEXTS};
    const struct evolve_token_list *given = &tokens->groups[EVOLVE_GIVEN];
    if (given->count && evolve_below(random, GIVEN) == 0)
        return &given->data[evolve_below(random, given->count)];
    size_t start = evolve_below(random, BASE_COUNT(order));
    for (size_t i = 0; i < BASE_COUNT(order); i++) {
        const struct evolve_token_list *list =
            &tokens->groups[order[(start + i) % BASE_COUNT(order)]];
        if (list->count)
            return &list->data[evolve_below(random, list->count)];
    }
    return given->count ? &given->data[0] : NULL;
}
