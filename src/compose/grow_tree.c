/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a small tree of files become a large one that costs as much per file? Its cells are
 * repeated, but names in a folder must differ. Where can a number be put into a name without harm?
 * A program may look at the end of names, at their beginning, or at all of them; so places are
 * tried on the small tree one after another. Contents are repeated, or their words are numbered
 * from file to file.
 */
#include "compose/cells.h"
#include "compose/grow.h"

#include <math.h>

#define PLACES 12u        /* tried from either end of the names */
#define MOST_WAITING 0.25 /* of the time left, for a large tree */

struct grown_tree {
    struct search *search;
    const struct abi_tree *small, *whole;
    const struct target_input *input;
    uint32_t unit; /* objects of the small tree */
};

static bool measure(struct grown_tree *in, uint32_t count, const struct compose_tree_growth *growth,
                    double *cost, struct base_error *error) {
    struct base_buffer tree = {0};
    compose_repeat_tree(in->small, in->input->data, in->input->size, in->whole, count, growth,
                        &tree);
    bool good =
        compose_measure(in->search, &(struct target_input){tree.data, tree.count}, cost, error);
    base_buffer_done(&tree);
    return good;
}

static unsigned digits_of(uint32_t count) {
    unsigned digits = 1;
    while (count /= 10)
        digits++;
    return digits;
}

/* Finds the place for a number at which the small tree keeps most of its cost. */
static bool find_naming(struct grown_tree *in, struct compose_naming *best,
                        struct base_error *error) {
    double most = -1, cost;
    bool good = true;
    *best = (struct compose_naming){.is_off = true};
    for (unsigned i = 0; good && i < 2 * PLACES && !search_is_over(in->search); i++) {
        struct compose_tree_growth growth = {
            .naming = {.from_end = i % 2, .at = i / 2, .digits = digits_of(in->whole->objects)}};
        good = measure(in, in->unit, &growth, &cost, error);
        if (good && cost > most) {
            most = cost;
            *best = growth.naming;
        }
    }
    return good;
}

/* As many objects as there is time to run a few times. */
static uint32_t affordable(const struct grown_tree *in, double seconds) {
    const struct search *search = in->search, *outer = search->outer ? search->outer : search;
    double left = fmax(compose_end_of(outer) - base_seconds(), 0);
    double most = MOST_WAITING * left / fmax(seconds, 1e-6) * in->unit;
    return most < in->whole->objects ? (uint32_t)most : in->whole->objects;
}

/* Grows with that naming in all ways. The small tree is timed first, to limit the number of
 * objects. */
static bool grow_to(struct grown_tree *in, const struct compose_naming *naming, bool fills,
                    struct base_error *error) {
    const struct compose_tree_growth ways[] = {
        {.naming = *naming, .fills = fills},
        {.naming = *naming, .fills = fills, .counts_down = true},
        {.naming = *naming, .fills = fills, .step = 1},
        {.naming = *naming, .fills = fills, .counts_down = true, .step = -1},
        {.naming = *naming, .fills = fills, .mixes = true}};
    double cost = NAN, began = base_seconds();
    bool good = search_is_over(in->search) || measure(in, in->unit, &ways[0], &cost, error);
    uint32_t count = isnan(cost) ? 0 : affordable(in, base_seconds() - began);
    for (size_t i = 0;
         good && count > in->unit && i < BASE_COUNT(ways) && !search_is_over(in->search); i++)
        good = measure(in, count, &ways[i], &cost, error);
    return good;
}

bool compose_grow_tree(struct search *search, const struct abi_tree *small,
                       const struct abi_tree *whole, const struct target_input *input,
                       struct base_error *error) {
    struct grown_tree in = {.search = search,
                            .small = small,
                            .whole = whole,
                            .input = input,
                            .unit = (uint32_t)(input->size / abi_tree_cell(small))};
    const struct compose_tree_growth none = {.naming = {.is_off = true}};
    struct compose_naming naming;
    double cost = NAN;
    if (in.unit && !measure(&in, in.unit, &none, &cost, error))
        return false;
    return isnan(cost) || in.unit >= whole->objects ||
           (find_naming(&in, &naming, error) && grow_to(&in, &none.naming, false, error) &&
            grow_to(&in, &naming, false, error) && grow_to(&in, &naming, true, error));
}
