/* SPDX-License-Identifier: Apache-2.0
 *
 * What the bytes of an input mean: the fields of an entry or plain bytes, and the bounds on them.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

void search_layout_done(struct search_layout *layout) {
    base_vector_done(&layout->fields);
    base_vector_done(&layout->ranges);
}

void search_layout_of_bytes(uint64_t bytes, struct search_layout *layout) {
    layout->bytes = bytes;
    base_push(&layout->fields, (struct target_field){.name = "in",
                                                     .type = &target_byte_type,
                                                     .row = &target_byte_type,
                                                     .element_size = 1,
                                                     .count = bytes,
                                                     .is_array = true});
}

/* ---- bounds ---- */

static void bound_field(struct search_layout *layout, const struct target_field *field, int64_t low,
                        int64_t high) {
    for (uint64_t i = 0; i < field->count; i++)
        base_push(
            &layout->ranges,
            (struct solver_range){.offset = (uint32_t)(field->offset + i * field->element_size),
                                  .width = (uint32_t)field->element_size * 8,
                                  .low = low,
                                  .high = high,
                                  .is_signed = field->is_signed});
}

void search_layout_bound_links(struct search_layout *layout, unsigned form) {
    layout->heap_form = form;
    for (size_t i = 0; i < layout->fields.count; i++)
        if (layout->fields.data[i].is_link)
            bound_field(layout, &layout->fields.data[i], 0, layout->fields.data[i].most_objects);
}

bool search_layout_bound(struct search_layout *layout, const char *text, struct base_error *error) {
    const struct target_field *field;
    int64_t low, high;
    if (!target_parse_bound(text, &layout->fields, &field, &low, &high, error))
        return false;
    bound_field(layout, field, low, high);
    return true;
}

static int64_t read_value(const struct solver_range *range, const uint8_t *input) {
    uint64_t value = 0;
    memcpy(&value, input + range->offset, range->width / 8);
    unsigned unused = 64 - range->width;
    return range->is_signed ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

/* Numbers beyond the last object wrap around to existing ones, evenly. */
static void wrap_links(const struct search_layout *layout, uint8_t *input, size_t size) {
    for (size_t i = 0; i < layout->fields.count; i++) {
        const struct target_field *field = &layout->fields.data[i];
        uint64_t end = field->offset + field->count * field->element_size;
        uint16_t number;
        for (uint64_t at = field->offset; field->is_link && at < end && at + 2 <= size; at += 2) {
            memcpy(&number, input + at, sizeof number);
            number %= (uint16_t)(field->most_objects + 1);
            memcpy(input + at, &number, sizeof number);
        }
    }
}

void search_clamp(const struct search_layout *layout, uint8_t *input, size_t size) {
    wrap_links(layout, input, size);
    for (size_t i = 0; i < layout->ranges.count; i++) {
        const struct solver_range *range = &layout->ranges.data[i];
        if (range->offset + range->width / 8 > size)
            continue;
        int64_t value = read_value(range, input);
        value = value < range->low ? range->low : value > range->high ? range->high : value;
        memcpy(input + range->offset, &value, range->width / 8);
    }
    if (layout->heap_form != TARGET_HEAP_ANY)
        search_break_rings(layout, layout->heap_form, input, size);
}
