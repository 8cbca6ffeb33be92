/* SPDX-License-Identifier: Apache-2.0
 *
 * An index that leaves its object is found and told of, also where the machine would let it pass:
 * in global variables, on the heap, on the stack, in arguments; behind the end and before the
 * start; reads and writes. It is a path of its own that ends there, and a crash. What the program
 * would do behind that is not known, so the search is not complete, for this reason alone.
 *
 * RUN: number() { sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" s/suite.json | head -n 1; }
 * RUN: search() { %slowpath run %s --strategy exhaustive --jobs 1 --out s --force --quiet "$@" >out; }
 * RUN: verdict() { case $(number outside) in 0) echo 'complete: every path was covered' ;; \
 * RUN:   *) echo "not complete: $(number outside) runs that were followed only up to where they left an object" ;; esac; }
 * RUN: ends() { [ "$(number outside)" = "$(number crashes)" ] && grep -qx "$(verdict)" out && \
 * RUN:   grep -q "\"complete\": $([ "$(number outside)" = 0 ] && echo true || echo false)" s/suite.json || { cat out; exit 1; }; }
 * RUN: expect_() { [ "$(number paths) $(number crashes) $(number mismatches)" = "$1" ] || { cat out; exit 1; }; ends; }
 *
 * Ten elements, 11 indices: larger or not, beyond, and too large to be asked for.
 * RUN: search --entry 'global(i)'; expect_ '4 1 0'; %check --check-prefix=GLOBAL <out
 * GLOBAL: faults/0001.input  out of bounds: reads 4 bytes outside of digits (40 bytes), at offset 40, in global ({{.*}}run_bounds.c:{{[0-9]+}})
 * RUN: [ "$(od -An -tu1 s/faults/0001.input | tr -d ' ')" = 10 ]
 *
 * RUN: search --entry 'before(i)'; expect_ '5 1 0'; grep -q 'outside of digits (40 bytes), at offset -4, in before' out
 * RUN: search --entry 'written(i)'; expect_ '3 1 0'; grep -q 'writes 4 bytes outside of counts (40 bytes), at offset 40, in written' out
 * RUN: search --entry 'heap(i)'; expect_ '4 1 0'; grep -q 'reads 4 bytes outside of a heap block (40 bytes), at offset 40, in heap' out
 * RUN: search --entry 'heap_written(i)'; expect_ '3 1 0'; grep -q 'writes 1 byte outside of a heap block (10 bytes), at offset 10, in heap_written' out
 * RUN: search --entry 'stack(i)'; expect_ '4 1 0'; grep -q 'reads 4 bytes outside of a stack variable (40 bytes), at offset 40, in stack' out
 * RUN: search --entry 'argument(a[3], i)'; expect_ '4 1 0'; grep -q 'reads 4 bytes outside of a (12 bytes), at offset 12, in argument' out
 *
 * Blocks with an alignment of their own, atomic operations, variables of a thread, and an array on
 * the stack that another function sees, also after longjmp has left the stack in disorder.
 * RUN: search --entry 'each(f, i)' --range f=0..9; [ "$(number crashes) $(number mismatches)" = '10 0' ]
 * RUN: ends
 * RUN: for f in aligned page_aligned; do grep -q "reads 4 bytes outside of a heap block (40 bytes), at offset 40, in $f" out; done
 * RUN: for f in added exchanged; do grep -q "writes 4 bytes outside of counts (40 bytes), at offset 40, in $f" out; done
 * RUN: grep -q 'reads 4 bytes outside of digits (40 bytes), at offset 40, in loaded' out
 * RUN: grep -q 'writes 4 bytes outside of a variable of the thread (40 bytes), at offset 40, in of_thread' out
 * RUN: for f in seen stored chosen jumped; do grep -q "writes 1 byte outside of a stack variable (10 bytes), at offset 10, in set_$f" out; done
 * RUN: search --entry 'none(f, i)' --range f=0..1; [ "$(number crashes)" = 0 ] || { cat out; exit 1; }
 *
 * The pointer was computed elsewhere; the last element is only half there.
 * RUN: search --entry 'passed(i)'; expect_ '3 1 0'; grep -q 'reads 4 bytes outside of digits (40 bytes), at offset 40, in larger' out
 * RUN: search --entry 'compared(i)'; expect_ '2 1 0'; grep -q 'outside of constants (8 bytes), at offset 8, in compared' out
 * RUN: search --entry 'half(i)'; expect_ '3 1 0'; grep -q 'reads 4 bytes outside of bytes (16 bytes), at offset 13, in half' out
 *
 * Rows of different lengths: each of the two shorter ones can be left.
 * RUN: search --entry 'rows(i, j)'; expect_ '7 2 0'
 * RUN: grep -q 'outside of row0 (8 bytes)' out; grep -q 'outside of row1 (12 bytes)' out
 *
 * Copies of a symbolic length, to a buffer and from one, and to a symbolic place: all lengths that
 * fit, and one that does not.
 * RUN: search --entry 'copied(a[32], i)'; expect_ '3 1 0'; grep -q 'outside of buffer (8 bytes), at offset 0, in copied' out
 * RUN: search --entry 'copied_from(i)'; expect_ '3 1 0'; grep -q 'reads .* bytes outside of a heap block (10 bytes), at offset 0, in copied_from' out
 * RUN: search --entry 'cleared(i)'; expect_ '3 1 0'; grep -q 'writes 3 bytes outside of buffer (8 bytes), at offset 6, in cleared' out
 *
 * The beam tells of it, too.
 * RUN: %slowpath run %s --strategy beam --time 2 --jobs 1 --seed 1 --out s --force --quiet --entry 'global(i)' >out
 * RUN: grep -q 'reads 4 bytes outside of digits (40 bytes), at offset [0-9]*, in global' out || { cat out; exit 1; }
 *
 * So do evolution, which asks the solver for it, and whoever learns from small sizes.
 * RUN: %slowpath run %s --strategy evolve --runs 40000 --jobs 1 --out s --force --quiet --entry 'global(i)' >out
 * RUN: grep -q 'reads 4 bytes outside of digits (40 bytes), at offset [0-9]*, in global' out || { cat out; exit 1; }
 * RUN: %slowpath run %s --strategy scale --train 1..3 --time 10 --jobs 1 --out s --force --quiet --entry 'counted(a[n], n)' --size n=9 >out
 * RUN: grep -q 'outside of counts (40 bytes), at offset 40, in counted' out || { cat out; exit 1; }
 *
 * Where only some values are tried, that is counted: a table that is too large to be looked up.
 * RUN: search --entry 'large(i, j)' --values 5; grep -q '"complete": false' s/suite.json; [ "$(number concretised)" -gt 0 ]; [ "$(number crashes)" = 1 ]
 *
 * What stays within makes no path: a table without its start, a pointer behind the end.
 * RUN: search --entry 'letters(c)'; expect_ '4 0 0'
 * RUN: search --entry 'behind(i)'; expect_ '3 0 0'
 * RUN: search --entry 'member(i)'; expect_ '2 0 0'
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;

static int zeros[4], digits[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, counts[10], more[4];
static const byte bytes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

int global(byte i) {
    if (i > 10)
        return 0;
    if (digits[i] > 5)
        return 1;
    return 2;
}

int before(signed char i) {
    if (i < -1 || i > 9)
        return 0;
    if (digits[i] > 5)
        return 1;
    return 2;
}

int written(byte i) {
    if (i > 10)
        return 0;
    counts[i] = 1;
    return zeros[0] + more[0];
}

int heap(byte i) {
    int *digit = malloc(10 * sizeof *digit), result = 0;
    for (int k = 0; k < 10; k++)
        digit[k] = k;
    if (i <= 10) {
        result = 1;
        if (digit[i] > 5)
            result = 2;
    }
    free(digit);
    return result;
}

int heap_written(byte i) {
    char *text = malloc(10);
    if (i <= 10)
        text[i] = 0;
    free(text);
    return 0;
}

int stack(byte i) {
    int digit[10];
    for (int k = 0; k < 10; k++)
        digit[k] = k;
    if (i > 10)
        return 0;
    if (digit[i] > 5)
        return 1;
    return 2;
}

static int look(int *digit, byte i) {
    int result = 0;
    for (int k = 0; k < 10; k++)
        digit[k] = k;
    if (i > 10)
        return 0;
    result = digit[i] > 5 ? 1 : 2;
    return result;
}

int aligned(byte i) {
    int *digit = aligned_alloc(64, 40), result = 0;
    for (int k = 0; k < 10; k++)
        digit[k] = k;
    if (i <= 10) {
        result = 1;
        if (digit[i] > 5)
            result = 2;
    }
    free(digit);
    return result;
}

int page_aligned(byte i) {
    void *memory, *before = malloc(24);
    if (posix_memalign(&memory, 4096, 40))
        return 3;
    int *digit = memory, result = 0;
    for (int k = 0; k < 10; k++)
        digit[k] = k;
    if (i <= 10) {
        result = 1;
        if (digit[i] > 5)
            result = 2;
    }
    free(memory);
    free(before);
    return result;
}

int added(byte i) {
    return i > 10 ? 0 : __atomic_fetch_add(&counts[i], 1, __ATOMIC_SEQ_CST);
}

int exchanged(byte i) {
    int expected = 0;
    return i > 10 ? 0
                  : __atomic_compare_exchange_n(&counts[i], &expected, 1, 0, __ATOMIC_SEQ_CST,
                                                __ATOMIC_SEQ_CST);
}

int loaded(byte i) {
    if (i > 10)
        return 0;
    if (__atomic_load_n(&digits[i], __ATOMIC_ACQUIRE) > 5)
        return 1;
    return 2;
}

static _Thread_local int own[10];

int of_thread(byte i) {
    if (i <= 10)
        own[i] = 1;
    return own[0];
}

#define SET(name)                                                                                  \
    __attribute__((noinline)) static void set_##name(char *text, byte i) {                         \
        text[i] = 1;                                                                               \
    }
SET(seen)
SET(stored)
SET(chosen)
SET(jumped)

int seen(byte i) {
    char text[10] = "";
    if (i <= 10)
        set_seen(text, i);
    return text[0];
}

static struct holder {
    char *text;
} holder;

__attribute__((noinline)) static void set_held(byte i) {
    set_stored(holder.text, i);
}

int stored(byte i) {
    char text[10] = "";
    holder.text = text;
    if (i <= 10)
        set_held(i);
    return text[0];
}

int chosen(byte i) {
    char text[10] = "", other[10] = "";
    char *either = counts[0] ? other : text;
    if (i <= 10)
        set_chosen(either, i);
    return text[0] + other[0];
}

static jmp_buf back_here;

__attribute__((noinline)) static void leave_at_once(byte i) {
    char small[3] = "";
    set_jumped(small, i & 1);
    longjmp(back_here, 1);
}

int jumped(byte i) {
    char text[10] = "";
    if (!setjmp(back_here))
        leave_at_once(0);
    if (i <= 10)
        set_jumped(text, i);
    return text[0];
}

/* Pointers to one, from the end of another; scalars beside arrays. */
__attribute__((noinline)) static int first_of(const int *from, byte i) {
    return from[i & 1 ? 0 : 0] + from[0];
}

int neighbours(byte i) {
    int one[2] = {1, 2}, x = 3, two[2] = {4, 5}, y = 6;
    return first_of(&x, i) + first_of(&y, i) + first_of(one, i) + first_of(two, i) +
           (one + 2)[-1 - (i & 1)] + look((int[10]){0}, i % 10);
}

__attribute__((noinline)) static int down(int n, byte i) {
    char text[16];
    memset(text, n, sizeof text);
    set_seen(text, i & 15);
    return n ? down(n - 1, i) + text[0] : text[i & 15];
}

int deep(byte i) {
    return down(20, i);
}

int each(byte f, byte i) {
    int (*const functions[])(byte) = {aligned,   page_aligned, added,  exchanged, loaded,
                                      of_thread, seen,         stored, chosen,    jumped};
    for (byte k = 0; k < 10; k++)
        if (f == k)
            return functions[k](i);
    return 0;
}

int none(byte f, byte i) {
    return f ? neighbours(i) : deep(i);
}

int argument(const int *a, byte i) {
    if (i > 3)
        return 0;
    if (a[i] == 7)
        return 1;
    return 2;
}

__attribute__((noinline)) static int larger(const int *digit) {
    return *digit > 5;
}

int passed(byte i) {
    if (i > 10)
        return 0;
    return larger(&digits[i]);
}

static const char constants[8] = "1234567";

/* A look-up that an optimiser could turn into a question about i alone. */
int compared(byte i) {
    return constants[i & 15] == '3' ? 1 : 0;
}

int half(byte i) {
    unsigned value;
    if ((i & 15) > 13)
        i = 0;
    memcpy(&value, bytes + (i & 15), sizeof value);
    return (int)value;
}

static int row0[] = {1, 2}, row1[] = {3, 1, 2}, row2[] = {1, 2, 3, 3};
static int *const matrix[] = {row0, row1, row2};

int rows(byte i, byte j) {
    int sum = 0;
    if (i > 2 || j > 3)
        return 0;
    for (int k = 0; k < matrix[i][j]; k++)
        sum++;
    return sum;
}

static char buffer[8];

int copied(const char *a, byte i) {
    if (i > 20)
        return 0;
    memcpy(buffer, a, i);
    return 1;
}

int copied_from(byte i) {
    static char all[32];
    char *text = calloc(10, 1);
    if (i <= 20)
        memcpy(all, text, i);
    free(text);
    return 0;
}

int cleared(byte i) {
    if (i > 6)
        return 0;
    memset(buffer + i, 1, 3);
    return 1;
}

int large(byte i, byte j) {
    static int squares[2000];
    squares[7] = 1;
    if (squares[i * 8 + j % 8] == 1)
        return 1;
    return 2;
}

int counted(const byte *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (a[i] <= 10 && a[i] > 8)
            sum += counts[a[i]]++;
    return sum;
}

int letters(byte c) {
    static const char kinds[26] = "abcabcabcabcabcabcabcabcab";
    if (c < 'a' || c > 'z')
        return 0;
    if (kinds[c - 'a'] == 'b')
        return 1;
    return 2;
}

__attribute__((noinline)) static int back(const int *end, byte i) {
    return end[-i];
}

int behind(byte i) {
    if (i < 1 || i > 10)
        return 0;
    return back(digits + 10, i);
}

int member(byte i) {
    static const struct {
        byte low[4], high[4];
    } parts = {{1, 1, 1, 1}, {2, 2, 2, 2}};
    if (parts.low[i & 7] == 2)
        return 1;
    return 2;
}
