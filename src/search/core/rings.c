/* SPDX-License-Identifier: Apache-2.0
 *
 * Which pointers of an input break the form that the heap must have? They are set to null. This is
 * for inputs that did not come from the solver: drawn at random, or mutated. Pointers are followed
 * depth first from the arguments, so the first path to an object stays.
 *
 * The file also limits the time of a run where rings are allowed: a run that follows a ring never
 * ends, and all others take microseconds, as there are only a few objects.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

#define RING_SECONDS 0.02

enum state { UNSEEN, ON_THE_WAY, DONE };

struct visit {
    const struct search_layout *layout;
    uint8_t *input;
    size_t size;
    unsigned form;
    uint32_t objects; /* of each pool, at most */
    uint8_t *states;  /* by pool and object */
};

static void follow(struct visit *visit, const struct target_field *field, uint64_t element);

static void follow_object(struct visit *visit, uint32_t pool, uint32_t object) {
    for (size_t i = 0; i < visit->layout->fields.count; i++) {
        const struct target_field *field = &visit->layout->fields.data[i];
        if (!field->is_link || !field->each || field->owner != pool)
            continue;
        for (uint64_t e = 0; e < field->each; e++)
            follow(visit, field, (object - 1) * field->each + e);
    }
}

static void follow(struct visit *visit, const struct target_field *field, uint64_t element) {
    uint64_t at = field->offset + element * field->element_size;
    uint16_t object = 0;
    if (at + sizeof object > visit->size)
        return;
    memcpy(&object, visit->input + at, sizeof object);
    if (!object || object > field->most_objects - field->is_in_union || field->is_code)
        return;
    uint8_t *state = &visit->states[(size_t)field->pool * (visit->objects + 1) + object];
    if (*state == ON_THE_WAY || (*state == DONE && visit->form == TARGET_HEAP_TREE)) {
        memset(visit->input + at, 0, sizeof object);
        return;
    }
    if (*state == DONE)
        return;
    *state = ON_THE_WAY;
    follow_object(visit, field->pool, object);
    *state = DONE;
}

void search_break_rings(const struct search_layout *layout, unsigned form, uint8_t *input,
                        size_t size) {
    struct visit visit = {.layout = layout, .input = input, .size = size, .form = form};
    uint32_t pools = 0;
    for (size_t i = 0; i < layout->fields.count; i++) {
        const struct target_field *field = &layout->fields.data[i];
        if (!field->is_link)
            continue;
        visit.objects = field->most_objects > visit.objects ? field->most_objects : visit.objects;
        pools = field->pool >= pools ? field->pool + 1 : pools;
    }
    if (!pools)
        return;
    visit.states = base_alloc((size_t)pools * (visit.objects + 1));
    for (size_t i = 0; i < layout->fields.count; i++)
        if (layout->fields.data[i].is_link && !layout->fields.data[i].each)
            follow(&visit, &layout->fields.data[i], 0);
    free(visit.states);
}

double search_ring_seconds(const struct search_layout *layout) {
    if (layout->heap_form == TARGET_HEAP_ANY)
        for (size_t i = 0; i < layout->fields.count; i++)
            if (layout->fields.data[i].is_link)
                return RING_SECONDS;
    return 0;
}

void search_shorten_runs(struct search *search, double seconds) {
    for (size_t i = 0; i < search->subject.jobs; i++)
        if (search->subject.programs[i].limit)
            search->subject.programs[i].limit(search->subject.programs[i].self, seconds);
}
