/* SPDX-License-Identifier: Apache-2.0
 *
 * redundant: does a program compute the same thing over and over? Runs inputs in the recording
 * build and tells which nested loops read the same again in each turn of the outer one, how much of
 * it, and what kind of mend fits.
 *
 * Two things are asked of a nest. Toddler's question (Nistor et al., ICSE 2013): do the sequences
 * of values that the inner loop reads, by load and calling context, repeat from turn to turn of the
 * outer loop? And one that can be proved: is what it reads the very same memory, not written
 * since, so that an inner loop of many turns reads hardly anything fresh?
 */
#ifndef SLOWPATH_REDUNDANT_H
#define SLOWPATH_REDUNDANT_H

#include "ir/facts.h"
#include "target/target.h"

#define REDUNDANT_ITERATIONS 7 /* as Toddler has it */

struct redundant_options {
    uint32_t iterations; /* of both loops, at least; the target was opened with the same number */
    bool by_values;      /* ask Toddler's question only: other memory with the same values counts */
    const int64_t *sizes; /* of the inputs, one each, for growth; NULL: their bytes */
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

/* A loop, or a function that calls itself, or the reads of a library function. */
struct redundant_place {
    const char *function, *file; /* borrowed from the target; "" if unknown */
    uint32_t line;
    bool is_recursion;
    const char *library; /* the function of the library, or NULL */
};

/* How the reads of a nest grow with the size of the input: powers of it. */
struct redundant_growth {
    bool is_known;
    double loads, fresh;
    int64_t first, last; /* sizes */
    size_t sizes;
};

#define REDUNDANT_CALLS ABI_RECORD_CHAIN

struct redundant_finding {
    struct redundant_place outer, inner;
    struct redundant_place calls[REDUNDANT_CALLS]; /* on the way from one to the other */
    size_t call_count;
    size_t input;                  /* that shows it best; the counts below are of its run */
    uint64_t entries;              /* of the inner loop that turned often enough */
    uint64_t most;                 /* of these, in one run of the outer loop */
    double turns;                  /* of the inner loop, for each entry */
    uint64_t loads, fresh, stores; /* in the inner loop */
    size_t compared, similar; /* turns of the outer loop with the one before; share: their ratio */
    bool repeats;             /* Toddler's question is answered with yes */
    bool grows;               /* ... and the other one, by the growth over several sizes */
    struct redundant_growth growth;
    enum redundant_mend mend;
};

struct redundant_run {
    struct abi_result result;
    bool is_recorded;
    uint64_t loads, distinct; /* loads, and of these such that read what was written since */
    uint64_t entries_lost, log_lost;
    bool stamps_ended;
};

struct redundant_report {
    struct redundant_run *runs; /* one for each input */
    size_t run_count;
    BASE_VECTOR(struct redundant_finding) findings; /* most loads first */
    size_t nests;                                   /* that were looked at */
};

/* Runs all inputs, those that look redundant a second time. TARGET has been opened with
 * INSTRUMENT_RECORD, and lives as long as the report. */
bool redundant_find(struct target *target, const struct target_input *inputs, size_t count,
                    const struct redundant_options *options, struct redundant_report *report,
                    struct base_error *error);
void redundant_report_done(struct redundant_report *report);
/* One sentence that says what happens, for a person. */
void redundant_explain(const struct redundant_finding *finding, struct base_buffer *out);
/* "a.c:12 (remove_all)" */
void redundant_name_place(const struct redundant_place *place, struct base_buffer *out);

#endif
