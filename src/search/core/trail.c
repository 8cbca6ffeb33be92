/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a trail say, and does a path follow it? Lines are looked up among the blocks of the
 * function. A condition such as a && b is several branches of one line: which way it went as a
 * whole is known when control leaves that line, and `then` is the nearest line below that it can
 * lead to.
 */
#include "search/core/trail.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 18             /* of a number of turns */
#define MOST_DIRECTIONS (1u << 20) /* of one branch */
#define LONG_RUN 5                 /* directions in a row that are printed as one with a number */

/* ---- blocks and lines ---- */

static bool has_line(const struct ir_facts *facts, const struct ir_block *block, uint32_t line) {
    for (uint32_t i = 0; i < block->line_count; i++)
        if (facts->lines[block->first_line + i].line == line)
            return true;
    return block->line == line;
}

static bool is_branch(const struct ir_facts *facts, uint32_t site, const struct search_mark *mark) {
    const struct ir_block *block = &facts->blocks[site];
    return block->function == mark->function && block->successor_count == 2 &&
           has_line(facts, block, mark->line);
}

static uint32_t successor(const struct ir_facts *facts, uint32_t site, uint32_t index) {
    return facts->successors[facts->blocks[site].first_successor + index];
}

/* Where the condition leads, once it is known as a whole. */
static bool leaves(const struct ir_facts *facts, uint32_t to, const struct search_mark *mark) {
    return !(is_branch(facts, to, mark) && facts->blocks[to].line == mark->line);
}

static bool find_branch(const struct ir_facts *facts, struct search_mark *mark) {
    const struct ir_function *function = &facts->functions[mark->function];
    bool found = false;
    for (uint32_t i = 0; i < function->block_count; i++) {
        uint32_t site = function->first_block + i;
        if (!is_branch(facts, site, mark))
            continue;
        found = true;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t to = successor(facts, site, k), line = facts->blocks[to].line;
            if (leaves(facts, to, mark) && line > mark->line &&
                (!mark->then_line || line < mark->then_line))
                mark->then_line = line;
        }
    }
    return found;
}

static bool find_loop(const struct ir_facts *facts, const struct search_mark *mark) {
    const struct ir_function *function = &facts->functions[mark->function];
    for (uint32_t i = 0; i < function->loop_count; i++) {
        const struct ir_loop *loop = &facts->loops[function->first_loop + i];
        if (loop->line == mark->line || has_line(facts, &facts->blocks[loop->header], mark->line))
            return true;
    }
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
    if (!mark->directions.count || !read_times(word, &times) || !times)
        return fail(reading, "a branch goes 'then' or 'else', not", word);
    if (times > MOST_DIRECTIONS - mark->directions.count)
        return fail(reading, "that is more than a branch can be told to go:", word);
    bool is_then = mark->directions.data[mark->directions.count - 1];
    for (uint64_t i = 1; i < times; i++)
        base_push(&mark->directions, is_then);
    return true;
}

static bool read_directions(const struct reading *reading, char *words, struct search_mark *mark) {
    char *save;
    bool is_counted = false;
    for (char *word = strtok_r(words, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        bool is_then = strcmp(word, "then") == 0;
        if (is_then || strcmp(word, "else") == 0)
            base_push(&mark->directions, is_then);
        else if (!repeat_direction(reading, word, mark))
            return false;
        else
            is_counted = true;
    }
    mark->is_repeated = mark->directions.count == 1 && !is_counted;
    return mark->directions.count > 0 || fail(reading, "which way does it go?", "then, else");
}

static bool read_turns(const struct reading *reading, const char *words, struct search_mark *mark) {
    words += strspn(words, " \t");
    mark->is_loop = true;
    return read_times(words, &mark->turns) ||
           fail(reading, "a loop turns a number of times, such as x4, not", words);
}

static bool read_part(const struct reading *reading, char *part) {
    struct search_mark mark = {.function = reading->function};
    bool is_loop = strncmp(part, "loop@", 5) == 0;
    char *rest;
    if (strcmp(part, "*") == 0)
        return true;
    if (!is_loop && strncmp(part, "if@", 3) != 0)
        return fail(reading, "a part is loop@LINE xN, if@LINE then, or *; not", part);
    mark.line = (uint32_t)strtoul(part + (is_loop ? 5 : 3), &rest, 10);
    bool good = is_loop ? read_turns(reading, rest, &mark) : read_directions(reading, rest, &mark);
    if (good && !(is_loop ? find_loop(reading->trail->facts, &mark)
                          : find_branch(reading->trail->facts, &mark)))
        good = fail(reading, is_loop ? "there is no loop at" : "there is no branch at", part);
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
        base_vector_done(&trail->marks.data[i].directions);
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

static bool keeps_branch(const struct ir_facts *facts, const struct search_mark *mark,
                         uint32_t *seen, const struct search_step *step) {
    uint32_t to = successor(facts, step->site, step->outcome ? 0 : 1);
    if (!leaves(facts, to, mark))
        return true; /* the rest of the condition decides */
    uint32_t turn = (*seen)++;
    bool is_then = facts->blocks[to].line == mark->then_line;
    if (!mark->is_repeated && turn >= mark->directions.count)
        return true;
    return mark->directions.data[mark->is_repeated ? 0 : turn] == is_then;
}

static bool keeps_loop(const struct ir_facts *facts, const struct search_mark *mark, uint32_t *seen,
                       const struct search_step *step) {
    const struct ir_block *block = &facts->blocks[step->site];
    if (block->function != mark->function || !has_line(facts, block, mark->line))
        return true;
    ++*seen;
    return step->kind == SEARCH_LEAVE ? step->value == mark->turns : step->value <= mark->turns;
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
        else if (!mark->is_loop && !turns && is_branch(trail->facts, step->site, mark))
            keeps &= keeps_branch(trail->facts, mark, &follower->seen.data[i], step);
    }
    return keeps;
}

bool search_follower_ends(const struct search_follower *follower) {
    const struct search_trail *trail = follower->trail;
    for (size_t i = 0; i < trail->marks.count; i++)
        if (trail->marks.data[i].is_loop && trail->marks.data[i].turns && !follower->seen.data[i])
            return false;
    return true;
}

/* ---- telling ---- */

/* The line that the branch is on, as far as it is known: the last of its block. */
static uint32_t branch_line(const struct ir_facts *facts, uint32_t site) {
    const struct ir_block *block = &facts->blocks[site];
    return block->line_count ? facts->lines[block->first_line + block->line_count - 1].line
                             : block->line;
}

static struct search_mark *find_mark(struct search_trail *trail, uint32_t site) {
    const struct ir_facts *facts = trail->facts;
    struct search_mark mark = {.function = facts->blocks[site].function,
                               .line = branch_line(facts, site)};
    for (size_t i = 0; i < trail->marks.count; i++)
        if (trail->marks.data[i].function == mark.function &&
            trail->marks.data[i].line == mark.line)
            return &trail->marks.data[i];
    if (!mark.line || !find_branch(facts, &mark))
        return NULL;
    base_push(&trail->marks, mark);
    return &trail->marks.data[trail->marks.count - 1];
}

void search_recount_step(struct search_recount *recount, const struct search_step *step) {
    const struct ir_facts *facts = recount->trail.facts;
    if (step->kind != SEARCH_BRANCH || step->site >= facts->block_count ||
        facts->blocks[step->site].successor_count != 2)
        return;
    struct search_mark *mark = find_mark(&recount->trail, step->site);
    uint32_t to = successor(facts, step->site, step->outcome ? 0 : 1);
    if (mark && leaves(facts, to, mark))
        base_push(&mark->directions, facts->blocks[to].line == mark->then_line);
}

static void print_mark(const struct search_mark *mark, struct base_buffer *out) {
    base_buffer_print(out, "if@%u", mark->line);
    for (size_t i = 0, run; i < mark->directions.count; i += run) {
        bool is_then = mark->directions.data[i];
        for (run = 1; i + run < mark->directions.count; run++)
            if (mark->directions.data[i + run] != is_then)
                break;
        run = run < LONG_RUN ? 1 : run;
        base_buffer_print(out, is_then ? " then" : " else");
        if (run > 1)
            base_buffer_print(out, " x%zu", run);
    }
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
            if (trail->marks.data[k].function == function) {
                print_mark(&trail->marks.data[k], out);
                base_buffer_print(out, ", ");
            }
        base_buffer_print(out, "*");
    }
}

void search_recount_done(struct search_recount *recount) {
    trail_done(&recount->trail);
}
