/* SPDX-License-Identifier: Apache-2.0
 *
 * Which memory has a program's process mapped, and how is that restored after a run? The list of
 * mappings in /proc/self/maps is slow to read; their total size is one number, and cheap. Only if
 * that has changed, everything that was free before the first run is unmapped: memory that the
 * target mapped itself, locale files. The lists are compared only if the total still differs then
 * (the stack has grown), or if the run has called something that changes mappings without changing
 * their size. A mapping that is gone or has other permissions cannot be restored.
 */
#include "runtime/runtime.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_MAPPINGS 1024u
#define MOST_OWN 64u
#define LIST_BYTES ((size_t)256 * 1024)

struct mapping {
    uintptr_t start, end;
    bool is_writable, is_private, is_stack;
    char access[4];
};

struct mappings {
    struct mapping items[MOST_MAPPINGS];
    size_t count;
};

struct area {
    uintptr_t start, end;
};

static RUNTIME_STATE struct mappings before, now;
/* Gaps: free before the first run. */
static RUNTIME_STATE struct area own[MOST_OWN], gaps[MOST_MAPPINGS];
static RUNTIME_STATE size_t gap_count;
static RUNTIME_STATE unsigned own_count, own_before;
static RUNTIME_STATE char list[LIST_BYTES];
static RUNTIME_STATE uint64_t size_before; /* in pages */
static RUNTIME_STATE char *break_before;

void runtime_note_own(const void *start, size_t size) {
    if (own_count < MOST_OWN)
        own[own_count++] = (struct area){(uintptr_t)start, (uintptr_t)start + size};
}

/* ---- reading the list ---- */

static const char *read_number(const char *text, uintptr_t *number) {
    *number = 0;
    for (;; text++) {
        unsigned digit = *text >= '0' && *text <= '9'   ? (unsigned)(*text - '0')
                         : *text >= 'a' && *text <= 'f' ? (unsigned)(*text - 'a' + 10)
                                                        : 16;
        if (digit == 16)
            return text;
        *number = *number << 4 | digit;
    }
}

/* start-end rwxp offset device inode name */
static void read_line(const char *line, const char *end, struct mapping *mapping) {
    const char *text = read_number(line, &mapping->start);
    text = read_number(text + 1, &mapping->end) + 1;
    memcpy(mapping->access, text, sizeof mapping->access);
    mapping->is_writable = text[1] == 'w';
    mapping->is_private = text[3] == 'p';
    mapping->is_stack = end - line > 7 && memcmp(end - 7, "[stack]", 7) == 0;
}

static bool read_list(size_t *size) {
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    *size = 0;
    if (file < 0)
        return false;
    while (*size < LIST_BYTES && (got = read(file, list + *size, LIST_BYTES - *size)) > 0)
        *size += (size_t)got;
    close(file);
    return got == 0 && *size > 0;
}

static bool read_mappings(struct mappings *mappings) {
    size_t size;
    mappings->count = 0;
    if (!read_list(&size))
        return false;
    for (const char *line = list, *last = list + size; line < last;) {
        const char *end = memchr(line, '\n', (size_t)(last - line));
        if (!end || mappings->count == MOST_MAPPINGS)
            return false;
        read_line(line, end, &mappings->items[mappings->count++]);
        line = end + 1;
    }
    return true;
}

static uint64_t mapped_pages(void) {
    char text[64];
    uint64_t pages = 0;
    ssize_t got = pread(ABI_FD_SIZE, text, sizeof text, 0);
    for (ssize_t i = 0; i < got && text[i] >= '0' && text[i] <= '9'; i++)
        pages = pages * 10 + (uint64_t)(text[i] - '0');
    return pages;
}

/* ---- writable memory ---- */

/* Skips memory that belongs to the runtime. */
static void visit_part(uintptr_t start, uintptr_t end, unsigned from, runtime_visit_memory *visit) {
    for (unsigned i = from; i < own_count; i++)
        if (own[i].start < end && own[i].end > start) {
            if (own[i].start > start)
                visit_part(start, own[i].start, i + 1, visit);
            if (own[i].end < end)
                visit_part(own[i].end, end, i + 1, visit);
            return;
        }
    visit((char *)start, (char *)end);
}

bool runtime_maps_each_writable(runtime_visit_memory *visit) {
    if (!read_mappings(&now) || own_count == MOST_OWN)
        return false;
    for (size_t i = 0; i < now.count; i++)
        if (now.items[i].is_writable && now.items[i].is_private && !now.items[i].is_stack)
            visit_part(now.items[i].start, now.items[i].end, 0, visit);
    return true;
}

char *runtime_maps_stack_end(void) {
    for (size_t i = 0; i < now.count; i++)
        if (now.items[i].is_stack)
            return (char *)now.items[i].end;
    return NULL;
}

/* ---- before and after runs ---- */

/* Excludes the gap that the stack grows into, and everything above it. */
static bool list_before(void) {
    gap_count = 0;
    if (!read_mappings(&before))
        return false;
    for (size_t i = 1; i < before.count && !before.items[i].is_stack; i++)
        if (before.items[i].start > before.items[i - 1].end)
            gaps[gap_count++] = (struct area){before.items[i - 1].end, before.items[i].start};
    size_before = mapped_pages();
    own_before = own_count;
    return size_before > 0;
}

bool runtime_maps_begin(void) {
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0 || dup3(file, ABI_FD_SIZE, O_CLOEXEC) < 0)
        return false;
    close(file);
    break_before = sbrk(0);
    return list_before();
}

static bool same_access(const struct mapping *a, const struct mapping *b) {
    return memcmp(a->access, b->access, sizeof a->access) == 0;
}

static RUNTIME_STATE bool is_unmapped;

static void unmap(char *start, char *end) {
    is_unmapped &= munmap(start, (size_t)(end - start)) == 0;
}

/* Keeps what the runtime has mapped for itself since. */
static bool unmap_part(uintptr_t start, uintptr_t end) {
    is_unmapped = true;
    if (start < end)
        visit_part(start, end, 0, unmap);
    return is_unmapped;
}

/* Unmaps a mapping that is new; false if an old one has changed. Adjacent mappings may be one in
 * one list and two in the other. */
static bool put_back(const struct mapping *mapping, bool *stack_grew) {
    uintptr_t at = mapping->start;
    for (size_t i = 0; i < before.count && at < mapping->end; i++) {
        const struct mapping *old = &before.items[i];
        if (old->end <= at || old->start >= mapping->end)
            continue;
        if (!same_access(mapping, old))
            return false;
        if (old->is_stack && old->start > at)
            *stack_grew = true;
        else if (!unmap_part(at, old->start))
            return false;
        at = old->end;
    }
    return unmap_part(at, mapping->end);
}

static bool compare_mappings(void) {
    bool stack_grew = false;
    runtime_guard_open_all();
    if (sbrk(0) != break_before && brk(break_before) != 0)
        return false;
    if (!read_mappings(&now))
        return false;
    for (size_t i = 0; i < now.count; i++)
        if (!put_back(&now.items[i], &stack_grew))
            return false;
    if (!stack_grew && own_count == own_before)
        return mapped_pages() == size_before;
    return list_before();
}

static bool unmap_gaps(void) {
    for (size_t i = 0; i < gap_count; i++)
        if (!unmap_part(gaps[i].start, gaps[i].end))
            return false;
    return mapped_pages() == size_before;
}

bool runtime_maps_put_back(bool look_closely) {
    if (!look_closely && (mapped_pages() == size_before || unmap_gaps()))
        return true;
    return compare_mappings();
}
