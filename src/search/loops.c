/* SPDX-License-Identifier: Apache-2.0
 *
 * --loop-bound K: does a path take the back edge of a loop more than K times per entry of it?
 *
 * A trace shows symbolic decisions only; the turns of a loop are seen by the decisions in it. In
 * one turn of a loop a block that lies in it, and in no inner loop, runs at most once: so when the
 * decision at such a block is made for the m-th time since the loop was entered, the back edge was
 * taken m - 1 times; once more when the decision goes where no way leads out of the loop before the
 * back edge. Turns without any symbolic decision are not seen and not bounded; nothing is to be
 * explored in them.
 *
 * When is a loop entered anew? When the trace shows the path outside of it in between: a decision
 * that leaves the loop, or one elsewhere in the same function. A loop can also be left and entered
 * by concrete decisions alone (insertion sort's inner loop at j < 0). Then the instructions counted
 * between two decisions tell: if the loop has no inner loops and no calls, the longest way round is
 * known, and anything longer went outside. Where the loop has either, the two entries are taken for
 * one, and the bound cuts more than it should; so do activations of a recursive function.
 */
#include "search/internal.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN_TURN UINT64_MAX

struct site_state {
    uint64_t longest; /* instructions of the longest way round, or UNKNOWN_TURN */
    uint64_t cost;    /* at its last decision */
    uint32_t entry, turns;
};

struct search_loops {
    const struct ir_facts *facts;
    uint32_t bound;
    struct site_state *sites; /* by block */
    uint32_t *entries;        /* by loop: how often it was entered, as far as we see */
    bool *open;
    bool *returns; /* by edge: from there the back edge of the block's loop is certain */
    BASE_VECTOR(uint32_t) opened;  /* loops that the path may be in */
    BASE_VECTOR(uint32_t) touched; /* blocks with turns */
};

static bool contains(const struct ir_facts *facts, uint32_t loop, uint32_t block) {
    uint32_t at = facts->blocks[block].loop;
    while (at != IR_NONE && at != loop)
        at = facts->loops[at].parent;
    return at == loop;
}

/* ---- the longest way round ---- */

static bool is_simple(const struct ir_facts *facts, uint32_t loop) {
    const struct ir_function *function = &facts->functions[facts->loops[loop].function];
    if (facts->loops[loop].irreducible)
        return false;
    for (uint32_t l = function->first_loop; l < function->first_loop + function->loop_count; l++)
        if (facts->loops[l].parent == loop)
            return false;
    for (uint32_t b = function->first_block; b < function->first_block + function->block_count; b++)
        if (contains(facts, loop, b) && facts->blocks[b].call_count)
            return false;
    return true;
}

/* The longest way from BLOCK to GOAL inside the loop, both ends counted, without passing the
 * header on the way; 0 when there is none. LONGEST remembers (+ 1) what is known. */
static uint64_t longest_way(const struct ir_facts *facts, uint32_t loop, uint32_t block,
                            uint32_t goal, uint64_t *longest) {
    const struct ir_function *function = &facts->functions[facts->loops[loop].function];
    const struct ir_block *from = &facts->blocks[block];
    uint64_t *known = &longest[block - function->first_block], best = 0;
    if (block == goal)
        return from->instructions;
    if (*known)
        return *known - 1;
    for (uint32_t i = 0; i < from->successor_count; i++) {
        uint32_t next = facts->successors[from->first_successor + i];
        if (!contains(facts, loop, next) || (next == facts->loops[loop].header && next != goal))
            continue;
        uint64_t way = longest_way(facts, loop, next, goal, longest);
        if (way + from->instructions > best && way)
            best = way + from->instructions;
    }
    *known = best + 1;
    return best;
}

/* From the block to the header and on to the block again; the block counts once, the header too. */
static uint64_t longest_turn(const struct ir_facts *facts, uint32_t block) {
    uint32_t loop = facts->blocks[block].loop, header = facts->loops[loop].header;
    const struct ir_function *function = &facts->functions[facts->blocks[block].function];
    size_t size = function->block_count * sizeof(uint64_t);
    uint64_t *longest = base_alloc(size), before = 0, after = 0;
    const struct ir_block *from = &facts->blocks[block];
    for (uint32_t i = 0; i < from->successor_count; i++) {
        uint32_t next = facts->successors[from->first_successor + i];
        if (!contains(facts, loop, next))
            continue;
        uint64_t way = longest_way(facts, loop, next, header, longest);
        before = way > before ? way : before;
    }
    if (block != header) {
        memset(longest, 0, size);
        after = longest_way(facts, loop, header, block, longest);
        after -= after ? facts->blocks[header].instructions : 0;
    }
    free(longest);
    return before + after;
}

/* ---- edges that make the back edge certain ---- */

/* No way out of the loop from BLOCK on, before its header? SEEN marks blocks of the function. */
static bool stays(const struct ir_facts *facts, uint32_t loop, uint32_t block, bool *seen) {
    const struct ir_function *function = &facts->functions[facts->loops[loop].function];
    const struct ir_block *from = &facts->blocks[block];
    if (!contains(facts, loop, block) || !from->successor_count)
        return false;
    if (block == facts->loops[loop].header || seen[block - function->first_block])
        return true;
    seen[block - function->first_block] = true;
    for (uint32_t i = 0; i < from->successor_count; i++)
        if (!stays(facts, loop, facts->successors[from->first_successor + i], seen))
            return false;
    return true;
}

static void find_returns(struct search_loops *loops, uint32_t block) {
    const struct ir_facts *facts = loops->facts;
    const struct ir_block *from = &facts->blocks[block];
    if (from->loop == IR_NONE || from->successor_count < 2)
        return;
    for (uint32_t i = 0; i < from->successor_count; i++) {
        bool *seen = base_alloc(facts->functions[from->function].block_count);
        uint32_t edge = from->first_successor + i;
        loops->returns[edge] = stays(facts, from->loop, facts->successors[edge], seen);
        free(seen);
    }
}

static bool is_return(const struct search_loops *loops, uint32_t block, uint32_t successor) {
    const struct ir_block *from = &loops->facts->blocks[block];
    for (uint32_t i = 0; i < from->successor_count; i++)
        if (loops->facts->successors[from->first_successor + i] == successor)
            return loops->returns[from->first_successor + i];
    return false;
}

struct search_loops *search_loops_new(const struct ir_facts *facts, uint32_t bound) {
    struct search_loops *loops = base_alloc(sizeof *loops);
    loops->facts = facts;
    loops->bound = bound;
    loops->sites = base_alloc(facts->block_count * sizeof *loops->sites);
    loops->entries = base_alloc(facts->loop_count * sizeof *loops->entries);
    loops->open = base_alloc(facts->loop_count * sizeof *loops->open);
    loops->returns = base_alloc(facts->successor_count * sizeof *loops->returns);
    bool *simple = base_alloc(facts->loop_count * sizeof *simple);
    for (uint32_t l = 0; l < facts->loop_count; l++)
        simple[l] = is_simple(facts, l);
    for (uint32_t b = 0; b < facts->block_count; b++) {
        uint32_t loop = facts->blocks[b].loop;
        bool known = loop != IR_NONE && simple[loop] && facts->blocks[b].successor_count > 1;
        loops->sites[b].longest = known ? longest_turn(facts, b) : UNKNOWN_TURN;
        find_returns(loops, b);
    }
    free(simple);
    return loops;
}

void search_loops_free(struct search_loops *loops) {
    free(loops->sites);
    free(loops->entries);
    free(loops->open);
    free(loops->returns);
    base_vector_done(&loops->opened);
    base_vector_done(&loops->touched);
    free(loops);
}

/* ---- following one path ---- */

void search_loops_begin(struct search_loops *loops) {
    for (size_t i = 0; i < loops->touched.count; i++)
        loops->sites[loops->touched.data[i]].turns = 0;
    for (size_t i = 0; i < loops->opened.count; i++)
        loops->open[loops->opened.data[i]] = false;
    loops->touched.count = loops->opened.count = 0;
}

/* Closes the loops of this function that do not contain BLOCK. */
static void leave_loops(struct search_loops *loops, uint32_t function, uint32_t block) {
    size_t kept = 0;
    for (size_t i = 0; i < loops->opened.count; i++) {
        uint32_t loop = loops->opened.data[i];
        if (loops->facts->loops[loop].function == function &&
            !contains(loops->facts, loop, block)) {
            loops->entries[loop]++;
            loops->open[loop] = false;
        } else
            loops->opened.data[kept++] = loop;
    }
    loops->opened.count = kept;
}

static void enter_loops(struct search_loops *loops, uint32_t block) {
    uint32_t loop = loops->facts->blocks[block].loop;
    for (; loop != IR_NONE && !loops->open[loop]; loop = loops->facts->loops[loop].parent) {
        loops->open[loop] = true;
        base_push(&loops->opened, loop);
    }
}

enum search_turn search_loops_follow(struct search_loops *loops, uint32_t block, uint32_t successor,
                                     uint64_t cost) {
    const struct ir_block *at = &loops->facts->blocks[block];
    enum search_turn turn = SEARCH_WITHIN;
    leave_loops(loops, at->function, block);
    enter_loops(loops, block);
    if (at->loop != IR_NONE) {
        struct site_state *site = &loops->sites[block];
        uint32_t entry = loops->entries[at->loop];
        if (!site->turns)
            base_push(&loops->touched, block);
        bool went_outside = site->longest != UNKNOWN_TURN && cost - site->cost > site->longest;
        site->turns = site->turns && site->entry == entry && !went_outside ? site->turns + 1 : 1;
        site->entry = entry;
        site->cost = cost;
        if (site->turns - 1 > loops->bound)
            turn = SEARCH_EXCEEDED;
        else if (site->turns > loops->bound && is_return(loops, block, successor))
            turn = SEARCH_EXCEEDS;
    }
    if (successor != IR_NONE)
        leave_loops(loops, at->function, successor);
    return turn;
}
