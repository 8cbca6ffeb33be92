/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a trail say, and does a path follow it? This file parses trails, looking up lines among
 * the blocks of the function, compares paths with them, and prints a path as a trail. branch.c
 * decides which way a branch goes.
 */
#include "search/core/trail.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 18             /* of a number of iterations */
#define MOST_DIRECTIONS (1u << 20) /* of one branch */
#define LONG_RUN 5 /* equal directions in a row that are printed as one with a count */

/* ---- loops and lines ---- */

/* The line of the loop with this header. */
static uint32_t loop_line(const struct ir_facts *facts, uint32_t header) {
    uint32_t loop = facts->blocks[header].loop;
    return loop != IR_NONE && facts->loops[loop].line ? facts->loops[loop].line
                                                      : facts->blocks[header].line;
}

static bool is_loop(const struct ir_facts *facts, uint32_t header, const struct search_mark *mark) {
    const struct ir_block *block = &facts->blocks[header];
    return block->function == mark->function && (loop_line(facts, header) == mark->line ||
                                                 search_block_has_line(facts, block, mark->line));
}

static bool find_loop(const struct ir_facts *facts, const struct search_mark *mark) {
    const struct ir_function *function = &facts->functions[mark->function];
    for (uint32_t i = 0; i < function->loop_count; i++)
        if (is_loop(facts, facts->loops[function->first_loop + i].header, mark))
            return true;
    return false;
}

/* ---- reading ---- */

struct reading {
    const char *name;
    uint32_t line; /* of the file */
    uint32_t function;
    struct search_trail *trail;
    struct base_error *error;
};

static bool fail(const struct reading *reading, const char *what, const char *text) {
    return base_fail(reading->error, BASE_USAGE, "%s:%u: %s '%s'", reading->name, reading->line,
                     what, text);
}

/* The number of times that WORD stands for, such as x40. */
static bool read_times(const char *word, uint64_t *times) {
    size_t digits = *word == 'x' ? strspn(word + 1, "0123456789") : 0;
    *times = digits ? strtoull(word + 1, NULL, 10) : 0;
    return digits && digits <= MOST_DIGITS && !word[1 + digits];
}

/* "x40" after a direction: it was taken 40 times in a row. */
static bool repeat_direction(const struct reading *reading, const char *word,
                             struct search_mark *mark) {
    uint64_t times;
    if (!mark->ways.count || !read_times(word, &times) || !times)
        return fail(reading, "a branch goes 'then' or 'else', not", word);
    if (times > MOST_DIRECTIONS - mark->ways.count)
        return fail(reading, "that is more than a branch can be told to go:", word);
    uint64_t is_then = mark->ways.data[mark->ways.count - 1];
    for (uint64_t i = 1; i < times; i++)
        base_push(&mark->ways, is_then);
    return true;
}

static bool read_directions(const struct reading *reading, char *words, struct search_mark *mark) {
    char *save;
    bool is_counted = false;
    for (char *word = strtok_r(words, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        bool is_then = strcmp(word, "then") == 0;
        if (is_then || strcmp(word, "else") == 0)
            base_push(&mark->ways, (uint64_t)is_then);
        else if (!repeat_direction(reading, word, mark))
            return false;
        else
            is_counted = true;
    }
    mark->is_repeated = mark->ways.count == 1 && !is_counted;
    return mark->ways.count > 0 || fail(reading, "which way does it go?", "then, else");
}

static bool read_turns(const struct reading *reading, char *words, struct search_mark *mark) {
    char *save;
    uint64_t turns;
    mark->is_loop = true;
    for (char *word = strtok_r(words, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        if (!read_times(word, &turns))
            return fail(reading, "a loop turns a number of times, such as x4, not", word);
        base_push(&mark->ways, turns);
    }
    mark->is_repeated = mark->ways.count == 1;
    return mark->ways.count > 0 || fail(reading, "how often does it turn?", "x4");
}

static bool read_part(const struct reading *reading, char *part) {
    struct search_mark mark = {.function = reading->function};
    bool turns = strncmp(part, "loop@", 5) == 0;
    char *rest;
    if (strcmp(part, "*") == 0)
        return true;
    if (!turns && strncmp(part, "if@", 3) != 0)
        return fail(reading, "a part is loop@LINE xN, if@LINE then, or *; not", part);
    mark.line = (uint32_t)strtoul(part + (turns ? 5 : 3), &rest, 10);
    bool good = turns ? read_turns(reading, rest, &mark) : read_directions(reading, rest, &mark);
    if (good && !(turns ? find_loop(reading->trail->facts, &mark)
                        : search_find_branch(reading->trail->facts, &mark)))
        good = fail(reading, turns ? "there is no loop at" : "there is no branch at", part);
    base_push(&reading->trail->marks, mark);
    return good;
}

static char *trim(char *text) {
    text += strspn(text, " \t\r");
    for (size_t length = strlen(text); length && isspace((unsigned char)text[length - 1]);)
        text[--length] = 0;
    return text;
}

static bool read_line(struct reading *reading, char *line) {
    char *colon = strchr(line, ':'), *save;
    line[strcspn(line, "#")] = 0;
    if (!*trim(line))
        return true;
    if (!colon)
        return fail(reading, "write FUNCTION: loop@LINE xN, if@LINE then, * in place of", line);
    *colon = 0;
    reading->function = ir_find_function(reading->trail->facts, trim(line));
    if (reading->function == IR_NONE)
        return fail(reading, "there is no function", trim(line));
    for (char *part = strtok_r(colon + 1, ",", &save); part; part = strtok_r(NULL, ",", &save))
        if (!read_part(reading, trim(part)))
            return false;
    return true;
}

bool search_trail_parse(const char *text, const char *name, const struct ir_facts *facts,
                        struct search_trail *trail, struct base_error *error) {
    char *copy = base_strdup(text), *next = copy;
    struct reading reading = {.name = name, .trail = trail, .error = error};
    bool good = true;
    *trail = (struct search_trail){.facts = facts};
    while (good && next) {
        char *line = next;
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        reading.line++;
        good = read_line(&reading, line);
    }
    free(copy);
    return good;
}

struct search_trail *search_trail_read(const char *path, const struct ir_facts *facts,
                                       struct base_error *error) {
    struct search_trail *trail = base_alloc(sizeof *trail);
    char *data;
    size_t size;
    bool good = base_read_file(path, &data, &size, error);
    if (good) {
        struct base_buffer text = {0};
        base_buffer_add(&text, data, size);
        good = search_trail_parse(text.data, path, facts, trail, error);
        base_buffer_done(&text);
        free(data);
    }
    if (good)
        return trail;
    search_trail_free(trail);
    return NULL;
}

static void trail_done(struct search_trail *trail) {
    for (size_t i = 0; i < trail->marks.count; i++)
        base_vector_done(&trail->marks.data[i].ways);
    base_vector_done(&trail->marks);
}

void search_trail_free(struct search_trail *trail) {
    if (trail)
        trail_done(trail);
    free(trail);
}

/* ---- following ---- */

void search_follower_begin(struct search_follower *follower, const struct search_trail *trail) {
    follower->trail = trail;
    follower->seen.count = 0;
    for (size_t i = 0; trail && i < trail->marks.count; i++)
        base_push(&follower->seen, 0u);
}

void search_follower_done(struct search_follower *follower) {
    base_vector_done(&follower->seen);
}

/* What the mark says for the TIME-th time; NULL: nothing. */
static const uint64_t *way_at(const struct search_mark *mark, uint32_t time) {
    time = mark->is_repeated ? 0 : time;
    return time < mark->ways.count ? &mark->ways.data[time] : NULL;
}

static bool keeps_branch(const struct ir_facts *facts, const struct search_mark *mark,
                         uint32_t *seen, const struct search_step *step) {
    enum search_way went = search_branch_way(facts, mark, step->site, step->outcome != 0);
    if (went == SEARCH_ON_THE_WAY)
        return true;
    const uint64_t *way = way_at(mark, (*seen)++);
    return !way || *way == (went == SEARCH_THEN);
}

static bool keeps_loop(const struct ir_facts *facts, const struct search_mark *mark, uint32_t *seen,
                       const struct search_step *step) {
    if (!is_loop(facts, step->site, mark))
        return true;
    *seen += step->kind == SEARCH_LOOP || !*seen;
    const uint64_t *turns = way_at(mark, *seen - 1);
    return !turns || (step->kind == SEARCH_LEAVE ? step->value == *turns : step->value <= *turns);
}

static bool is_turn(const struct search_step *step) {
    return step->kind == SEARCH_LOOP || step->kind == SEARCH_TURN || step->kind == SEARCH_LEAVE;
}

bool search_follower_step(struct search_follower *follower, const struct search_step *step) {
    const struct search_trail *trail = follower->trail;
    bool keeps = true, turns = is_turn(step);
    if ((!turns && step->kind != SEARCH_BRANCH) || step->site >= trail->facts->block_count)
        return true;
    for (size_t i = 0; i < trail->marks.count; i++) {
        const struct search_mark *mark = &trail->marks.data[i];
        if (mark->is_loop && turns)
            keeps &= keeps_loop(trail->facts, mark, &follower->seen.data[i], step);
        else if (!mark->is_loop && !turns && search_is_branch(trail->facts, step->site, mark))
            keeps &= keeps_branch(trail->facts, mark, &follower->seen.data[i], step);
    }
    return keeps;
}

bool search_follower_ends(const struct search_follower *follower) {
    const struct search_trail *trail = follower->trail;
    for (size_t i = 0; i < trail->marks.count; i++)
        if (trail->marks.data[i].is_loop && trail->marks.data[i].ways.data[0] &&
            !follower->seen.data[i])
            return false;
    return true;
}

/* ---- printing ---- */

static struct search_mark *find_mark(struct search_trail *trail, uint32_t site, bool turns) {
    const struct ir_facts *facts = trail->facts;
    struct search_mark mark = {.function = facts->blocks[site].function,
                               .line =
                                   turns ? loop_line(facts, site) : search_branch_line(facts, site),
                               .is_loop = turns};
    for (size_t i = 0; i < trail->marks.count; i++)
        if (trail->marks.data[i].function == mark.function &&
            trail->marks.data[i].line == mark.line && trail->marks.data[i].is_loop == turns)
            return &trail->marks.data[i];
    if (!mark.line || !(turns || search_find_branch(facts, &mark)))
        return NULL;
    base_push(&trail->marks, mark);
    return &trail->marks.data[trail->marks.count - 1];
}

void search_recount_step(struct search_recount *recount, const struct search_step *step) {
    const struct ir_facts *facts = recount->trail.facts;
    bool turns = is_turn(step);
    if ((step->kind != SEARCH_BRANCH && !turns) || step->site >= facts->block_count ||
        (!turns && facts->blocks[step->site].successor_count != 2))
        return;
    struct search_mark *mark = find_mark(&recount->trail, step->site, turns);
    if (mark && step->kind == SEARCH_LEAVE)
        base_push(&mark->ways, step->value);
    if (!mark || turns)
        return;
    enum search_way went = search_branch_way(facts, mark, step->site, step->outcome != 0);
    if (went != SEARCH_ON_THE_WAY)
        base_push(&mark->ways, (uint64_t)(went == SEARCH_THEN));
}

/* How many times in a row it went the same way. */
static size_t run_length(const struct search_mark *mark, size_t from) {
    size_t count = 1;
    while (from + count < mark->ways.count &&
           mark->ways.data[from + count] == mark->ways.data[from])
        count++;
    return count;
}

static void print_branch(const struct search_mark *mark, struct base_buffer *out) {
    base_buffer_print(out, "if@%u", mark->line);
    for (size_t i = 0, run; i < mark->ways.count; i += run) {
        run = run_length(mark, i);
        run = run < LONG_RUN ? 1 : run;
        base_buffer_print(out, mark->ways.data[i] ? " then" : " else");
        if (run > 1)
            base_buffer_print(out, " x%zu", run);
    }
}

static void print_loop(const struct search_mark *mark, struct base_buffer *out) {
    bool is_even = run_length(mark, 0) == mark->ways.count;
    base_buffer_print(out, "loop@%u", mark->line);
    for (size_t i = 0; i < (is_even ? 1 : mark->ways.count); i++)
        base_buffer_print(out, " x%llu", (unsigned long long)mark->ways.data[i]);
}

/* A condition cut off before its outcome was known, and a loop that never ended, print nothing. */
static void print_mark(const struct search_mark *mark, struct base_buffer *out) {
    if (!mark->ways.count)
        return;
    if (mark->is_loop)
        print_loop(mark, out);
    else
        print_branch(mark, out);
    base_buffer_print(out, ", ");
}

static bool is_first_of_function(const struct search_trail *trail, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (trail->marks.data[i].function == trail->marks.data[index].function)
            return false;
    return true;
}

void search_recount_print(const struct search_recount *recount, size_t limit,
                          struct base_buffer *out) {
    const struct search_trail *trail = &recount->trail;
    base_buffer_add(out, "", 0);
    for (size_t i = 0; i < trail->marks.count && out->count < limit; i++) {
        uint32_t function = trail->marks.data[i].function;
        if (!is_first_of_function(trail, i))
            continue;
        base_buffer_print(out, "%s%s: ", out->count ? "\n" : "",
                          trail->facts->strings + trail->facts->functions[function].name);
        for (size_t k = i; k < trail->marks.count; k++)
            if (trail->marks.data[k].function == function)
                print_mark(&trail->marks.data[k], out);
        base_buffer_print(out, "*");
    }
}

void search_recount_done(struct search_recount *recount) {
    trail_done(&recount->trail);
}
