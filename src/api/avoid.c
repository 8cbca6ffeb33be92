/* SPDX-License-Identifier: Apache-2.0
 *
 * What if sequences crash although learning has ended? It may have been cut short, or a function
 * may fail only in ways that learning did not try. So the search keeps learning: if too many of the
 * latest sequences have crashed, the function that crashes far more often than the others is no
 * longer called, and that is reported.
 */
#include "api/search.h"

#define WINDOW 50    /* sequences between two checks */
#define TOLERATED 1  /* crashes among them that are tolerated */
#define LEAST 3      /* minimum of crashes to blame a function */
#define FAR_MORE 2.0 /* times the overall crash rate */
/* Imaginary good runs added for each function, so that a few runs prove little. */
#define CERTAIN 5

static void count_functions(struct api_search *search, const struct api_sequence *sequence,
                            bool is_crash) {
    for (uint32_t i = 0; i < sequence->count; i++) {
        uint32_t function = search->model->called.data[sequence->statements[i].function];
        bool is_first = true;
        for (uint32_t k = 0; k < i; k++)
            is_first &= sequence->statements[k].function != sequence->statements[i].function;
        search->blame[function].runs += is_first;
        search->blame[function].crashes += is_first && is_crash;
    }
}

static bool is_last_maker(const struct api_model *model, uint32_t function) {
    const struct api_function *known = &model->functions.data[function];
    for (uint32_t type = 0; type < model->types.count; type++) {
        bool has_other = false;
        for (uint32_t i = 0; i < model->called.count; i++) {
            uint32_t other = model->called.data[i];
            has_other |= other != function && !model->functions.data[other].is_avoided &&
                         api_makes(&model->functions.data[other], type);
        }
        if (api_makes(known, type) && !has_other)
            return true;
    }
    return false;
}

static void avoid_worst(struct api_search *search, double all) {
    uint32_t worst = IR_NONE;
    double most = FAR_MORE * all;
    for (uint32_t i = 0; i < search->model->functions.count; i++) {
        const struct api_blame *blame = &search->blame[i];
        double share = (double)blame->crashes / (blame->runs + CERTAIN);
        if (blame->crashes < LEAST || share <= most || is_last_maker(search->model, i))
            continue;
        most = share;
        worst = i;
    }
    if (worst == IR_NONE)
        return;
    search->model->functions.data[worst].is_avoided = true;
    for (uint32_t i = 0; i < search->model->functions.count; i++)
        if (i != worst)
            search->blame[i] = (struct api_blame){0};
    search->blamed_sequences = search->blamed_crashes = 0;
}

void api_search_blame(struct api_search *search, const struct api_sequence *sequence,
                      bool is_crash) {
    if (!search->blame)
        search->blame = base_alloc((search->model->functions.count + 1) * sizeof *search->blame);
    count_functions(search, sequence, is_crash);
    search->blamed_sequences++;
    search->blamed_crashes += is_crash;
    search->recent_crashes += is_crash;
    if (search->evaluations % WINDOW)
        return;
    if (search->recent_crashes > TOLERATED)
        avoid_worst(search, (double)search->blamed_crashes / search->blamed_sequences);
    search->recent_crashes = 0;
}
