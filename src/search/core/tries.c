/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the first run of a target show? Whether runs are repeatable, and what its input costs.
 */
#include "search/core/core.h"
#include "search/core/opened.h"
#include "target/template.h"

#include <stdlib.h>
#include <string.h>

#define REPEAT_SECONDS 1 /* for the first run, at most; also at most half of the time there is */
#define REPEAT_SHARE 4   /* a run longer than this fraction of that is not repeated */

/* Strategies that grow inputs try a small one: a large one might exceed the limit of a run. */
static uint64_t bytes_to_try(struct opened *self) {
    struct search_layout layout = {0};
    uint64_t bytes = self->target.subject.layout.bytes;
    if (!self->target.strategy->is_scaled)
        return bytes;
    self->sizes.select(self, 0, self->sizes.wanted);
    int64_t size =
        self->sizes.wanted[0] < OPENED_SMALL_SIZE ? self->sizes.wanted[0] : OPENED_SMALL_SIZE;
    if (self->sizes.layout(self, size, &layout))
        bytes = layout.bytes;
    search_layout_done(&layout);
    return bytes;
}

/* Keeps the result, in case time is up before any run of the search itself has ended. */
static void keep_tried(struct opened *self, const struct target_input *input,
                       const struct abi_result *result) {
    struct search_tried *tried = &self->tried;
    if (result->status != ABI_STATUS_OK || self->target.strategy->is_scaled || self->sweep.count)
        return;
    uint8_t *copy = base_alloc(input->size + 1);
    memcpy(copy, input->data, input->size);
    *tried =
        (struct search_tried){{copy, input->size},
                              *result,
                              measure_value(&self->target.measure, self->target.measuring, result)};
    self->target.subject.tried = tried;
}

static bool try_first(struct opened *self, const struct target_input *input,
                      enum target_verdict *verdict, struct base_error *error) {
    struct target *target = self->target.measuring;
    double seconds = self->request->seconds, most = REPEAT_SECONDS;
    struct target_input bytes = *input;
    struct base_buffer text = {0};
    struct abi_result result;
    if (seconds > 0 && seconds / 2 < most)
        most = seconds / 2;
    if (self->request->form) {
        target_template_render(self->request->form, input->data, &text);
        bytes = (struct target_input){text.count ? text.data : "", text.count};
    }
    target_limit_run(target, most);
    bool good = target_check_repeats(target, &bytes, most / REPEAT_SHARE, &result, verdict, error);
    target_limit_run(target, 0);
    if (good)
        keep_tried(self, input, &result);
    base_buffer_done(&text);
    return good;
}

/* Does the first input cost the same twice? If only in a fresh process, all runs get one. A long
 * run is cut short and not compared: the check must not use up the time of the search. */
bool opened_check_repeats(struct opened *self, struct base_error *error) {
    uint64_t bytes = bytes_to_try(self);
    uint8_t *zeros = base_alloc(bytes + 1);
    struct target_input input = {zeros, bytes};
    enum target_verdict verdict;
    search_clamp(&self->target.subject.layout, zeros, bytes);
    if (self->starts.count && !self->target.strategy->is_scaled)
        input = self->starts.data[0];
    bool good = try_first(self, &input, &verdict, error);
    free(zeros);
    if (good && verdict == TARGET_FRESH) {
        base_warn("%s: every input now gets a fresh process",
                  target_fresh_reason(self->target.measuring));
        self->options.fresh = true;
    }
    if (good && verdict == TARGET_DIFFERS)
        return base_fail(error, BASE_BROKEN,
                         "the target is not deterministic: repeated runs of one input cost "
                         "differently");
    return good;
}
