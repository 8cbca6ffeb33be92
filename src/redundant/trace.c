/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a recording. Everything in it is checked first: the target may have written anything there.
 */
#include "redundant/internal.h"

#include <stdlib.h>
#include <string.h>

bool redundant_read_trace(const void *trace, size_t size, struct redundant_trace *read) {
    const char *at = trace;
    size_t first = sizeof(struct abi_trace) + sizeof read->head;
    if (!trace || size < first)
        return false;
    memcpy(&read->head, at + sizeof(struct abi_trace), sizeof read->head);
    const struct abi_recording *head = &read->head;
    if (head->nest_count > ABI_MAX_NESTS || head->log_count > ABI_MAX_LOG ||
        size < first + head->nest_count * sizeof *read->nests + head->log_count * sizeof *read->log)
        return false;
    read->nests = (const struct abi_nest *)(at + first);
    read->log = (const struct abi_logged *)(read->nests + head->nest_count);
    return true;
}

/* ---- the log ---- */

struct open_instances {
    size_t data[ABI_RECORD_DEPTH];
    size_t count;
};

static void begin_instance(const struct abi_logged *mark, struct redundant_instances *instances,
                           struct open_instances *open) {
    struct redundant_instance instance = {
        .watch = mark[0].value, .began = mark[1].key, .turn = mark[1].value, .calls = mark[2].key};
    if (open->count == ABI_RECORD_DEPTH)
        return;
    open->data[open->count++] = instances->count;
    base_push(instances, instance);
}

static void end_instance(const struct abi_logged *mark, struct redundant_instances *instances,
                         struct open_instances *open) {
    if (!open->count)
        return;
    struct redundant_instance *instance = &instances->data[open->data[--open->count]];
    instance->turns = mark[1].key;
    instance->is_whole = true;
}

/* A read in an inner loop belongs to all loops around it. */
static void add_read(const struct abi_logged *read, struct redundant_instances *instances,
                     const struct open_instances *open) {
    for (size_t i = 0; i < open->count; i++)
        base_push(&instances->data[open->data[i]].reads, *read);
}

void redundant_read_log(const struct redundant_trace *trace,
                        struct redundant_instances *instances) {
    struct open_instances open = {.count = 0};
    const struct abi_logged *log = trace->log;
    size_t count = trace->head.log_count;
    for (size_t at = 0; at < count;) {
        size_t words = log[at].key == ABI_LOG_BEGIN ? 3 : log[at].key == ABI_LOG_END ? 2 : 1;
        if (at + words > count)
            return;
        if (words == 3)
            begin_instance(log + at, instances, &open);
        else if (words == 2)
            end_instance(log + at, instances, &open);
        else
            add_read(log + at, instances, &open);
        at += words;
    }
}

void redundant_instances_done(struct redundant_instances *instances) {
    for (size_t i = 0; i < instances->count; i++)
        base_vector_done(&instances->data[i].reads);
    base_vector_done(instances);
}
