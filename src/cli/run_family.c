/* SPDX-License-Identifier: Apache-2.0
 *
 * A test whose path leaves costs open stands for a family: the costs of all its members as
 * formulas, and where these were confirmed.
 */
#include "cli/run.h"
#include "suite/suite.h"

#include <string.h>

/* The name of a cost as in --measure; NULL: an unknown counter. */
static const char *cost_name(const struct cli_run *run, int cost, char *text, size_t size) {
    static const char *const names[] = {
#define CARRIED(id, name) name,
#define TOLD(id, name, field) name,
        ABI_COSTS(CARRIED, TOLD)
#undef CARRIED
#undef TOLD
    };
    const struct search_program *program = &run->subject->programs[0];
    struct search_counter counter;
    if (cost < ABI_COST_USER)
        return names[cost];
    if (!program->counter ||
        !program->counter(program->self, (uint32_t)cost - ABI_COST_USER, &counter))
        return NULL;
    snprintf(text, size, "count:%s", counter.name);
    return text;
}

static bool is_confirmed(const struct search_description *told) {
    for (size_t i = 0; i < told->point_count; i++)
        if (!told->points[i].is_confirmed)
            return false;
    return told->point_count > 0;
}

static json_t *points_json(const struct cli_run *run, const struct search_description *told) {
    json_t *points = json_array();
    char text[ABI_NAME_SIZE + 8];
    for (size_t i = 0; i < told->point_count; i++) {
        json_t *point = json_object();
        for (int k = 0; k < ABI_COST_COUNT; k++) {
            const char *name = told->costs[k] ? cost_name(run, k, text, sizeof text) : NULL;
            if (name)
                json_object_set_new(point, name,
                                    json_integer((json_int_t)told->points[i].costs[k]));
        }
        json_array_append_new(points, point);
    }
    return points;
}

void cli_family_tell(const struct cli_run *run, const struct search_description *told,
                     struct suite_test *test) {
    char text[ABI_NAME_SIZE + 8];
    if (!told->family)
        return;
    test->symbolic = json_object();
    for (int i = 0; i < ABI_COST_COUNT; i++) {
        const char *name = told->costs[i] ? cost_name(run, i, text, sizeof text) : NULL;
        if (name)
            json_object_set_new(test->symbolic, name, json_string(told->costs[i]));
    }
    if (!test->more)
        test->more = json_object();
    json_object_set_new(test->more, "family", json_string(told->family));
    if (told->adheres)
        json_object_set_new(test->more, "adheres", json_string(told->adheres));
    json_object_set_new(test->more, "points", points_json(run, told));
    json_object_set_new(test->more, "confirmed", json_boolean(is_confirmed(told)));
}

void cli_family_print(FILE *out, const struct cli_run *run, const struct search_description *told) {
    char text[ABI_NAME_SIZE + 8];
    bool is_first = true;
    if (!told->family)
        return;
    fprintf(out, "    one of a family: ");
    for (int i = 0; i < ABI_COST_COUNT; i++) {
        const char *name =
            told->costs[i] && i != ABI_COST_LIVE ? cost_name(run, i, text, sizeof text) : NULL;
        if (name)
            fprintf(out, "%s%s = %s", is_first ? "" : ", ", name, told->costs[i]);
        is_first &= !name;
    }
    fprintf(out, "%s%s (%s at %zu points)", *told->family ? " when " : "", told->family,
            is_confirmed(told) ? "confirmed" : "NOT confirmed", told->point_count);
    if (told->adheres)
        fprintf(out, "; adheres to the policy when %s", told->adheres);
    fputc('\n', out);
}
