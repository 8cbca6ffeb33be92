/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls and loops in the trace. The active functions and loops are on a stack, and are written into
 * the trace only when a decision is made inside them. So code without decisions leaves no events,
 * and a thousand iterations between two decisions leave one.
 *
 * A loop with very many iterations and no decision ends the run, for example on a circular list.
 * This does not prove that it never ends; it exceeds what the loop bound allows to expect.
 *
 * Only the variant that records loops calls these hooks.
 */
#include "runtime/symbolic.h"

#define MAX_DEPTH 65536u /* deeper activations are not recorded */
#define UNTOLD UINT64_MAX

struct activation {
    uint32_t block; /* a function's entry, or a loop's header */
    uint32_t depth; /* nesting depth of the loop; 0: a function */
    uint64_t turns; /* back edges taken */
    uint64_t told;  /* iterations in the trace */
    const void *frame;
};

static RUNTIME_STATE struct activation *stack;
RUNTIME_STATE uint32_t runtime_activations; /* including those that do not fit */
static RUNTIME_STATE uint32_t stale;        /* all below this one are in the trace */
static RUNTIME_STATE uint64_t most;         /* limit for iterations without a decision */

void runtime_sym_open_loops(void) {
    stack = runtime_sym_reserve(NULL, MAX_DEPTH * sizeof *stack);
}

void runtime_sym_begin_loops(void) {
    runtime_activations = stale = 0;
    most = ABI_ENDLESS_TURNS(runtime.control->loop_bound);
}

static void mark_stale(uint32_t from) {
    if (from < stale)
        stale = from;
}

static void push(uint32_t block, uint32_t loop_depth, const void *frame) {
    if (runtime_activations < MAX_DEPTH)
        stack[runtime_activations] = (struct activation){block, loop_depth, 0, UNTOLD, frame};
    mark_stale(runtime_activations++);
}

static void pop(void) {
    runtime_activations--;
    if (runtime_activations < MAX_DEPTH && stack[runtime_activations].told != UNTOLD) {
        const struct activation *last = &stack[runtime_activations];
        runtime_sym_write(last->depth ? ABI_EVENT_LEAVE : ABI_EVENT_RETURN, 0, last->block, 0,
                          last->turns);
    }
    mark_stale(runtime_activations);
}

/* Ends the loops of the current function deeper than this. */
static void pop_loops(uint32_t loop_depth) {
    while (runtime_activations && runtime_activations <= MAX_DEPTH &&
           stack[runtime_activations - 1].depth > loop_depth)
        pop();
}

/* Drops the activations that longjmp has left, which lie below the current frame. */
void __slowpath_sym_call(uint32_t block) {
    const char *frame = __builtin_frame_address(0);
    while (runtime_activations && runtime_activations <= MAX_DEPTH &&
           (const char *)stack[runtime_activations - 1].frame < frame)
        pop();
    push(block, 0, frame);
}

void __slowpath_sym_return(uint32_t block) {
    (void)block;
    pop_loops(0);
    if (runtime_activations)
        pop();
}

static void turn(struct activation *loop) {
    uint64_t decided = loop->told == UNTOLD ? 0 : loop->told; /* iteration of the last decision */
    if (++loop->turns - decided > most)
        runtime_stop(ABI_STATUS_ENDLESS);
}

void __slowpath_sym_turn(uint32_t header, uint32_t loop_depth) {
    pop_loops(loop_depth);
    if (runtime_activations > MAX_DEPTH)
        return;
    if (runtime_activations && stack[runtime_activations - 1].depth == loop_depth &&
        stack[runtime_activations - 1].block != header)
        pop();
    if (runtime_activations && stack[runtime_activations - 1].depth == loop_depth) {
        turn(&stack[runtime_activations - 1]);
        mark_stale(runtime_activations - 1);
    } else
        push(header, loop_depth,
             runtime_activations ? stack[runtime_activations - 1].frame
                                 : __builtin_frame_address(0));
}

void __slowpath_sym_leave(uint32_t loop_depth) {
    pop_loops(loop_depth);
}

void runtime_sym_tell_loops(void) {
    uint32_t end = runtime_activations < MAX_DEPTH ? runtime_activations : MAX_DEPTH;
    for (; stale < end; stale++) {
        struct activation *at = &stack[stale];
        if (at->told == at->turns)
            continue;
        enum abi_event_kind kind = at->told != UNTOLD ? ABI_EVENT_TURN
                                   : at->depth        ? ABI_EVENT_LOOP
                                                      : ABI_EVENT_CALL;
        runtime_sym_write(kind, 0, at->block, 0, at->turns);
        at->told = at->turns;
    }
}
