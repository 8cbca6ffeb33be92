/* SPDX-License-Identifier: Apache-2.0
 *
 * How are conditions on pointers printed? In the trace they are conditions on the numbers of
 * objects; the user sees `l->next == NULL` or `l->next->prev == l`, before all conditions on
 * values, so that the whole can be read from left to right. A pointer to an object that nothing
 * else points to is described by what it is not; which of the unused objects it is does not matter.
 */
#include "search/core/family.h"

#include <stdlib.h>

struct choice { /* the pointer at OFFSET leads to the object VALUE, or it does not */
    uint32_t offset, value;
    bool holds;
};

struct choices {
    struct choice *data;
    size_t count, capacity;
};

static bool is_link(const struct search_question *question, uint32_t offset) {
    struct base_buffer name = {0};
    bool found = question->links && question->links(offset, -1, question->context, &name);
    base_buffer_done(&name);
    return found;
}

static bool read_choice(const struct expr_pool *pool, uint32_t condition, struct choice *choice) {
    const struct abi_node *node = expr_node(pool, condition);
    choice->holds = node->op != ABI_OP_NOT;
    if (!choice->holds)
        node = expr_node(pool, node->a);
    if (node->op != ABI_OP_EQ)
        return false;
    const struct abi_node *a = expr_node(pool, node->a), *b = expr_node(pool, node->b);
    if (a->op == ABI_OP_CONST) {
        const struct abi_node *other = a;
        a = b;
        b = other;
    }
    if (a->op != ABI_OP_INPUT || b->op != ABI_OP_CONST)
        return false;
    choice->offset = a->a;
    choice->value = b->b;
    return true;
}

/* Does the condition only say which object numbers are valid? */
static bool is_about_numbers(const struct search_question *question, const struct expr_pool *pool,
                             uint32_t condition) {
    const struct abi_node *node = expr_node(pool, condition);
    switch (node->op) {
    case ABI_OP_CONST:
        return true;
    case ABI_OP_INPUT:
        return is_link(question, node->a);
    case ABI_OP_NOT:
        return is_about_numbers(question, pool, node->a);
    case ABI_OP_OR:
    case ABI_OP_AND:
    case ABI_OP_EQ:
    case ABI_OP_ULT:
    case ABI_OP_ULE:
    case ABI_OP_SUB:
    case ABI_OP_ADD:
        return is_about_numbers(question, pool, node->a) &&
               is_about_numbers(question, pool, node->b);
    default:
        return false;
    }
}

static bool is_settled(const struct choices *choices, const struct choice *choice) {
    for (size_t i = 0; i < choices->count; i++)
        if (choices->data[i].offset == choice->offset && choices->data[i].holds)
            return true;
    return false;
}

static bool is_repeated(const struct choices *choices, size_t which) {
    const struct choice *choice = &choices->data[which];
    for (size_t i = 0; i < which; i++) {
        const struct choice *other = &choices->data[i];
        if (other->offset == choice->offset && other->value == choice->value &&
            other->holds == choice->holds)
            return true;
    }
    return false;
}

static void tell_choices(const struct search_question *question, const struct choices *choices,
                         struct base_buffer *out) {
    for (size_t i = 0; i < choices->count; i++) {
        const struct choice *choice = &choices->data[i];
        struct base_buffer text = {0};
        if ((!choice->holds && is_settled(choices, choice)) || is_repeated(choices, i) ||
            out->count > question->limit)
            continue;
        question->links(choice->offset, -1, question->context, &text);
        base_buffer_print(&text, choice->holds ? " == " : " != ");
        if (question->links(choice->offset, choice->value, question->context, &text))
            base_buffer_print(out, "%s%s", out->count ? " && " : "", text.data);
        base_buffer_done(&text);
    }
}

void search_tell_links(const struct search_question *question, const struct expr_pool *pool,
                       const uint32_t *conditions, size_t count, struct base_buffer *out,
                       struct search_conditions *rest) {
    struct choices choices = {0};
    for (size_t i = 0; i < count; i++) {
        struct choice choice = {0};
        if (!is_about_numbers(question, pool, conditions[i]))
            base_push(rest, conditions[i]);
        else if (read_choice(pool, conditions[i], &choice))
            base_push(&choices, choice);
    }
    tell_choices(question, &choices, out);
    base_vector_done(&choices);
}
