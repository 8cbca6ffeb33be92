/* SPDX-License-Identifier: Apache-2.0
 *
 * One function for each case: it fills two containers, A and B, and calls what is under test.
 */
#include "drive.h"

#include "collection_utils.h"
#include "cursor_list.h"
#include "identity_stack.h"
#include "ordered_set.h"
#include "unique_list.h"
#include "vector_set.h"

bool drive_equal(const void *a, const void *b) {
    return *(const int *)a == *(const int *)b;
}

int drive_compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

uint32_t drive_hash(const void *item) {
    return *(const uint32_t *)item * 0x9e3779b1u >> 16;
}

struct array_list *drive_list(int *items, int count) {
    struct array_list *list = array_list_new(drive_equal);
    for (int i = 0; i < count; i++)
        array_list_add(list, &items[i]);
    return list;
}

/* ---- lists ---- */

void drive_list_subtract(int *a, int *b, int n) {
    struct array_list *first = drive_list(a, n), *second = drive_list(b, n);
    array_list_free(list_utils_subtract(first, second));
    array_list_free(first);
    array_list_free(second);
}

void drive_collection_subtract(int *a, int *b, int n) {
    struct array_list *first = drive_list(a, n), *second = drive_list(b, n);
    struct collection other = array_list_collection(second);
    array_list_free(collection_utils_subtract(first, &other));
    array_list_free(first);
    array_list_free(second);
}

void drive_subtract(int *a, int *b, int n) {
    struct array_list *first = drive_list(a, n), *second = drive_list(b, n);
    struct collection other = array_list_collection(second);
    array_list_free(utils_subtract(first, &other, drive_equal));
    array_list_free(first);
    array_list_free(second);
}

void drive_iterators_remove_all(int *a, int *b, int n) {
    struct array_list *first = drive_list(a, n), *second = drive_list(b, n);
    struct collection own = array_list_collection(first), other = array_list_collection(second);
    struct iterator iterator = {&own, 0};
    iterators_remove_all(&iterator, &other);
    array_list_free(first);
    array_list_free(second);
}

void drive_collection_retain_all(int *a, int *b, int n) {
    struct array_list *first = drive_list(a, n), *second = drive_list(b, n);
    struct collection own = array_list_collection(first), other = array_list_collection(second);
    collection_retain_all(&own, &other);
    array_list_free(first);
    array_list_free(second);
}

void drive_cursor_list_contains_all(int *a, int *b, int n) {
    struct cursor_list *first = cursor_list_new(drive_equal);
    struct array_list *second = drive_list(b, n);
    struct collection other = array_list_collection(second);
    for (int i = 0; i < n; i++)
        cursor_list_add(first, &a[i]);
    cursor_list_contains_all(first, &other);
    cursor_list_free(first);
    array_list_free(second);
}

/* ---- sets ---- */

typedef bool ordered_set_function(struct ordered_set *set, const struct collection *other);

static void drive_ordered_set(int *a, int *b, int n, ordered_set_function *function) {
    struct ordered_set *set = ordered_set_new(drive_hash, drive_equal);
    struct array_list *second = drive_list(b, n);
    struct collection other = array_list_collection(second);
    for (int i = 0; i < n; i++)
        ordered_set_add(set, &a[i]);
    function(set, &other);
    ordered_set_free(set);
    array_list_free(second);
}

void drive_ordered_set_add_all(int *a, int *b, int n) {
    drive_ordered_set(a, b, n, ordered_set_add_all);
}

void drive_ordered_set_remove_all(int *a, int *b, int n) {
    drive_ordered_set(a, b, n, ordered_set_remove_all);
}

void drive_ordered_set_retain_all(int *a, int *b, int n) {
    drive_ordered_set(a, b, n, ordered_set_retain_all);
}

typedef bool unique_list_function(struct unique_list *list, const struct collection *other);

static void drive_unique_list(int *a, int *b, int n, unique_list_function *function) {
    struct unique_list *list = unique_list_new(drive_compare, drive_equal);
    struct array_list *second = drive_list(b, n);
    struct collection other = array_list_collection(second);
    for (int i = 0; i < n; i++)
        unique_list_add(list, &a[i]);
    function(list, &other);
    unique_list_free(list);
    array_list_free(second);
}

void drive_unique_list_remove_all(int *a, int *b, int n) {
    drive_unique_list(a, b, n, unique_list_remove_all);
}

void drive_unique_list_retain_all(int *a, int *b, int n) {
    drive_unique_list(a, b, n, unique_list_retain_all);
}

void drive_vector_set_retain_all(int *a, int *b, int n) {
    struct vector_set *set = vector_set_new((size_t)n, drive_equal);
    struct array_list *second = drive_list(b, n);
    struct collection other = array_list_collection(second);
    for (int i = 0; i < n; i++)
        vector_set_add(set, &a[i]);
    vector_set_retain_all(set, &other);
    vector_set_free(set);
    array_list_free(second);
}

/* ---- stacks ---- */

static struct identity_stack *make_stack(int *items, int count) {
    struct identity_stack *stack = identity_stack_new();
    for (int i = 0; i < count; i++)
        identity_stack_push(stack, &items[i]);
    return stack;
}

typedef bool stack_function(struct identity_stack *stack, const struct identity_stack *other);

static void drive_stacks(int *a, int *b, int n, stack_function *function) {
    struct identity_stack *first = make_stack(a, n), *second = make_stack(b, n);
    function(first, second);
    identity_stack_free(first);
    identity_stack_free(second);
}

void drive_identity_stack_remove_all(int *a, int *b, int n) {
    drive_stacks(a, b, n, identity_stack_remove_all);
}

void drive_identity_stack_retain_all(int *a, int *b, int n) {
    drive_stacks(a, b, n, identity_stack_retain_all);
}

/* B says which items of A are asked for. */
void drive_identity_stack_contains_all(int *a, int *b, int n) {
    struct identity_stack *first = make_stack(a, n), *second = identity_stack_new();
    for (int i = 0; i < n; i++)
        identity_stack_push(second, &a[(unsigned)b[i] % (unsigned)n]);
    identity_stack_contains_all(first, second);
    identity_stack_free(first);
    identity_stack_free(second);
}
