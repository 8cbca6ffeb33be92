/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a run find on the stack where it has not written yet? Zeros, like the first run:
 * reading an uninitialised variable must not depend on earlier runs.
 *
 * Frames are adjacent and mostly full, so it is enough to clear down to the first long row of
 * zeros. A frame with a large array may have longer gaps: for programs with such frames the kernel
 * is asked which pages exist. The stack's mapping starts at the lowest page ever touched, and a
 * page that stays zero through a run is released.
 */
#include "runtime/runtime.h"

#include "abi/abi.h"
#include <sys/mman.h>

#define PAGE ((size_t)ABI_PAGE)
#define LARGEST_STEP (128 * PAGE) /* less than the gap the kernel leaves below a stack */
#define WINDOW ((size_t)256)      /* pages per question */
#define NEAR ((size_t)16 * 1024)  /* bytes cleared without asking */

static RUNTIME_STATE char *lowest; /* lowest known page of the stack */

static bool is_there(char *page) {
    return msync(page, PAGE, MS_ASYNC) == 0;
}

static void find_lowest(void) {
    size_t step = PAGE;
    while (is_there(lowest - PAGE)) {
        step = PAGE;
        while (is_there(lowest - step)) {
            lowest -= step;
            step = step < LARGEST_STEP ? 2 * step : step;
        }
    }
}

/* Clears those of COUNT pages that IS_KEPT marks as resident, and releases the zero ones. */
static void clear_window(char *start, const unsigned char *is_kept, size_t count) {
    size_t unused = 0; /* consecutive pages */
    for (size_t i = 0; i <= count; i++) {
        char *page = start + i * PAGE;
        if (i < count && is_kept[i] % 2 && !runtime_lines_clear(page, PAGE)) {
            unused++;
            continue;
        }
        if (unused)
            madvise(page - unused * PAGE, unused * PAGE, MADV_DONTNEED);
        unused = 0;
    }
}

static void clear_far(char *end) {
    unsigned char is_kept[WINDOW];
    find_lowest();
    for (char *at = lowest; at < end;) {
        size_t count = (size_t)(end - at) / PAGE;
        count = count < WINDOW ? count : WINDOW;
        if (mincore(at, count * PAGE, is_kept) == 0)
            clear_window(at, is_kept, count);
        at += count * PAGE;
    }
}

/* Clears the far part first: its own frames lie in the near part. */
__attribute__((noinline)) void runtime_stack_clear(void) {
    char *top = (char *)__builtin_frame_address(0) - RUNTIME_STACK_MARGIN;
    if (!(__slowpath_reach & ABI_REACHES_STACK)) {
        runtime_lines_clear_below(top);
        return;
    }
    char *near = (char *)((uintptr_t)(top - NEAR) & ~(uintptr_t)(PAGE - 1));
    if (!lowest || near < lowest)
        lowest = near;
    clear_far(near);
    runtime_lines_clear(near, (size_t)(top - near));
}
