/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a campaign as JSON: for --json, for other programs while it runs, and for --resume.
 * Targets are recognised by name and command line.
 */
#include "campaign/campaign.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [CAMPAIGN_OPEN] = "open", [CAMPAIGN_COMPLETE] = "complete", [CAMPAIGN_FAILED] = "failed"};

const char *campaign_status_name(const struct campaign_target *target) {
    return target->is_running ? "running" : names[target->status];
}

void campaign_hash(const struct campaign_target *target, char hash[33]) {
    struct base_hash state;
    base_hash_init(&state);
    for (size_t i = 0; i < target->words.count; i++)
        base_hash_add_text(&state, target->words.data[i]);
    base_hash_done(&state, hash);
}

static json_t *words_json(const struct base_strings *words) {
    json_t *array = json_array();
    for (size_t i = 0; i < words->count; i++)
        json_array_append_new(array, json_string(words->data[i]));
    return array;
}

static json_t *target_json(const struct campaign_target *target) {
    char hash[33];
    campaign_hash(target, hash);
    json_t *json = json_pack(
        "{s:s, s:o, s:s, s:s, s:I, s:f, s:f, s:I, s:I, s:f, s:f}", "name", target->name, "words",
        words_json(&target->words), "hash", hash, "status", campaign_status_name(target), "slices",
        (json_int_t)target->slices, "seconds", target->seconds, "best", target->best, "tests",
        (json_int_t)target->tests, "findings_count", (json_int_t)target->findings, "points",
        target->points, "weight", target->weight);
    json_object_set_new(json, "problem",
                        target->problem ? json_string(target->problem) : json_null());
    json_object_set_new(json, "suite", json_string(target->name));
    if (target->found)
        json_object_set(json, "findings", target->found);
    else
        json_object_set_new(json, "findings", json_array());
    return json;
}

json_t *campaign_json(const struct campaign *campaign, const char *state) {
    json_t *targets = json_array();
    for (size_t i = 0; i < campaign->targets.count; i++)
        json_array_append_new(targets, target_json(&campaign->targets.data[i]));
    return json_pack("{s:s, s:s, s:f, s:I, s:o}", "slowpath", SLOWPATH_VERSION, "state", state,
                     "seconds", campaign->seconds, "slices", (json_int_t)campaign->slices,
                     "targets", targets);
}

/* ---- reading ---- */

static double number(const json_t *object, const char *name) {
    double value = json_number_value(json_object_get(object, name));
    return value > 0 ? value : 0;
}

static const json_t *find_target(const json_t *root, const struct campaign_target *target) {
    const json_t *targets = json_object_get(root, "targets"), *other;
    char hash[33];
    size_t index;
    campaign_hash(target, hash);
    json_array_foreach((json_t *)targets, index, other) {
        const char *name = json_string_value(json_object_get(other, "name"));
        const char *words = json_string_value(json_object_get(other, "hash"));
        if (name && words && strcmp(name, target->name) == 0 && strcmp(words, hash) == 0)
            return other;
    }
    return NULL;
}

/* A target that failed is tried again: the problem may be fixed. */
static void take_over(struct campaign_target *target, const json_t *known) {
    const char *status = json_string_value(json_object_get(known, "status"));
    target->slices = (uint64_t)number(known, "slices");
    target->seconds = number(known, "seconds");
    target->points = number(known, "points");
    target->weight = number(known, "weight");
    target->best = number(known, "best");
    target->tests = (uint64_t)number(known, "tests");
    target->findings = (uint64_t)number(known, "findings_count");
    target->found = json_incref(json_object_get(known, "findings"));
    if (status && strcmp(status, names[CAMPAIGN_COMPLETE]) == 0)
        target->status = CAMPAIGN_COMPLETE;
}

bool campaign_load(struct campaign *campaign, const char *path, struct base_error *error) {
    json_error_t reason;
    json_t *root = json_load_file(path, 0, &reason);
    if (!json_is_array(json_object_get(root, "targets"))) {
        json_decref(root);
        return base_fail(error, BASE_USAGE,
                         "--resume: '%s' is not the record of a campaign; --force begins anew",
                         path);
    }
    campaign->seconds = number(root, "seconds");
    campaign->slices = (uint64_t)number(root, "slices");
    for (size_t i = 0; i < campaign->targets.count; i++) {
        const json_t *known = find_target(root, &campaign->targets.data[i]);
        if (known)
            take_over(&campaign->targets.data[i], known);
    }
    json_decref(root);
    return true;
}
