/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a search saved so that it can be resumed? Its state is written as bytes.
 *
 * A state can only be read by the version that wrote it: it holds records as they lie in memory.
 * Its header names that version and the sizes of the records, and is checked before anything else.
 */
#include "search/core/core.h"

#include <string.h>

#define STATE_MAGIC "SLOWPATH"
#define STATE_FORMAT 8u /* raise it when what is saved changes, or what it means */

void search_put(struct base_buffer *out, const void *data, size_t size) {
    base_buffer_add(out, data, size);
}

bool search_get(const char **data, const char *end, void *to, size_t size) {
    if ((size_t)(end - *data) < size)
        return false;
    memcpy(to, *data, size);
    *data += size;
    return true;
}

struct head {
    char magic[8];
    uint32_t format, abi;
    uint32_t head_size, test_size; /* records as they lie in memory */
    char version[16];
};

struct body {
    char strategy[16];
    uint64_t input_size, tests;
    struct search_counters counters;
    struct solver_statistics solver;
    double seconds;
};

static struct head make_head(void) {
    struct head head = {.format = STATE_FORMAT,
                        .abi = ABI_VERSION,
                        .head_size = sizeof(struct head) + sizeof(struct body),
                        .test_size = sizeof(struct search_test)};
    memcpy(head.magic, STATE_MAGIC, sizeof head.magic);
    strncpy(head.version, SLOWPATH_VERSION, sizeof head.version - 1);
    return head;
}

static bool check_head(struct head head, struct base_error *error) {
    struct head own = make_head();
    if (memcmp(head.magic, own.magic, sizeof own.magic) != 0)
        return base_fail(error, BASE_USAGE, "it is not the state of a search");
    if (memcmp(&head, &own, sizeof own) == 0)
        return true;
    head.version[sizeof head.version - 1] = 0;
    return base_fail(error, BASE_USAGE,
                     "it was saved by another version of slowpath (%s, state format %u; this is "
                     "%s, format %u): start anew without --resume",
                     head.version, head.format, own.version, own.format);
}

static bool check_body(const struct search *search, struct body *body, struct base_error *error) {
    uint64_t bytes = search->subject.layout.bytes;
    body->strategy[sizeof body->strategy - 1] = 0;
    if (strcmp(body->strategy, search->strategy->name) != 0)
        return base_fail(error, BASE_USAGE, "it is of the strategy '%s'", body->strategy);
    if (body->input_size != bytes)
        return base_fail(error, BASE_USAGE, "its inputs have %llu bytes and not %llu",
                         (unsigned long long)body->input_size, (unsigned long long)bytes);
    return true;
}

void search_save(struct search *search, struct base_buffer *out) {
    struct search_statistics now;
    search_statistics(search, &now);
    struct head head = make_head();
    struct body body = {.input_size = search->subject.layout.bytes,
                        .tests = search->options.tests,
                        .counters = now.counters,
                        .solver = now.solver,
                        .seconds = now.seconds};
    strncpy(body.strategy, search->strategy->name, sizeof body.strategy - 1);
    search_put(out, &head, sizeof head);
    search_put(out, &body, sizeof body);
    search_archive_save(&search->archive, out);
    search_paths_save(&search->paths, out);
    if (search->subject.sweep)
        search_save_sweep(search, out);
    else if (search->strategy->save)
        search->strategy->save(search, out);
}

static bool load_rest(struct search *search, const char *data, const char *end) {
    if (search->subject.sweep)
        return search_load_sweep(search, data, end);
    return !search->strategy->load || search->strategy->load(search, data, (size_t)(end - data));
}

static bool get_body(const struct search *search, const char **data, const char *end,
                     struct body *body, struct base_error *error) {
    struct head head = {0};
    *body = (struct body){0};
    search_get(data, end, &head, sizeof head);
    if (!check_head(head, error))
        return false;
    if (!search_get(data, end, body, sizeof *body))
        return base_fail(error, BASE_USAGE, "it is cut short");
    return check_body(search, body, error);
}

bool search_load(struct search *search, const char *data, size_t size, struct base_error *error) {
    const char *end = data + size;
    struct body body;
    if (!get_body(search, &data, end, &body, error))
        return false;
    search->counters = body.counters;
    search->solver = body.solver;
    search->before = body.seconds;
    if (!search_archive_load(&search->archive, &data, end) ||
        !search_paths_load(&search->paths, &data, end, NULL) || !load_rest(search, data, end))
        return base_fail(error, BASE_USAGE, "it is cut short");
    return true;
}

/* Paths that both have found count once, also in the outer searches. */
static void forget_known(struct search *search, uint64_t known) {
    for (; search; search = search->outer)
        search->counters.paths -= known < search->counters.paths ? known : search->counters.paths;
}

bool search_merge(struct search *search, const char *data, size_t size, struct base_error *error) {
    const char *end = data + size;
    struct body body;
    uint64_t known = 0;
    if (!get_body(search, &data, end, &body, error))
        return false;
    search_add_counters(&search->counters, &body.counters);
    search_add_solver(&search->solver, &body.solver);
    if (search->before < body.seconds)
        search->before = body.seconds;
    if (!search_archive_load(&search->archive, &data, end) ||
        !search_paths_load(&search->paths, &data, end, &known))
        return base_fail(error, BASE_USAGE, "it is cut short");
    forget_known(search, known);
    return !search->strategy->merges ||
           search->strategy->load(search, data, (size_t)(end - data)) ||
           base_fail(error, BASE_USAGE, "it is cut short");
}

bool search_take_rest(struct search *search, const char *data, size_t size) {
    return search->strategy->take_rest && search->strategy->take_rest(search, data, size);
}
