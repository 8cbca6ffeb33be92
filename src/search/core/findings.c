/* SPDX-License-Identifier: Apache-2.0
 *
 * Which laws belong to one finding? Those with the same cause (measure/cause.h). A finding is
 * represented by its strongest law, which may change as laws come in.
 */
#include "search/core/core.h"

#include <stdlib.h>

void search_growth_free(struct search_growth *growth) {
    if (!growth)
        return;
    for (size_t i = 0; i < growth->findings.count; i++)
        base_vector_done(&growth->findings.data[i].laws);
    base_vector_done(&growth->findings);
    free(growth);
}

static bool belongs_to(const struct search_finding *finding, const struct search_growth_law *law) {
    for (size_t i = 0; i < finding->laws.count; i++)
        if (measure_cause_is_same(&finding->laws.data[i]->cause, &law->cause))
            return true;
    return false;
}

static struct search_finding *find(struct search_growth *growth,
                                   const struct search_growth_law *law) {
    for (size_t i = 0; i < growth->findings.count; i++)
        if (belongs_to(&growth->findings.data[i], law))
            return &growth->findings.data[i];
    base_push(&growth->findings, (struct search_finding){0});
    return &growth->findings.data[growth->findings.count - 1];
}

/* A stable sort: equal laws keep their order. */
static void sort_laws(struct search_finding *finding) {
    const struct search_growth_law **laws = finding->laws.data;
    for (size_t i = finding->laws.count - 1; i > 0; i--)
        if (laws[i]->strength > laws[i - 1]->strength) {
            const struct search_growth_law *stronger = laws[i];
            laws[i] = laws[i - 1];
            laws[i - 1] = stronger;
        }
}

static void sort_findings(struct search_growth *growth, struct search_finding *changed) {
    for (; changed > growth->findings.data; changed--) {
        struct search_finding *before = changed - 1, copy = *before;
        if (changed->laws.data[0]->strength <= before->laws.data[0]->strength)
            return;
        *before = *changed;
        *changed = copy;
    }
}

void search_add_finding(struct search_growth *growth, struct search_growth_law *law) {
    struct search_finding *finding = find(growth, law);
    const struct search_growth_law *led = finding->laws.count ? finding->laws.data[0] : NULL;
    base_push(&finding->laws, law);
    sort_laws(finding);
    law->leads = finding->laws.data[0] == law;
    if (law->leads && led)
        ((struct search_growth_law *)led)->leads = false;
    sort_findings(growth, finding);
}
