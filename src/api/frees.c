/* SPDX-License-Identifier: Apache-2.0
 *
 * Can a call end the life of anything? Only if it can reach a function that frees memory. Any other
 * call leaves all handles alone that were lent before: nodes of a graph outlive the insertion of
 * another one.
 */
#include "api/model.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    const struct ir_facts *facts;
    bool *seen;
    BASE_VECTOR(uint32_t) queue;
};

static void reach(uint32_t callee, void *context) {
    struct walk *walk = context;
    if (walk->seen[callee])
        return;
    walk->seen[callee] = true;
    base_push(&walk->queue, callee);
}

static bool gives_back(const struct ir_facts *facts, uint32_t function) {
    static const char *const names[] = {"free", "realloc", "reallocarray", "munmap",
                                        "obstack_free"};
    const char *name = facts->strings + facts->functions[function].name;
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void reach_callees(struct walk *walk, uint32_t number) {
    const struct ir_facts *facts = walk->facts;
    const struct ir_function *function = &facts->functions[number];
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &facts->blocks[function->first_block + b];
        for (uint32_t c = 0; c < block->call_count; c++)
            ir_call_targets(facts, &facts->calls[block->first_call + c], reach, walk);
    }
}

bool api_can_free(const struct ir_facts *facts, uint32_t function) {
    struct walk walk = {.facts = facts};
    bool can = function == IR_NONE;
    walk.seen = base_alloc(facts->function_count + 1);
    if (!can)
        reach(function, &walk);
    for (size_t i = 0; i < walk.queue.count && !can; i++) {
        can = gives_back(facts, walk.queue.data[i]);
        reach_callees(&walk, walk.queue.data[i]);
    }
    free(walk.seen);
    base_vector_done(&walk.queue);
    return can;
}
