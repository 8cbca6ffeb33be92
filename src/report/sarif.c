/* SPDX-License-Identifier: Apache-2.0
 *
 * SARIF 2.1.0: a rule with its help for each kind of issue, a result with its line for each issue,
 * the call path from the entry to the hot line as a code flow, and fingerprints that survive edits.
 */
#include "report/issues.h"

#include "suite/finding.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static json_t *text_json(const char *text) {
    return json_pack("{s:o}", "text", json_stringn_nocheck(text, strlen(text)));
}

/* ---- rules ---- */

static json_t *rules_json(void) {
    json_t *rules = json_array();
#define RULE(id, rule, title, text, explained)                                                     \
    json_array_append_new(                                                                         \
        rules,                                                                                     \
        json_pack("{s:s, s:s, s:o, s:o, s:{s:s, s:s}, s:{s:s}, s:{s:[s,s], s:s}}", "id", rule,     \
                  "name", title, "shortDescription", text_json(text), "fullDescription",           \
                  text_json(explained), "help", "text", explained, "markdown", explained,          \
                  "defaultConfiguration", "level", "warning", "properties", "tags", "performance", \
                  "denial-of-service", "precision", "high"));
    REPORT_RULES(RULE)
#undef RULE
    return rules;
}

/* ---- places ---- */

/* The columns of the line's text; 1 and 2 if the file cannot be read. */
static void find_columns(const char *path, int line, int *first, int *last) {
    struct base_error error;
    char *text;
    size_t size;
    *first = 1;
    *last = 2;
    if (!base_read_file(path, &text, &size, &error))
        return;
    const char *at = text;
    for (int i = 1; i < line && at; i++) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (at) {
        int start = (int)strspn(at, " \t"), end = (int)strcspn(at, "\r\n");
        *first = start < end ? start + 1 : 1;
        *last = end > start ? end + 1 : 2;
    }
    free(text);
}

static json_t *place_json(const char *file, int line) {
    struct base_buffer uri = {0};
    int first, last;
    find_columns(file, line, &first, &last);
    base_buffer_print(&uri, "%s", *file == '/' ? "file://" : ""); /* outside of the checkout */
    report_uri(*file ? file : "unknown", &uri);
    json_t *json =
        json_pack("{s:{s:{s:s}, s:{s:i, s:i, s:i, s:i}}}", "physicalLocation", "artifactLocation",
                  "uri", uri.data, "region", "startLine", line < 1 ? 1 : line, "startColumn", first,
                  "endLine", line < 1 ? 1 : line, "endColumn", last);
    base_buffer_done(&uri);
    return json;
}

/* The path from the entry to the hot line. */
static json_t *flow_json(const json_t *finding) {
    json_t *locations = json_array();
    size_t index;
    const json_t *step;
    json_array_foreach(json_object_get(finding, "chain"), index, step) {
        struct base_buffer text = {0};
        suite_tell_step(step, &text);
        json_t *place = place_json(report_relative(suite_text(step, "file", "")),
                                   (int)suite_number(step, "line", 1));
        json_object_set_new(place, "message", text_json(text.data));
        json_array_append_new(locations, json_pack("{s:o}", "location", place));
        base_buffer_done(&text);
    }
    if (!json_array_size(locations)) {
        json_decref(locations);
        return NULL;
    }
    return json_pack("[{s:[{s:o}]}]", "threadFlows", "locations", locations);
}

/* ---- results ---- */

static json_t *result_json(const struct report *report, const struct report_issue *issue) {
    char hash[40];
    json_t *prints = json_pack("{s:s}", "slowpathCause/v1", issue->fingerprint);
    report_hash_line(issue->file, issue->line, hash);
    if (*hash)
        json_object_set_new(prints, "primaryLocationLineHash", json_string(hash));
    const char *level = report->is_replayed ? issue->fails ? "error" : "note" : "warning";
    json_t *json = json_pack("{s:s, s:i, s:s, s:o, s:[o], s:o}", "ruleId",
                             report_rule_name(issue->rule), "ruleIndex", (int)issue->rule, "level",
                             level, "message", text_json(issue->message), "locations",
                             place_json(issue->file, issue->line), "partialFingerprints", prints);
    json_t *flow = flow_json(issue->finding);
    if (flow)
        json_object_set_new(json, "codeFlows", flow);
    return json;
}

static json_t *results_json(const struct report *report) {
    struct report_issues issues;
    json_t *results = json_array();
    report_list_issues(report, &issues);
    for (size_t i = 0; i < issues.count; i++)
        json_array_append_new(results, result_json(report, &issues.data[i]));
    report_issues_done(&issues);
    return results;
}

/* Distinguishes uploads of different suites in one job. */
static char *category(const struct report *report) {
    char *text = base_format("slowpath/%s/", report->folder);
    for (char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("/._-", *at))
            *at = '-';
    return text;
}

void report_sarif(const struct report *report, struct base_buffer *out) {
    char *id = category(report);
    json_t *driver =
        json_pack("{s:s, s:s, s:s, s:o}", "name", "slowpath", "version", SLOWPATH_VERSION,
                  "semanticVersion", SLOWPATH_VERSION, "rules", rules_json());
    json_t *root =
        json_pack("{s:s, s:s, s:[{s:{s:o}, s:{s:s}, s:s, s:o}]}", "$schema", SCHEMA, "version",
                  "2.1.0", "runs", "tool", "driver", driver, "automationDetails", "id", id,
                  "columnKind", "utf16CodeUnits", "results", results_json(report));
    char *text = json_dumps(root, JSON_INDENT(2));
    base_buffer_print(out, "%s\n", text ? text : "{}");
    free(text);
    free(id);
    json_decref(root);
}
