/* SPDX-License-Identifier: Apache-2.0
 *
 * Files as an input: any bytes are a tree that can be laid out, within its bounds, and as an
 * archive it is what tar has it.
 */
#include "suite/archive.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OBJECTS 40u
#define ROUNDS 300

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Few different bytes, so that names are often the same, empty or made of dots. */
static void fill(uint64_t *state, uint8_t *input, size_t size) {
    static const uint8_t few[] = {0, 0, '.', 'a', 'b', '/', '~', '1', 4, 255};
    bool is_plain = next_random(state) % 2;
    for (size_t i = 0; i < size; i++)
        input[i] = is_plain ? (uint8_t)next_random(state) : few[next_random(state) % sizeof few];
}

static void check_object(const struct abi_tree_object *objects, uint32_t at) {
    const struct abi_tree_object *object = &objects[at];
    assert_true(abi_tree_may_be_name(object->name));
    assert_null(strchr(object->name, '/'));
    assert_true(strlen(object->name) < ABI_TREE_ROOM);
    assert_true(object->folder <= at);
    assert_true(!object->folder || objects[object->folder - 1].is_folder);
    assert_true(object->depth <= ABI_TREE_DEEPEST);
    for (uint32_t i = 0; i < at; i++)
        assert_true(objects[i].folder != object->folder ||
                    strcmp(objects[i].name, object->name) != 0);
}

static void any_bytes_are_a_tree(void **nothing) {
    (void)nothing;
    uint64_t seed = (uint64_t)time(NULL), state = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    struct abi_tree_object objects[OBJECTS];
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t slice = (uint32_t)(next_random(&state) % 50);
        struct abi_tree tree = {
            .objects = OBJECTS, .slice = slice, .bytes = slice * (next_random(&state) % OBJECTS)};
        size_t size = (size_t)(next_random(&state) % (abi_tree_input(&tree) + 1));
        uint8_t *input = malloc(size + 1);
        uint64_t sum = 0;
        fill(&state, input, size);
        uint32_t count = abi_tree_read(&tree, input, size, objects);
        assert_int_equal(count, (size + abi_tree_cell(&tree) - 1) / abi_tree_cell(&tree));
        for (uint32_t i = 0; i < count; i++) {
            check_object(objects, i);
            sum += objects[i].size;
        }
        assert_true(sum <= tree.bytes);
        free(input);
    }
}

/* A folder `d` with a file `x` of 5 bytes in it, of which the cell has 3. */
static void tar_knows_the_archive(void **nothing) {
    (void)nothing;
    struct abi_tree tree = {.objects = 2, .slice = 3, .bytes = 6};
    uint8_t input[2 * (ABI_TREE_CONTENT + 3)] = {0};
    uint8_t *file = input + ABI_TREE_CONTENT + 3;
    struct base_buffer archive = {0};
    input[ABI_TREE_NAME] = 'd';
    file[ABI_TREE_NAME] = 'x';
    file[ABI_TREE_SIZE] = 5;
    file[ABI_TREE_TIME] = 100;
    file[ABI_TREE_MODE] = 044;
    file[ABI_TREE_KIND] = 1;
    memcpy(file + ABI_TREE_CONTENT, "abc", 3);
    suite_archive_tree(&tree, input, sizeof input, &archive);
    FILE *tar = popen("tar -tv --utc --full-time -f - >tree.list", "w");
    assert_non_null(tar);
    fwrite(archive.data, 1, archive.count, tar);
    assert_int_equal(pclose(tar), 0);
    char text[512] = "";
    FILE *list = fopen("tree.list", "r");
    assert_non_null(list);
    text[fread(text, 1, sizeof text - 1, list)] = 0;
    fclose(list);
    remove("tree.list");
    assert_non_null(strstr(text, "drwx------ 0/0               0 1970-01-01 00:00:00 ./d/\n"));
    assert_non_null(strstr(text, "-rw-r--r-- 0/0               5 1970-01-01 00:01:40 ./d/x\n"));
    assert_non_null(memmem(archive.data, archive.count, "abcab", 5));
    base_buffer_done(&archive);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_bytes_are_a_tree),
                                       cmocka_unit_test(tar_knows_the_archive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
