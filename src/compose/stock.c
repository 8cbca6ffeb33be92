/* SPDX-License-Identifier: Apache-2.0
 *
 * Which summaries are available? Those of this run, then those in the library; a missing one is
 * made when it is needed. With several ranks, those that will probably be needed are made ahead.
 */
#include "compose/composing.h"
#include "compose/library.h"
#include "compose/spread.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SECONDS 0.2
#define HASTY 2.0 /* times what a summary that lets nothing through was given: made again */
#define SMALL 48  /* a size from which larger ones start ... */
#define GROWN 256 /* ... at or above this size */
#define MOST_SIZES 2
#define MOST_OF_LINES 4 /* for a stage that runs once per line */

static struct compose_summary *known_summary(const struct composing *self, size_t stage,
                                             uint64_t bytes) {
    for (size_t i = 0; i < self->summaries.count; i++) {
        struct composing_summary *known = self->summaries.data[i];
        if (known->stage == stage && known->summary.bytes == bytes)
            return &known->summary;
    }
    return NULL;
}

/* The same, made for the currently fixed bytes. */
static struct compose_summary *framed_summary(const struct composing *self, size_t stage,
                                              uint64_t bytes) {
    char key[33];
    compose_name(&self->programs[stage], &self->settings, bytes, key);
    for (size_t i = 0; i < self->summaries.count; i++) {
        struct composing_summary *known = self->summaries.data[i];
        if (known->stage == stage && strcmp(known->summary.key, key) == 0)
            return &known->summary;
    }
    return NULL;
}

static void note_made(struct composing *self, const struct compose_summary *summary) {
    self->outcome->made++;
    if (self->request->library && summary->paths.count)
        compose_library_keep(self->request->library, summary);
}

/* Does a stage have summaries of enough sizes, not counting the small one that larger ones start
 * from? So a pipeline whose summaries are all in the library makes no others. */
static bool has_enough(const struct composing *self, size_t stage) {
    size_t most = self->pipeline->stages.data[stage].is_per_line ? MOST_OF_LINES : MOST_SIZES;
    size_t count = 0;
    for (size_t i = 0; i < self->summaries.count; i++)
        count += self->summaries.data[i]->stage == stage &&
                 (self->summaries.data[i]->summary.bytes != SMALL || self->request->bytes < GROWN);
    return count >= most;
}

bool composing_can_read(const struct composing *self, size_t stage, uint64_t bytes) {
    return bytes && bytes <= COMPOSING_MOST_BYTES &&
           (known_summary(self, stage, bytes) || !has_enough(self, stage));
}

/* Had it much less time than there is now, so that later stages have nothing to read? */
static bool is_hasty(const struct composing *self, size_t stage,
                     const struct compose_summary *summary) {
    bool writes = !self->programs[stage].is_read || summary->is_complete;
    for (size_t i = 0; i < summary->paths.count && !writes; i++)
        writes = summary->paths.data[i].output_bytes > 0;
    double seconds = fmin(self->settings.end - base_seconds(), self->share);
    return !writes && HASTY * summary->given < seconds;
}

static bool take_kept(struct composing *self, size_t stage, const char *key,
                      struct compose_summary *summary) {
    const char *library = self->request->library;
    if (!library || !compose_library_find(library, key, summary))
        return false;
    if (!is_hasty(self, stage, summary)) {
        self->outcome->found++;
        return true;
    }
    compose_summary_done(summary);
    return false;
}

/* Takes it from the library, or makes it. False: the stage cannot be summarised. */
static bool make_summary(struct composing *self, size_t stage, uint64_t bytes,
                         struct compose_summary *summary) {
    struct base_error error;
    char key[33];
    compose_name(&self->programs[stage], &self->settings, bytes, key);
    if (take_kept(self, stage, key, summary))
        return true;
    const struct compose_summary *small = bytes >= GROWN && !composing_has_tree(self)
                                              ? composing_find_summary(self, stage, SMALL)
                                              : NULL;
    double seconds = fmin(self->settings.end - base_seconds(), self->share);
    *summary = (struct compose_summary){0};
    if (composing_is_over(self) || seconds < LEAST_SECONDS)
        return false;
    struct composing_starts starts = {0};
    composing_list_starts(self, stage, &starts);
    self->settings.starts = starts.data;
    self->settings.start_count = starts.count;
    bool good = compose_explore(&self->programs[stage], &self->settings, bytes, small, seconds,
                                summary, &error);
    self->settings.start_count = 0;
    for (size_t i = 0; i < starts.count; i++)
        free((void *)starts.data[i].data);
    base_vector_done(&starts);
    if (!good) {
        if (error.code != BASE_STOPPED)
            composing_note(self, "stage %zu (%s) has no summary: %s", stage + 1,
                           composing_name(self, stage), error.message);
        return false;
    }
    self->outcome->summary_seconds += summary->seconds;
    note_made(self, summary);
    return true;
}

static struct compose_summary *add_summary(struct composing *self,
                                           struct composing_summary *fresh) {
    const struct compose_summary *summary = &fresh->summary;
    base_push(&self->summaries, fresh);
    composing_note(self, "stage %zu (%s), %" PRIu64 " bytes: %zu paths%s, the heaviest %.15g",
                   fresh->stage + 1, composing_name(self, fresh->stage), summary->bytes,
                   summary->paths.count, summary->is_found ? " (from the library)" : "",
                   summary->paths.count ? summary->paths.data[0].weight : 0);
    return &fresh->summary;
}

struct compose_summary *composing_find_summary(struct composing *self, size_t stage,
                                               uint64_t bytes) {
    struct compose_summary *known = self->settings.frame ? framed_summary(self, stage, bytes)
                                                         : known_summary(self, stage, bytes);
    if (known || (self->settings.frame ? has_enough(self, stage) || bytes > COMPOSING_MOST_BYTES
                                       : !composing_can_read(self, stage, bytes)))
        return known;
    struct composing_summary *fresh = base_alloc(sizeof *fresh);
    fresh->stage = stage;
    if (make_summary(self, stage, bytes, &fresh->summary))
        return add_summary(self, fresh);
    free(fresh);
    return NULL;
}

/* ---- several ranks: summaries that will probably be needed ---- */

struct wishes {
    struct compose_wish *data;
    size_t count, capacity;
};

static bool is_over_for(void *context) {
    return composing_is_over(context);
}

struct compose_spreading composing_spread(struct composing *self) {
    return (struct compose_spreading){.cluster = self->request->cluster,
                                      .programs = self->programs,
                                      .stages = self->pipeline->stages.count,
                                      .settings = &self->settings,
                                      .is_over = is_over_for,
                                      .context = self};
}

/* At most one per rank, so that a row of them takes no longer than one. */
static void wish(struct composing *self, struct wishes *wishes, size_t stage, uint64_t bytes) {
    const char *library = self->request->library;
    struct composing_summary *fresh = base_alloc(sizeof *fresh);
    char key[33];
    fresh->stage = stage;
    compose_name(&self->programs[stage], &self->settings, bytes, key);
    bool is_known = known_summary(self, stage, bytes) || !composing_can_read(self, stage, bytes) ||
                    wishes->count == cluster_size(self->request->cluster);
    for (size_t i = 0; i < wishes->count; i++)
        is_known |= wishes->data[i].stage == stage && wishes->data[i].bytes == bytes;
    if (!is_known && library && compose_library_find(library, key, &fresh->summary)) {
        self->outcome->found++;
        add_summary(self, fresh);
        return;
    }
    free(fresh);
    if (!is_known)
        base_push(wishes, ((struct compose_wish){.stage = stage, .bytes = bytes}));
}

static void grant(struct composing *self, struct wishes *wishes) {
    const struct compose_spreading spreading = composing_spread(self);
    double began = base_seconds(), left = self->settings.end - began;
    for (size_t i = 0; i < wishes->count; i++) {
        struct compose_wish *one = &wishes->data[i];
        one->seconds = fmax(fmin(left, self->share), LEAST_SECONDS);
        one->small = one->bytes >= GROWN ? known_summary(self, one->stage, SMALL) : NULL;
    }
    if (wishes->count && !composing_is_over(self))
        compose_spread(&spreading, wishes->data, wishes->count);
    for (size_t i = 0; i < wishes->count; i++) {
        struct compose_wish *one = &wishes->data[i];
        struct composing_summary *fresh = one->is_made ? base_alloc(sizeof *fresh) : NULL;
        if (!fresh)
            continue;
        *fresh = (struct composing_summary){one->stage, one->summary};
        note_made(self, &fresh->summary);
        add_summary(self, fresh);
    }
    self->outcome->summary_seconds += base_seconds() - began;
    base_vector_done(wishes);
}

/* A stage reads what the paths of the previous stage write. */
static void wish_behind(struct composing *self, struct wishes *wishes, size_t stage) {
    const struct target_stage *what = &self->pipeline->stages.data[stage];
    if (what->from == TARGET_FIRST)
        wish(self, wishes, stage, self->request->bytes);
    for (size_t i = 0; i < self->summaries.count && !what->is_per_line; i++) {
        struct composing_summary *before = self->summaries.data[i];
        for (size_t k = 0; before->stage == what->from && k < before->summary.paths.count; k++)
            wish(self, wishes, stage, before->summary.paths.data[k].output_bytes);
    }
}

/* First all stages at the size of the input, since many write about as much as they read (or at the
 * small size, if the input is large); then at the sizes of outputs. */
void composing_look_ahead(struct composing *self) {
    struct wishes wishes = {0};
    uint64_t first = self->request->bytes < GROWN ? self->request->bytes : SMALL;
    if (!self->request->cluster)
        return;
    for (size_t stage = 0; stage < self->pipeline->stages.count; stage++)
        if (!self->pipeline->stages.data[stage].is_per_line)
            wish(self, &wishes, stage, first);
    grant(self, &wishes);
    wish(self, &wishes, 0, self->request->bytes);
    grant(self, &wishes);
    for (size_t stage = 1; stage < self->pipeline->stages.count && !composing_is_over(self);
         stage++) {
        wish_behind(self, &wishes, stage);
        grant(self, &wishes);
    }
}
