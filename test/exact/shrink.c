/* SPDX-License-Identifier: Apache-2.0
 *
 * What is left of a program that goes wrong? Items are left out, first half of them at once, then
 * ever fewer, as long as the verdict stays the same.
 */
#include "exact/check.h"

#include <stdlib.h>
#include <string.h>

struct shrinking {
    struct exact_program program;
    enum exact_verdict verdict;
    const struct exact_limits *limits;
    uint8_t *without;
    uint32_t count;
    double deadline;
};

static bool still_fails(const struct shrinking *self) {
    struct exact_outcome outcome = {0};
    bool is_known = exact_check_module(&self->program, 1, self->limits, &outcome);
    return is_known && outcome.verdict == self->verdict;
}

/* Leaves out the items from FIRST on as far as that is new; puts them back when it does not fail.
 */
static bool try_without(struct shrinking *self, uint32_t first, uint32_t length) {
    uint8_t *before = base_alloc(self->count);
    memcpy(before, self->without, self->count);
    memset(self->without + first, 1, length);
    bool is_new = memcmp(before, self->without, self->count) != 0;
    bool fails = is_new && still_fails(self);
    if (!fails)
        memcpy(self->without, before, self->count);
    free(before);
    return fails;
}

static bool pass(struct shrinking *self, uint32_t length) {
    bool changed = false;
    for (uint32_t end = self->count; end > 0 && base_seconds() < self->deadline;) {
        uint32_t first = end > length ? end - length : 0;
        changed |= try_without(self, first, end - first);
        end = first;
    }
    return changed;
}

void exact_shrink(const struct exact_program *program, enum exact_verdict verdict,
                  const struct exact_limits *limits, double seconds, uint8_t **without,
                  uint32_t *without_count) {
    struct base_buffer source = {0};
    uint32_t count = exact_write_program(program, 0, &source);
    struct shrinking self = {*program,          verdict, limits,
                             base_alloc(count), count,   base_seconds() + seconds};
    base_buffer_done(&source);
    self.program.without = self.without;
    self.program.without_count = count;
    for (uint32_t length = (count + 1) / 2; length; length = length > 1 ? (length + 1) / 2 : 0) {
        bool changed = pass(&self, length);
        if (length == 1) {
            while (changed && base_seconds() < self.deadline)
                changed = pass(&self, 1);
            break;
        }
    }
    *without = self.without;
    *without_count = count;
}
