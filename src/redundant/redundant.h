/* SPDX-License-Identifier: Apache-2.0
 *
 * redundant: does a program compute the same thing over and over? Runs inputs in the recording
 * build and reports which nested loops read the same data again in each iteration of the outer one,
 * how much of it, and what kind of fix applies.
 *
 * There are two criteria. Toddler's (Nistor et al., ICSE 2013): do the sequences of values that the
 * inner loop reads, by load and calling context, repeat over iterations of the outer loop? And one
 * that is exact: does it read the very same memory, not written since, so that an inner loop of
 * many iterations reads hardly anything fresh?
 */
#ifndef SLOWPATH_REDUNDANT_H
#define SLOWPATH_REDUNDANT_H

#include "ir/facts.h"
#include "target/target.h"

#define REDUNDANT_ITERATIONS 7 /* as in Toddler */

struct redundant_options {
    uint32_t iterations;  /* minimum for both loops; the target was opened with the same number */
    bool by_values;       /* only Toddler's criterion: equal values in other memory count */
    const int64_t *sizes; /* of each input, for growth; NULL: their bytes */
};

/* REDUNDANT_MEND(identifier, "name", "what to do") */
#define REDUNDANT_MENDS(MEND)                                                                      \
    MEND(HOIST, "hoist",                                                                           \
         "nothing the inner loop uses changes in the outer loop: compute it once, before")         \
    MEND(MEMOISE, "memoise",                                                                       \
         "the inner loop processes the same data again and again: keep its result, or update it "  \
         "with what is new")                                                                       \
    MEND(STOP, "stop early",                                                                       \
         "each iteration repeats the one before: stop when an iteration changes nothing, or run "  \
         "it once")                                                                                \
    MEND(INDEX, "index or hash",                                                                   \
         "the inner loop searches the same data for something else each time: build a hash "       \
         "table, a sorted array or an index once, before the outer loop")

enum redundant_mend {
#define MEND(id, name, text) REDUNDANT_##id,
    REDUNDANT_MENDS(MEND)
#undef MEND
};
const char *redundant_mend_name(enum redundant_mend mend);
const char *redundant_mend_text(enum redundant_mend mend);

/* A loop, a recursive function, or the reads of a library function. */
struct redundant_place {
    const char *function, *file; /* borrowed from the target; "" if unknown */
    uint32_t line;
    bool is_recursion;
    const char *library; /* the library function, or NULL */
};

/* Exponents of a nest's reads in terms of the input size. */
struct redundant_growth {
    bool is_known;
    double loads, fresh;
    int64_t first, last; /* sizes */
    size_t sizes;
};

#define REDUNDANT_CALLS ABI_RECORD_CHAIN

struct redundant_finding {
    struct redundant_place outer, inner;
    struct redundant_place calls[REDUNDANT_CALLS]; /* call path from the outer to the inner loop */
    size_t call_count;
    /* The one that shows it best, to which the counts below belong. */
    size_t input;
    uint64_t entries;              /* of the inner loop, with enough iterations */
    uint64_t most;                 /* maximum within one run of the outer loop */
    double turns;                  /* iterations of the inner loop per entry */
    uint64_t loads, fresh, stores; /* in the inner loop */
    /* Consecutive iterations of the outer loop; their ratio is the share. */
    size_t compared, similar;
    bool repeats; /* Toddler's criterion is met */
    bool grows;   /* ... and the other one, according to growth over several sizes */
    struct redundant_growth growth;
    enum redundant_mend mend;
};

struct redundant_run {
    struct abi_result result;
    bool is_recorded;
    uint64_t loads, distinct; /* loads, and those of fresh data */
    uint64_t entries_lost, log_lost;
    bool stamps_ended;
};

struct redundant_report {
    struct redundant_run *runs; /* one per input */
    size_t run_count;
    BASE_VECTOR(struct redundant_finding) findings; /* by descending loads */
    size_t nests;                                   /* examined */
};

/* Runs all inputs, and those that look redundant a second time. TARGET was opened with
 * INSTRUMENT_RECORD, and must live as long as the report. */
bool redundant_find(struct target *target, const struct target_input *inputs, size_t count,
                    const struct redundant_options *options, struct redundant_report *report,
                    struct base_error *error);
void redundant_report_done(struct redundant_report *report);
/* Describes the finding in one sentence. */
void redundant_explain(const struct redundant_finding *finding, struct base_buffer *out);
/* "a.c:12 (remove_all)" */
void redundant_name_place(const struct redundant_place *place, struct base_buffer *out);

#endif
