/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a pipeline run as if it were one program?
 *
 * Each stage is a target of its own. A batch of inputs goes through the first one, the output of
 * each run through the next, and so on: no stage can tell that the one before it has ended already.
 * Costs are sums over the stages, peaks too, because a shell runs them side by side. The blocks of
 * all stages are numbered consecutively, as in the joined facts. A run that fails in one stage has
 * failed, and the later stages are not run for it.
 */
#include "target/chain_parts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Of all runs together: from then on, run fewer at a time. */
#define MUCH_OUTPUT ((size_t)16 << 20)
#define LINES_AT_ONCE ((size_t)1024) /* for a stage with one run per line */

/* ---- results ---- */

static uint64_t mix(uint64_t hash, uint64_t other) {
    hash = (hash ^ other) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* The number, in the pipeline, of a cost that a stage counts by name. */
uint32_t chain_counter_number(struct chain *chain, const char *name) {
    for (uint32_t i = 0; i < chain->counter_count; i++)
        if (strcmp(chain->counters[i], name) == 0)
            return i;
    if (chain->counter_count == ABI_MAX_COUNTERS)
        return ABI_MAX_COUNTERS;
    memcpy(chain->counters[chain->counter_count], name, ABI_NAME_SIZE);
    return chain->counter_count++;
}

static void rename_counters(struct chain *chain, const struct target *stage,
                            struct abi_costs *costs) {
    int64_t renamed[ABI_MAX_COUNTERS] = {0};
    char name[ABI_NAME_SIZE];
    for (uint32_t i = 0; target_counter_name(stage, i, name); i++) {
        uint32_t number = chain_counter_number(chain, name);
        if (number < ABI_MAX_COUNTERS)
            renamed[number] = costs->user[i];
    }
    memcpy(costs->user, renamed, sizeof renamed);
}

static void add_costs(struct abi_costs *sum, const struct abi_costs *costs) {
    sum->allocated += costs->allocated;
    sum->allocations += costs->allocations;
    sum->live += costs->live;
    sum->peak += costs->peak;
    sum->files_open += costs->files_open;
    sum->files_peak += costs->files_peak;
    for (size_t i = 0; i < ABI_MAX_COUNTERS; i++)
        sum->user[i] += costs->user[i];
}

/* Adds another run to the sum; the first one that failed determines the status. */
void chain_add_result(struct abi_result *sum, const struct abi_result *more) {
    struct abi_result before = *sum;
    if (sum->status != ABI_STATUS_OK && sum->status != ABI_STATUS_NONE)
        return;
    *sum = *more;
    sum->rejected |= before.rejected;
    sum->broken += before.broken;
    for (size_t i = 0; i < ABI_MAX_WEIGHTS; i++)
        sum->weighted[i] += before.weighted[i];
    sum->counts_hash = mix(before.counts_hash, more->counts_hash);
    sum->blocks_hash = mix(before.blocks_hash, more->blocks_hash);
    sum->magnitude_hash = mix(before.magnitude_hash, more->magnitude_hash);
    sum->wall_ns += before.wall_ns;
    sum->cpu_ns += before.cpu_ns;
    sum->output_first = before.output_first;
    sum->output_bytes += before.output_bytes;
    add_costs(&sum->costs, &before.costs);
}

/* ---- records: of the pipeline, and of each stage ---- */

static void lend_records(const struct chain *chain, const struct part *part) {
    if (chain->records)
        memcpy(part->records + 1, chain->records + 1 + part->first_block,
               target_facts(part->target)->block_count * sizeof *part->records);
}

static void return_records(const struct chain *chain, const struct part *part) {
    if (chain->records)
        memcpy(chain->records + 1 + part->first_block, part->records + 1,
               target_facts(part->target)->block_count * sizeof *part->records);
}

/* ---- one stage ---- */

static void add_counts(const struct chain *chain, const struct part *part, const uint64_t *counts) {
    uint32_t blocks = target_facts(part->target)->block_count;
    chain->counts[0] += counts[0];
    for (uint32_t i = 0; i < blocks; i++)
        chain->counts[1 + part->first_block + i] += counts[1 + i];
}

/* Runs inputs of one stage, with counts if requested. */
static bool run_part(struct chain *chain, struct part *part, const struct target_input *inputs,
                     size_t count, struct abi_result *results, struct base_error *error) {
    size_t at_once = chain->is_counting ? 1 : count;
    bool good = true;
    lend_records(chain, part);
    for (size_t i = 0; good && i < count; i += at_once) {
        if (chain->is_counting)
            target_keep_counts(part->target, true);
        good =
            target_run_kept(part->target, inputs + i, at_once, results + i, &part->output, error);
        if (chain->is_counting && good)
            add_counts(chain, part, target_kept_counts(part->target));
    }
    if (chain->is_counting)
        target_keep_counts(part->target, false);
    return_records(chain, part);
    for (size_t i = 0; good && i < count; i++)
        rename_counters(chain, part->target, &results[i].costs);
    return good;
}

/* ---- a tree as the input ----
 *
 * All stages see the files; later ones read the output of another stage as well. So each stage is
 * given the tree as part of its input, and lays out its own copy. */

void target_add_tree(const struct target_input *own, const struct target_input *tree,
                     struct base_buffer *given) {
    uint64_t bytes = tree->size;
    base_buffer_add(given, own->data, own->size);
    base_buffer_add(given, tree->data, tree->size);
    base_buffer_add(given, &bytes, sizeof bytes);
}

/* Appends each run's tree to what a stage reads. */
static void add_trees(struct part *part, struct target_input *own, size_t count,
                      const struct target_input *trees, const size_t *runs) {
    size_t starts[CHAIN_RUNS + 1] = {0};
    part->given.count = 0;
    for (size_t i = 0; i < count; i++) {
        target_add_tree(&own[i], &trees[runs[i]], &part->given);
        starts[i + 1] = part->given.count;
    }
    for (size_t i = 0; i < count; i++)
        own[i] = (struct target_input){part->given.data + starts[i], starts[i + 1] - starts[i]};
}

/* ---- one run for each line ---- */

/* Reads the next lines as inputs; false at the end. */
struct lines {
    const struct target_input *text;
    const struct target_input *tree; /* NULL: no tree */
    size_t at;
    struct base_buffer bytes; /* of all inputs */
    struct target_input inputs[LINES_AT_ONCE];
    size_t count;
};

static bool next_lines(struct lines *lines, const struct target_stage *stage) {
    size_t starts[LINES_AT_ONCE + 1] = {0};
    struct base_buffer line = {0};
    lines->bytes.count = lines->count = 0;
    while (lines->count < LINES_AT_ONCE && lines->bytes.count < MUCH_OUTPUT &&
           target_next_line(lines->text->data, lines->text->size, &lines->at, &line)) {
        if (stage->hole) {
            base_buffer_add(&lines->bytes, stage->before, strlen(stage->before));
            base_buffer_add(&lines->bytes, line.data, line.count);
            base_buffer_add(&lines->bytes, stage->behind, strlen(stage->behind));
        }
        if (lines->tree)
            target_add_tree(&(struct target_input){"", 0}, lines->tree, &lines->bytes);
        starts[++lines->count] = lines->bytes.count;
        line.count = 0;
    }
    base_buffer_add(&lines->bytes, "", 0);
    for (size_t i = 0; i < lines->count; i++)
        lines->inputs[i] =
            (struct target_input){lines->bytes.data + starts[i], starts[i + 1] - starts[i]};
    base_buffer_done(&line);
    return lines->count > 0;
}

/* One run per line. Together they may take as long as one run may. */
static bool run_lines(struct chain *chain, struct part *part, const struct target_input *input,
                      const struct target_input *tree, struct abi_result *result,
                      struct base_error *error) {
    struct lines *lines = base_alloc(sizeof *lines);
    struct abi_result *each = base_alloc(LINES_AT_ONCE * sizeof *each);
    double began = base_seconds();
    bool good = true;
    lines->text = input;
    lines->tree = chain->has_tree ? tree : NULL;
    *result = (struct abi_result){.status = ABI_STATUS_OK, .output_first = part->output.count};
    while (good && result->status == ABI_STATUS_OK && next_lines(lines, part->stage)) {
        good = run_part(chain, part, lines->inputs, lines->count, each, error);
        for (size_t i = 0; good && i < lines->count; i++)
            chain_add_result(result, &each[i]);
        if (base_seconds() - began > chain->run_seconds)
            result->status = ABI_STATUS_TIMEOUT;
    }
    result->output_bytes = part->output.count - result->output_first;
    base_buffer_done(&lines->bytes);
    free(lines);
    free(each);
    return good;
}

/* The input of a stage in run RUN. */
static struct target_input input_of(const struct chain *chain, const struct part *part,
                                    const struct target_input *inputs, size_t run) {
    if (part->stage->from == TARGET_FIRST)
        return chain->has_tree ? (struct target_input){"", 0} : inputs[run];
    const struct part *from = &chain->parts[part->stage->from];
    const struct abi_result *wrote = &from->results[run];
    return (struct target_input){from->output.data ? from->output.data + wrote->output_first : "",
                                 wrote->output_bytes};
}

/* Runs a stage for all runs that have not failed yet. */
static bool run_stage(struct chain *chain, struct part *part, const struct target_input *inputs,
                      size_t count, const struct abi_result *sums, struct base_error *error) {
    struct target_input own[CHAIN_RUNS];
    struct abi_result results[CHAIN_RUNS];
    size_t runs[CHAIN_RUNS], alive = 0;
    part->output.count = 0;
    memset(part->results, 0, sizeof part->results);
    for (size_t i = 0; i < count; i++)
        if (sums[i].status == ABI_STATUS_OK || sums[i].status == ABI_STATUS_NONE) {
            own[alive] = input_of(chain, part, inputs, i);
            runs[alive++] = i;
        }
    bool good = true;
    if (chain->has_tree && !part->stage->is_per_line)
        add_trees(part, own, alive, inputs, runs);
    if (!part->stage->is_per_line)
        good = run_part(chain, part, own, alive, results, error);
    for (size_t i = 0; good && part->stage->is_per_line && i < alive; i++)
        good = run_lines(chain, part, &own[i], &inputs[runs[i]], &results[i], error);
    for (size_t i = 0; good && i < alive; i++) {
        results[i].stage = (uint64_t)(part - chain->parts);
        part->results[runs[i]] = results[i];
    }
    return good;
}

/* ---- all stages ---- */

static void set_slice(struct chain *chain) {
    size_t bytes = 0;
    for (size_t i = 0; i < chain->count; i++)
        bytes += chain->parts[i].output.count;
    chain->slice = bytes > MUCH_OUTPUT ? chain->slice / 2 : chain->slice * 2;
    chain->slice = chain->slice > CHAIN_RUNS ? CHAIN_RUNS : chain->slice ? chain->slice : 1;
}

static bool run_some(struct chain *chain, const struct target_input *inputs, size_t count,
                     struct abi_result *sums, struct base_error *error) {
    memset(sums, 0, count * sizeof *sums);
    for (size_t i = 0; i < chain->count; i++) {
        struct part *part = &chain->parts[i];
        if (!run_stage(chain, part, inputs, count, sums, error))
            return false;
        for (size_t run = 0; run < count; run++)
            if (part->results[run].status != ABI_STATUS_NONE) {
                uint64_t output = sums[run].output_bytes;
                chain_add_result(&sums[run], &part->results[run]);
                sums[run].output_first = 0;
                sums[run].output_bytes = output + part->results[run].output_bytes;
            }
    }
    set_slice(chain);
    return true;
}

bool chain_run(struct chain *chain, const struct target_input *inputs, size_t count,
               struct abi_result *results, struct base_error *error) {
    for (size_t done = 0, taken; done < count; done += taken) {
        taken = count - done < chain->slice ? count - done : chain->slice;
        if (!run_some(chain, inputs + done, taken, results + done, error))
            return false;
    }
    return true;
}

const uint64_t *chain_run_counted(struct chain *chain, const struct target_input *input,
                                  struct abi_result *result, struct base_error *error) {
    memset(chain->counts, 0, ((size_t)chain->block_count + 1) * sizeof *chain->counts);
    chain->is_counting = true;
    bool good = chain_run(chain, input, 1, result, error);
    chain->is_counting = false;
    return good ? chain->counts : NULL;
}

bool chain_run_stages(struct chain *chain, const struct target_input *input,
                      struct abi_result *by_stage, struct base_error *error) {
    struct abi_result sum;
    if (!chain_run(chain, input, 1, &sum, error))
        return false;
    chain_last_stages(chain, by_stage);
    return true;
}

void chain_last_stages(const struct chain *chain, struct abi_result *by_stage) {
    for (size_t i = 0; i < chain->count; i++)
        by_stage[i] = chain->parts[i].results[0];
}

const void *chain_input_of(const struct chain *chain, const struct target_input *input,
                           size_t stage, size_t *size) {
    bool is_first = chain->parts[stage].stage->from == TARGET_FIRST;
    struct target_input own = is_first ? *input : input_of(chain, &chain->parts[stage], input, 0);
    *size = own.size;
    return own.data;
}

/* ---- does it repeat? ---- */

/* Checks each stage separately, with the input it reads in the pipeline. */
bool chain_check_repeats(struct chain *chain, const struct target_input *input, double longest,
                         struct abi_result *first, enum target_verdict *verdict,
                         struct base_error *error) {
    struct abi_result ignored;
    double began = base_seconds();
    *verdict = TARGET_REPEATS;
    if (!chain_run(chain, input, 1, first, error))
        return false;
    if (first->status == ABI_STATUS_TIMEOUT)
        base_note("stage %u (%s) has not ended on the first input, and was stopped",
                  (unsigned)first->stage + 1, chain->pipeline->stages.data[first->stage].text);
    if (longest > 0 && base_seconds() - began > longest)
        return true;
    for (size_t i = 0; i < chain->count; i++) {
        struct part *part = &chain->parts[i];
        struct target_input own = input_of(chain, part, input, 0);
        struct lines *lines = part->stage->is_per_line ? base_alloc(sizeof *lines) : NULL;
        enum target_verdict its = TARGET_REPEATS;
        bool good = true;
        if (lines) {
            lines->text = &own;
            lines->tree = chain->has_tree ? input : NULL;
        } else if (chain->has_tree)
            add_trees(part, &own, 1, input, &(size_t){0});
        if (part->results[0].status != ABI_STATUS_NONE &&
            (!lines || next_lines(lines, part->stage)))
            good = target_check_repeats(part->target, lines ? &lines->inputs[0] : &own, longest,
                                        &ignored, &its, error);
        if (lines)
            base_buffer_done(&lines->bytes);
        free(lines);
        if (!good)
            return false;
        if (its > *verdict) {
            *verdict = its;
            chain->suspect = part->target;
        }
    }
    return true;
}

const struct target *chain_suspect(const struct chain *chain) {
    return chain->suspect;
}

/* ---- opening ---- */

void chain_stage_options(const struct target_options *whole, size_t index,
                         struct target_options *options) {
    const struct target_stage *stage = &whole->pipeline->stages.data[index];
    *options = *whole;
    options->pipeline = NULL;
    options->keep_output = true;
    options->show_output = false;
    options->paths = &whole->paths[index];
    options->path_count = 1;
    options->args = (const char *const *)stage->words.data + 1;
    options->arg_count = stage->words.count - 1;
    options->arg_index = (uint32_t)stage->hole;
    options->entry = NULL;
}

static bool open_part(struct chain *chain, size_t index, const struct target_options *whole,
                      struct base_error *error) {
    struct part *part = &chain->parts[index];
    struct target_options options;
    struct base_error reason;
    part->stage = &chain->pipeline->stages.data[index];
    chain_stage_options(whole, index, &options);
    if (options.kind == INSTRUMENT_SYMBOLIC && part->stage->is_per_line)
        return target_pipeline_blame(chain->pipeline, index, BASE_USAGE,
                                     "paths through xargs are not followed", error);
    part->target = target_open(&options, &reason);
    if (!part->target)
        return target_pipeline_blame(chain->pipeline, index, reason.code, reason.message, error);
    if (options.kind == INSTRUMENT_SYMBOLIC)
        target_set_output(part->target, true);
    if (target_entry_kind(part->target) != ABI_ENTRY_PROGRAM)
        return target_pipeline_blame(chain->pipeline, index, BASE_TARGET,
                                     "a stage must have a main: this is a fuzz harness", error);
    return true;
}

static void hash_key(struct chain *chain) {
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, chain->pipeline->text);
    for (size_t i = 0; i < chain->count; i++)
        base_hash_add_text(&hash, target_key(chain->parts[i].target));
    base_hash_done(&hash, chain->key);
}

struct chain *chain_open(const struct target_options *options, struct ir_facts *facts,
                         struct base_error *error) {
    struct chain *chain = base_alloc(sizeof *chain);
    bool good = true;
    chain->pipeline = options->pipeline;
    chain->count = chain->pipeline->stages.count;
    chain->parts = base_alloc(chain->count * sizeof *chain->parts);
    chain->slice = 1;
    chain->has_tree = options->tree.objects > 0;
    chain->run_seconds = options->limits.seconds;
    for (size_t i = 0; good && i < chain->count; i++) {
        chain->parts[i].first_block = facts->block_count;
        good = open_part(chain, i, options, error);
        if (good)
            ir_facts_add(facts, target_facts(chain->parts[i].target));
    }
    chain->block_count = facts->block_count;
    chain->counts = base_alloc(((size_t)chain->block_count + 1) * sizeof *chain->counts);
    if (good) {
        hash_key(chain);
        return chain;
    }
    chain_close(chain);
    return NULL;
}

void chain_close(struct chain *chain) {
    for (size_t i = 0; i < chain->count; i++) {
        if (chain->parts[i].target)
            target_close(chain->parts[i].target);
        base_buffer_done(&chain->parts[i].output);
        base_buffer_done(&chain->parts[i].given);
    }
    free(chain->parts);
    free(chain->fixed);
    free(chain->records);
    free(chain->counts);
    free(chain);
}

/* ---- getters and setters ---- */

const struct target_pipeline *chain_pipeline(const struct chain *chain) {
    return chain->pipeline;
}

struct target *chain_stage(const struct chain *chain, size_t stage) {
    return chain->parts[stage].target;
}

const char *chain_key(const struct chain *chain) {
    return chain->key;
}

double chain_sum(const struct chain *chain, double (*value)(const struct target *stage)) {
    double sum = 0;
    for (size_t i = 0; i < chain->count; i++)
        sum += value(chain->parts[i].target);
    return sum;
}

bool chain_counter_name(const struct chain *chain, uint32_t counter, char name[ABI_NAME_SIZE]) {
    if (counter >= chain->counter_count)
        return false;
    memcpy(name, chain->counters[counter], ABI_NAME_SIZE);
    return true;
}

void chain_limit_run(struct chain *chain, double seconds) {
    for (size_t i = 0; i < chain->count; i++)
        target_limit_run(chain->parts[i].target, seconds);
}

/* Slot 0 is the bytes of library functions, in every stage. */
void chain_set_weights(struct chain *chain, uint32_t vector, const uint32_t *weights) {
    for (size_t i = 0; i < chain->count; i++) {
        struct part *part = &chain->parts[i];
        uint32_t blocks = target_facts(part->target)->block_count;
        uint32_t *own = base_alloc(((size_t)blocks + 1) * sizeof *own);
        own[0] = weights[0];
        memcpy(own + 1, weights + 1 + part->first_block, blocks * sizeof *own);
        target_set_weights(part->target, vector, own);
        free(own);
    }
}

uint64_t *chain_set_records(struct chain *chain, size_t *count) {
    size_t own;
    if (!chain->records)
        chain->records = base_alloc(((size_t)chain->block_count + 1) * sizeof *chain->records);
    for (size_t i = 0; i < chain->count; i++)
        chain->parts[i].records = target_set_records(chain->parts[i].target, &own);
    *count = (size_t)chain->block_count + 1;
    return chain->records;
}
