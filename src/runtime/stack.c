/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a run find on its stack where nobody of it has been? Zeros, as the first run does: a
 * variable that is looked at before it is set must not tell of another run.
 *
 * Frames lie one below the other and are mostly full, so it is enough to clear down to where a
 * while of zeros begins. A frame with a large array may have gaps that are larger: for programs
 * with such frames the kernel is asked which pages there are. The stack's mapping begins at the
 * lowest one that was ever touched, and a page that stays zero through a run is given back.
 */
#include "runtime/runtime.h"

#include "abi/abi.h"
#include <sys/mman.h>

#define PAGE ((size_t)ABI_PAGE)
#define LARGEST_STEP (128 * PAGE) /* shorter than what the kernel leaves free below a stack */
#define WINDOW ((size_t)256)      /* pages that are asked about at once */
#define NEAR ((size_t)16 * 1024)  /* bytes that are cleared without asking */

static RUNTIME_STATE char *lowest; /* page of the stack that is known to be there */

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

/* COUNT pages, of which IS_KEPT says which are there. */
static void clear_window(char *start, const unsigned char *is_kept, size_t count) {
    size_t unused = 0; /* pages in a row */
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

/* What is far comes first: the frames that this takes lie in what is near. */
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
