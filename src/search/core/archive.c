/* SPDX-License-Identifier: Apache-2.0
 *
 * Which are the costliest tests so far? The archive keeps a limited number of them, no two with the
 * same path.
 *
 * The order is total (cost, then the size and the bytes of the input), so what is kept depends only
 * on the set of tests offered, not on the order in which workers finish.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

void search_archive_init(struct search_archive *archive, size_t limit) {
    *archive = (struct search_archive){.tests = base_alloc((limit + 1) * sizeof *archive->tests),
                                       .limit = limit};
}

void search_archive_done(struct search_archive *archive) {
    for (size_t i = 0; i < archive->count; i++)
        free(archive->tests[i].input);
    free(archive->tests);
    *archive = (struct search_archive){0};
}

static size_t stored_bytes(const struct search_test *test) {
    return test->has_first ? 2 * test->size : test->size;
}

/* Is A the better test? */
static bool comes_before(const struct search_test *a, const struct search_test *b) {
    if (a->cost != b->cost)
        return a->cost > b->cost;
    if (a->size != b->size)
        return a->size < b->size;
    return memcmp(a->input, b->input, a->size) < 0;
}

static void remove_at(struct search_archive *archive, size_t index) {
    free(archive->tests[index].input);
    archive->count--;
    memmove(archive->tests + index, archive->tests + index + 1,
            (archive->count - index) * sizeof *archive->tests);
}

/* A test with a growth law is only displaced by another one with a law: it says more than a test
 * that merely costs more. The test that leads a finding outranks its variants. */
static int rank(const struct search_test *test) {
    return !test->law ? 0 : test->law->leads ? 2 : 1;
}

static bool is_worth_more(const struct search_test *a, const struct search_test *b) {
    return rank(a) != rank(b) ? rank(a) > rank(b) : comes_before(a, b);
}

/* A test with the same path is replaced by a better one; true when the new one is not better. */
static bool is_covered(struct search_archive *archive, const struct search_test *test) {
    for (size_t i = 0; i < archive->count; i++) {
        const struct search_test *kept = &archive->tests[i];
        if (kept->path.a != test->path.a || kept->path.b != test->path.b)
            continue;
        if (!is_worth_more(test, kept))
            return true;
        remove_at(archive, i);
        return false;
    }
    return false;
}

static size_t find_least(const struct search_archive *archive) {
    size_t least = 0;
    if (archive->count && !archive->tests[archive->count - 1].law)
        return archive->count - 1; /* the usual case */
    for (size_t i = 1; i < archive->count; i++)
        if (is_worth_more(&archive->tests[least], &archive->tests[i]))
            least = i;
    return least;
}

bool search_archive_has(const struct search_archive *archive, const struct search_test *test) {
    for (size_t i = 0; i < archive->count; i++)
        if (archive->tests[i].size == test->size && rank(&archive->tests[i]) >= rank(test) &&
            memcmp(archive->tests[i].input, test->input, test->size) == 0)
            return true;
    return false;
}

bool search_archive_wants(const struct search_archive *archive, double cost) {
    if (archive->count < archive->limit)
        return true;
    const struct search_test *last = archive->limit ? &archive->tests[archive->count - 1] : NULL;
    return last && (last->law || !(cost < last->cost));
}

void search_archive_offer(struct search_archive *archive, const struct search_test *test) {
    bool is_full = archive->count == archive->limit;
    if (!archive->limit || (is_full && !is_worth_more(test, &archive->tests[find_least(archive)])))
        return;
    if (is_covered(archive, test))
        return;
    size_t at = archive->count;
    for (; at > 0 && comes_before(test, &archive->tests[at - 1]); at--)
        archive->tests[at] = archive->tests[at - 1];
    archive->tests[at] = *test;
    archive->tests[at].input = base_alloc(stored_bytes(test) + 1);
    memcpy(archive->tests[at].input, test->input, stored_bytes(test));
    if (++archive->count > archive->limit)
        remove_at(archive, find_least(archive));
}

void search_archive_add_all(struct search_archive *archive, const struct search_archive *more) {
    size_t limit = archive->count + more->count;
    if (!more->count)
        return;
    struct search_test *tests = base_alloc((limit + 1) * sizeof *tests);
    memcpy(tests, archive->tests, archive->count * sizeof *tests);
    free(archive->tests);
    archive->tests = tests;
    archive->limit = limit;
    for (size_t i = 0; i < more->count; i++)
        search_archive_offer(archive, &more->tests[i]);
}

void search_archive_save(const struct search_archive *archive, struct base_buffer *out) {
    uint64_t count = archive->count;
    search_put(out, &count, sizeof count);
    for (size_t i = 0; i < archive->count; i++) {
        struct search_test test = archive->tests[i];
        test.input = NULL;
        search_put(out, &test, sizeof test);
        search_put(out, archive->tests[i].input, stored_bytes(&test));
    }
}

bool search_archive_load(struct search_archive *archive, const char **data, const char *end) {
    uint64_t count;
    if (!search_get(data, end, &count, sizeof count))
        return false;
    for (; count; count--) {
        struct search_test test;
        if (!search_get(data, end, &test, sizeof test) ||
            (size_t)(end - *data) < stored_bytes(&test))
            return false;
        test.input = (uint8_t *)*data;
        test.law = NULL; /* laws are not saved */
        *data += stored_bytes(&test);
        search_archive_offer(archive, &test);
    }
    return true;
}
