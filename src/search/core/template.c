/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a strategy search a text with holes?
 *
 * It gets vectors of choices (target/template.h) in place of inputs. Measuring a vector renders it
 * and runs the text in the measuring build. Tracing a vector needs no run at all: until the text is
 * complete, the only code that branches on a choice is the lookup of what the choice stands for,
 * and everything behind it is concrete. The lookup is a binary search, so a choice among N is at
 * most log2(N) rounded up branches `choice < middle`; this file writes the trace that such code
 * would have left. So `exhaustive` covers every filling, `beam` goes from hole to hole, and no
 * symbolic build of the target is needed, which would take minutes for a large program.
 *
 * The price: bytes and digits in holes are choices like all others. Branches of the target on them
 * are not seen, and the cost of a part of the text is unknown: paths are compared by their whole
 * runs.
 */
#include "search/core/template.h"
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

struct search_form {
    const struct target_template *form;
    struct search_program inner;
    uint32_t first_site;      /* of the choices; blocks of the target have smaller numbers */
    struct base_buffer fixed; /* bits of the aim */
    uint64_t first;           /* of its window */
    size_t fixed_bytes;       /* in its window; 0: no window, everything is open */
    uint32_t limit;           /* decisions; 0: all */
    struct base_buffer trace, texts;
    BASE_VECTOR(struct abi_node) nodes;
    BASE_VECTOR(struct abi_event) events;
};

struct search_form *search_form_new(const struct target_template *form,
                                    const struct search_program *inner, uint32_t first_site) {
    struct search_form *self = base_alloc(sizeof *self);
    self->form = form;
    self->inner = *inner;
    self->first_site = first_site;
    return self;
}

void search_form_free(struct search_form *self) {
    base_buffer_done(&self->fixed);
    base_buffer_done(&self->trace);
    base_buffer_done(&self->texts);
    base_vector_done(&self->nodes);
    base_vector_done(&self->events);
    free(self);
}

/* ---- measuring ---- */

static bool measure(void *context, const struct target_input *inputs, size_t count,
                    struct abi_result *results, double *costs, struct base_error *error) {
    struct search_form *self = context;
    struct target_input *texts = base_alloc((count + 1) * sizeof *texts);
    size_t *starts = base_alloc((count + 1) * sizeof *starts);
    self->texts.count = 0;
    for (size_t i = 0; i < count; i++) {
        target_template_render(self->form, inputs[i].data, &self->texts);
        starts[i + 1] = self->texts.count;
    }
    for (size_t i = 0; i < count; i++)
        texts[i] = (struct target_input){self->texts.count ? self->texts.data + starts[i] : "",
                                         starts[i + 1] - starts[i]};
    bool good = self->inner.measure(self->inner.self, texts, count, results, costs, error);
    free(texts);
    free(starts);
    return good;
}

/* ---- tracing ---- */

static bool is_fixed(const struct search_form *self, uint32_t offset) {
    if (!self->fixed_bytes)
        return false;
    uint64_t at = offset - self->first;
    return offset < self->first || at >= self->fixed_bytes ||
           (self->fixed.data[at / 8] >> at % 8 & 1);
}

static uint32_t add_node(struct search_form *self, struct abi_node node) {
    base_push(&self->nodes, node);
    return (uint32_t)self->nodes.count - 1;
}

static void add_decision(struct search_form *self, uint32_t site, uint32_t input, uint64_t value,
                         uint64_t middle) {
    uint8_t width = self->nodes.data[input].width;
    uint32_t constant = add_node(self, (struct abi_node){.op = ABI_OP_CONST,
                                                         .width = width,
                                                         .b = (uint32_t)middle,
                                                         .c = (uint32_t)(middle >> 32)});
    uint32_t less =
        add_node(self, (struct abi_node){.op = ABI_OP_ULT, .width = 1, .a = input, .b = constant});
    base_push(&self->events,
              (struct abi_event){
                  .kind = ABI_EVENT_BRANCH, .site = site, .expr = less, .value = value < middle});
}

static bool is_enough(const struct search_form *self) {
    return self->limit && self->events.count >= self->limit;
}

/* The branches of a binary search for VALUE among COUNT. */
static void decide(struct search_form *self, uint32_t number, const uint8_t *vector) {
    const struct target_choice *choice = &self->form->choices.data[number];
    uint64_t value = target_template_get(choice, vector), low = 0, high = choice->count;
    if (choice->count < 2 || is_fixed(self, choice->offset))
        return;
    uint32_t input = add_node(self, (struct abi_node){.op = ABI_OP_INPUT,
                                                      .width = (uint8_t)(choice->width * 8),
                                                      .a = choice->offset - (uint32_t)self->first});
    while (high - low > 1 && !is_enough(self)) {
        uint64_t middle = low + (high - low) / 2;
        add_decision(self, self->first_site + number, input, value, middle);
        if (value < middle)
            high = middle;
        else
            low = middle;
    }
}

static void write_trace(struct search_form *self, size_t run, const uint8_t *vector) {
    self->nodes.count = self->events.count = self->trace.count = 0;
    add_node(self, (struct abi_node){0});
    for (uint32_t i = 0; i < self->form->choices.count && !is_enough(self); i++)
        decide(self, i, vector);
    size_t nodes = self->nodes.count * sizeof *self->nodes.data;
    size_t events = self->events.count * sizeof *self->events.data;
    struct abi_trace header = {.magic = ABI_TRACE_MAGIC,
                               .run = (uint32_t)run,
                               .node_count = (uint32_t)self->nodes.count,
                               .event_count = (uint32_t)self->events.count,
                               .size = sizeof header + nodes + events};
    base_buffer_add(&self->trace, &header, sizeof header);
    base_buffer_add(&self->trace, self->nodes.data, nodes);
    if (events)
        base_buffer_add(&self->trace, self->events.data, events);
}

static bool trace(void *context, const struct target_input *inputs, size_t count,
                  target_visit *visit, void *visitor, struct base_error *error) {
    struct search_form *self = context;
    struct abi_result result = {.status = ABI_STATUS_OK};
    (void)error;
    for (size_t i = 0; i < count; i++) {
        write_trace(self, i, inputs[i].data);
        visit(i, &result, self->trace.data, self->trace.count, visitor);
    }
    return true;
}

static void aim(void *context, const struct target_aim *aim) {
    struct search_form *self = context;
    self->limit = aim->decisions;
    self->fixed_bytes = aim->fixed ? aim->bytes : 0;
    self->first = aim->fixed ? aim->first : 0;
    self->fixed.count = 0;
    if (self->fixed_bytes)
        base_buffer_add(&self->fixed, aim->fixed, (self->fixed_bytes + 7) / 8);
}

struct search_program search_form_program(struct search_form *self) {
    return (struct search_program){.trace = trace, .measure = measure, .self = self, .aim = aim};
}

/* ---- layout, starts and strategy ---- */

#define FEW_FILLINGS 10000.0 /* up to this many, all can be run */
#define FEW_CHOICES 64u      /* up to this many, beam reaches the last one */
#define SAMPLES 32u          /* random fillings to start from, where there are too many to run */

const struct search_strategy *search_form_strategy(const struct target_template *form) {
    double fillings = target_template_fillings(form);
    const struct search_strategy *strategy = fillings <= FEW_FILLINGS ? &search_strategy_exhaustive
                                             : form->choices.count <= FEW_CHOICES
                                                 ? &search_strategy_beam
                                                 : &search_strategy_climb;
    base_note("auto: the template has %.6g fillings: strategy %s", fillings, strategy->name);
    return strategy;
}

void search_form_layout(const struct target_template *form, struct search_layout *layout) {
    layout->bytes = form->bytes;
    for (size_t i = 0; i < form->choices.count; i++) {
        const struct target_choice *choice = &form->choices.data[i];
        base_push(&layout->ranges, (struct solver_range){.offset = choice->offset,
                                                         .width = choice->width * 8,
                                                         .low = 0,
                                                         .high = (int64_t)choice->count - 1});
    }
}

size_t search_form_starts(const struct target_template *form) {
    return target_template_fillings(form) <= FEW_FILLINGS ? 1 : 1 + SAMPLES;
}

void search_form_start(const struct target_template *form, size_t number, uint64_t *random,
                       uint8_t *vector) {
    if (!number) {
        target_template_default(form, vector);
        return;
    }
    for (size_t i = 0; i < form->choices.count; i++) {
        const struct target_choice *choice = &form->choices.data[i];
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        uint64_t value = (*random >> 32) % choice->count;
        memcpy(vector + choice->offset, &value, choice->width);
    }
}
