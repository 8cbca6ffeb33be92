/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a campaign for people: one page that is rewritten while it runs and is the final
 * report, and the same as text. The page needs no network and no script; while the campaign runs,
 * it makes the browser reload it.
 */
#include "campaign/campaign.h"
#include "suite/finding.h"

#include <string.h>

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:72em;padding:0 1em}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3em .8em .3em 0;"
    "border-bottom:1px solid #8884;vertical-align:top}td.n,th.n{text-align:right}"
    "code{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}"
    ".failed{color:#b00020}@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}"
    "a{color:#8ab4f8}.failed{color:#ff7b7b}}";

static void add_escaped(struct base_buffer *out, const char *text) {
    for (; *text; text++) {
        const char *name = *text == '<'   ? "&lt;"
                           : *text == '>' ? "&gt;"
                           : *text == '&' ? "&amp;"
                           : *text == '"' ? "&quot;"
                                          : NULL;
        if (name)
            base_buffer_print(out, "%s", name);
        else
            base_buffer_add(out, text, 1);
    }
}

static uint64_t count_findings(const struct campaign *campaign) {
    uint64_t count = 0;
    for (size_t i = 0; i < campaign->targets.count; i++)
        count += campaign->targets.data[i].findings;
    return count;
}

static size_t count_status(const struct campaign *campaign, enum campaign_status status) {
    size_t count = 0;
    for (size_t i = 0; i < campaign->targets.count; i++)
        count += campaign->targets.data[i].status == status;
    return count;
}

/* ---- the page ---- */

static void add_target(const struct campaign_target *target, struct base_buffer *out) {
    base_buffer_print(out, "<tr%s><td>", target->status == CAMPAIGN_FAILED ? " class=failed" : "");
    if (target->has_report)
        base_buffer_print(out, "<a href=\"%s/report.html\">%s</a>", target->name, target->name);
    else
        base_buffer_print(out, "%s", target->name);
    base_buffer_print(out,
                      "</td><td>%s</td><td class=n>%llu</td><td class=n>%.0f s</td><td class=n>%llu"
                      "</td><td class=n>%.15g</td><td class=n>%llu</td><td>",
                      campaign_status_name(target), (unsigned long long)target->slices,
                      target->seconds, (unsigned long long)target->tests, target->best,
                      (unsigned long long)target->findings);
    if (target->problem)
        add_escaped(out, target->problem);
    base_buffer_print(out, "</td></tr>\n");
}

static void add_finding(const struct campaign_target *target, const json_t *finding,
                        struct base_buffer *out) {
    int line;
    const char *function, *place = suite_finding_place(finding, &line, &function);
    base_buffer_print(out, "<tr><td>%s</td><td>", target->name);
    add_escaped(out, suite_text(finding, "id", ""));
    base_buffer_print(out, "</td><td>");
    add_escaped(out, suite_text(finding, "law", "?"));
    base_buffer_print(out, "</td><td>");
    add_escaped(out, function ? function : "");
    if (*place) {
        base_buffer_print(out, " (");
        add_escaped(out, place);
        base_buffer_print(out, ":%d)", line);
    }
    base_buffer_print(out, "</td><td><code>");
    add_escaped(out, suite_text(finding, "recipe", ""));
    base_buffer_print(out, "</code></td></tr>\n");
}

static void add_findings(const struct campaign *campaign, struct base_buffer *out) {
    base_buffer_print(out, "<h2>Findings</h2>\n");
    if (!count_findings(campaign)) {
        base_buffer_print(out, "<p>none</p>\n");
        return;
    }
    base_buffer_print(out, "<table><tr><th>target</th><th></th><th>law</th><th>where</th>"
                           "<th>recipe</th></tr>\n");
    for (size_t i = 0; i < campaign->targets.count; i++) {
        const json_t *finding;
        size_t index;
        json_array_foreach(campaign->targets.data[i].found, index, finding)
            add_finding(&campaign->targets.data[i], finding, out);
    }
    base_buffer_print(out, "</table>\n");
}

void campaign_page(const struct campaign *campaign, const char *title, bool is_over,
                   struct base_buffer *out) {
    base_buffer_print(out, "<!doctype html><html lang=en><meta charset=utf-8>\n");
    if (!is_over)
        base_buffer_print(out, "<meta http-equiv=refresh content=5>\n");
    base_buffer_print(out, "<meta name=viewport content=\"width=device-width\"><title>");
    add_escaped(out, title);
    base_buffer_print(out, "</title><style>%s</style>\n<h1>", style);
    add_escaped(out, title);
    base_buffer_print(
        out, "</h1>\n<p>%s: %.0f s, %llu slices, %zu targets, %zu failed, %llu findings</p>\n",
        is_over ? "over" : "running", campaign->seconds, (unsigned long long)campaign->slices,
        campaign->targets.count, count_status(campaign, CAMPAIGN_FAILED),
        (unsigned long long)count_findings(campaign));
    base_buffer_print(out, "<table><tr><th>target</th><th>status</th><th class=n>slices</th>"
                           "<th class=n>time</th><th class=n>tests</th><th class=n>costliest</th>"
                           "<th class=n>findings</th><th></th></tr>\n");
    for (size_t i = 0; i < campaign->targets.count; i++)
        add_target(&campaign->targets.data[i], out);
    base_buffer_print(out, "</table>\n");
    add_findings(campaign, out);
}

/* ---- text ---- */

static void print_findings(const struct campaign *campaign, FILE *out) {
    for (size_t i = 0; i < campaign->targets.count; i++) {
        const json_t *finding;
        size_t index;
        json_array_foreach(campaign->targets.data[i].found, index, finding) {
            int line;
            const char *function, *place = suite_finding_place(finding, &line, &function);
            fprintf(out, "%-20s %-4s %-12s %s", campaign->targets.data[i].name,
                    suite_text(finding, "id", ""), suite_text(finding, "law", "?"),
                    function ? function : "");
            if (*place)
                fprintf(out, " (%s:%d)", place, line);
            fputc('\n', out);
        }
    }
}

void campaign_print(const struct campaign *campaign, FILE *out) {
    fprintf(out, "%-20s %-9s %6s %8s %6s %15s %8s\n", "target", "status", "slices", "seconds",
            "tests", "costliest", "findings");
    for (size_t i = 0; i < campaign->targets.count; i++) {
        const struct campaign_target *target = &campaign->targets.data[i];
        fprintf(out, "%-20s %-9s %6llu %8.1f %6llu %15.15g %8llu\n", target->name,
                campaign_status_name(target), (unsigned long long)target->slices, target->seconds,
                (unsigned long long)target->tests, target->best,
                (unsigned long long)target->findings);
        if (target->problem)
            fprintf(out, "    %s\n", target->problem);
    }
    if (count_findings(campaign))
        fputc('\n', out);
    print_findings(campaign, out);
    fprintf(out, "\n%zu targets, %zu complete, %zu failed; %llu slices, %.0f s\n",
            campaign->targets.count, count_status(campaign, CAMPAIGN_COMPLETE),
            count_status(campaign, CAMPAIGN_FAILED), (unsigned long long)campaign->slices,
            campaign->seconds);
}
