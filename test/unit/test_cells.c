/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a small tree of files the same tree in the cells of a large one? When it is repeated, is each
 * name there once, does each object lie in the folder of its own repetition, and do contents go on
 * from file to file?
 */
#include "compose/cells.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

static const struct abi_tree whole = {.objects = 20, .slice = 100, .bytes = 2000};

static void put(uint8_t *cell, const char *name, uint32_t size, bool is_folder, uint8_t place,
                const char *content) {
    strncpy((char *)cell, name, ABI_TREE_NAME_BYTES);
    memcpy(cell + ABI_TREE_SIZE, &size, sizeof size);
    cell[ABI_TREE_KIND] = !is_folder;
    cell[ABI_TREE_PLACE] = place;
    memcpy(cell + ABI_TREE_CONTENT, content, strlen(content));
}

/* A folder, a file in it and one beside it. */
static struct base_buffer three(const struct abi_tree *small) {
    struct base_buffer bytes = {0};
    size_t cell = (size_t)abi_tree_cell(small);
    base_buffer_reserve(&bytes, 3 * cell + 1);
    memset(bytes.data, 0, 3 * cell + 1);
    bytes.count = 3 * cell;
    uint8_t *at = (uint8_t *)bytes.data;
    put(at, "in", 0, true, 0, "");
    put(at + cell, "a.txt", 150, false, 0, "ab1\n");
    put(at + 2 * cell, "b.txt", 7, false, 1, "cd2\n");
    return bytes;
}

static uint8_t content_at(const struct abi_tree *tree, const struct base_buffer *input,
                          const struct abi_tree_object *object, uint64_t at) {
    return abi_tree_byte((const uint8_t *)input->data, input->count,
                         abi_tree_content(tree, object, at));
}

static void same_tree(void **state) {
    (void)state;
    struct abi_tree small = compose_small_tree(&whole, 4);
    struct base_buffer input = three(&small), wide = {0}, again = {0};
    struct abi_tree_object few[20], many[20];
    assert_int_equal(small.objects, 6);
    assert_int_equal(abi_tree_largest(&small), abi_tree_largest(&whole));
    compose_recell(&small, (const uint8_t *)input.data, input.count, &whole, &wide);
    assert_int_equal(wide.count, 3 * abi_tree_cell(&whole));
    assert_int_equal(abi_tree_read(&small, (const uint8_t *)input.data, input.count, few), 3);
    assert_int_equal(abi_tree_read(&whole, (const uint8_t *)wide.data, wide.count, many), 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(few[i].name, many[i].name);
        assert_int_equal(few[i].size, many[i].size);
        assert_int_equal(few[i].folder, many[i].folder);
        for (uint64_t at = 0; at < few[i].size; at++)
            assert_int_equal(content_at(&small, &input, &few[i], at),
                             content_at(&whole, &wide, &many[i], at));
    }
    compose_recell(&whole, (const uint8_t *)wide.data, wide.count, &small, &again);
    assert_int_equal(again.count, input.count);
    assert_memory_equal(again.data, input.data, input.count);
    base_buffer_done(&input);
    base_buffer_done(&wide);
    base_buffer_done(&again);
}

static void check_name(const char *name, struct compose_naming naming, const char *wanted) {
    uint8_t from[ABI_TREE_NAME_BYTES] = {0}, to[ABI_TREE_NAME_BYTES + 1] = {0};
    memcpy(from, name, strlen(name));
    compose_number_name(from, &naming, 7, to);
    assert_string_equal((const char *)to, wanted);
}

static void names(void **state) {
    (void)state;
    check_name("a.txt", (struct compose_naming){.digits = 2}, "07a.txt");
    check_name("a.txt", (struct compose_naming){.at = 1, .digits = 2}, "a07.txt");
    check_name("a.txt", (struct compose_naming){.at = 4, .from_end = true, .digits = 2}, "a07.txt");
    check_name("a.txt", (struct compose_naming){.at = 9, .digits = 2}, "a.txt07");
    check_name("a.txt", (struct compose_naming){.at = 9, .from_end = true, .digits = 2}, "07a.txt");
    check_name("", (struct compose_naming){.at = 3, .digits = 3}, "007");
    /* There is no room: what stands behind the number goes, then what stands before it. */
    check_name("abcdefghijklmnopqrstuvwx", (struct compose_naming){.at = 1, .digits = 2},
               "a07defghijklmnopqrstuvwx");
    check_name("abcdefghijklmnopqrstuvwx", (struct compose_naming){.at = 24, .digits = 2},
               "abcdefghijklmnopqrstuv07");
}

static void repeated(void **state) {
    (void)state;
    struct abi_tree small = compose_small_tree(&whole, 4);
    struct base_buffer input = three(&small), out = {0};
    struct abi_tree_object objects[20];
    const struct compose_tree_growth growth = {
        .naming = {.at = 1, .digits = 2}, .step = 1, .fills = true};
    compose_repeat_tree(&small, (const uint8_t *)input.data, input.count, &whole, 20, &growth,
                        &out);
    assert_int_equal(out.count, abi_tree_input(&whole));
    assert_int_equal(abi_tree_read(&whole, (const uint8_t *)out.data, out.count, objects), 20);
    for (uint32_t i = 0; i < 20; i++) {
        assert_false(objects[i].is_renamed);
        assert_int_equal(objects[i].folder, i % 3 == 1 ? i : 0);
        assert_int_equal(objects[i].is_folder, i % 3 == 0);
        assert_int_equal(objects[i].size, i % 3 ? 100 : 0);
    }
    assert_string_equal(objects[4].name, "a04.txt");
    /* 100 bytes are 25 lines of 4: the next file of that cell begins with the 26th number. */
    assert_memory_equal(out.data + objects[1].cell + ABI_TREE_CONTENT, "ab1\nab2\n", 8);
    assert_memory_not_equal(out.data + objects[4].cell + ABI_TREE_CONTENT, "ab1\n", 4);
    base_buffer_done(&input);
    base_buffer_done(&out);
}

static void nothing(void **state) {
    (void)state;
    struct abi_tree small = compose_small_tree(&whole, 4);
    struct base_buffer out = {0};
    const struct compose_tree_growth growth = {.naming = {.is_off = true}};
    compose_repeat_tree(&small, (const uint8_t *)"", 0, &whole, 20, &growth, &out);
    assert_int_equal(out.count, 0);
    base_buffer_done(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_tree), cmocka_unit_test(names),
                                       cmocka_unit_test(repeated), cmocka_unit_test(nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
