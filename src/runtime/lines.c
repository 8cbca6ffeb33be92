/* SPDX-License-Identifier: Apache-2.0
 *
 * How is memory restored of which a run has changed little? It is checked one cache line at a time,
 * and only lines that differ are written: reading is cheaper than copying, and leaves the cache to
 * the next run. Uses 32-byte registers if the processor has them.
 */
#include "runtime/runtime.h"

#include <string.h>

#define LINE ((size_t)64)
#define STEP (4 * LINE)       /* checked together */
#define UNTOUCHED (32 * STEP) /* so many zeros: the stack was not used below */

typedef uint64_t lane __attribute__((vector_size(32), aligned(1), may_alias));

static RUNTIME_STATE bool is_wide; /* AVX2 */

void runtime_lines_open(void) {
    __builtin_cpu_init();
    is_wide = __builtin_cpu_supports("avx2");
}

/* ---- each once for wide registers and once without ---- */

#define EITHER static inline __attribute__((always_inline))
#define WIDE static __attribute__((target("avx2"), noinline))

EITHER bool has_any(const char *at, size_t bytes) {
    lane any = {0};
    for (size_t i = 0; i < bytes; i += sizeof any)
        any |= *(const lane *)(at + i);
    return __builtin_reduce_or(any) != 0;
}

EITHER bool differs(const char *a, const char *b, size_t bytes) {
    lane any = {0};
    for (size_t i = 0; i < bytes; i += sizeof any)
        any |= *(const lane *)(a + i) ^ *(const lane *)(b + i);
    return __builtin_reduce_or(any) != 0;
}

EITHER void zero_lines(char *at, size_t bytes) {
    const lane zero = {0};
    for (size_t i = 0; i < bytes; i += sizeof zero)
        *(lane *)(at + i) = zero;
}

EITHER bool clear_steps(char *at, const char *end) {
    bool any = false;
    for (; at < end; at += STEP)
        if (has_any(at, STEP)) {
            zero_lines(at, STEP);
            any = true;
        }
    return any;
}

EITHER void restore_steps(char *at, const char *from, const char *end) {
    for (; at < end; at += STEP, from += STEP)
        if (differs(at, from, STEP))
            for (size_t i = 0; i < STEP; i += LINE)
                if (differs(at + i, from + i, LINE))
                    for (size_t k = i; k < i + LINE; k += sizeof(lane))
                        *(lane *)(at + k) = *(const lane *)(from + k);
}

EITHER void clear_down(char *at) {
    for (size_t untouched = 0; untouched < UNTOUCHED; untouched += STEP) {
        at -= STEP;
        if (has_any(at, STEP)) {
            zero_lines(at, STEP);
            untouched = 0;
        }
    }
}

WIDE bool clear_steps_wide(char *at, const char *end) {
    return clear_steps(at, end);
}
WIDE void restore_steps_wide(char *at, const char *from, const char *end) {
    restore_steps(at, from, end);
}
WIDE void clear_down_wide(char *at) {
    clear_down(at);
}

/* ---- interface ---- */

bool runtime_lines_clear(char *start, size_t bytes) {
    char *end = start + bytes / STEP * STEP;
    /* Skip this for no bytes: an empty store to a closed page behind them is slow. */
    if (end < start + bytes)
        memset(end, 0, (size_t)(start + bytes - end));
    return is_wide ? clear_steps_wide(start, end) : clear_steps(start, end);
}

void runtime_lines_restore(char *to, const char *from, size_t bytes) {
    size_t whole = bytes / STEP * STEP;
    if (is_wide)
        restore_steps_wide(to, from, to + whole);
    else
        restore_steps(to, from, to + whole);
    if (whole < bytes)
        memcpy(to + whole, from + whole, bytes - whole);
}

void runtime_lines_clear_below(char *top) {
    char *at = (char *)((uintptr_t)top & ~(uintptr_t)(LINE - 1));
    if (at < top)
        memset(at, 0, (size_t)(top - at));
    if (is_wide)
        clear_down_wide(at);
    else
        clear_down(at);
}
