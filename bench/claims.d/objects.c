/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of bench/claims: which object, and what lies in it, depends on the input.
 */
#include "claim.h"

struct pair {
    int key;
    const char *text;
};
struct node {
    int value;
    struct node *next, *other;
};

static const char *const words[4] = {"", "ab", "abcde", "q"};
static const char *const *const lists[2] = {words, words + 2};
static const struct pair pairs[3] = {{1, "one"}, {7, "sevenseven"}, {3, ""}};
static int small[3] = {1, 5, 2}, large[3] = {9, 20, 30};

CASE(table_of_tables, 2, "\0\1\2\3") {
    return (long)strlen(lists[s[0] & 1][s[1] & 1]);
}

CASE(table_of_structs, 1, "") {
    const struct pair *p = &pairs[s[0] % 3];
    return p->key + (long)strlen(p->text);
}

CASE(struct_copied, 1, "") {
    struct pair p = pairs[s[0] % 3], q;
    memcpy(&q, &p, sizeof q);
    return q.key * 2 + (*q.text == 's');
}

CASE(struct_returned, 1, "") {
    struct big {
        int a[6];
    } one = {{1, 2, 3, 4, 5, 6}}, two = {{6, 5, 4, 3, 2, 11}};
    struct big chosen = s[0] > 99 ? one : two;
    return chosen.a[s[0] % 6];
}

CASE(chosen_array, 2, "\0\1\2\376\377") {
    int *p = s[0] & 1 ? small : large;
    return p[s[1] % 3];
}

CASE(chosen_by_arithmetic, 1, "") {
    uintptr_t p = (uintptr_t)small + ((uintptr_t)large - (uintptr_t)small) * (s[0] & 1);
    return ((int *)p)[1];
}

CASE(chosen_by_mask, 1, "") {
    uintptr_t mask = 0 - (uintptr_t)(s[0] > 200);
    return *(int *)(((uintptr_t)small & mask) | ((uintptr_t)large & ~mask));
}

CASE(pointer_by_bytes, 1, "") {
    int *from = s[0] == 'x' ? &small[1] : &large[1], *to;
    for (size_t i = 0; i < sizeof from; i++)
        ((byte *)&to)[i] = ((byte *)&from)[i];
    return *to;
}

CASE(low_byte_of_pointer, 1, "") {
    static _Alignas(256) byte page[256];
    union {
        byte *p;
        byte b[8];
    } u = {page};
    page[17] = 9;
    page[200] = 30;
    u.b[0] = s[0];
    return *u.p;
}

CASE(written_through_choice, 1, "") {
    int a = 0, b = 0;
    *(s[0] & 4 ? &a : &b) = 7;
    return a + 2 * b;
}

CASE(written_by_index, 2, "\0\1\2\3\4\5\6\7\10\377") {
    byte map[8] = {0};
    map[s[0] & 7] = 5;
    return map[s[1] & 7] + map[3];
}

CASE(swapped_pointers, 1, "") {
    int a = 3, b = 11, *p = &a, *q = &b;
    if (s[0] % 3 == 0) {
        int *t = p;
        p = q;
        q = t;
    }
    return *p * 2 - *q + 20;
}

CASE(list_in_two_orders, 2, "\0\1\2") {
    struct node c = {4, NULL, NULL}, b = {2, &c, NULL}, a = {1, &b, &c};
    struct node *at = s[0] == 1 ? &a : &b;
    long sum = 0;
    for (; at; at = s[1] == 2 ? at->other : at->next)
        sum = sum * 3 + at->value;
    return sum;
}

CASE(tree_by_keys, 3, "\0\1\2\3") {
    struct node pool[3], *root = NULL;
    long depth = 0;
    for (int i = 0; i < 3; i++) {
        struct node **at = &root;
        for (; *at; depth++)
            at = s[i] < (*at)->value ? &(*at)->next : &(*at)->other;
        pool[i] = (struct node){s[i], NULL, NULL};
        *at = &pool[i];
    }
    return depth;
}

CASE(hash_chains, 3, "\0\1\4\5") {
    struct node pool[3], *heads[4] = {0};
    long steps = 0;
    for (int i = 0; i < 3; i++) {
        struct node **head = &heads[s[i] & 3];
        for (struct node *at = *head; at; at = at->next)
            steps += 1 + (at->value == s[i]);
        pool[i] = (struct node){s[i], *head, NULL};
        *head = &pool[i];
    }
    return steps;
}

CASE(pointer_difference, 1, "") {
    char text[] = "abcdefgh";
    char *p = s[0] < 100 ? text + 2 : text + 7;
    return p - text;
}

CASE(pointers_compared, 1, "") {
    int a[4], *p = a + (s[0] & 3), *q = a + 2;
    return p < q ? 1 : p == q ? 5 : 9;
}

CASE(pointer_is_null, 1, "") {
    static int there;
    int *table[4] = {NULL, &there, NULL, &there};
    return table[s[0] & 3] ? 4 : 12;
}

CASE(row_of_matrix, 2, "\0\1\2\3\4\5") {
    static int m[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    int(*row)[4] = &m[s[0] % 3];
    return (*row)[s[1] & 3];
}

CASE(flexible_array, 1, "") {
    struct flexible {
        int count;
        byte items[];
    } *f = malloc(sizeof *f + 4);
    if (!f)
        return 0;
    memcpy(f->items, "\1\10\3\30", 4);
    long result = f->items[s[0] & 3];
    free(f);
    return result;
}

CASE(beyond_a_member, 1, "") { /* but within the object */
    struct {
        byte a[4], b[4];
    } u = {{1, 2, 3, 4}, {15, 16, 17, 18}};
    byte *all = (byte *)&u;
    return all[s[0] & 7];
}

CASE(negative_index, 1, "") {
    int a[5] = {3, 1, 4, 1, 15}, *middle = a + 2;
    return middle[(int)(s[0] % 5) - 2];
}

CASE(triple_pointer, 1, "") {
    int a = 2, b = 31, *pa = &a, *pb = &b, **both[2] = {&pa, &pb}, ***top = both;
    return **top[s[0] >> 7];
}

CASE(union_of_views, 1, "") {
    union {
        uint32_t word;
        byte bytes[4];
        struct {
            unsigned low : 5, middle : 9, high : 18;
        } fields;
    } u = {.word = 0x01020304};
    u.bytes[1] = s[0];
    return u.fields.middle % 50;
}

CASE(bit_fields, 2, "\0\1\7\10\77\100\200\377") {
    struct {
        int a : 3;
        unsigned b : 5;
        long c : 40;
        _Bool d : 1;
    } f;
    f.a = s[0];
    f.b = s[1];
    f.c = s[0] - (long)s[1];
    f.d = s[1] & 2;
    return (f.a < 0) + 2 * (f.b > 20) + 4 * (f.c < 0) + 8 * f.d;
}

CASE(moved_over_itself, 2, "\0\1\2\3\4") {
    byte text[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    memmove(text + (s[0] & 3), text + (s[1] & 3), 4);
    return text[2] + 2 * text[4];
}

CASE(copied_by_symbolic_size, 1, "") {
    byte from[16] = "abcdefghijklmno", to[16] = {0};
    memcpy(to, from, s[0] & 15);
    return (long)strlen((char *)to);
}

CASE(array_of_symbolic_length, 1, "") {
    int n = (s[0] & 7) + 1;
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i;
    return (long)(sizeof a / sizeof *a) + a[n - 1];
}

CASE(freed_and_taken_again, 1, "") {
    byte *p = malloc(8);
    if (!p)
        return 0;
    p[3] = s[0];
    free(p);
    byte *q = calloc(1, 8);
    long result = q ? q[3] : 3;
    free(q);
    return result;
}

CASE(grown_block, 1, "") {
    byte *p = malloc(2), *q;
    if (!p)
        return 0;
    p[0] = 3;
    p[1] = s[0];
    q = realloc(p, 4000);
    if (!q)
        return 0;
    long result = q[1] > 77 ? 9 : q[0];
    free(q);
    return result;
}

CASE(size_of_allocation, 1, "") {
    char *p = malloc(s[0] % 5 * 100);
    free(p);
    return 1;
}

CASE(freed_by_choice, 1, "") {
    char *p[2] = {malloc(10), malloc(500)};
    free(p[s[0] & 1]);
    char *again = malloc(10);
    free(again);
    free(p[!(s[0] & 1)]);
    return 2;
}

CASE(ring_buffer, 3, "\0\1\2\3") {
    byte ring[4] = {0};
    unsigned head = 0, tail = 0;
    for (int i = 0; i < 3; i++) {
        if (s[i] & 1)
            ring[head++ & 3] = s[i];
        else if (head != tail)
            tail++;
    }
    return head * 4 + tail + ring[0];
}

CASE(state_machine, 3, "ab1 ") {
    static const byte next[3][4] = {{1, 0, 2, 0}, {1, 2, 0, 1}, {2, 2, 1, 0}};
    static const byte kind[256] = {['a'] = 1, ['b'] = 2, ['1'] = 3};
    int state = 0;
    long sum = 0;
    for (int i = 0; i < 3; i++)
        sum += state = next[state][kind[s[i]]];
    return sum;
}

CASE(checksum_table, 2, "\0\1\2\3\20\200\377") {
    static byte table[256];
    for (unsigned i = 0; i < 256; i++)
        table[i] = (byte)(i * 167 + 13);
    byte sum = table[table[s[0]] ^ s[1]];
    return sum % 7;
}

CASE(string_literals, 1, "") {
    const char *t = s[0] == 1 ? "first" : s[0] == 2 ? "twelve letters" : "x";
    return (long)strlen(t);
}

CASE(compound_literal, 1, "") {
    int *p = s[0] > 3 ? (int[]){4, 5, 6} : (int[]){14, 25, 36};
    return p[s[0] % 3];
}

CASE(memory_compared, 1, "") {
    const char *t = words[s[0] & 3];
    return memcmp(t, "abcde", strlen(t)) == 0 ? (long)strlen(t) + 1 : 20;
}

CASE(struct_by_value, 1, "") {
    struct wide {
        long a, b, c, d;
    };
    struct wide w[2] = {{1, 2, 3, 4}, {5, 6, 17, 8}};
    struct wide (*pick)(struct wide, struct wide, int) = NULL;
    (void)pick;
    struct wide v = w[s[0] >> 7];
    return v.c + v.d;
}

CASE(union_find, 3, "\0\1\2\3") {
    byte parent[4] = {0, 1, 2, 3};
    for (int i = 0; i + 1 < 3; i++) {
        int a = s[i] & 3, b = s[i + 1] & 3;
        while (parent[a] != a)
            a = parent[a];
        while (parent[b] != b)
            b = parent[b];
        parent[a] = (byte)b;
    }
    return parent[0] + 4 * parent[1] + 16 * (parent[2] & 3);
}

CASE(priority_queue, 3, "\0\1\2\3") {
    byte heap[4];
    int n = 0;
    long swaps = 0;
    for (int i = 0; i < 3; i++) {
        int at = n++;
        heap[at] = s[i];
        for (; at > 0 && heap[(at - 1) / 2] < heap[at]; at = (at - 1) / 2, swaps++) {
            byte t = heap[at];
            heap[at] = heap[(at - 1) / 2];
            heap[(at - 1) / 2] = t;
        }
    }
    return swaps * 3 + heap[1];
}
