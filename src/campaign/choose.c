/* SPDX-License-Identifier: Apache-2.0
 *
 * Which target is worth the next slice? A multi-armed bandit over recent gains: first every target
 * gets one slice, in the order of the file; then the one with the highest mean of points plus a
 * bonus that grows while it is not chosen ("Finite-time Analysis of the Multiarmed Bandit Problem",
 * Auer, Cesa-Bianchi, Fischer: UCB1). Weights of older slices are halved each time, as a target
 * that once gained much may be exhausted.
 *
 * Nothing here reads a clock or draws random numbers: given the seed, the choice follows from the
 * gains.
 */
#include "campaign/campaign.h"

#include <math.h>

#define RECORD_POINTS 0.5 /* the costliest test got clearly costlier */
#define TEST_POINTS 0.25  /* there is a new test */
#define CLEARLY 1.01
#define FADES 0.5
#define CURIOSITY 1.0
#define LARGEST_GROWTH 3u /* a target's slices double this often: searches need some length */

static bool is_free(const struct campaign_target *target) {
    return target->status == CAMPAIGN_OPEN && !target->is_running;
}

static double worth(const struct campaign *campaign, const struct campaign_target *target) {
    double mean = target->weight > 0 ? target->points / target->weight : 0;
    return mean + CURIOSITY * sqrt(log(1 + (double)campaign->slices) / (double)target->slices);
}

/* The target to start looking from: the seed decides between equal targets. */
size_t campaign_choose(const struct campaign *campaign, uint64_t seed) {
    size_t count = campaign->targets.count, best = CAMPAIGN_NONE;
    for (size_t i = 0; i < count; i++)
        if (is_free(&campaign->targets.data[(i + seed) % count]) &&
            !campaign->targets.data[(i + seed) % count].slices)
            return (size_t)((i + seed) % count);
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)((i + seed) % count);
        const struct campaign_target *target = &campaign->targets.data[at];
        if (is_free(target) &&
            (best == CAMPAIGN_NONE ||
             worth(campaign, target) > worth(campaign, &campaign->targets.data[best])))
            best = at;
    }
    return best;
}

double campaign_slice_seconds(const struct campaign_target *target, double first, double left) {
    unsigned doublings =
        target->slices < LARGEST_GROWTH ? (unsigned)target->slices : LARGEST_GROWTH;
    double seconds = first * (double)(1u << doublings);
    return seconds < left ? seconds : left;
}

/* The value of a slice, from 0 to 1, which a new finding is worth. */
static double points_of(const struct campaign_target *target, const struct campaign_slice *slice) {
    if (slice->findings > target->findings)
        return 1;
    return (slice->best > target->best * CLEARLY ? RECORD_POINTS : 0) +
           (slice->has_new_test ? TEST_POINTS : 0);
}

void campaign_book(struct campaign *campaign, size_t index, const struct campaign_slice *slice) {
    struct campaign_target *target = &campaign->targets.data[index];
    target->points = target->points * FADES + points_of(target, slice);
    target->weight = target->weight * FADES + 1;
    target->slices++;
    target->seconds += slice->seconds;
    target->best = slice->best;
    target->tests = slice->tests;
    target->findings = slice->findings;
    target->deaths = 0;
    if (slice->is_complete || target->is_whole)
        target->status = CAMPAIGN_COMPLETE;
    campaign->slices++;
}
