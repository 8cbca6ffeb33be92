/* SPDX-License-Identifier: Apache-2.0
 *
 * In which state is the entry called? As --entry describes each parameter: an array is an object of
 * the input, a scalar is a value of it, a size has its number; everything else is unknown. A
 * harness gets the input as an array.
 */
#include "search/driven/driven.h"

#include <string.h>

/* The field of this name in the input. */
static const struct target_field *find_field(const struct search_layout *layout, const char *name) {
    for (size_t i = 0; i < layout->fields.count; i++)
        if (strcmp(layout->fields.data[i].name, name) == 0)
            return &layout->fields.data[i];
    return NULL;
}

static struct driven_value array_value(struct driven_machine *machine,
                                       const struct target_field *field) {
    uint64_t bytes = field->element_size * field->count;
    uint32_t number =
        driven_add_object(&machine->state, DRIVEN_INPUT, driven_number(64, (int64_t)bytes));
    machine->state.objects[number].is_array = 1;
    machine->state.objects[number].base = field->offset;
    return (struct driven_value){.kind = DRIVEN_POINTER, .width = 64, .object = number};
}

static bool is_integer(const struct target_field *field) {
    uint64_t size = field->element_size;
    return (size == 1 || size == 2 || size == 4 || size == 8) && !field->is_float &&
           target_is_raw(field->type) && strcmp(field->type->name, "_Bool") != 0;
}

static struct driven_value scalar_value(struct driven_machine *machine,
                                        const struct target_field *field) {
    if (!is_integer(field))
        return driven_unknown(DRIVEN_SURELY);
    struct driven_value place = array_value(machine, field);
    struct driven_value value = driven_load(machine, &place, (unsigned)field->element_size * 8);
    machine->state.objects[place.object].cells.count = 0; /* never read again */
    return value;
}

static struct driven_value argument_value(struct driven_machine *machine,
                                          const struct target_item *item, const int64_t *sizes) {
    const struct target_field *field = find_field(&machine->subject->layout, item->name);
    switch (item->kind) {
    case TARGET_SIZE:
        return driven_number(64, sizes[item->size]);
    case TARGET_ARRAY:
        return field ? array_value(machine, field) : driven_unknown(DRIVEN_PERHAPS);
    case TARGET_SCALAR:
        return field ? scalar_value(machine, field) : driven_unknown(DRIVEN_PERHAPS);
    case TARGET_NUMBER:
        if (item->is_real)
            return driven_unknown(DRIVEN_PLAIN);
        return driven_number(64, item->is_negative ? -(int64_t)item->magnitude
                                                   : (int64_t)item->magnitude);
    case TARGET_NULL:
        return driven_number(64, 0);
    default:
        return driven_unknown(DRIVEN_PERHAPS);
    }
}

static void set_arguments(struct driven_machine *machine, const struct target_entry *entry,
                          const struct ir_function *function) {
    const struct search_subject *subject = machine->subject;
    int64_t sizes[ABI_MAX_SIZES] = {0};
    bool fits = entry->items.count == function->parameter_count &&
                subject->entry.sizes(subject->entry.self, subject->layout.bytes, sizes);
    if (!fits || machine->precision == DRIVEN_NAIVE)
        return;
    for (size_t i = 0; i < entry->items.count; i++)
        driven_write(machine, (uint32_t)i, argument_value(machine, &entry->items.data[i], sizes));
}

/* A harness gets the bytes of the input and their number. */
static void set_harness(struct driven_machine *machine) {
    const struct search_layout *layout = &machine->subject->layout;
    struct target_field all = {.element_size = 1, .count = layout->bytes};
    if (machine->precision == DRIVEN_NAIVE)
        return;
    driven_write(machine, 0, array_value(machine, &all));
    driven_write(machine, 1, driven_number(64, (int64_t)layout->bytes));
}

static uint32_t find_start(const struct driven_machine *machine, bool *is_harness) {
    const struct target_entry *entry = machine->subject->entry.form;
    if (entry)
        return ir_find_function(machine->facts, entry->function);
    uint32_t number = ir_find_function(machine->facts, "LLVMFuzzerTestOneInput");
    *is_harness = number != IR_NONE && machine->facts->functions[number].parameter_count == 2;
    return *is_harness ? number : ir_find_function(machine->facts, "main");
}

bool driven_start(struct driven_machine *machine) {
    const struct target_entry *entry = machine->subject->entry.form;
    const struct ir_facts *facts = machine->facts;
    bool is_harness = false;
    uint32_t number = find_start(machine, &is_harness);
    if (number == IR_NONE || !facts->functions[number].block_count || !facts->code_count)
        return false;
    driven_state_clear(&machine->state);
    search_follower_begin(&machine->state.follower, machine->trail);
    driven_push_frame(machine, number);
    machine->cost = (struct driven_cost){0, 0};
    machine->is_open = machine->is_inexact = false;
    machine->instructions = 0;
    machine->marks.count = 0;
    if (entry)
        set_arguments(machine, entry, &facts->functions[number]);
    else if (is_harness)
        set_harness(machine);
    return driven_enter_block(machine, IR_NONE, facts->functions[number].first_block);
}
