/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the input of a target? This file finds its size and layout, the inputs to start from, and
 * which sizes can grow or run through a range.
 */
#include "search/core/opened.h"

#include <string.h>

#define LARGEST_INPUT (ABI_OFFSET_NODES - ABI_OFFSET_INPUTS)
#define MOST_SIZES 100000

/* ---- the input ---- */

static bool find_bytes(struct opened *self, struct base_error *error) {
    const struct search_request *request = self->request;
    const struct target *target = self->target.measuring;
    uint64_t *bytes = &self->target.subject.layout.bytes;
    int64_t given = request->input_bytes;
    if (given < 0 && !target_ask_bytes(self->target.measuring, &given, error))
        return false;
    if (opened_has_entry(self) && given >= 0)
        return base_fail(error, BASE_USAGE,
                         "the entry tells the bytes of its input: write --size NAME=VALUE");
    if (opened_has_entry(self))
        return target_input_bytes(target, bytes, error);
    for (size_t i = 0; i < request->seed_count; i++)
        if (request->seeds[i].size > *bytes)
            *bytes = request->seeds[i].size;
    if (given >= 0)
        *bytes = (uint64_t)given;
    else if (self->target.strategy->varies_size)
        *bytes = request->most_bytes > *bytes ? request->most_bytes : *bytes;
    else if (!request->seed_count)
        return base_fail(error, BASE_USAGE,
                         target_entry_kind(target) == ABI_ENTRY_HARNESS
                             ? "how large is the input? --size BYTES"
                             : "how large is the input? --stdin BYTES, --file BYTES or --arg "
                               "K:BYTES");
    return true;
}

static bool add_bounds(const struct opened *self, struct search_layout *layout,
                       struct base_error *error) {
    search_layout_bound_links(layout, self->request->target.form);
    for (size_t i = 0; i < self->ranges.count; i++)
        if (!search_layout_bound(layout, self->ranges.data[i], error))
            return false;
    return true;
}

/* The first seeds are padded with zeros, or cut, to the length of all inputs. */
static void fit_starts(struct opened *self) {
    const struct search_request *request = self->request;
    uint64_t bytes = self->target.subject.layout.bytes;
    size_t changed = 0;
    for (size_t i = 0; i < request->seed_count; i++) {
        const struct target_input *seed = &request->seeds[i];
        bool stays = seed->size < bytes && self->target.strategy->varies_size;
        size_t size = stays ? seed->size : bytes;
        uint8_t *copy = base_alloc(size + 1);
        memcpy(copy, seed->data, seed->size < size ? seed->size : size);
        base_push(&self->starts, (struct target_input){copy, size});
        changed += size != seed->size;
    }
    if (changed)
        base_note("%zu of %zu seeds were filled up or cut to %llu bytes", changed,
                  request->seed_count, (unsigned long long)bytes);
}

bool opened_find_layout(struct opened *self, struct base_error *error) {
    struct search_layout *layout = &self->target.subject.layout;
    if (!find_bytes(self, error))
        return false;
    if (layout->bytes > LARGEST_INPUT)
        return base_fail(error, BASE_USAGE, "an input of %llu bytes is too large: at most %llu",
                         (unsigned long long)layout->bytes, (unsigned long long)LARGEST_INPUT);
    layout->is_typed = target_layout(self->target.measuring, layout->bytes, &layout->fields);
    if (!layout->is_typed)
        search_layout_of_bytes(layout->bytes, layout);
    fit_starts(self);
    return add_bounds(self, layout, error);
}

/* ---- sizes that grow ---- */

static bool layout_at(void *context, int64_t size, struct search_layout *layout) {
    const struct opened *self = context;
    const struct target *target = self->target.measuring;
    struct base_error error;
    if (!opened_has_entry(self)) {
        search_layout_of_bytes((uint64_t)size, layout);
        return size >= 0 && add_bounds(self, layout, &error);
    }
    layout->is_typed = true;
    return target_bytes_at(target, self->varying, size, &layout->bytes) &&
           target_layout(target, layout->bytes, &layout->fields) &&
           add_bounds(self, layout, &error);
}

static void select_size(void *context, size_t which, const int64_t *values) {
    struct opened *self = context;
    if (!opened_has_entry(self))
        return;
    self->varying = self->grows[which];
    for (size_t i = 0; i < self->target.subject.jobs; i++) {
        struct target *builds[] = {self->builds[i].measuring, self->builds[i].symbolic};
        for (size_t b = 0; b < BASE_COUNT(builds); b++) {
            for (size_t k = 0; builds[b] && k < self->sizes.count; k++)
                target_fix_size(builds[b], self->grows[k], values[k]);
            if (builds[b])
                target_vary_size(builds[b], self->varying);
        }
    }
}

/* The sizes to grow to, largest first, down to the one given. */
static void choose_growing(struct opened *self, const char *const *names, const int64_t *values,
                           size_t count) {
    struct search_sizes *sizes = &self->sizes;
    bool chosen[ABI_MAX_SIZES] = {false};
    for (;;) {
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (!chosen[i] && (best == count || values[i] > values[best]))
                best = i;
        if (best == count || (sizes->count && values[best] <= OPENED_SMALL_SIZE))
            break;
        chosen[best] = true;
        self->grows[sizes->count] = best;
        sizes->names[sizes->count] = names[best];
        sizes->wanted[sizes->count++] = values[best];
    }
}

/* An input without an entry has one size: its bytes. */
bool opened_find_sizes(struct opened *self, struct base_error *error) {
    const struct target *target = self->target.measuring;
    const char *const *names;
    int64_t values[ABI_MAX_SIZES];
    uint64_t bytes = self->target.subject.layout.bytes;
    size_t count = target_size_names(target, &names);
    bool is_wanted = self->target.strategy->is_scaled ||
                     (self->target.strategy->may_scale && opened_has_entry(self) && count == 1);
    if (!is_wanted)
        return true;
    self->sizes = (struct search_sizes){.layout = layout_at, .select = select_size, .self = self};
    self->target.subject.sizes = &self->sizes;
    if (!opened_has_entry(self)) {
        choose_growing(self, (const char *const[]){"n"}, &(int64_t){(int64_t)bytes}, 1);
        return true;
    }
    if (!count)
        return base_fail(error, BASE_USAGE,
                         "--strategy %s: the entry has no size to learn about, such as arr[n]",
                         self->target.strategy->name);
    if (!target_sizes_of(target, bytes, values, error))
        return false;
    choose_growing(self, names, values, count);
    self->varying = self->grows[0];
    return true;
}

/* ---- a range of sizes ---- */

static bool find_swept(struct opened *self, size_t *which, struct base_error *error) {
    const char *const *names;
    size_t count = opened_has_entry(self) ? target_size_names(self->target.measuring, &names) : 0;
    for (*which = 0; *which < count; ++*which)
        if (strcmp(names[*which], self->request->swept) == 0)
            return true;
    return base_fail(error, BASE_USAGE, "--size %s=...: the entry has no size '%s'",
                     self->request->swept, self->request->swept);
}

static bool lay_out_sizes(struct opened *self, int64_t last, struct base_error *error) {
    struct search_sweep *sweep = &self->sweep;
    if (last - sweep->first >= MOST_SIZES)
        return base_fail(error, BASE_USAGE, "--size %s=...: at most %d sizes", sweep->name,
                         MOST_SIZES);
    sweep->layouts = base_alloc((size_t)(last - sweep->first + 1) * sizeof *sweep->layouts);
    for (int64_t size = sweep->first; size <= last; size++)
        if (!layout_at(self, size, &sweep->layouts[sweep->count++]))
            return base_fail(error, BASE_USAGE, "--size %s=%lld makes no sense here", sweep->name,
                             (long long)size);
    return true;
}

/* Size values are computed from the length of each input. */
bool opened_find_sweep(struct opened *self, struct base_error *error) {
    int64_t values[ABI_MAX_SIZES];
    size_t which;
    if (!self->request->swept)
        return true;
    if (self->target.strategy->is_scaled)
        return base_fail(error, BASE_USAGE,
                         "--strategy %s takes one size and learns from smaller ones by itself",
                         self->target.strategy->name);
    if (!find_swept(self, &which, error) ||
        !target_sizes_of(self->target.measuring, self->target.subject.layout.bytes, values, error))
        return false;
    self->sizes = (struct search_sizes){.count = 1,
                                        .names = {self->request->swept},
                                        .wanted = {values[which]},
                                        .layout = layout_at,
                                        .select = select_size,
                                        .self = self};
    self->target.subject.sizes = &self->sizes;
    self->grows[0] = self->varying = which;
    self->sweep =
        (struct search_sweep){.name = self->request->swept, .first = self->request->first};
    self->target.subject.sweep = &self->sweep;
    target_vary_size(self->target.measuring, which);
    return lay_out_sizes(self, values[which], error);
}
