/* SPDX-License-Identifier: Apache-2.0
 *
 * The issues of a report as a flat list: findings, and after a replay the failed tests.
 */
#ifndef SLOWPATH_REPORT_ISSUES_H
#define SLOWPATH_REPORT_ISSUES_H

#include "report/report.h"

/* RULE(identifier, "id", "Name", "short", "help") */
#define REPORT_RULES(RULE)                                                                         \
    RULE(SUPERLINEAR, "superlinear-cost", "SuperlinearCost",                                       \
         "The cost grows faster than the size of the input.",                                      \
         "A short piece, repeated, makes the cost of this code grow as a power of the input's "    \
         "size: the loops and calls named are its factors. Whoever chooses the input chooses how " \
         "long it takes. Look at whether the inner work can be kept from one turn of the outer "   \
         "loop to the next, indexed, or bounded; the linear relative shows what it takes.")        \
    RULE(EXPONENTIAL, "exponential-cost", "ExponentialCost",                                       \
         "The cost grows exponentially with the size of the input.",                               \
         "Each repetition of a short piece multiplies the cost of this code, so that a few dozen " \
         "bytes can keep it busy for ever. Usually something is tried again from the same place: " \
         "remember what failed, or bound the depth.")                                              \
    RULE(LAW, "worse-law", "WorseLaw", "The cost grows by a worse law than the baseline says.",    \
         "The recipe of this test was run again at sizes that double, and the class of its cost "  \
         "is higher than in the accepted baseline. No tolerance applies to laws. If it is meant "  \
         "to be so, 'slowpath accept' makes it the baseline.")                                     \
    RULE(COST, "higher-cost", "HigherCost", "A test costs more than the baseline allows.",         \
         "Costs are counts and the same on every machine: the difference is one of the program. "  \
         "'slowpath measure --profile' tells where it is spent; if it is meant to be so, "         \
         "'slowpath accept' makes it the baseline.")

enum report_rule {
#define RULE(id, name, title, text, help) REPORT_##id,
    REPORT_RULES(RULE)
#undef RULE
        REPORT_RULE_COUNT
};

struct report_issue {
    enum report_rule rule;
    bool fails;            /* makes a gate fail */
    char *message;         /* one line */
    const char *file;      /* borrowed; "": unknown */
    int line;              /* 0: unknown */
    const json_t *finding; /* NULL: the issue is about a test */
    char fingerprint[33];  /* the same for the same cause */
};

struct report_issues {
    struct report_issue *data;
    size_t count, capacity;
};

void report_list_issues(const struct report *report, struct report_issues *issues);
void report_issues_done(struct report_issues *issues);
const char *report_rule_name(enum report_rule rule);

/* fingerprint.c: GitHub's hash of a source line, which keeps an alert's identity when lines move:
 * hex and occurrence; "" if the file cannot be read. */
void report_hash_line(const char *path, int line, char text[40]);

/* text.c: quoting. */
void report_xml(const char *text, struct base_buffer *out);
/* A path as a URI reference. */
void report_uri(const char *path, struct base_buffer *out);
/* The path relative to the current folder, if it is inside; borrowed from PATH. */
const char *report_relative(const char *path);

#endif
