/* SPDX-License-Identifier: Apache-2.0
 *
 * What if all keys collided? A hash table is fast because its keys spread, and costs the square of
 * their number when they do not. Evolution would get there key by key; here all keys move at once.
 * (The attack of "Denial of Service via Algorithmic Complexity Attacks", Crosby and Wallach.)
 *
 * An address that depends on the input is a fixed value of the trace, with an expression. Where one
 * access goes to several places of one object, all keys are moved to the slot that most visits went
 * to. The bytes that decide another visit's address are drawn at random until the address is that
 * slot, and the earlier conditions of the path on these bytes still hold. Keys stay different.
 * Draws only evaluate expressions and need no runs; their number is limited. The result is a
 * proposal: it is run like any other child.
 */
#include "search/evolve/evolve.h"

#include <stdlib.h>
#include <string.h>

#define FEWEST_VISITS 4u
#define MOST_VISITS 4096u
#define MOST_CHILDREN 16u    /* of one path */
#define LONGEST_KEY 32u      /* bytes */
#define LONGEST_PART 256u    /* bytes: a key and what separates it from the next */
#define DRAWS (1u << 18)     /* of one path */
#define KEY_DRAWS (1u << 14) /* of one key */
#define DRAWS_AT_ONCE 256u   /* between checks of the clock */
#define ANY_BYTE 8           /* one draw in so many uses a byte that may not occur in the input */

struct visit {
    uint64_t object, place; /* addresses: of the object, and of the place in it */
    uint32_t access, expr;
    uint32_t conditions; /* of the path before it, by number */
    bool is_done;
};

struct meet {
    struct search *search;
    struct expr_pool *pool;
    const struct target_input *input;
    uint64_t *random;
    BASE_VECTOR(struct visit) visits;
    BASE_VECTOR(uint32_t) conditions; /* of the path */
    /* Indices of the conditions on each byte: in `of_bytes`, from starts[byte] on. */
    BASE_VECTOR(uint32_t) starts;
    BASE_VECTOR(uint32_t) of_bytes;
    uint32_t draws; /* left */
    /* of the current group of visits */
    uint8_t *bytes, *is_taken; /* the child, and which of its bytes belong to keys that stay */
    BASE_VECTOR(uint8_t) letters;
    BASE_VECTOR(uint64_t) keys; /* hashes of the keys in the child */
};

/* ---- reading the path ---- */

static void read_path(struct meet *meet, struct search_walk *walk) {
    struct search_step step;
    search_walk_rewind(walk);
    while (search_walk_next(walk, &step)) {
        uint32_t condition = search_condition(walk, &step);
        if (!condition)
            continue;
        if (step.kind != SEARCH_VALUE)
            base_push(&meet->conditions, condition);
        else if (step.is_address && step.place != UINT32_MAX && meet->visits.count < MOST_VISITS)
            base_push(&meet->visits,
                      (struct visit){.object = step.outcome - step.place,
                                     .place = step.outcome,
                                     .access = step.access,
                                     .expr = step.expr,
                                     .conditions = (uint32_t)meet->conditions.count});
    }
}

/* A counting sort: number of conditions on each byte, then offsets, then the conditions. */
static void index_conditions(struct meet *meet) {
    size_t size = meet->input->size;
    for (size_t i = 0; i < size + 2; i++)
        base_push(&meet->starts, 0);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < meet->conditions.count; i++) {
            struct expr_support of = expr_support(meet->pool, meet->conditions.data[i]);
            for (uint32_t k = 0; of.count <= LONGEST_KEY && k < of.count; k++) {
                if (of.offsets[k] >= size)
                    continue;
                if (round == 0)
                    meet->starts.data[of.offsets[k] + 2]++;
                else
                    meet->of_bytes.data[meet->starts.data[of.offsets[k] + 1]++] = i;
            }
        }
        for (size_t i = 2; round == 0 && i < size + 2; i++)
            meet->starts.data[i] += meet->starts.data[i - 1];
        for (size_t i = 0; round == 0 && i < meet->starts.data[size + 1]; i++)
            base_push(&meet->of_bytes, 0);
    }
}

/* ---- one key ---- */

static uint64_t hash_key(const struct meet *meet, const struct expr_support *of) {
    uint64_t hash = of->count;
    for (uint32_t i = 0; i < of->count; i++)
        hash = (hash ^ meet->bytes[of->offsets[i]]) * 0x9e3779b97f4a7c15u;
    return hash;
}

static bool has_key(const struct meet *meet, uint64_t key) {
    for (size_t i = 0; i < meet->keys.count; i++)
        if (meet->keys.data[i] == key)
            return true;
    return false;
}

/* Marks the bytes of a key that stays as it is. */
static void take_key(struct meet *meet, const struct expr_support *of) {
    base_push(&meet->keys, hash_key(meet, of));
    for (uint32_t i = 0; i < of->count; i++)
        meet->is_taken[of->offsets[i]] = true;
}

/* Do the path's earlier conditions on these bytes still hold? */
static bool goes_there(const struct meet *meet, const struct visit *visit,
                       const struct expr_support *of) {
    for (uint32_t i = 0; i < of->count; i++)
        for (uint32_t k = meet->starts.data[of->offsets[i]];
             k < meet->starts.data[of->offsets[i] + 1]; k++)
            if (meet->of_bytes.data[k] < visit->conditions &&
                !expr_eval(meet->pool, meet->conditions.data[meet->of_bytes.data[k]]))
                return false;
    return true;
}

static uint8_t draw_byte(const struct meet *meet) {
    uint64_t random = search_random(meet->random);
    return random % ANY_BYTE ? meet->letters.data[random / ANY_BYTE % meet->letters.count]
                             : (uint8_t)(random >> 32);
}

static bool has_to_end(const struct meet *meet) {
    return atomic_load(&meet->search->stop) || search_is_late(meet->search);
}

/* Draws a key that goes to PLACE; false: none was found, and the bytes are unchanged. */
static bool move_key(struct meet *meet, const struct visit *visit, uint64_t place,
                     const struct expr_support *of) {
    uint8_t before[LONGEST_KEY];
    for (uint32_t i = 0; i < of->count; i++)
        before[i] = meet->bytes[of->offsets[i]];
    for (uint32_t draw = 0; draw < KEY_DRAWS && meet->draws; draw++, meet->draws--) {
        if (draw % DRAWS_AT_ONCE == 0 && has_to_end(meet))
            break;
        for (uint32_t i = 0; i < of->count; i++)
            meet->bytes[of->offsets[i]] = draw_byte(meet);
        expr_eval_begin(meet->pool, meet->bytes, meet->input->size);
        if (expr_eval(meet->pool, visit->expr) == place && goes_there(meet, visit, of) &&
            !has_key(meet, hash_key(meet, of)))
            return true;
    }
    for (uint32_t i = 0; i < of->count; i++)
        meet->bytes[of->offsets[i]] = before[i];
    return false;
}

/* The bytes that decide an address, if they form a key: at least one, and none of another key. */
static bool find_key(const struct meet *meet, const struct visit *visit, struct expr_support *of) {
    *of = expr_support(meet->pool, visit->expr);
    if (of->count < 2 || of->count > LONGEST_KEY)
        return false;
    for (uint32_t i = 0; i < of->count; i++)
        if (of->offsets[i] >= meet->input->size || meet->is_taken[of->offsets[i]])
            return false;
    return true;
}

/* ---- one access ---- */

static bool is_same_access(const struct visit *a, const struct visit *b) {
    return a->object == b->object && a->access == b->access;
}

/* The place that most visits of this access went to, and the number of visits. */
static uint64_t find_place(struct meet *meet, size_t first, size_t *count) {
    const struct visit *leader = &meet->visits.data[first];
    uint64_t best = leader->place;
    size_t most = 0;
    *count = 0;
    for (size_t i = first; i < meet->visits.count; i++) {
        struct visit *visit = &meet->visits.data[i];
        size_t same = 0;
        if (!is_same_access(visit, leader))
            continue;
        visit->is_done = true;
        ++*count;
        for (size_t k = first; k < meet->visits.count; k++)
            same += is_same_access(&meet->visits.data[k], leader) &&
                    meet->visits.data[k].place == visit->place;
        if (same > most) {
            most = same;
            best = visit->place;
        }
    }
    return best;
}

static bool is_of(const struct meet *meet, const struct visit *visit, size_t first) {
    return is_same_access(visit, &meet->visits.data[first]);
}

/* Keys that already collide stay; duplicates do not. */
static void keep_keys(struct meet *meet, size_t first, uint64_t place) {
    struct expr_support of;
    memset(meet->is_taken, 0, meet->input->size);
    meet->keys.count = meet->letters.count = 0;
    for (size_t i = first; i < meet->visits.count; i++) {
        const struct visit *visit = &meet->visits.data[i];
        if (!is_of(meet, visit, first) || !find_key(meet, visit, &of))
            continue;
        for (uint32_t k = 0; k < of.count; k++)
            base_push(&meet->letters, meet->bytes[of.offsets[k]]);
        if (visit->place == place && !has_key(meet, hash_key(meet, &of)))
            take_key(meet, &of);
    }
}

/* Returns how many keys were moved, or changed because they are duplicates. */
static size_t move_keys(struct meet *meet, size_t first, uint64_t place) {
    struct expr_support of;
    size_t moved = 0;
    for (size_t i = first; i < meet->visits.count; i++) {
        const struct visit *visit = &meet->visits.data[i];
        if (!is_of(meet, visit, first) || !find_key(meet, visit, &of))
            continue;
        moved += move_key(meet, visit, place, &of);
        take_key(meet, &of);
    }
    return moved;
}

static void move_all(struct meet *meet, size_t first, uint64_t place,
                     struct evolve_children *children) {
    size_t size = meet->input->size;
    meet->bytes = base_alloc(size + 1);
    memcpy(meet->bytes, meet->input->data, size);
    keep_keys(meet, first, place);
    if (meet->letters.count && move_keys(meet, first, place))
        base_push(children, (struct evolve_child){meet->bytes, size});
    else
        free(meet->bytes);
}

/* ---- more keys ---- */

struct part { /* of the input: a key and what separates it from the next */
    const struct visit *visit;
    struct expr_support key;
    size_t size;
};

static bool is_in_one_piece(const struct expr_support *of) {
    return of->offsets[of->count - 1] - of->offsets[0] == of->count - 1;
}

/* The parts of one access, in input order; the last one reaches to the end. */
static size_t find_parts(struct meet *meet, size_t first, struct part *parts, size_t most) {
    size_t count = 0;
    struct expr_support of;
    memset(meet->is_taken, 0, meet->input->size);
    for (size_t i = first; i < meet->visits.count && count < most; i++) {
        const struct visit *visit = &meet->visits.data[i];
        if (!is_of(meet, visit, first) || !find_key(meet, visit, &of) || !is_in_one_piece(&of) ||
            (count && of.offsets[0] < parts[count - 1].key.offsets[0] + parts[count - 1].key.count))
            continue;
        if (count)
            parts[count - 1].size = of.offsets[0] - parts[count - 1].key.offsets[0];
        parts[count++] = (struct part){visit, of, meet->input->size - of.offsets[0]};
        take_key(meet, &of);
    }
    return count;
}

/* Writes what precedes the keys, then as many parts like this one as fit, each with a key of its
 * own, and the last part. */
static void write_parts(struct meet *meet, const struct part *parts, size_t count, size_t index,
                        uint64_t place, struct evolve_children *children) {
    size_t limit = meet->search->subject.layout.bytes;
    const struct part *part = &parts[index], *last = &parts[count - 1];
    const uint8_t *input = meet->input->data;
    size_t start = part->key.offsets[0], before = parts[0].key.offsets[0], written = 0;
    struct base_buffer out = {0};
    base_buffer_add(&out, input, before);
    meet->keys.count = 0;
    memcpy(meet->bytes, input, meet->input->size);
    while (out.count + part->size + last->size <= limit &&
           move_key(meet, part->visit, place, &part->key)) {
        base_push(&meet->keys, hash_key(meet, &part->key));
        base_buffer_add(&out, meet->bytes + start, part->size);
        written++;
    }
    base_buffer_add(&out, input + last->key.offsets[0], last->size);
    if (written > count)
        base_push(children, (struct evolve_child){(uint8_t *)out.data, out.count});
    else
        base_buffer_done(&out);
}

/* One child per key length, made from the shortest part with such a key. */
static void write_more(struct meet *meet, size_t first, size_t visits, uint64_t place,
                       struct evolve_children *children) {
    struct part *parts = base_alloc(visits * sizeof *parts);
    size_t shortest[LONGEST_KEY + 1], count = find_parts(meet, first, parts, visits);
    for (size_t length = 0; length <= LONGEST_KEY; length++)
        shortest[length] = count;
    for (size_t i = 0; i + 1 < count; i++) {
        size_t *known = &shortest[parts[i].key.count];
        if (parts[i].size <= LONGEST_PART &&
            (*known == count || parts[i].size < parts[*known].size))
            *known = i;
    }
    for (size_t length = 0; length <= LONGEST_KEY; length++)
        if (shortest[length] < count)
            write_parts(meet, parts, count, shortest[length], place, children);
    free(parts);
}

static void try_access(struct meet *meet, size_t first, struct evolve_children *children) {
    size_t count;
    uint64_t place = find_place(meet, first, &count);
    if (count < FEWEST_VISITS)
        return;
    move_all(meet, first, place, children);
    meet->bytes = base_alloc(meet->input->size + 1);
    if (meet->letters.count)
        write_more(meet, first, count, place, children);
    free(meet->bytes);
}

void evolve_meet(struct search *search, struct search_walk *walk, const struct target_input *input,
                 uint64_t *random, struct evolve_children *children) {
    struct meet meet = {.search = search,
                        .pool = walk->trace.pool,
                        .input = input,
                        .random = random,
                        .draws = DRAWS};
    size_t before = children->count;
    read_path(&meet, walk);
    meet.is_taken = base_alloc(input->size + 1);
    if (meet.visits.count >= FEWEST_VISITS)
        index_conditions(&meet);
    for (size_t i = 0; i < meet.visits.count && meet.visits.count >= FEWEST_VISITS; i++)
        if (!meet.visits.data[i].is_done && children->count - before < MOST_CHILDREN)
            try_access(&meet, i, children);
    free(meet.is_taken);
    base_vector_done(&meet.visits);
    base_vector_done(&meet.conditions);
    base_vector_done(&meet.starts);
    base_vector_done(&meet.of_bytes);
    base_vector_done(&meet.letters);
    base_vector_done(&meet.keys);
}
