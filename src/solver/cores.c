/* SPDX-License-Identifier: Apache-2.0
 *
 * Was this question refused before, for reasons that hold again? The paths of an exploration differ
 * in decisions that are irrelevant to most questions, so Z3 would get the same questions again and
 * again. For each "no", this keeps the assertions it needed, each as a 128-bit digest of the
 * condition's content, and looks for a kept set that is contained in the current assertions.
 */
#include "solver/cores.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PARTS (1u << 18) /* digests kept; beyond, all are dropped */
#define TABLE_LIMIT 4096      /* elements; larger tables are not read */
#define HEADS 1024u

struct digest {
    uint64_t words[2];
};

struct core {
    struct digest question;
    uint32_t first, count; /* of its parts */
    uint32_t next;
};

struct cores {
    BASE_VECTOR(struct core) list;
    BASE_VECTOR(struct digest) parts;
    uint32_t heads[HEADS];              /* by digest of the question: into list, plus one */
    BASE_VECTOR(struct digest) digests; /* by node */
    BASE_VECTOR(uint32_t) stamps;       /* the trace for which a digest is valid */
    uint32_t stamp;
    id_list stack;
    BASE_VECTOR(struct digest) sorted; /* of the current assertions */
};

struct cores *cores_new(void) {
    return base_alloc(sizeof(struct cores));
}

void cores_free(struct cores *cores) {
    base_vector_done(&cores->list);
    base_vector_done(&cores->parts);
    base_vector_done(&cores->digests);
    base_vector_done(&cores->stamps);
    base_vector_done(&cores->stack);
    base_vector_done(&cores->sorted);
    free(cores);
}

void cores_begin(struct cores *cores) {
    if (!++cores->stamp) {
        cores->stamps.count = cores->digests.count = 0;
        cores->stamp = 1;
    }
}

/* ---- digests ---- */

static uint64_t mix(uint64_t sum, uint64_t value, uint64_t factor) {
    sum = (sum ^ value) * factor;
    return (sum ^ sum >> 29) * 0x94d049bb133111ebu ^ sum >> 31;
}

static void add(struct digest *digest, uint64_t value) {
    digest->words[0] = mix(digest->words[0], value, 0x9e3779b97f4a7c15u);
    digest->words[1] = mix(digest->words[1] + 0x632be59bd9b4e019u, value, 0xbf58476d1ce4e5b9u);
}

static void add_digest(struct digest *digest, const struct digest *other) {
    add(digest, other->words[0]);
    add(digest, other->words[1]);
}

/* Tables too large to read are identified by number, which is valid in this trace only. */
static void add_table(const struct solver *solver, const struct cores *cores, uint32_t table,
                      struct digest *digest) {
    uint32_t count = expr_table_count(solver->pool, table);
    add(digest, count);
    if (count > TABLE_LIMIT) {
        add(digest, (uint64_t)cores->stamp << 32 | table);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        add(digest, expr_table_read(solver->pool, table, i));
}

/* The digest of a node whose operands have one. */
static struct digest digest_node(const struct solver *solver, const struct cores *cores,
                                 uint32_t id) {
    const struct abi_node *node = expr_node(solver->pool, id);
    const uint32_t operands[3] = {node->a, node->b, node->c};
    struct digest digest = {{0}};
    add(&digest, node->op | (uint64_t)node->width << 8 | (uint64_t)node->extra << 16);
    if (node->op == ABI_OP_CONST)
        add(&digest, expr_constant(solver->pool, id));
    else if (node->op == ABI_OP_INPUT)
        add(&digest, node->a);
    for (unsigned i = 0; i < 3 && i < expr_operands(node->op); i++)
        add_digest(&digest, &cores->digests.data[operands[i]]);
    if (node->op == ABI_OP_TABLE)
        add_table(solver, cores, node->b, &digest);
    return digest;
}

static bool push_operands(const struct solver *solver, struct cores *cores, uint32_t id) {
    const struct abi_node *node = expr_node(solver->pool, id);
    const uint32_t operands[3] = {node->a, node->b, node->c};
    size_t before = cores->stack.count;
    for (unsigned i = 0; i < 3 && i < expr_operands(node->op); i++)
        if (cores->stamps.data[operands[i]] != cores->stamp)
            base_push(&cores->stack, operands[i]);
    return cores->stack.count != before;
}

static struct digest digest_of(struct solver *solver, struct cores *cores, uint32_t id) {
    while (cores->stamps.count < expr_count(solver->pool)) {
        base_push(&cores->stamps, 0);
        base_push(&cores->digests, (struct digest){{0}});
    }
    cores->stack.count = 0;
    base_push(&cores->stack, id);
    while (cores->stack.count) {
        uint32_t top = cores->stack.data[cores->stack.count - 1];
        if (cores->stamps.data[top] != cores->stamp) {
            if (push_operands(solver, cores, top))
                continue;
            cores->digests.data[top] = digest_node(solver, cores, top);
            cores->stamps.data[top] = cores->stamp;
        }
        cores->stack.count--;
    }
    return cores->digests.data[id];
}

/* Conditions of a question come in a fixed order. */
static struct digest digest_question(struct solver *solver, struct cores *cores,
                                     const struct question *question) {
    struct digest digest = {{question->count, 0}};
    for (size_t i = 0; i < question->count; i++) {
        struct digest part = digest_of(solver, cores, question->conditions[i]);
        add_digest(&digest, &part);
    }
    return digest;
}

static int by_words(const void *a, const void *b) {
    const struct digest *x = a, *y = b;
    if (x->words[0] != y->words[0])
        return x->words[0] < y->words[0] ? -1 : 1;
    return x->words[1] < y->words[1] ? -1 : x->words[1] > y->words[1];
}

/* ---- sets ---- */

static bool includes(const struct cores *cores, const struct core *core) {
    for (uint32_t i = 0; i < core->count; i++)
        if (!cores->sorted.count ||
            !bsearch(&cores->parts.data[core->first + i], cores->sorted.data, cores->sorted.count,
                     sizeof *cores->sorted.data, by_words))
            return false;
    return true;
}

static void sort_assertions(struct solver *solver, struct cores *cores, const uint32_t *assertions,
                            size_t count) {
    cores->sorted.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct digest digest = digest_of(solver, cores, assertions[i]);
        base_push(&cores->sorted, digest);
    }
    if (count)
        qsort(cores->sorted.data, count, sizeof *cores->sorted.data, by_words);
}

bool cores_refuse(struct solver *solver, struct cores *cores, const struct question *question,
                  const uint32_t *assertions, size_t count) {
    if (!cores->list.count)
        return false;
    struct digest asked = digest_question(solver, cores, question);
    bool is_sorted = false;
    uint32_t at = cores->heads[asked.words[0] % HEADS];
    for (; at; at = cores->list.data[at - 1].next) {
        if (by_words(&cores->list.data[at - 1].question, &asked) != 0)
            continue;
        if (!is_sorted)
            sort_assertions(solver, cores, assertions, count);
        is_sorted = true;
        if (includes(cores, &cores->list.data[at - 1]))
            return true;
    }
    return false;
}

void cores_learn(struct solver *solver, struct cores *cores, const struct question *question,
                 const uint32_t *assertions, size_t count, const bool *in_core) {
    if (cores->parts.count > MOST_PARTS || cores->list.count > MOST_PARTS) {
        cores->parts.count = cores->list.count = 0;
        memset(cores->heads, 0, sizeof cores->heads);
    }
    struct core core = {digest_question(solver, cores, question), (uint32_t)cores->parts.count, 0,
                        0};
    for (size_t i = 0; i < count; i++)
        if (in_core[i]) {
            struct digest digest = digest_of(solver, cores, assertions[i]);
            base_push(&cores->parts, digest);
            core.count++;
        }
    uint32_t *head = &cores->heads[core.question.words[0] % HEADS];
    core.next = *head;
    base_push(&cores->list, core);
    *head = (uint32_t)cores->list.count;
}
