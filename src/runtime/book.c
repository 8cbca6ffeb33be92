/* SPDX-License-Identifier: Apache-2.0
 *
 * What did a run cost? When it ends, the counters become the weighted sums that the engine asked
 * for, a hash that identifies the path, and the number of records it broke. A worker books its own
 * runs; the server books those whose worker died, which works because counters and results lie in
 * shared memory.
 */
#include "runtime/runtime.h"

#include <signal.h>
#include <sys/stat.h>

#define MOST_COUNTS ((uint64_t)1 << 56) /* of one block in one run: that would take years */

struct abi_result *runtime_result_of(uint32_t run) {
    return (struct abi_result *)((char *)runtime.control + ABI_OFFSET_RESULTS) + run;
}

struct abi_result *runtime_result(void) {
    return runtime_result_of(runtime.control->current);
}

static uint64_t mix(uint64_t hash, uint64_t count, uint32_t slot) {
    hash = (hash ^ (count * 0x9e3779b97f4a7c15u + slot)) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 29;
}

/* Multiplies the counters by the weight vectors, hashes them and clears them, unless the engine
 * wants to read them. False when a sum overflows 64 bits: no program counts that far, so something
 * has overwritten the counters. */
static bool book_counters(struct abi_result *result, bool keep) {
    struct abi_control *control = runtime.control;
    uint32_t slots = __slowpath_slot_count;
    const uint32_t *weights = (const uint32_t *)((char *)control + ABI_OFFSET_WEIGHTS);
    uint32_t vectors = control->weight_count <= ABI_MAX_WEIGHTS ? control->weight_count : 0;
    uint64_t hash = 0, library = __slowpath_counters[0];
    bool good = true;
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint64_t count = __slowpath_counters[slot], product;
        if (!count)
            continue;
        good &= count < MOST_COUNTS;
        for (uint32_t vector = 0; vector < vectors; vector++) {
            uint64_t *sum = &result->weighted[vector];
            good &=
                !__builtin_mul_overflow(count, weights[(size_t)vector * slots + slot], &product) &&
                !__builtin_add_overflow(*sum, product, sum);
        }
        if (slot)
            hash = mix(hash, count, slot);
        if (!keep)
            __slowpath_counters[slot] = 0;
    }
    result->blocks_hash = hash;
    result->counts_hash = library ? mix(hash, library, 0) : hash;
    return good;
}

/* Raises the record of each counter that exceeds it, so that a second run with the same counts
 * breaks none. */
static void raise_bars(struct abi_result *result) {
    uint64_t *records = (uint64_t *)((char *)runtime.control + ABI_OFFSET_RECORDS), hash = 1;
    uint32_t slots = __slowpath_slot_count;
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint64_t count = __slowpath_counters[slot];
        if (!count)
            continue;
        uint64_t magnitude = 64 - (uint64_t)__builtin_clzll(count);
        hash = (hash ^ ((uint64_t)slot << 8 | magnitude)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
        if (count > records[slot]) {
            records[slot] = count + count / 8;
            result->broken++;
        }
    }
    result->magnitude_hash = hash;
}

/* The run has overwritten its own result: booked as a crash without a signal. */
static void spoil_result(struct abi_result *result) {
    *result = (struct abi_result){.status = ABI_STATUS_CRASH};
}

uint64_t runtime_output_size(void) {
    struct stat file;
    bool is_kept = runtime.control->keep_output && fstat(ABI_FD_OUTPUT, &file) == 0;
    return is_kept ? (uint64_t)file.st_size : 0;
}

/* A run's output ends at the end of the file. The kernel's limit applies to the whole file, which
 * holds the output of earlier runs as well, so the limit of one run is checked here. */
static enum abi_status book_output(struct abi_result *result, enum abi_status status) {
    struct abi_control *control = runtime.control;
    uint64_t end = runtime_output_size();
    if (!control->keep_output)
        return status;
    control->output_end = end;
    result->output_bytes = end > result->output_first ? end - result->output_first : 0;
    if (status != ABI_STATUS_OK || result->output_bytes <= control->output_limit)
        return status;
    result->signal = SIGXFSZ;
    return ABI_STATUS_CRASH;
}

void runtime_book_run(enum abi_status status) {
    struct abi_control *control = runtime.control;
    struct abi_result *result = runtime_result_of(control->current);
    status = book_output(result, status);
    result->status = status;
    result->costs = control->costs;
    if (control->has_records && status == ABI_STATUS_OK && !result->rejected)
        raise_bars(result);
    if (!book_counters(result, control->keep_counts))
        spoil_result(result);
    result->check = abi_result_check(result);
    control->counts_kept = control->keep_counts;
    if (control->symbolic)
        runtime_sym_finish();
    if (control->recording)
        runtime_record_finish();
    control->running = 0;
    control->completed++;
}
