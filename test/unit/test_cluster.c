/* SPDX-License-Identifier: Apache-2.0
 *
 * Several ranks, one search: each item is done once, everyone learns that it is over, what is on
 * disk at a cut is all there is, and damaged messages are noticed. The seed is printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trees.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static uint64_t seed;

static uint64_t draw(uint64_t limit) {
    seed = trees_hash(seed, 1);
    return seed % limit;
}

static int begin(void **state) {
    const char *given = getenv("SEED");
    (void)state;
    seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("SEED=%llu\n", (unsigned long long)seed);
    return 0;
}

/* ---- trees ---- */

static uint32_t deepest;

static void any_shape(const struct trees_node *node, struct trees_stack *children) {
    uint32_t count = node->depth >= deepest ? 0 : node->depth < 3 ? 3 : (uint32_t)(node->key % 4);
    for (uint32_t i = 0; i < count; i++)
        trees_add(children, node, i, node->depth + 1, 0);
}

static size_t count_nodes(trees_shape *shape) {
    struct trees_stack stack = {0};
    size_t count = 0;
    base_push(&stack, ((struct trees_node){1, 0, 0}));
    for (; stack.count; count++) {
        struct trees_node node = stack.data[--stack.count];
        shape(&node, &stack);
    }
    free(stack.data);
    return count;
}

static int compare(const void *a, const void *b) {
    const struct trees_node *first = a, *second = b;
    return first->key < second->key ? -1 : first->key > second->key;
}

/* No node twice, and as many as there are. */
static void check_visited(const struct trees *trees, const struct trees_stack *before, size_t all) {
    struct trees_stack visited = {0};
    for (size_t i = 0; before && i < before->count; i++)
        base_push(&visited, before->data[i]);
    for (uint32_t i = 0; i < trees->size; i++)
        for (size_t k = 0; k < trees->ranks[i].visited.count; k++)
            base_push(&visited, trees->ranks[i].visited.data[k]);
    assert_int_equal(visited.count, all);
    if (visited.count)
        qsort(visited.data, visited.count, sizeof *visited.data, compare);
    for (size_t i = 1; i < visited.count; i++)
        assert_true(visited.data[i - 1].key != visited.data[i].key);
    free(visited.data);
}

static void init_any(struct trees *trees) {
    const struct cluster_sim_costs messages = {.latency = 1e-6 * (double)(1 + draw(50)),
                                               .jitter = 1e-6 * (double)draw(2000),
                                               .per_byte = 1e-9,
                                               .handling = 1e-6};
    const struct trees_costs costs = {.run = 1e-6 * (double)(1 + draw(100)),
                                      .batch = 1e-5,
                                      .slack = 5e-5,
                                      .most = 1 + draw(64),
                                      .most_if_wanted = 1 + draw(16)};
    trees_init(trees, (uint32_t)(1 + draw(40)), draw(1u << 30), &messages, &costs, any_shape);
    for (uint32_t i = 0; i < trees->size; i++)
        trees->ranks[i].keeps_visited = true;
}

static void each_item_is_done_once(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++) {
        struct trees trees;
        deepest = (uint32_t)(4 + draw(9));
        init_any(&trees);
        base_push(&trees.ranks[0].waiting, ((struct trees_node){1, 0, 0}));
        assert_true(trees_run(&trees));
        check_visited(&trees, NULL, count_nodes(any_shape));
        trees_done(&trees);
    }
}

static void work_reaches_all_ranks(void **state) {
    const struct cluster_sim_costs messages = {.latency = 1e-5, .handling = 1e-6};
    const struct trees_costs costs = {
        .run = 1e-4, .batch = 1e-5, .slack = 5e-5, .most = 16, .most_if_wanted = 4};
    struct trees trees;
    (void)state;
    deepest = 12;
    trees_init(&trees, 64, 7, &messages, &costs, any_shape);
    base_push(&trees.ranks[0].waiting, ((struct trees_node){1, 0, 0}));
    assert_true(trees_run(&trees));
    for (uint32_t i = 0; i < trees.size; i++)
        assert_true(trees.ranks[i].runs > 0);
    trees_done(&trees);
}

static void nothing_to_do_is_over_at_once(void **state) {
    struct trees trees;
    (void)state;
    deepest = 4;
    init_any(&trees);
    assert_true(trees_run(&trees));
    check_visited(&trees, NULL, 0);
    trees_done(&trees);
}

/* ---- rounds: one search after the other ---- */

static void rounds_follow_each_other(void **state) {
    const struct cluster_sim_costs messages = {.latency = 1e-5, .jitter = 1e-3, .handling = 1e-6};
    const struct trees_costs costs = {
        .run = 1e-5, .batch = 1e-5, .slack = 5e-5, .most = 16, .most_if_wanted = 4};
    struct trees trees;
    (void)state;
    deepest = 8;
    trees_init(&trees, 13, draw(1000), &messages, &costs, any_shape);
    uint32_t begun[13] = {0};
    uint64_t runs = 0;
    base_push(&trees.ranks[0].waiting, ((struct trees_node){1, 0, 0}));
    for (uint32_t ended = 0; ended < 13;) { /* each rank begins its next round when it likes */
        trees_act(&trees);
        for (uint32_t i = 0; i < 13; i++)
            if (trees.ranks[i].is_over && begun[i] < 2) {
                trees.ranks[i].is_over = false;
                trees_share(&trees.ranks[i]);
                cluster_sim_spend(trees.sim, i, 1e-3 * (double)draw(5));
                cluster_sim_sleep(trees.sim, i, 0, HUGE_VAL);
                if (i == 0)
                    base_push(&trees.ranks[0].waiting, ((struct trees_node){1, 0, 0}));
                begun[i]++;
            }
        ended = 0;
        for (uint32_t i = 0; i < 13; i++)
            ended += trees.ranks[i].is_over && begun[i] == 2;
        assert_false(ended < 13 && cluster_sim_is_still(trees.sim));
    }
    for (uint32_t i = 0; i < 13; i++)
        runs += trees.ranks[i].runs;
    assert_int_equal(runs, 3 * count_nodes(any_shape));
    trees_done(&trees);
}

/* ---- a moment on disk ---- */

struct disk {
    struct trees *trees;
    uint32_t rank;
    struct trees_stack waiting, visited; /* of the cut under way */
};

struct saved { /* the last cut that counts */
    struct trees_stack waiting, visited;
    uint32_t commits;
};

static struct saved saved;
static struct disk *disks;

static void copy_nodes(struct trees_stack *to, const struct trees_stack *from) {
    for (size_t i = 0; i < from->count; i++)
        base_push(to, from->data[i]);
}

static bool save(void *self, uint32_t epoch) {
    struct disk *disk = self;
    struct trees_rank *rank = &disk->trees->ranks[disk->rank];
    (void)epoch;
    disk->waiting.count = disk->visited.count = 0;
    copy_nodes(&disk->waiting, &rank->waiting);
    copy_nodes(&disk->waiting, &rank->batch);
    copy_nodes(&disk->visited, &rank->visited);
    return true;
}

static bool add(void *self, uint32_t epoch, const char *work, size_t size) {
    struct disk *disk = self;
    (void)epoch;
    return trees_unpack(&disk->waiting, work, size);
}

static void commit(void *self, uint32_t epoch, uint32_t late) {
    const struct disk *disk = self;
    (void)epoch;
    (void)late;
    saved.waiting.count = saved.visited.count = 0;
    saved.commits++;
    for (uint32_t i = 0; i < disk->trees->size; i++) {
        copy_nodes(&saved.waiting, &disks[i].waiting);
        copy_nodes(&saved.visited, &disks[i].visited);
    }
}

static void keep_on_disk(struct trees *trees) {
    disks = base_alloc(trees->size * sizeof *disks);
    for (uint32_t i = 0; i < trees->size; i++) {
        disks[i] = (struct disk){.trees = trees, .rank = i};
        const struct cluster_disk disk = {&disks[i], save, add, commit};
        cluster_keep(trees->ranks[i].cluster, &disk);
    }
}

static void forget_disks(const struct trees *trees) {
    for (uint32_t i = 0; i < trees->size; i++) {
        free(disks[i].waiting.data);
        free(disks[i].visited.data);
    }
    free(disks);
}

/* All ranks die at any moment; others go on from what is on disk. */
static void nothing_is_lost_or_done_twice(void **state) {
    uint32_t commits = 0;
    (void)state;
    for (int round = 0; round < 20; round++) {
        struct trees trees;
        saved = (struct saved){0};
        deepest = (uint32_t)(8 + draw(6));
        init_any(&trees);
        keep_on_disk(&trees);
        base_push(&trees.ranks[0].waiting, ((struct trees_node){1, 0, 0}));
        base_push(&saved.waiting, ((struct trees_node){1, 0, 0}));
        for (uint64_t left = draw(20000); left && trees.over < trees.size; left--) {
            trees_act(&trees);
            if (draw(20) == 0)
                cluster_cut(trees.ranks[0].cluster);
        }
        forget_disks(&trees);
        trees_done(&trees);
        commits += saved.commits;

        struct trees again;
        init_any(&again);
        copy_nodes(&again.ranks[0].waiting, &saved.waiting);
        assert_true(trees_run(&again));
        check_visited(&again, &saved.visited, count_nodes(any_shape));
        trees_done(&again);
        free(saved.waiting.data);
        free(saved.visited.data);
    }
    assert_true(commits > 0);
}

/* ---- messages ---- */

static void a_damaged_message_is_noticed(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        const struct cluster_sim_costs costs = {0};
        struct cluster_sim *sim = cluster_sim_new(2, &costs, draw(1u << 30));
        struct cluster *a = cluster_new(cluster_sim_transport(sim, 0), 0);
        struct cluster *b = cluster_new(cluster_sim_transport(sim, 1), 0);
        char text[64] = {0};
        cluster_send(a, 1, CLUSTER_STATUS, text, draw(sizeof text));
        assert_true(cluster_sim_damage(sim, 1, round % 2));
        cluster_hear(b);
        assert_true(cluster_is_damaged(b));
        cluster_free(a);
        cluster_free(b);
        cluster_sim_free(sim);
    }
}

#define STRINGS 50

static void strings_survive_packing(void **state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct base_buffer packed = {0}, strings[STRINGS] = {0};
        struct cluster_packer packer = {.out = &packed};
        for (size_t i = 0; i < STRINGS; i++) {
            size_t size = draw(300);
            base_buffer_add(&strings[i], "", 0);
            for (size_t k = 0; k < size; k++) { /* much like the one before */
                char byte = (char)draw(draw(40) ? 1 : 256);
                base_buffer_add(&strings[i], &byte, 1);
            }
            cluster_pack(&packer, strings[i].data, strings[i].count);
        }
        struct cluster_unpacker unpacker = {.data = packed.data, .end = packed.data + packed.count};
        for (size_t i = 0; i < STRINGS; i++) {
            assert_true(cluster_unpack(&unpacker));
            assert_int_equal(unpacker.string.count, strings[i].count);
            if (strings[i].count)
                assert_memory_equal(unpacker.string.data, strings[i].data, strings[i].count);
        }
        assert_false(cluster_unpack(&unpacker));
        assert_ptr_equal(unpacker.data, unpacker.end);
        cluster_unpacker_done(&unpacker);
        cluster_packer_done(&packer);
        for (size_t i = 0; i < STRINGS; i++)
            base_buffer_done(&strings[i]);
        base_buffer_done(&packed);
    }
}

/* ---- pieces of rank 0's work ---- */

enum { PIECES = 40, FARMERS = 5 };

struct field {
    uint32_t squares[PIECES];
    uint32_t packed, lost;
};

static bool pack_number(void *self, size_t number, struct base_buffer *out) {
    struct field *field = self;
    uint32_t text = (uint32_t)number;
    field->packed++;
    base_buffer_add(out, &text, sizeof text);
    return number != 7; /* which is for rank 0 */
}

static bool take_square(void *self, size_t number, const char *data, size_t size) {
    struct field *field = self;
    assert_int_equal(size, sizeof field->squares[number]);
    assert_int_equal(field->squares[number], 0); /* nobody has brought it before */
    memcpy(&field->squares[number], data, size);
    return true;
}

static void lose_number(void *self, size_t number) {
    (void)number;
    ((struct field *)self)->lost++;
}

/* Rank 3 gives all back. */
static void do_piece(struct cluster *cluster) {
    struct cluster_piece piece;
    struct base_buffer answer = {0};
    uint32_t number;
    cluster_step(cluster);
    if (!cluster_farm_take(cluster, &piece))
        return;
    assert_int_equal(piece.size, sizeof number);
    memcpy(&number, piece.data, sizeof number);
    number = number * number + 1;
    base_buffer_add(&answer, &number, sizeof number);
    cluster_farm_answer(cluster, &piece, cluster_rank(cluster) == 3 ? NULL : &answer);
    base_buffer_done(&answer);
}

/* All pieces are done once, whoever does them, and what comes late of an earlier row is dropped. */
static void pieces_come_back_where_they_belong(void **state) {
    const struct cluster_sim_costs costs = {.latency = 1e-5, .jitter = 1e-3, .handling = 1e-6};
    struct cluster_sim *sim = cluster_sim_new(FARMERS, &costs, draw(1000));
    struct cluster *ranks[FARMERS];
    struct field left = {0}, field = {0};
    struct cluster_row row = {&left, PIECES, 1, pack_number, take_square, lose_number};
    size_t number, own = 0;
    (void)state;
    for (uint32_t i = 0; i < FARMERS; i++)
        ranks[i] = cluster_new(cluster_sim_transport(sim, i), i);
    cluster_farm_begin(ranks[0], &row);
    cluster_farm_end(ranks[0]); /* with pieces on their way */
    row.self = &field;
    cluster_farm_begin(ranks[0], &row);
    while (!cluster_farm_is_done(ranks[0])) {
        uint32_t rank = cluster_sim_next(sim);
        cluster_sim_spend(sim, rank, 1e-4);
        if (rank)
            do_piece(ranks[rank]);
        else if (cluster_farm_next(ranks[0], &number))
            field.squares[number] = (uint32_t)(number * number + 1), own++;
        cluster_step(ranks[0]);
    }
    for (uint32_t i = 0; i < PIECES; i++)
        assert_int_equal(field.squares[i], i * i + 1);
    for (uint32_t i = 0; i < PIECES; i++)
        assert_int_equal(left.squares[i], 0);
    assert_true(own < PIECES && field.packed > 0 && field.lost > 0);
    for (uint32_t i = 0; i < FARMERS; i++)
        cluster_free(ranks[i]);
    cluster_sim_free(sim);
}

/* Cut or changed anywhere, it must not lead out of its bytes; sanitizers look on. */
static void torn_strings_do_no_harm(void **state) {
    struct base_buffer packed = {0};
    struct cluster_packer packer = {.out = &packed};
    (void)state;
    for (size_t i = 0; i < 20; i++) {
        uint64_t words[4] = {1, 2, draw(3), draw(1u << 20)};
        cluster_pack(&packer, words, sizeof words);
    }
    cluster_packer_done(&packer);
    for (int round = 0; round < 2000; round++) {
        size_t size = draw(packed.count) + 1;
        char *copy = base_alloc(size);
        memcpy(copy, packed.data, size);
        copy[draw(size)] = (char)draw(256);
        struct cluster_unpacker unpacker = {.data = copy, .end = copy + size};
        while (cluster_unpack(&unpacker))
            assert_true(unpacker.data <= unpacker.end);
        cluster_unpacker_done(&unpacker);
        free(copy);
    }
    base_buffer_done(&packed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_item_is_done_once),
                                       cmocka_unit_test(work_reaches_all_ranks),
                                       cmocka_unit_test(nothing_to_do_is_over_at_once),
                                       cmocka_unit_test(rounds_follow_each_other),
                                       cmocka_unit_test(nothing_is_lost_or_done_twice),
                                       cmocka_unit_test(a_damaged_message_is_noticed),
                                       cmocka_unit_test(pieces_come_back_where_they_belong),
                                       cmocka_unit_test(strings_survive_packing),
                                       cmocka_unit_test(torn_strings_do_no_harm)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
