/* SPDX-License-Identifier: Apache-2.0
 *
 * Which library pages does a program write to? Restoring all of them takes longer than a small run,
 * and most runs write to the same few. So library pages are made read-only when the worker starts.
 * The first write to a page opens it for good, and from then on it is restored after each run. A
 * closed page has not changed.
 *
 * System calls that write to a closed page fail, so this is only for programs known never to pass
 * such memory to the kernel (abi/quiet.def). The target's own memory stays writable.
 */
#include "runtime/runtime.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>

#define MOST_PAGES 256u
#define MOST_PIECES (RUNTIME_MOST_RANGES + MOST_PAGES + 1024)
#define STEP 256u /* bytes */
#define PAGE ((uintptr_t)ABI_PAGE)

static RUNTIME_STATE const struct runtime_range *ranges;
static RUNTIME_STATE unsigned range_count;
static RUNTIME_STATE struct runtime_range pieces[MOST_PIECES];
static RUNTIME_STATE unsigned piece_count;
static RUNTIME_STATE char *closed[MOST_PAGES]; /* ascending */
static RUNTIME_STATE unsigned closed_count;

/* ---- pieces: the writable parts ---- */

/* ORIGINAL is NULL if the piece was zero. */
static void push_piece(char *start, size_t size, char *original) {
    if (size)
        pieces[piece_count++] = (struct runtime_range){start, size, original};
}

static bool was_zero(const char *original) {
    return !*original && memcmp(original, original + 1, STEP - 1) == 0;
}

/* Most pieces were zero; restoring those needs no copy to read from. */
static void add_piece(const struct runtime_range *range, const char *from, const char *to) {
    size_t first = (size_t)(from - range->start), size = (size_t)(to - from), at = 0;
    char *start = range->start + first, *original = range->original + first;
    while (from < to && at + STEP <= size && piece_count + 3 < MOST_PIECES) {
        size_t end = at;
        bool is_zero = was_zero(original + at);
        while (end + STEP <= size && was_zero(original + end) == is_zero)
            end += STEP;
        push_piece(start + at, end - at, is_zero ? NULL : original + at);
        at = end;
    }
    if (from < to)
        push_piece(start + at, size - at, original + at);
}

static void cut_range(const struct runtime_range *range) {
    const char *at = range->start, *end = range->start + range->size;
    for (unsigned i = 0; i < closed_count; i++)
        if (closed[i] >= at && closed[i] < end) {
            add_piece(range, at, closed[i]);
            at = closed[i] + PAGE;
        }
    add_piece(range, at, end);
}

static void cut_ranges(void) {
    piece_count = 0;
    for (unsigned i = 0; i < range_count; i++)
        if (ranges[i].original)
            cut_range(&ranges[i]);
}

/* ---- closing ---- */

static void close_page(char *page) {
    unsigned at = closed_count;
    while (at && closed[at - 1] >= page)
        at--;
    if (closed_count == MOST_PAGES || (at < closed_count && closed[at] == page) ||
        mprotect(page, PAGE, PROT_READ) != 0)
        return;
    memmove(&closed[at + 1], &closed[at], (closed_count++ - at) * sizeof *closed);
    closed[at] = page;
}

/* Closes the whole pages of RANGE between START and END. */
static void close_part(const struct runtime_range *range, char *start, char *end) {
    char *first = start > range->start ? start : range->start;
    char *last = range->start + range->size;
    first += -(uintptr_t)first & (PAGE - 1);
    for (; first + PAGE <= last && first + PAGE <= end; first += PAGE)
        close_page(first);
}

static void close_all(char *start, char *end) {
    for (unsigned i = 0; i < range_count; i++)
        if (ranges[i].original)
            close_part(&ranges[i], start, end);
}

/* Skips the executable, which comes first: it is the target's. */
static int close_library(struct dl_phdr_info *info, size_t size, void *context) {
    bool *is_first = context;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum && !*is_first; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        char *start = (char *)info->dlpi_addr + header->p_vaddr, *end = start + header->p_memsz;
        if (header->p_type == PT_LOAD && header->p_flags & PF_W)
            close_all(start, end + (-(uintptr_t)end & (PAGE - 1)));
    }
    *is_first = false;
    return 0;
}

void runtime_guard_begin(const struct runtime_range *from, unsigned count) {
    bool is_first = true;
    ranges = from;
    range_count = count;
    if (!(__slowpath_reach & ABI_REACHES_SYSTEM))
        dl_iterate_phdr(close_library, &is_first);
    cut_ranges();
}

/* ---- opening ---- */

static void open_page(unsigned which) {
    mprotect(closed[which], PAGE, PROT_READ | PROT_WRITE);
    closed_count--;
    memmove(&closed[which], &closed[which + 1], (closed_count - which) * sizeof *closed);
}

bool runtime_guard_open(const void *address) {
    const char *at = address;
    for (unsigned i = 0; i < closed_count; i++)
        if (at >= closed[i] && at < closed[i] + PAGE) {
            open_page(i);
            cut_ranges();
            return true;
        }
    return false;
}

void runtime_guard_open_all(void) {
    if (!closed_count)
        return;
    while (closed_count)
        open_page(closed_count - 1);
    cut_ranges();
}

void runtime_guard_put_back(void) {
    for (unsigned i = 0; i < piece_count; i++)
        if (pieces[i].original)
            runtime_lines_restore(pieces[i].start, pieces[i].original, pieces[i].size);
        else
            runtime_lines_clear(pieces[i].start, pieces[i].size);
}
