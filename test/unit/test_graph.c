/* SPDX-License-Identifier: Apache-2.0
 *
 * Dominators, loops and counters: graphs with a known answer, and random graphs against definitions
 * so slow and simple that they cannot be wrong. Set SEED to repeat a random run.
 */
#include "ir/graph.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NONE IR_GRAPH_NONE
#define MOST_BLOCKS 40

struct sample {
    uint32_t count, edge_count;
    uint32_t from[400], to[400];
    uint32_t first[MOST_BLOCKS + 1], successors[400];
    struct ir_graph graph;
    struct ir_graph_shape shape;
};

/* Sorts the edges by their origin and analyses the graph. */
static void analyse(struct sample *sample) {
    uint32_t filled = 0;
    for (uint32_t b = 0; b < sample->count; b++) {
        sample->first[b] = filled;
        for (uint32_t e = 0; e < sample->edge_count; e++)
            if (sample->from[e] == b)
                sample->successors[filled++] = sample->to[e];
    }
    sample->first[sample->count] = filled;
    sample->graph = (struct ir_graph){sample->count, sample->first, sample->successors};
    ir_graph_analyse(&sample->graph, &sample->shape);
}

/* "0>1 1>2": one edge per word. */
static void analyse_text(struct sample *sample, uint32_t count, const char *edges) {
    *sample = (struct sample){.count = count};
    while (*edges) {
        char *end;
        sample->from[sample->edge_count] = (uint32_t)strtoul(edges, &end, 10);
        sample->to[sample->edge_count++] = (uint32_t)strtoul(end + 1, &end, 10);
        edges = end + strspn(end, " ");
    }
    analyse(sample);
}

static void check_dominators(const struct sample *sample, const uint32_t *expected) {
    for (uint32_t b = 0; b < sample->count; b++)
        assert_int_equal(sample->shape.dominator[b], expected[b]);
}

static void check_loop(const struct sample *sample, uint32_t index, struct ir_graph_loop expected) {
    assert_true(index < sample->shape.loop_count);
    const struct ir_graph_loop *loop = &sample->shape.loops[index];
    assert_int_equal(loop->header, expected.header);
    assert_int_equal(loop->parent, expected.parent);
    assert_int_equal(loop->depth, expected.depth);
    assert_int_equal(loop->block_count, expected.block_count);
    assert_int_equal(loop->irreducible, expected.irreducible);
}

/* ---- known answers ---- */

static void test_diamond(void **state) {
    (void)state;
    struct sample s;
    analyse_text(&s, 4, "0>1 0>2 1>3 2>3");
    check_dominators(&s, (uint32_t[]){NONE, 0, 0, 0});
    assert_int_equal(s.shape.loop_count, 0);
    assert_int_equal(s.shape.loop[3], NONE);
    ir_graph_done(&s.shape);
}

static void test_one_block(void **state) {
    (void)state;
    struct sample s;
    analyse_text(&s, 1, "");
    check_dominators(&s, (uint32_t[]){NONE});
    assert_int_equal(s.shape.loop_count, 0);
    ir_graph_done(&s.shape);
    analyse_text(&s, 0, "");
    assert_int_equal(s.shape.loop_count, 0);
    ir_graph_done(&s.shape);
}

static void test_nested_loops(void **state) {
    (void)state;
    struct sample s;
    analyse_text(&s, 7, "0>1 1>2 1>6 2>3 2>5 3>4 4>2 5>1");
    check_dominators(&s, (uint32_t[]){NONE, 0, 1, 2, 3, 2, 1});
    assert_int_equal(s.shape.loop_count, 2);
    check_loop(&s, 0, (struct ir_graph_loop){1, NONE, 1, 5, false});
    check_loop(&s, 1, (struct ir_graph_loop){2, 0, 2, 3, false});
    assert_int_equal(s.shape.loop[4], 1);
    assert_int_equal(s.shape.loop[5], 0);
    assert_int_equal(s.shape.loop[6], NONE);
    ir_graph_done(&s.shape);
}

static void test_siblings_follow_the_source(void **state) {
    (void)state;
    struct sample s;
    analyse_text(&s, 5, "0>1 1>1 1>2 2>3 3>3 3>4");
    assert_int_equal(s.shape.loop_count, 2);
    check_loop(&s, 0, (struct ir_graph_loop){1, NONE, 1, 1, false});
    check_loop(&s, 1, (struct ir_graph_loop){3, NONE, 1, 1, false});
    ir_graph_done(&s.shape);
}

static void test_two_back_edges_are_one_loop(void **state) {
    (void)state;
    struct sample s;
    analyse_text(&s, 5, "0>1 1>2 1>4 2>1 2>3 3>1");
    assert_int_equal(s.shape.loop_count, 1);
    check_loop(&s, 0, (struct ir_graph_loop){1, NONE, 1, 3, false});
    ir_graph_done(&s.shape);
}

static void test_irreducible_region(void **state) {
    (void)state;
    struct sample s;
    /* 1 and 2 jump to each other and both are entered from 0; 3 loops inside. */
    analyse_text(&s, 5, "0>1 0>2 1>2 2>3 3>3 3>1 2>4");
    check_dominators(&s, (uint32_t[]){NONE, 0, 0, 2, 2});
    assert_int_equal(s.shape.loop_count, 2);
    check_loop(&s, 0, (struct ir_graph_loop){1, NONE, 1, 3, true});
    check_loop(&s, 1, (struct ir_graph_loop){3, 0, 2, 1, false});
    ir_graph_done(&s.shape);
}

static void test_irreducible_inside_a_loop(void **state) {
    (void)state;
    struct sample s;
    analyse_text(&s, 6, "0>1 1>2 1>3 2>3 3>2 3>4 4>1 4>5");
    assert_int_equal(s.shape.loop_count, 2);
    check_loop(&s, 0, (struct ir_graph_loop){1, NONE, 1, 4, false});
    check_loop(&s, 1, (struct ir_graph_loop){2, 0, 2, 2, true});
    ir_graph_done(&s.shape);
}

static void test_unreachable_blocks(void **state) {
    (void)state;
    struct sample s;
    /* 2 and 3 loop, and jump into the loop of 1, but nobody comes to them. */
    analyse_text(&s, 5, "0>1 1>1 1>4 2>3 3>2 3>1");
    check_dominators(&s, (uint32_t[]){NONE, 0, NONE, NONE, 1});
    assert_int_equal(s.shape.loop_count, 1);
    check_loop(&s, 0, (struct ir_graph_loop){1, NONE, 1, 1, false});
    assert_int_equal(s.shape.loop[2], NONE);
    ir_graph_done(&s.shape);
}

/* ---- random graphs ---- */

/* What the entry reaches when one block (or NONE) is closed. */
static void reach(const struct sample *sample, uint32_t start, uint32_t closed, bool *reached) {
    bool more = start != closed;
    memset(reached, 0, MOST_BLOCKS * sizeof *reached);
    reached[start] = more;
    while (more) {
        more = false;
        for (uint32_t e = 0; e < sample->edge_count; e++)
            if (reached[sample->from[e]] && !reached[sample->to[e]] && sample->to[e] != closed)
                more = reached[sample->to[e]] = true;
    }
}

/* A dominates B if B is out of reach without A. */
static void check_random_dominators(const struct sample *s) {
    bool all[MOST_BLOCKS], without[MOST_BLOCKS];
    reach(s, 0, NONE, all);
    for (uint32_t a = 0; a < s->count; a++) {
        reach(s, 0, a, without);
        for (uint32_t b = 0; b < s->count; b++) {
            uint32_t up = b;
            while (up != a && up != NONE)
                up = s->shape.dominator[up];
            bool dominates = all[b] && !without[b];
            assert_int_equal(up == a && all[b], dominates && all[a]);
        }
    }
}

static bool is_in_loop(const struct sample *s, uint32_t block, uint32_t loop) {
    uint32_t at = s->shape.loop[block];
    while (at != NONE && at != loop)
        at = s->shape.loops[at].parent;
    return at == loop && loop != NONE;
}

/* Two reachable blocks share an outermost loop exactly if each reaches the other. */
static void check_random_regions(const struct sample *s) {
    static bool from[MOST_BLOCKS][MOST_BLOCKS];
    for (uint32_t a = 0; a < s->count; a++)
        reach(s, a, NONE, from[a]);
    for (uint32_t a = 0; a < s->count; a++)
        for (uint32_t b = 0; b < s->count; b++) {
            bool cycle = from[0][a] && from[a][b] && from[b][a], shared = false;
            for (uint32_t l = 0; l < s->shape.loop_count; l++)
                shared |= is_in_loop(s, a, l) && is_in_loop(s, b, l);
            if (a != b)
                assert_int_equal(shared, cycle);
        }
}

static bool dominates(const struct sample *s, uint32_t a, uint32_t b) {
    while (b != a && b != NONE)
        b = s->shape.dominator[b];
    return a == b;
}

static void check_random_loop(const struct sample *s, uint32_t index) {
    const struct ir_graph_loop *loop = &s->shape.loops[index];
    uint32_t members = 0;
    bool all_dominated = true;
    for (uint32_t b = 0; b < s->count; b++)
        if (is_in_loop(s, b, index)) {
            members++;
            all_dominated &= dominates(s, loop->header, b);
        }
    assert_int_equal(members, loop->block_count);
    assert_int_equal(loop->irreducible, !all_dominated);
    assert_int_equal(s->shape.loop[loop->header], index);
    if (loop->parent == NONE) {
        assert_int_equal(loop->depth, 1);
    } else {
        assert_true(loop->parent < index);
        assert_int_equal(loop->depth, s->shape.loops[loop->parent].depth + 1);
        assert_true(is_in_loop(s, loop->header, loop->parent));
    }
}

/* Every edge to a dominator closes a loop that has the target as its header; a reducible loop
 * holds exactly the blocks that reach a back edge without passing the header. */
static void check_random_back_edges(const struct sample *s) {
    bool all[MOST_BLOCKS];
    reach(s, 0, NONE, all);
    for (uint32_t e = 0; e < s->edge_count; e++) {
        uint32_t from = s->from[e], to = s->to[e];
        if (!all[from] || !dominates(s, to, from))
            continue;
        uint32_t loop = s->shape.loop[to];
        assert_true(loop != NONE);
        if (!s->shape.loops[loop].irreducible)
            assert_int_equal(s->shape.loops[loop].header, to);
        assert_true(is_in_loop(s, from, loop));
    }
}

static void make_random(struct sample *s) {
    *s = (struct sample){.count = 1 + (uint32_t)rand() % MOST_BLOCKS};
    uint32_t most = s->count * (1 + (uint32_t)rand() % 3);
    while (s->edge_count < most) {
        uint32_t from = (uint32_t)rand() % s->count, to = (uint32_t)rand() % s->count;
        if (rand() % 2 && to < from) { /* half of the graphs' edges point forward: longer paths */
            uint32_t swap = from;
            from = to;
            to = swap;
        }
        s->from[s->edge_count] = from;
        s->to[s->edge_count++] = to;
    }
}

static void test_random_graphs(void **state) {
    (void)state;
    const char *text = getenv("SEED");
    unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);
    print_message("SEED=%u\n", seed);
    srand(seed);
    for (int round = 0; round < 1500; round++) {
        static struct sample s;
        make_random(&s);
        analyse(&s);
        check_random_dominators(&s);
        check_random_regions(&s);
        for (uint32_t l = 0; l < s.shape.loop_count; l++)
            check_random_loop(&s, l);
        check_random_back_edges(&s);
        ir_graph_done(&s.shape);
    }
}

/* ---- counters ---- */

/* How many blocks need one. CALLS: a digit per block that calls something. */
static uint32_t count_counters(uint32_t count, const char *edges, const char *calls) {
    struct sample s;
    analyse_text(&s, count, edges);
    bool leaves[MOST_BLOCKS] = {0};
    for (; *calls; calls++)
        leaves[*calls - '0'] = true;
    struct ir_graph_counting counting;
    ir_graph_count(&s.graph, leaves, &counting);
    uint32_t counters = 0;
    for (uint32_t i = 0; i < count; i++)
        counters += counting.leader[i] == i;
    counters -= (uint32_t)counting.sums.count;
    ir_graph_counting_done(&counting);
    ir_graph_done(&s.shape);
    return counters;
}

static void test_counters(void **state) {
    (void)state;
    assert_int_equal(count_counters(1, "", ""), 1);
    assert_int_equal(count_counters(3, "0>1 1>2", ""), 1);
    assert_int_equal(count_counters(3, "0>1 1>2", "0"), 2);
    assert_int_equal(count_counters(3, "0>1 1>2", "01"), 3);
    assert_int_equal(count_counters(3, "0>1 0>2 1>2", ""), 2);      /* if */
    assert_int_equal(count_counters(4, "0>1 0>2 1>3 2>3", ""), 2);  /* if else */
    assert_int_equal(count_counters(4, "0>1 0>2 1>3 2>3", "0"), 3); /* 3 is 1 and 2 */
    assert_int_equal(count_counters(4, "0>1 0>2 1>3 2>3", "1"), 3); /* 0 is 1 and 2 */
    assert_int_equal(count_counters(4, "0>1 0>2 1>3 2>3", "01"), 4);
    assert_int_equal(count_counters(4, "0>1 1>2 1>3 2>1", ""), 2); /* while */
    assert_int_equal(count_counters(3, "0>1 1>1 1>2", ""), 2);     /* do while */
    assert_int_equal(count_counters(4, "0>1 1>2 2>1 2>3", ""), 2);
    assert_int_equal(count_counters(5, "0>1 0>2 0>2 0>3 1>4 2>4 3>4", ""), 3); /* switch */
    assert_int_equal(count_counters(4, "0>1 0>2 1>3 2>3 2>1 1>2", ""), 3);     /* irreducible */
    assert_int_equal(count_counters(3, "0>1 1>0 0>2", ""), 2); /* the entry is in a loop */
}

/* A random run: blocks as edges lead, and from calls to the outside or back to one of them. False:
 * it did not end. */
static bool run_random(const struct sample *s, const bool *leaves, uint64_t *counts) {
    uint32_t at = 0;
    for (int steps = 0; steps < 400; steps++) {
        counts[at]++;
        uint32_t ways = s->first[at + 1] - s->first[at];
        if (!ways || (leaves[at] && rand() % 8 == 0))
            return true;
        if (leaves[at] && rand() % 8 == 0) {
            uint32_t other = (uint32_t)rand() % s->count;
            if (leaves[other] && counts[other] && s->first[other + 1] > s->first[other])
                at = other, ways = s->first[at + 1] - s->first[at];
        }
        at = s->successors[s->first[at] + (uint32_t)rand() % ways];
    }
    return false;
}

static void check_counting(const struct sample *s, const struct ir_graph_counting *counting,
                           const uint64_t *counts) {
    uint64_t own[MOST_BLOCKS];
    memcpy(own, counts, sizeof own);
    for (size_t i = 0; i < counting->sums.count; i++)
        own[counting->sums.data[i].block] =
            UINT64_MAX / 2; /* nothing may read it before it is set */
    for (size_t i = 0; i < counting->sums.count; i++) {
        const struct ir_graph_sum *sum = &counting->sums.data[i];
        own[sum->block] = 0;
        for (uint32_t t = 0; t < sum->term_count; t++)
            own[sum->block] += own[counting->terms.data[sum->first_term + t]];
    }
    for (uint32_t b = 0; b < s->count; b++)
        assert_int_equal(own[counting->leader[b]], counts[b]);
}

static void test_random_counters(void **state) {
    (void)state;
    uint64_t blocks = 0, counters = 0, runs = 0;
    for (int round = 0; round < 1500; round++) {
        static struct sample s;
        make_random(&s);
        analyse(&s);
        bool leaves[MOST_BLOCKS];
        for (uint32_t b = 0; b < s.count; b++)
            leaves[b] = round % 2 && rand() % 4 == 0;
        struct ir_graph_counting counting;
        ir_graph_count(&s.graph, leaves, &counting);
        for (int run = 0; run < 20; run++) {
            uint64_t counts[MOST_BLOCKS] = {0};
            if (!run_random(&s, leaves, counts))
                continue;
            check_counting(&s, &counting, counts);
            runs++;
        }
        for (uint32_t b = 0; b < s.count; b++)
            counters += counting.leader[b] == b;
        counters -= counting.sums.count;
        blocks += s.count;
        ir_graph_counting_done(&counting);
        ir_graph_done(&s.shape);
    }
    print_message("%llu runs, %llu of %llu blocks counted\n", (unsigned long long)runs,
                  (unsigned long long)counters, (unsigned long long)blocks);
    assert_true(runs > 5000);
    assert_true(counters * 100 < blocks * 96);
}

/* ---- size ---- */

/* A loop around a switch with a loop in each case, as in an interpreter: 3 blocks per case. */
static void test_large_switch(void **state) {
    (void)state;
    uint32_t cases = 30000, count = 2 + 3 * cases, edges = 0;
    uint32_t *first = base_alloc((count + 1) * sizeof *first);
    uint32_t *successors = base_alloc(((size_t)count * 3 + 1) * sizeof *successors);
    successors[edges++] = 1;
    first[1] = edges;
    for (uint32_t i = 0; i < cases; i++)
        successors[edges++] = 2 + 3 * i;
    for (uint32_t b = 2; b < count; b++) {
        first[b] = edges;
        successors[edges++] = (b - 2) % 3 == 2 ? 1 : b + 1;
        if ((b - 2) % 3 == 1)
            successors[edges++] = b;
    }
    first[count] = edges;
    struct ir_graph_shape shape;
    double start = base_seconds();
    ir_graph_analyse(&(struct ir_graph){count, first, successors}, &shape);
    print_message("%u blocks: %.1f ms\n", count, (base_seconds() - start) * 1e3);
    assert_int_equal(shape.loop_count, cases + 1);
    assert_int_equal(shape.loops[0].header, 1);
    assert_int_equal(shape.loops[0].block_count, count - 1);
    assert_int_equal(shape.dominator[2 + 3 * 77], 1);
    ir_graph_done(&shape);
    struct ir_graph_counting counting;
    bool *leaves = base_alloc(count);
    leaves[1] = true;
    ir_graph_count(&(struct ir_graph){count, first, successors}, leaves, &counting);
    assert_int_equal(counting.leader[3 + 3 * 77], 3 + 3 * 77);
    assert_int_equal(counting.leader[4 + 3 * 77], 2 + 3 * 77);
    ir_graph_counting_done(&counting);
    free(leaves);
    free(first);
    free(successors);
}

/* A chain as long as a program: nothing may recurse. */
static void test_long_chain(void **state) {
    (void)state;
    uint32_t count = 1000000;
    uint32_t *first = base_alloc((count + 1) * sizeof *first);
    uint32_t *successors = base_alloc(count * sizeof *successors);
    for (uint32_t b = 0; b < count; b++) {
        first[b] = b;
        successors[b] = b + 1 < count ? b + 1 : 1;
    }
    first[count] = count;
    struct ir_graph_shape shape;
    ir_graph_analyse(&(struct ir_graph){count, first, successors}, &shape);
    assert_int_equal(shape.loop_count, 1);
    assert_int_equal(shape.loops[0].block_count, count - 1);
    assert_int_equal(shape.dominator[count - 1], count - 2);
    ir_graph_done(&shape);
    struct ir_graph_counting counting;
    bool *leaves = base_alloc(count);
    leaves[count - 1] = true;
    ir_graph_count(&(struct ir_graph){count, first, successors}, leaves, &counting);
    assert_int_equal(counting.leader[0], 0);
    assert_int_equal(counting.leader[count - 1], 1);
    ir_graph_counting_done(&counting);
    free(leaves);
    free(first);
    free(successors);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diamond),
        cmocka_unit_test(test_one_block),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_siblings_follow_the_source),
        cmocka_unit_test(test_two_back_edges_are_one_loop),
        cmocka_unit_test(test_irreducible_region),
        cmocka_unit_test(test_irreducible_inside_a_loop),
        cmocka_unit_test(test_unreachable_blocks),
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_random_counters),
        cmocka_unit_test(test_large_switch),
        cmocka_unit_test(test_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
