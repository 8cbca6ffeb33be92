/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the cost goes by call path: one row per depth, with widths by share of the cost.
 */
#include "report/html.h"

#include "measure/tree.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 1200.0
#define ROW 20.0
#define LEAST 0.002 /* minimum share that is drawn */
#define LETTER 6.7  /* width of a letter */
#define TABLE_ROWS 30

/* The left edge of each node: after its earlier siblings. */
static double *lay_out(const struct measure_tree *tree, uint32_t *deepest) {
    double *left = base_alloc((tree->nodes.count + 1) * sizeof *left);
    double *used = base_alloc((tree->nodes.count + 1) * sizeof *used);
    double scale = tree->nodes.data[0].all > 0 ? WIDTH / tree->nodes.data[0].all : 0;
    *deepest = 0;
    for (size_t i = 1; i < tree->nodes.count; i++) {
        const struct measure_node *node = &tree->nodes.data[i];
        left[i] = left[node->parent] + used[node->parent];
        used[node->parent] += node->all * scale;
        *deepest = node->depth > *deepest ? node->depth : *deepest;
    }
    free(used);
    return left;
}

static void add_label(const struct measure_tree *tree, const struct measure_node *node,
                      struct base_buffer *out) {
    report_xml(node->name, out);
    base_buffer_print(out, ": ");
    html_number(node->all, out);
    base_buffer_print(out, " (%.1f%%), itself ",
                      100 * node->all /
                          (tree->nodes.data[0].all > 0 ? tree->nodes.data[0].all : 1));
    html_number(node->own, out);
}

static void add_node(const struct measure_tree *tree, size_t index, double x,
                     struct base_buffer *out) {
    const struct measure_node *node = &tree->nodes.data[index];
    double width = WIDTH * node->all / tree->nodes.data[0].all;
    int letters = (int)(width / LETTER) - 1;
    base_buffer_print(out, "<g class=\"node\"><title>");
    add_label(tree, node, out);
    base_buffer_print(out,
                      "</title><rect class=\"c%zu\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" "
                      "height=\"%.0f\"/></g>\n",
                      (strlen(node->name) + node->depth) % 4, x, node->depth * ROW, width, ROW - 1);
    if (letters >= 3) { /* inside the node; its label has the full name */
        char *name = base_format("%.*s%s", letters, node->name,
                                 (int)strlen(node->name) > letters ? ".." : "");
        base_buffer_print(out, "<text aria-hidden=\"true\" x=\"%.2f\" y=\"%.0f\">", x + 3,
                          node->depth * ROW + 14);
        report_xml(name, out);
        base_buffer_print(out, "</text>\n");
        free(name);
    }
}

static void add_table(const struct measure_tree *tree, struct base_buffer *out) {
    base_buffer_print(out, "<details><summary>The numbers</summary>\n<table><caption>The ways that "
                           "cost most</caption><thead><tr><th scope=\"col\">function</th><th "
                           "class=\"n\" scope=\"col\">depth</th><th class=\"n\" scope=\"col\">with "
                           "all below</th><th class=\"n\" scope=\"col\">itself</th></tr></thead>"
                           "<tbody>\n");
    for (size_t i = 0; i < tree->nodes.count && i < TABLE_ROWS; i++) {
        const struct measure_node *node = &tree->nodes.data[i];
        base_buffer_print(out, "<tr><td><code>");
        report_xml(node->name, out);
        base_buffer_print(out, "</code></td>");
        html_cell(node->depth, out);
        html_cell(node->all, out);
        html_cell(node->own, out);
        base_buffer_print(out, "</tr>\n");
    }
    base_buffer_print(out, "</tbody></table></details>\n");
}

void html_icicle(const struct report_profile *profile, struct base_buffer *out) {
    struct measure_profile counts = {profile->pair.facts, profile->more,
                                     profile->pair.facts->block_count + 1};
    struct measure_tree tree;
    uint32_t deepest;
    measure_tree_make(&counts, LEAST, &tree);
    if (tree.nodes.data[0].all <= 0) {
        measure_tree_done(&tree);
        return;
    }
    double *left = lay_out(&tree, &deepest);
    base_buffer_print(out, "<h2 id=\"stacks\">Where the cost goes</h2>\n<p class=\"quiet\">"
                           "Instructions of ");
    report_xml(profile->name, out);
    base_buffer_print(out,
                      " at %.0f bytes, by call stack. The cost of a function is divided among its "
                      "callers by the number of calls.</p>\n",
                      profile->pair.more_size);
    base_buffer_print(out,
                      "<div class=\"wide\"><svg class=\"icicle\" role=\"img\" viewBox=\"0 0 %.0f "
                      "%.0f\" width=\"%.0f\" height=\"%.0f\" aria-labelledby=\"icicle-title "
                      "icicle-desc\">\n<title id=\"icicle-title\">Stacks by instructions</title>\n"
                      "<desc id=\"icicle-desc\">Each row is a depth of calls, each box a function "
                      "as wide as its share. The table below has the numbers.</desc>\n",
                      WIDTH, (deepest + 1) * ROW, WIDTH, (deepest + 1) * ROW);
    for (size_t i = 0; i < tree.nodes.count; i++)
        add_node(&tree, i, left[i], out);
    base_buffer_print(out, "</svg></div>\n");
    add_table(&tree, out);
    free(left);
    measure_tree_done(&tree);
}
