/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loads of a run read again what an earlier iteration of a loop has read? This is the rare
 * half of the recording build: loops that start and end, loads that find an old stamp, the log of
 * values. abi/record.h explains stamps, frames and nests. Nests lie in shared memory, so they
 * survive a run that dies.
 */
#include "abi/shadow.h"
#include "runtime/hooks.h"
#include "runtime/symbolic.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_STAMP 1u
#define LAST_STAMP 0xf0000000u /* the last one a run may start or continue with */
#define FRESH_SHARE 2 /* per iteration of an inner loop: at most half as many fresh loads */
#define FIRST_SHARE 2 /* ... and at least half as many loads of data from earlier iterations */
#define NEST_SLOTS (2 * ABI_MAX_NESTS)
#define ANY_LIMIT UINT32_MAX /* look at all loads */
#define FINE_BYTES 512u      /* up to this, stamp every byte of a range; beyond, every eighth */
#define FORGET_BYTES ((uint64_t)1 << 20)

RUNTIME_STATE struct abi_recorder __slowpath_recorder;
#define recorder __slowpath_recorder
static RUNTIME_STATE uint32_t nest_slots[NEST_SLOTS]; /* nest numbers, from 1 */
static RUNTIME_STATE uint32_t logging;                /* active frames that are logged */

static struct abi_recording *recording(void) {
    return &runtime.control->record;
}

static struct abi_nest *nests(void) {
    return (struct abi_nest *)((char *)runtime.control + ABI_OFFSET_NODES);
}

static struct abi_logged *log_entries(void) {
    return (struct abi_logged *)((char *)runtime.control + ABI_OFFSET_EVENTS);
}

/* ---- the log ---- */

static void put_log(uint32_t key, uint32_t value) {
    if (recording()->log_count < ABI_MAX_LOG)
        log_entries()[recording()->log_count++] = (struct abi_logged){key, value};
    else
        recording()->log_lost++;
}

static void log_load(uint64_t value, uint32_t site) {
    uint32_t key = ((uint32_t)(recorder.calls >> 32) ^ site * 0x85ebca6bu) * 0xc2b2ae35u;
    uint64_t mixed = (value ^ value >> 32) * 0x9e3779b97f4a7c15u;
    put_log(key >= ABI_LOG_MARK ? key - 16 : key, (uint32_t)(mixed >> 32));
}

/* Logs two iterations per period of a frame that is watched. */
static void begin_log(struct abi_frame *frame) {
    const struct abi_control *control = runtime.control;
    const struct abi_watch *watches =
        (const struct abi_watch *)((const char *)control + ABI_OFFSET_SCRIPT);
    const struct abi_frame *outer = frame - 1;
    for (uint32_t i = 0; i < control->watch_count && i < ABI_MAX_WATCHES; i++)
        if (watches[i].inner == (frame->loop & ABI_LOOP_SAME) &&
            watches[i].outer == (outer->loop & ABI_LOOP_SAME) && watches[i].period &&
            outer->turns % watches[i].period < 2) {
            frame->watch = i + 1;
            logging++;
            put_log(ABI_LOG_BEGIN, i);
            put_log(outer->began, outer->turns);
            put_log((uint32_t)(frame->calls >> 32), 0);
            return;
        }
}

static void end_log(const struct abi_frame *frame, uint32_t turns) {
    logging--;
    put_log(ABI_LOG_END, frame->watch - 1);
    put_log(turns, 0);
}

/* ---- loops ---- */

static void set_limit(void) {
    uint32_t outer = recorder.depth ? recorder.depth - 1 : 0;
    recorder.run = logging ? 0 : recorder.frames[0].began;
    recorder.inner = logging ? ANY_LIMIT : recorder.frames[recorder.depth].began;
    recorder.outer = logging ? ANY_LIMIT : recorder.frames[outer].began;
}

static uint32_t turns_of(const struct abi_frame *frame) {
    return frame->turns - (frame->loop & ABI_LOOP_TESTED ? 1 : 0);
}

static uint32_t slot_of(uint32_t outer, uint32_t inner) {
    uint64_t hash = ((uint64_t)outer << 32 | inner) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 40) % NEST_SLOTS;
}

static void note_chain(struct abi_nest *nest, const struct abi_frame *frame) {
    uint32_t first = (uint32_t)frame[-1].calls, end = (uint32_t)frame->calls;
    nest->chain_count = 0;
    if (end - first > ABI_RECORD_CALLS)
        return;
    for (uint32_t at = first; at < end && nest->chain_count < ABI_RECORD_CHAIN; at++)
        nest->chain[nest->chain_count++] = recorder.sites[at % ABI_RECORD_CALLS];
}

/* The nest of a frame and its parent; NULL: no room for another one. */
static struct abi_nest *find_nest(const struct abi_frame *frame) {
    uint32_t outer = frame[-1].loop & ABI_LOOP_SAME, inner = frame->loop & ABI_LOOP_SAME, slot;
    for (slot = slot_of(outer, inner); nest_slots[slot]; slot = (slot + 1) % NEST_SLOTS) {
        struct abi_nest *nest = &nests()[nest_slots[slot] - 1];
        if ((nest->outer & ABI_LOOP_SAME) == outer && (nest->inner & ABI_LOOP_SAME) == inner)
            return nest;
    }
    if (recording()->nest_count >= ABI_MAX_NESTS)
        return NULL;
    struct abi_nest *nest = &nests()[recording()->nest_count++];
    nest_slots[slot] = recording()->nest_count;
    *nest = (struct abi_nest){.outer = frame[-1].loop, .inner = frame->loop};
    note_chain(nest, frame);
    return nest;
}

static void note_instance(struct abi_nest *nest, const struct abi_frame *frame, uint32_t turns) {
    bool is_new = nest->began != frame[-1].began;
    bool is_turn = is_new || nest->turn != frame[-1].turns;
    nest->began = frame[-1].began;
    nest->turn = frame[-1].turns;
    nest->in_one = is_new ? 1 : nest->in_one + is_turn;
    if (nest->in_one > nest->most_in_one)
        nest->most_in_one = nest->in_one;
    nest->instances++;
    nest->later += !is_new;
    nest->later_fresh += is_new ? 0 : frame->fresh;
    nest->repeating +=
        frame->fresh * FRESH_SHARE <= turns && (frame->first - frame->fresh) * FIRST_SHARE >= turns;
}

static void book_nest(const struct abi_frame *frame) {
    uint32_t turns = turns_of(frame);
    struct abi_nest *nest = find_nest(frame);
    if (!nest) {
        recording()->entries_lost++;
        return;
    }
    nest->entries++;
    nest->turns += turns;
    nest->loads += frame->loads;
    nest->stores += frame->stores;
    nest->first += frame->first;
    nest->fresh += frame->fresh;
    if (turns >= runtime.control->record_iterations)
        note_instance(nest, frame, turns);
}

static void pop(void) {
    struct abi_frame *frame = &recorder.frames[recorder.depth];
    uint64_t distinct = recorder.distinct - frame->distinct;
    frame->first += distinct;
    frame->fresh += distinct;
    if (frame->watch)
        end_log(frame, turns_of(frame));
    if (recorder.depth > 1)
        book_nest(frame);
    frame[-1].loads += frame->loads;
    frame[-1].stores += frame->stores;
    recorder.depth--;
}

static void push(uint32_t loop) {
    struct abi_frame *frame = &recorder.frames[recorder.depth + 1];
    if (recorder.depth >= ABI_RECORD_DEPTH) {
        recording()->entries_lost++;
        return;
    }
    recorder.depth++;
    uint32_t now = ++recorder.now;
    if (now > LAST_STAMP)
        recording()->stamps_ended = 1;
    *frame = (struct abi_frame){.loop = loop,
                                .turns = 1,
                                .began = now,
                                .distinct = recorder.distinct,
                                .calls = recorder.calls};
    if (runtime.control->watch_count && recorder.depth > 1)
        begin_log(frame);
    set_limit();
}

static void leave(uint32_t depth) {
    while (recorder.depth > depth)
        pop();
    set_limit();
}

/* A loop left in the middle of an iteration counts that iteration. */
__attribute__((preserve_most)) void __slowpath_record_leave(uint32_t depth, uint32_t in_turn) {
    if (in_turn)
        recorder.frames[depth + 1].loop &= ~ABI_LOOP_TESTED;
    leave(depth);
}

/* An iteration of the loop at this depth: if that loop is not the one under way there, it starts.
 * All deeper loops end. */
__attribute__((preserve_most)) void __slowpath_record_turn(uint32_t depth, uint32_t loop) {
    if (!runtime.control || !runtime.control->running)
        return;
    leave(depth);
    struct abi_frame *frame = &recorder.frames[depth];
    if (recorder.depth == depth && frame->loop == loop) {
        frame->turns++;
        return;
    }
    leave(depth - 1);
    push(loop);
}

/* Enters a function that may call itself: one more iteration of its loop if that is active, with
 * the call chain of the first call. */
void __slowpath_record_recur(uint32_t loop) {
    if (!runtime.control || !runtime.control->running)
        return;
    uint32_t lowest = recorder.depth > ABI_RECORD_LEVELS ? recorder.depth - ABI_RECORD_LEVELS : 0;
    for (uint32_t at = recorder.depth; at > lowest; at--)
        if (recorder.frames[at].loop == loop) {
            recorder.frames[at].turns++;
            recorder.calls = recorder.frames[at].calls >> 32 << 32 | (uint32_t)recorder.calls;
            return;
        }
    push(loop);
}

/* ---- loads and stores ---- */

/* The load is fresh in the innermost loop. In which of the loops around it is it the first, and in
 * which is it fresh, too? */
static void count_fresh(uint32_t before, uint64_t weight) {
    struct abi_frame *frames = recorder.frames;
    uint32_t lowest = recorder.depth > ABI_RECORD_LEVELS ? recorder.depth - ABI_RECORD_LEVELS : 0;
    frames[recorder.depth].fresh += weight;
    for (uint32_t at = recorder.depth; at > lowest + 1 && before < frames[at - 1].began; at--) {
        frames[at - 1].first += weight;
        frames[at - 1].fresh += before < frames[at - 2].began ? weight : 0;
    }
}

__attribute__((preserve_most)) void __slowpath_record_load(uint32_t before, uint64_t value,
                                                           uint32_t site) {
    if (logging)
        log_load(value, site);
    else
        count_fresh(before, 1);
}

/* A part of a range; it counts as WEIGHT loads. */
static void read_part(const char *memory, uint64_t weight) {
    uint32_t *stamp = abi_shadow_entry(memory), before = *stamp;
    *stamp = recorder.now;
    if (before >= recorder.inner || logging)
        return;
    if (before < recorder.run) {
        recorder.distinct += weight;
        return;
    }
    recorder.frames[recorder.depth].first += weight;
    if (before < recorder.outer)
        count_fresh(before, weight);
}

static void log_range(const char *memory, uint64_t bytes, uint32_t site) {
    for (uint64_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t value = 0, left = bytes - at;
        memcpy(&value, memory + at, left < sizeof value ? left : sizeof value);
        log_load(value, site);
    }
}

/* Texts are compared only up to the first difference, so log one load per text. How much of a text
 * a search reads depends on the key, but which text it is does not. */
static void log_text(const char *memory) {
    bool by_values = runtime.control->watch_values;
    log_load(by_values ? (unsigned char)*memory : (uintptr_t)memory, 1);
}

/* A loop inside a library function; the function says how many iterations it takes. */
static struct abi_frame *push_library(uint64_t bytes) {
    uint32_t calls = (uint32_t)recorder.calls, depth = recorder.depth;
    uint32_t site = calls ? recorder.sites[(calls - 1) % ABI_RECORD_CALLS] : 0;
    push(ABI_LOOP_LIBRARY | (site & ABI_LOOP_NUMBER) |
         (site & ABI_CALL_VARIES ? ABI_LOOP_VARIES : 0));
    struct abi_frame *frame = &recorder.frames[recorder.depth];
    if (recorder.depth > depth)
        frame->turns = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    return frame;
}

/* A library function has read this many bytes. */
void __slowpath_record_read(const void *memory, uint64_t bytes) {
    if (!runtime.control || !runtime.control->running || !bytes)
        return;
    uint64_t calls = recorder.calls, step = bytes > FINE_BYTES ? 8 : 1;
    uint32_t depth = recorder.depth;
    recorder.calls ^= (uint64_t)++recorder.reads * 0x9e3779b1u << 32;
    bool is_loop = bytes >= runtime.control->record_iterations;
    struct abi_frame *frame = is_loop ? push_library(bytes) : &recorder.frames[depth];
    frame->loads += bytes;
    for (uint64_t at = 0; at < bytes; at += step)
        read_part((const char *)memory + at, bytes - at < step ? bytes - at : step);
    if (logging && is_loop && frame->watch)
        log_range(memory, bytes, 1);
    else if (logging)
        log_text(memory);
    if (is_loop)
        leave(depth);
    recorder.calls = calls;
}

/* Large ranges of stamps are released: not all of their pages were touched. */
void __slowpath_record_fill(void *memory, uint64_t bytes) {
    char *stamps = (char *)abi_shadow_entry(memory);
    uint64_t size = bytes * sizeof(uint32_t);
    if (!runtime.control || !runtime.control->recording || !bytes)
        return;
    if (size < FORGET_BYTES) {
        memset(stamps, 0, size);
        return;
    }
    char *first = (char *)(((uintptr_t)stamps + ABI_PAGE - 1) & ~(uintptr_t)(ABI_PAGE - 1));
    char *end = (char *)((uintptr_t)(stamps + size) & ~(uintptr_t)(ABI_PAGE - 1));
    memset(stamps, 0, (size_t)(first - stamps));
    madvise(first, (size_t)(end - first), MADV_DONTNEED);
    memset(end, 0, (size_t)(stamps + size - end));
}

void __slowpath_record_copy(void *to, const void *from, uint64_t bytes, uint32_t site) {
    if (!runtime.control || !runtime.control->running)
        return;
    recorder.frames[recorder.depth].loads += (bytes + 7) / 8;
    for (uint64_t at = 0; at < bytes; at += 8)
        read_part((const char *)from + at, 1);
    if (logging)
        log_range(from, bytes, site);
    __slowpath_record_fill(to, bytes);
}

void __slowpath_record_text(void *memory) {
    if (memory)
        __slowpath_record_fill(memory, strlen(memory) + 1);
}

void __slowpath_record_line(void *pointer, uint64_t bytes) {
    if ((int64_t)bytes >= 0)
        __slowpath_record_fill(*(char **)pointer, bytes + 1);
}

/* ---- runs ---- */

void runtime_record_open(void) {
    runtime_sym_reserve((void *)ABI_SHADOW_ENTRIES, ABI_SHADOW_WINDOW * sizeof(uint32_t));
    recorder.now = FIRST_STAMP;
}

void runtime_record_begin(void) {
    if (recorder.now > LAST_STAMP / 2) {
        madvise((void *)ABI_SHADOW_ENTRIES, ABI_SHADOW_WINDOW * sizeof(uint32_t), MADV_DONTNEED);
        recorder.now = FIRST_STAMP;
    }
    memset(recording(), 0, sizeof *recording());
    memset(nest_slots, 0, sizeof nest_slots);
    uint32_t now = ++recorder.now;
    recorder.depth = 0;
    recorder.calls = 0;
    recorder.distinct = 0;
    logging = 0;
    recorder.frames[0] = (struct abi_frame){.loop = ABI_LOOP_NUMBER, .turns = 1, .began = now};
    set_limit();
}

void runtime_record_end(void) {
    if (!runtime.control || !runtime.control->recording)
        return;
    leave(0);
    recording()->loads = recorder.frames[0].loads;
    recording()->distinct = recorder.distinct;
}

static char *append(char *to, const void *from, size_t size) {
    memcpy(to, from, size);
    return to + size;
}

/* Called by the worker, or by the server for a worker that died. */
void runtime_record_finish(void) {
    struct abi_control *control = runtime.control;
    const struct abi_recording *own = recording();
    if (own->nest_count > ABI_MAX_NESTS || own->log_count > ABI_MAX_LOG)
        return; /* it was overwritten */
    size_t nest_bytes = own->nest_count * sizeof(struct abi_nest);
    size_t log_bytes = own->log_count * sizeof(struct abi_logged);
    struct abi_trace head = {.magic = ABI_TRACE_MAGIC, .run = control->current};
    head.size = (sizeof head + sizeof *own + nest_bytes + log_bytes + 15) & ~15ull;
    if (head.size > ABI_TRACES_SIZE - control->traces_end)
        return;
    char *to = (char *)control + ABI_OFFSET_TRACES + control->traces_end;
    to = append(to, &head, sizeof head);
    to = append(to, own, sizeof *own);
    to = append(to, nests(), nest_bytes);
    append(to, log_entries(), log_bytes);
    control->traces_end += head.size;
}
