/* SPDX-License-Identifier: Apache-2.0
 *
 * How do inputs get through a target? They are handed over in batches as large as fit; results and
 * traces are copied, checked and passed on. A server that died is restarted, and a run that damages
 * the shared memory is found by making batches smaller.
 */
#include "target/internal.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH_BYTES ((uint64_t)1 << 30)
#define MOST_STARTS 5 /* in a row, without any run */

static void warn_denied(const struct target *target) {
    static bool is_said;
    if (!is_said && target_process_control(&target->process)->denied) {
        is_said = true;
        base_warn("the target wanted to write to a file outside of its own folder and was not "
                  "allowed to; --unconfined allows it");
    }
}

/* Reports each reason once. */
static void tell_obstacles(const struct target *target) {
    static const char *const reasons[] = {"it starts threads", "it starts processes",
                                          "it has files open", "its input is a file"};
    static atomic_uint told;
    uint32_t all = target_process_control(&target->process)->obstacles;
    unsigned before = atomic_fetch_or(&told, all);
    for (unsigned i = 0; i < BASE_COUNT(reasons); i++)
        if ((all & ~before) >> i & 1)
            base_detail("target: each run goes the whole way from its start, since %s", reasons[i]);
}

/* ---- one batch ---- */

static void set_sizes(struct target *target, const int64_t *values) {
    struct abi_control *control = target_process_control(&target->process);
    control->size_count = (uint32_t)target->size_count;
    for (size_t i = 0; i < target->size_count; i++) {
        snprintf(control->sizes[i].name, ABI_NAME_SIZE, "%s", target->size_names[i]);
        control->sizes[i].value = values[i];
    }
}

/* Lays out as many inputs as fit into one batch: equal sizes, within the input area. */
static bool lay_out(struct target *target, const struct target_input *inputs, size_t count,
                    size_t *taken, struct base_error *error) {
    char *shared = target->process.shared;
    struct abi_input *table = (struct abi_input *)(shared + ABI_OFFSET_INPUT_TABLE);
    int64_t first[ABI_MAX_SIZES] = {0}, values[ABI_MAX_SIZES];
    uint64_t offset = 0;
    size_t at = 0;
    for (; at < count && at < target->slice; at++) {
        if (at && offset + inputs[at].size > BATCH_BYTES)
            break;
        if (inputs[at].size > ABI_OFFSET_NODES - ABI_OFFSET_INPUTS)
            return base_fail(error, BASE_USAGE, "an input of %zu bytes is too large",
                             inputs[at].size);
        bool is_known = at && inputs[at].size == inputs[at - 1].size;
        if (!is_known && !target_sizes_of(target, inputs[at].size, at ? values : first, error))
            return false;
        if (!is_known && at && memcmp(first, values, target->size_count * sizeof *values) != 0)
            break;
        table[at] = (struct abi_input){offset, inputs[at].size};
        memcpy(shared + ABI_OFFSET_INPUTS + offset, inputs[at].data, inputs[at].size);
        offset += (inputs[at].size + 15) & ~(uint64_t)15;
    }
    set_sizes(target, first);
    *taken = at;
    return true;
}

/* A run that killed its server, or overwrote its own result. */
static struct abi_result crash_result(int number) {
    struct abi_result result = {.status = ABI_STATUS_CRASH, .signal = (uint32_t)number};
    result.check = abi_result_check(&result);
    return result;
}

static bool start_again(struct target *target, struct base_error *error) {
    struct abi_control *control = target_process_control(&target->process);
    target_process_stop(&target->process);
    control->restarts++;
    return target_start(target, error);
}

/* The server itself died: the current run is lost, the others continue in a new server. */
static void book_lost_run(struct target *target) {
    struct abi_control *control = target_process_control(&target->process);
    struct abi_result *results = (struct abi_result *)(target->process.shared + ABI_OFFSET_RESULTS);
    if (control->running)
        results[control->current] = crash_result(SIGKILL);
    control->completed += control->running;
    control->running = 0;
}

static bool hand_over(struct target *target, size_t count, enum target_outcome *outcome,
                      struct base_error *error) {
    struct abi_control *control = target_process_control(&target->process);
    control->batch = (uint32_t)count;
    control->next = 0;
    control->running = 0;
    control->traces_end = 0;
    control->kept_nodes = control->kept_events = 0;
    control->output_end = 0;
    if (target->process.output >= 0 && ftruncate(target->process.output, 0) != 0)
        return base_fail(error, BASE_BROKEN, "the file for output cannot be emptied");
    double began = base_seconds();
    if (target->process.server <= 0 && !start_again(target, error)) /* it was halted before */
        return false;
    for (int starts = 0; control->next < control->batch; starts++) {
        uint32_t before = control->next;
        *outcome = target_process_batch(&target->process, target->run_seconds);
        if (*outcome != TARGET_GONE)
            break;
        book_lost_run(target);
        starts = control->next > before ? 0 : starts;
        if (starts == MOST_STARTS)
            return base_fail(error, BASE_BROKEN,
                             "the target cannot be run: its processes end "
                             "before they reach an input");
        if (!start_again(target, error))
            return false;
    }
    if (*outcome == TARGET_HALTED)
        return base_fail(error, BASE_STOPPED, "the run was ended");
    *outcome = *outcome == TARGET_GONE ? TARGET_DONE : *outcome;
    target->waited += base_seconds() - began;
    return true;
}

/* Copies the results of a batch; false if one of them was overwritten. */
static bool take_results(struct target *target, size_t count) {
    const struct abi_result *produced =
        (const struct abi_result *)(target->process.shared + ABI_OFFSET_RESULTS);
    while (target->results.capacity < count)
        target->results.data =
            base_grow(target->results.data, &target->results.capacity, sizeof *produced);
    memcpy(target->results.data, produced, count * sizeof *produced);
    target->results.count = count;
    for (size_t i = 0; i < count; i++) {
        struct abi_result *result = &target->results.data[i];
        if (base_fault("result"))
            base_fault_damage(result, sizeof *result);
        if (result->check != abi_result_check(result) || result->status == ABI_STATUS_NONE ||
            result->status > ABI_STATUS_BOUNDS)
            return false;
        /* The real time is unknown, but this is a lower bound. */
        if (result->status == ABI_STATUS_TIMEOUT)
            result->wall_ns = (uint64_t)(target->run_seconds * 1e9);
    }
    return true;
}

/* Runs the first inputs, as many as fit into one batch. A run that overwrites shared memory takes
 * the results of others with it: batches get smaller until it is alone, and has crashed if it does
 * it again. */
static bool run_some(struct target *target, const struct target_input *inputs, size_t count,
                     size_t *taken, struct base_error *error) {
    const struct abi_control *control = target_process_control(&target->process);
    for (int alone = 0; alone < 2; alone += *taken <= 1) {
        enum target_outcome outcome = TARGET_DONE;
        if (!lay_out(target, inputs, count, taken, error) ||
            !hand_over(target, *taken, &outcome, error))
            return false;
        if (control->next < *taken && outcome == TARGET_DONE)
            *taken = control->next; /* traces or output did not fit */
        bool good = outcome == TARGET_DONE && *taken && take_results(target, *taken);
        target->slice = good ? target->slice * 2 : *taken > 1 ? *taken / 2 : 1;
        if (target->slice > TARGET_SLICE)
            target->slice = TARGET_SLICE;
        warn_denied(target);
        tell_obstacles(target);
        if (good)
            return true;
        target_process_forget(&target->process);
        if (!start_again(target, error))
            return false;
    }
    *taken = 1;
    target->results.count = 0;
    base_push(&target->results, crash_result(0));
    return true;
}

/* ---- traces ---- */

/* A trace in the memory file: without what it has in common with the previous one. */
struct record {
    struct abi_trace header;
    const char *rest;
};

/* Finds the trace of a run, which starts at AT; false: it has none. */
static bool find_record(const struct target *target, uint64_t at, size_t run,
                        struct record *record) {
    uint64_t room = target_process_control(&target->process)->traces_end - at;
    const char *trace = target->process.shared + ABI_OFFSET_TRACES + at;
    struct abi_trace *header = &record->header;
    if (room < sizeof *header)
        return false;
    memcpy(header, trace, sizeof *header);
    record->rest = trace + sizeof *header;
    return header->magic == ABI_TRACE_MAGIC && header->run == run &&
           header->size >= sizeof *header && header->size <= room;
}

/* Does it continue the last trace, and are the parts it adds complete? */
static bool fits(const struct abi_trace *header, const struct abi_trace *last) {
    uint64_t room = header->size - sizeof *header;
    return header->node_count <= ABI_TRACE_MAX_NODES &&
           header->event_count <= ABI_TRACE_MAX_EVENTS &&
           header->same_nodes <= header->node_count && header->same_events <= header->event_count &&
           header->same_nodes <= last->node_count && header->same_events <= last->event_count &&
           (header->node_count - header->same_nodes) * sizeof(struct abi_node) +
                   (header->event_count - header->same_events) * sizeof(struct abi_event) <=
               room;
}

/* Assembles the complete trace in our own memory, from the last one there: what is read more than
 * once must not change meanwhile. */
static bool take_trace(struct target *target, const struct record *record) {
    struct abi_trace header = record->header, last = {0};
    struct base_buffer *whole = &target->trace;
    if (whole->count)
        memcpy(&last, whole->data, sizeof last);
    whole->count = 0;
    if (!fits(&header, &last))
        return false;
    size_t same_nodes = header.same_nodes * sizeof(struct abi_node);
    size_t same_events = header.same_events * sizeof(struct abi_event);
    size_t nodes = header.node_count * sizeof(struct abi_node);
    size_t events = header.event_count * sizeof(struct abi_event);
    size_t tail = header.size - sizeof header - (nodes - same_nodes) - (events - same_events);
    header.size = sizeof header + nodes + events + tail;
    base_buffer_reserve(whole, header.size);
    char *node = whole->data + sizeof header, *event = node + nodes;
    memmove(event, node + last.node_count * sizeof(struct abi_node), same_events);
    memcpy(node + same_nodes, record->rest, nodes - same_nodes);
    memcpy(event + same_events, record->rest + (nodes - same_nodes), events - same_events + tail);
    memcpy(whole->data, &header, sizeof header);
    whole->count = header.size;
    return true;
}

/* The trace to pass on. A test may damage it, but not those that follow it. */
static const char *show_trace(struct target *target) {
    if (!base_fault("trace"))
        return target->trace.data;
    target->damaged.count = 0;
    base_buffer_add(&target->damaged, target->trace.data, target->trace.count);
    base_fault_damage(target->damaged.data, target->damaged.count);
    return target->damaged.data;
}

/* Passes on the traces of a batch in the order of its runs. */
static void show_traces(struct target *target, size_t first, size_t count, target_visit *visit,
                        void *context) {
    uint64_t at = 0;
    target->trace.count = 0;
    for (size_t run = 0; run < count; run++) {
        struct record record;
        bool has_one = find_record(target, at, run, &record);
        bool own = has_one && take_trace(target, &record);
        visit(first + run, &target->results.data[run], own ? show_trace(target) : NULL,
              own ? target->trace.count : 0, context);
        at += has_one ? record.header.size : 0;
    }
}

void target_set_aim(struct target *target, const struct target_aim *aim) {
    if (target->chain) {
        chain_set_aim(target->chain, aim);
        return;
    }
    struct abi_control *control = target_process_control(&target->process);
    size_t bytes = aim->fixed ? aim->bytes : 0;
    if (bytes > ABI_FIXED_SIZE * 8)
        bytes = ABI_FIXED_SIZE * 8;
    control->window_first = aim->fixed ? aim->first : 0;
    control->window_bytes = bytes;
    control->decision_limit = aim->decisions;
    control->snapshot = aim->snapshot;
    if (bytes)
        memcpy(target->process.shared + ABI_OFFSET_FIXED, aim->fixed, (bytes + 7) / 8);
}

void target_set_watches(struct target *target, const struct abi_watch *watches, uint32_t count,
                        bool by_values) {
    struct abi_control *control = target_process_control(&target->process);
    control->watch_count = count < ABI_MAX_WATCHES ? count : ABI_MAX_WATCHES;
    control->watch_values = by_values;
    if (count)
        memcpy(target->process.shared + ABI_OFFSET_SCRIPT, watches,
               control->watch_count * sizeof *watches);
}

/* Traces of a pipeline's stages always contain it. */
void target_set_output(struct target *target, bool is_told) {
    if (target->chain) {
        chain_set_output(target->chain, is_told);
        return;
    }
    target_process_control(&target->process)->tell_output = is_told;
}

/* The target may have written anything there. */
bool target_loss(const struct target *target, uint32_t number, struct abi_loss *loss) {
    if (target->chain)
        return chain_loss(target->chain, number, loss);
    const struct abi_control *control = target_process_control(&target->process);
    if (number >= control->loss_count || number >= ABI_MAX_LOSSES)
        return false;
    *loss = control->losses[number];
    loss->name[ABI_NAME_SIZE - 1] = 0;
    return true;
}

void target_set_force(struct target *target, const struct target_force *force) {
    struct abi_control *control = target_process_control(&target->process);
    char *shared = target->process.shared;
    control->is_forced = force != NULL;
    control->force_count = force ? force->script_count : 0;
    control->policy = force ? force->policy : (struct abi_policy){0};
    control->is_timed = force && force->times;
    uint32_t entry = control->is_timed ? sizeof *force->times : sizeof *force->script;
    if (control->force_count > (ABI_OFFSET_RULES - ABI_OFFSET_SCRIPT) / entry)
        control->force_count = (uint32_t)((ABI_OFFSET_RULES - ABI_OFFSET_SCRIPT) / entry);
    if (control->force_count)
        memcpy(shared + ABI_OFFSET_SCRIPT,
               control->is_timed ? (const void *)force->times : force->script,
               control->force_count * (size_t)entry);
    if (control->policy.rule_slots)
        memcpy(shared + ABI_OFFSET_RULES, force->rules,
               control->policy.rule_slots * sizeof *force->rules);
}

bool target_run_traced(struct target *target, const struct target_input *inputs, size_t count,
                       target_visit *visit, void *context, struct base_error *error) {
    if (target->chain)
        return chain_run_traced(target->chain, inputs, count, visit, context, error);
    for (size_t done = 0, taken = 0; done < count; done += taken) {
        if (!run_some(target, inputs + done, count - done, &taken, error))
            return false;
        show_traces(target, done, taken, visit, context);
    }
    return true;
}

bool target_run(struct target *target, const struct target_input *inputs, size_t count,
                struct abi_result *results, struct base_error *error) {
    if (target->chain)
        return chain_run(target->chain, inputs, count, results, error);
    for (size_t done = 0, taken = 0; done < count; done += taken) {
        if (!run_some(target, inputs + done, count - done, &taken, error))
            return false;
        memcpy(results + done, target->results.data, taken * sizeof *results);
    }
    return true;
}

/* Appends the output of one run. The run may have truncated the file: then only the rest counts. */
void target_take_output(const struct target *target, struct abi_result *result,
                        struct base_buffer *output) {
    off_t from = (off_t)result->output_first;
    size_t wanted = (size_t)result->output_bytes, got = 0;
    if (result->status != ABI_STATUS_OK)
        wanted = 0; /* nobody reads the output of a run that failed */
    result->output_first = output->count;
    base_buffer_reserve(output, wanted);
    char *bytes = output->data + output->count;
    while (got < wanted) {
        ssize_t count = pread(target->process.output, bytes + got, wanted - got, from + (off_t)got);
        if (count <= 0)
            break;
        got += (size_t)count;
    }
    output->count += got;
    output->data[output->count] = 0;
    result->output_bytes = got;
}

bool target_run_kept(struct target *target, const struct target_input *inputs, size_t count,
                     struct abi_result *results, struct base_buffer *output,
                     struct base_error *error) {
    for (size_t done = 0, taken = 0; done < count; done += taken) {
        if (!run_some(target, inputs + done, count - done, &taken, error))
            return false;
        memcpy(results + done, target->results.data, taken * sizeof *results);
        for (size_t i = 0; i < taken; i++)
            target_take_output(target, &results[done + i], output);
    }
    return true;
}

void target_keep_counts(struct target *target, bool are_kept) {
    target_process_control(&target->process)->keep_counts = are_kept;
}

const uint64_t *target_kept_counts(struct target *target) {
    const struct abi_control *control = target_process_control(&target->process);
    const uint64_t *shared = (const uint64_t *)(target->process.shared + ABI_OFFSET_COUNTERS);
    target->counts.count = 0;
    for (uint32_t i = 0; i <= target->facts.block_count; i++)
        base_push(&target->counts, i < control->slot_count ? shared[i] : 0);
    ir_complete_counts(&target->facts, target->counts.data + 1);
    return target->counts.data;
}

const uint64_t *target_run_counted(struct target *target, const struct target_input *input,
                                   struct abi_result *result, struct base_error *error) {
    if (target->chain)
        return chain_run_counted(target->chain, input, result, error);
    target_keep_counts(target, true);
    bool good = target_run(target, input, 1, result, error);
    target_keep_counts(target, false);
    return good ? target_kept_counts(target) : NULL;
}

uint64_t *target_set_records(struct target *target, size_t *count) {
    if (target->chain)
        return chain_set_records(target->chain, count);
    struct abi_control *control = target_process_control(&target->process);
    control->has_records = 1;
    *count = control->slot_count;
    return (uint64_t *)(target->process.shared + ABI_OFFSET_RECORDS);
}

/* ---- are runs repeatable? ---- */

static bool same_costs(const struct abi_result *a, const struct abi_result *b) {
    if (a->status != ABI_STATUS_OK || b->status != ABI_STATUS_OK)
        return true; /* nothing to compare: the runs were cut short */
    return a->counts_hash == b->counts_hash && a->exit_code == b->exit_code &&
           memcmp(&a->costs, &b->costs, sizeof a->costs) == 0;
}

/* Notes how a second run in the same process differs from the first; false: it does not. */
static bool differs(struct target *target, const struct abi_result results[2]) {
    const struct abi_control *control = target_process_control(&target->process);
    bool is_undone = target->kind == ABI_ENTRY_PROGRAM && !control->fresh;
    struct base_buffer *reason = &target->fresh_reason;
    reason->count = 0;
    if (!same_costs(&results[0], &results[1]))
        base_buffer_print(reason, "a second run in the same process differs from the first");
    else if (is_undone && control->left[0])
        base_buffer_print(reason, "a run leaves what cannot be put back (%s)", control->left);
    return reason->count > 0;
}

const char *target_fresh_reason(const struct target *target) {
    if (target->chain)
        return target_fresh_reason(chain_suspect(target->chain));
    return target->fresh_reason.count ? target->fresh_reason.data : "";
}

bool target_check_repeats(struct target *target, const struct target_input *input, double longest,
                          struct abi_result *first, enum target_verdict *verdict,
                          struct base_error *error) {
    if (target->chain)
        return chain_check_repeats(target->chain, input, longest, first, verdict, error);
    struct abi_control *control = target_process_control(&target->process);
    const struct target_input twice[2] = {*input, *input};
    struct abi_result results[2];
    *verdict = TARGET_REPEATS;
    control->left[0] = 0;
    double began = base_seconds();
    if (!target_run(target, twice, 1, results, error))
        return false;
    *first = results[0];
    if (results[0].status == ABI_STATUS_TIMEOUT || /* no need to run it again */
        (longest > 0 && base_seconds() - began > longest))
        return true;
    if (!target_run(target, twice + 1, 1, results + 1, error))
        return false;
    if (!differs(target, results))
        return true;
    *verdict = TARGET_DIFFERS;
    if (control->fresh)
        return true;
    target_process_stop(&target->process);
    control->fresh = 1;
    if (!target_start(target, error) || !target_run(target, twice, 2, results, error))
        return false;
    if (same_costs(&results[0], &results[1]))
        *verdict = TARGET_FRESH;
    return true;
}
