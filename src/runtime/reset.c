/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a persistent process forget a run? Writable data of the executable (found through its
 * program headers, so that assembler parts are included) and thread-local variables are restored to
 * their values before the first run, and files left open are closed. For a function or harness,
 * whose runs take a few microseconds, the C library's own data is not restored; the engine notices
 * a target whose second run differs because of that. For a program, all memory its process can
 * write to is restored: libraries, the loader, the thread's control block, arguments and
 * environment.
 *
 * Small ranges are copied back. Large ones become private mappings of a memory file with the
 * original content: dropping the private pages restores it, and costs only what the run touched.
 * That is 0.5 to 2 microseconds per touched page, so copying is faster up to LARGE_RANGE. Write
 * protection and noting the first write to each page would cost as much per page, and system calls
 * that write there (read into a global buffer) would fail.
 */
#include "runtime/runtime.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <unistd.h>

#define MAX_FILES 1024
#define LARGE_RANGE ((size_t)256 * 1024)
#define PAGE ((uintptr_t)ABI_PAGE)

static RUNTIME_STATE struct runtime_range ranges[RUNTIME_MOST_RANGES];
static RUNTIME_STATE unsigned range_count;
static RUNTIME_STATE bool is_incomplete; /* something cannot be restored */
static RUNTIME_STATE uint64_t state_at_start;
static RUNTIME_STATE uint64_t open_files[MAX_FILES / 64];
/* Files; beyond: with descriptors from MAX_FILES on. */
static RUNTIME_STATE bool any_open, any_beyond;

static void add_copied(char *start, size_t size) {
    if (!size)
        return;
    char *original = MAP_FAILED;
    if (range_count < RUNTIME_MOST_RANGES)
        original = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (original == MAP_FAILED) {
        is_incomplete = true;
        return;
    }
    memcpy(original, start, size);
    ranges[range_count++] = (struct runtime_range){start, size, original};
}

static bool remap_private(char *start, size_t size) {
    int file = memfd_create("slowpath-data", MFD_CLOEXEC);
    if (file < 0)
        return false;
    size_t done = 0;
    while (done < size) {
        ssize_t wrote = write(file, start + done, size - done);
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    bool good =
        size && done == size &&
        mmap(start, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) == start;
    close(file);
    return good;
}

/* The kernel and the library store other data for the worker's thread than for the server's, so the
 * worker makes this copy. */
static bool holds_thread(const char *start, const char *end) {
    const char *thread = __builtin_thread_pointer();
    return start <= thread && thread < end;
}

static void add_range(char *start, char *end) {
    if (end <= start)
        return;
    char *first = (char *)(((uintptr_t)start + PAGE - 1) & ~(PAGE - 1));
    char *last = (char *)((uintptr_t)end & ~(PAGE - 1));
    if (end - start < (ptrdiff_t)LARGE_RANGE || range_count + 3 > RUNTIME_MOST_RANGES ||
        holds_thread(start, end) || !remap_private(first, (size_t)(last - first))) {
        add_copied(start, (size_t)(end - start));
        return;
    }
    add_copied(start, (size_t)(first - start));
    ranges[range_count++] = (struct runtime_range){first, (size_t)(last - first), NULL};
    add_copied(last, (size_t)(end - last));
}

/* Adds [start, end) without the parts that must survive: our state, the shared counters, and
 * read-only data of the loader. HOLES are in any order and do not overlap. */
static void add_without(char *start, char *end, const struct runtime_range *holes,
                        unsigned hole_count) {
    for (unsigned i = 0; i < hole_count; i++) {
        char *hole = holes[i].start, *hole_end = hole + holes[i].size;
        if (hole < end && hole_end > start && holes[i].size) {
            add_without(start, hole, holes + i + 1, hole_count - i - 1);
            add_without(hole_end, end, holes + i + 1, hole_count - i - 1);
            return;
        }
    }
    add_range(start, end);
}

/* The counters and their guard pages. */
static struct runtime_range counters_part(void) {
    size_t bytes = (__slowpath_slot_count * sizeof(uint64_t) + PAGE - 1) & ~(PAGE - 1);
    return (struct runtime_range){__slowpath_guard, bytes + 2 * PAGE, NULL};
}

/* The loader protects whole pages only: data on the last, partial page stays writable. */
static struct runtime_range read_only_part(char *start, size_t size) {
    char *end = (char *)((uintptr_t)(start + size) & ~(PAGE - 1));
    return (struct runtime_range){start, end > start ? (size_t)(end - start) : 0, NULL};
}

static int add_executable(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    char *base = (char *)info->dlpi_addr;
    struct runtime_range holes[3] = {
        {__start_slowpath_state, (size_t)(__stop_slowpath_state - __start_slowpath_state), NULL},
        counters_part()};
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
            holes[2] =
                read_only_part(base + info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_memsz);
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        char *start = base + header->p_vaddr;
        if (header->p_type == PT_LOAD && (header->p_flags & PF_W))
            add_without(start, start + header->p_memsz, holes, 3);
        else if (header->p_type == PT_TLS && info->dlpi_tls_data)
            add_copied(info->dlpi_tls_data, header->p_memsz);
    }
    return 1; /* only the executable, which comes first; libraries keep their state */
}

/* ---- programs ---- */

/* Leaves out the thread's area for restartable sequences, which the kernel writes to at any
 * time. */
static void add_writable(char *start, char *end) {
    const struct runtime_range holes[] = {
        {__start_slowpath_state, (size_t)(__stop_slowpath_state - __start_slowpath_state), NULL},
        {(char *)__builtin_thread_pointer() + __rseq_offset, sizeof(struct rseq), NULL}};
    add_without(start, end, holes, 2);
}

/* List all mappings before copying any: a copy is a mapping, too. */
static RUNTIME_STATE struct runtime_area found[RUNTIME_MOST_RANGES];
static RUNTIME_STATE unsigned found_count;

static void note_writable(char *start, char *end) {
    if (found_count < RUNTIME_MOST_RANGES)
        found[found_count++] = (struct runtime_area){start, end};
    else
        is_incomplete = true;
}

static void add_program(char **argv) {
    if (!runtime_maps_each_writable(note_writable))
        is_incomplete = true;
    char *first = (char *)(argv - 1), *last = runtime_maps_stack_end();
    for (unsigned i = 0; i < found_count; i++)
        add_writable(found[i].start, found[i].end);
    if (last > first)
        add_copied(first, (size_t)(last - first));
    else
        is_incomplete = true;
}

/* Also called before fresh processes, where nothing is restored, so that later mappings get the
 * same addresses there. */
void runtime_reset_prepare(char **argv) {
    struct runtime_area run = {0}, library = {0};
    runtime_heap_mark(&run, &library);
    add_range(run.start, run.end);
    add_range(library.start, library.end);
    if (runtime.control->entry == ABI_ENTRY_PROGRAM)
        add_program(argv);
    else
        dl_iterate_phdr(add_executable, NULL);
    if (runtime.is_program && is_incomplete) {
        runtime_tell_left("memory mappings");
        runtime.is_program = false;
    }
}

uint64_t runtime_hash(uint64_t hash, const void *bytes, size_t count) {
    for (const unsigned char *at = bytes; count; count -= count < 8 ? count : 8, at += 8) {
        uint64_t word = 0;
        memcpy(&word, at, count < 8 ? count : 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Skips pages that are restored by dropping them: hashing would load them all into memory. */
static uint64_t hash_state(void) {
    uint64_t hash = 1;
    for (unsigned i = 0; i < range_count; i++)
        if (ranges[i].original)
            hash = runtime_hash(hash, ranges[i].start, ranges[i].size);
    return runtime_settings_hash(hash);
}

/* What the library has changed while forking this process belongs to the start state. */
void runtime_reset_begin(void) {
    for (unsigned i = 0; i < range_count; i++)
        if (ranges[i].original)
            memcpy(ranges[i].original, ranges[i].start, ranges[i].size);
    state_at_start = hash_state();
    runtime_guard_begin(ranges, range_count);
}

bool runtime_is_restored(void) {
    static RUNTIME_STATE uint64_t runs;
    runs++;
    bool is_due = (runs & (runs - 1)) == 0;
    return !is_due || hash_state() == state_at_start;
}

/* ---- files ---- */

void runtime_note_open(int fd) {
    if (fd < 0)
        return;
    struct abi_costs *costs = runtime.costs;
    if (++costs->files_open > costs->files_peak)
        costs->files_peak = costs->files_open;
    runtime.costs_changed = true;
    any_open = true;
    if (fd < MAX_FILES)
        open_files[fd / 64] |= (uint64_t)1 << (fd % 64);
    any_beyond |= fd >= MAX_FILES;
}

void runtime_note_close(int fd) {
    if (fd < 0 || fd >= MAX_FILES || !(open_files[fd / 64] >> (fd % 64) & 1))
        return;
    open_files[fd / 64] &= ~((uint64_t)1 << (fd % 64));
    runtime.costs->files_open--;
}

void runtime_close_files(void) {
    for (int part = 0; part < MAX_FILES / 64; part++)
        for (; open_files[part]; open_files[part] &= open_files[part] - 1)
            close(part * 64 + __builtin_ctzll(open_files[part]));
    if (any_beyond)
        close_range(MAX_FILES, ~0u, 0);
    any_open = any_beyond = false;
}

/* Files of a program are closed already (settings.c). */
static void forget_files(void) {
    memset(open_files, 0, sizeof open_files);
    any_open = any_beyond = false;
}

bool runtime_has_open_files(void) {
    return any_open;
}

void runtime_reset(void) {
    if (any_open && runtime.is_program)
        forget_files();
    else if (any_open)
        runtime_close_files();
    runtime_heap_reset();
    if (runtime.control->symbolic)
        runtime_sym_forget();
    if (runtime.is_program)
        runtime_guard_put_back();
    for (unsigned i = 0; i < range_count; i++)
        if (!ranges[i].original)
            madvise(ranges[i].start, ranges[i].size, MADV_DONTNEED);
        else if (!runtime.is_program)
            runtime_lines_restore(ranges[i].start, ranges[i].original, ranges[i].size);
}
