/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes one event of the path into the trace. It is inline, since most runs are short and consist
 * of little else.
 *
 * Consecutive runs start alike. So an event is compared with the one that the last run left in its
 * place, and as long as all are equal nothing is written, and nothing is handed over again.
 */
#ifndef SLOWPATH_RUNTIME_SYM_EVENT_H
#define SLOWPATH_RUNTIME_SYM_EVENT_H

#include "runtime/symbolic.h"

struct event_words {
    uint64_t head, about, value, cost;
};

static inline struct abi_event *runtime_sym_events(void) {
    return (struct abi_event *)(ABI_SHARED_ADDRESS + ABI_OFFSET_EVENTS);
}

static inline uint32_t runtime_sym_saturate(uint64_t count) {
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* MARK is stored behind the kind. */
static inline struct event_words runtime_sym_make_event(const struct abi_trace *live,
                                                        enum abi_event_kind kind, uint16_t mark,
                                                        uint32_t site, uint32_t expr,
                                                        uint64_t value) {
    _Static_assert(
        offsetof(struct abi_event, is_first) == 2 && offsetof(struct abi_event, site) == 4 &&
            offsetof(struct abi_event, expr) == 8 && offsetof(struct abi_event, value) == 16,
        "an event is four words without holes");
    return (struct event_words){(uint64_t)site << 32 | (uint32_t)mark << 16 | kind,
                                (uint64_t)runtime_sym_saturate(live->calls) << 32 | expr, value,
                                live->cost};
}

/* The caller has checked that there is room. */
static inline void runtime_sym_put_event(struct abi_trace *live, struct event_words words) {
    uint32_t at = live->event_count++;
    struct abi_event *event = &runtime_sym_events()[at];
    if (at == live->same_events && at < runtime.control->known_events) {
        struct event_words known;
        _Static_assert(sizeof known == sizeof *event, "four words");
        __builtin_memcpy(&known, event, sizeof known);
        if (!((known.head ^ words.head) | (known.about ^ words.about) |
              (known.value ^ words.value) | (known.cost ^ words.cost))) {
            live->same_events = at + 1;
            return;
        }
    }
    __builtin_memcpy(event, &words, sizeof words);
}

/* Stores the run's cost so far. */
static inline void runtime_sym_follow_cost(struct abi_trace *live) {
    uint64_t calls = __slowpath_sym_frames + __slowpath_sym_calls;
    if (live->cost < __slowpath_sym_cost)
        live->cost = __slowpath_sym_cost;
    if (live->calls < calls)
        live->calls = calls;
}

/* Is there room for an event, and no other event to write before it? */
static inline bool runtime_sym_can_put(const struct abi_trace *live) {
    return !runtime.is_uncounted && !runtime.costs_changed && !runtime_activations &&
           !live->flags && live->event_count < ABI_TRACE_MAX_EVENTS;
}

#endif
