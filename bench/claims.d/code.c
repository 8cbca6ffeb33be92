/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of bench/claims: what compilers know and programs rarely use, and data that becomes
 * symbolic in the middle of a function.
 */
#include "claim.h"

#include <alloca.h>
#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>

typedef unsigned lanes __attribute__((vector_size(16)));
typedef byte bytes16 __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));
typedef short shorts __attribute__((vector_size(16)));

/* Values that are fixed are tried one by one: two of them from one byte are few enough. */
#define HALVES                                                                                     \
    byte halves[2] = {(byte)((s[0] & 15) * 17), (byte)((s[0] >> 4) * 17)};                         \
    s = halves

/* ---- builtins ---- */

CASE(swapped_bytes, 2, "\0\1\2\177\200\377") {
    unsigned v = s[0] | (unsigned)s[1] << 8;
    return (__builtin_bswap16((unsigned short)v) > 0x0200) +
           2 * (__builtin_bswap32(v) > 0x01000000) + 4 * (__builtin_bswap64(v) == 0);
}

CASE(counted_bits, 1, "") {
    return __builtin_popcount(s[0]) + 8 * __builtin_parity(s[0]);
}

CASE(leading_zeros, 1, "") {
    return s[0] ? __builtin_clz(s[0]) - 20 + 16 * (__builtin_ctz(s[0]) > 2) : 5;
}

CASE(first_set, 2, "\0\1\4\200") {
    long long v = (long long)s[0] << 40 | s[1];
    return __builtin_ffsll(v) & 31;
}

CASE(sign_copies, 1, "") {
    return __builtin_clrsb((int)((unsigned)s[0] << 24));
}

CASE(added_with_overflow, 2, "\0\1\177\200\377") {
    signed char r;
    byte u;
    int a = __builtin_add_overflow((signed char)s[0], (signed char)s[1], &r);
    int b = __builtin_sub_overflow(s[0], s[1], &u);
    return a + 2 * b + 4 * (r > 0) + 8 * (u > 100);
}

CASE(multiplied_with_overflow, 2, "\0\1\2\20\177\377") {
    short r;
    unsigned short u;
    int a = __builtin_mul_overflow((int)s[0] * 100, s[1], &r);
    int b = __builtin_mul_overflow(s[0], s[1] * 9, &u);
    return a + 2 * b + 4 * (r < 0) + 8 * (u > 5000);
}

CASE(overflow_in_two_signs, 1, "") {
    HALVES;
    unsigned r;
    long long wide;
    int a = __builtin_add_overflow((int)s[0] - 200, (long long)s[1], &r);
    int b = __builtin_mul_overflow((long long)s[0] << 55, (long long)s[1], &wide);
    return a + 2 * b + 4 * (wide > 0);
}

CASE(carried, 2, "\0\1\200\377") {
    unsigned char out, out2;
    byte low = __builtin_addcb(s[0], s[1], 1, &out);
    byte high = __builtin_subcb(s[0], s[1], out, &out2);
    return out + 2 * out2 + 4 * (low > 128) + 8 * (high > 128);
}

CASE(reversed_bits, 1, "") {
    return (__builtin_bitreverse8(s[0]) > 100) + 2 * (__builtin_bitreverse32(s[0]) > 1u << 30) +
           4 * (__builtin_rotateleft8(s[0], s[0] & 7) == s[0]);
}

CASE(expected, 1, "") {
    if (__builtin_expect(s[0] == 77, 0))
        return 3;
    return __builtin_choose_expr(sizeof(int) == 4, s[0] > 9, 5) ? 8 : 12;
}

CASE(assumed_by_the_code, 1, "") {
    byte v = s[0] & 3;
    __builtin_assume(v < 4);
    switch (v) {
    case 0:
        return 1;
    case 1:
        return 4;
    case 2:
        return 9;
    case 3:
        return 16;
    default:
        __builtin_unreachable();
    }
}

CASE(saturated, 2, "\0\1\100\177\200\377") {
    return (__builtin_elementwise_add_sat(s[0], s[1]) == 255) +
           2 * (__builtin_elementwise_sub_sat((signed char)s[0], (signed char)s[1]) == -128) +
           4 * (__builtin_elementwise_max(s[0], s[1]) > 100) +
           8 * (__builtin_elementwise_abs((int)(signed char)s[0]) > 100);
}

CASE(classified, 4, "\0\200\177\377") {
    float f;
    memcpy(&f, s, 4);
    return (isnan(f) != 0) + 2 * (isinf(f) != 0) + 4 * (isnormal(f) != 0) + 8 * (signbit(f) != 0) +
           16 * (__builtin_fpclassify(1, 2, 3, 4, 5, f) == 4);
}

CASE(ordered_or_not, 4, "\0\177\300\377") {
    float f;
    memcpy(&f, s, 4);
    return isgreater(f, 0.0f) + 2 * isless(f, 1.0f) + 4 * (isunordered(f, 1.0f) != 0) +
           8 * (islessgreater(f, 0.0f) != 0) + 16 * (f != f);
}

CASE(object_size_known, 1, "") {
    char to[8];
    __builtin___memset_chk(to, s[0], 8, __builtin_object_size(to, 0));
    __builtin___memcpy_chk(to + 1, s, 1, __builtin_object_size(to + 1, 0));
    return (to[1] > 20) + 2 * (to[7] == 'a') + 4 * __builtin_constant_p(to[1]);
}

/* ---- vectors ---- */

CASE(lanes_compared, 1, "") {
    HALVES;
    lanes a = {s[0], s[1], 2, 3}, b = {1, 1, s[0], s[1]};
    lanes more = (lanes)(a > b);
    return (more[0] & 1) + (more[1] & 2) + (more[2] & 4) + (more[3] & 8);
}

CASE(lanes_reduced, 1, "") {
    HALVES;
    lanes a = {s[0], s[1], 3, 4};
    return (__builtin_reduce_add(a) & 15) + 16 * (__builtin_reduce_max(a) > 7);
}

CASE(lane_by_input, 2, "\0\1\2\3\377") {
    lanes a = {3, 9, 27, s[1]};
    return a[s[0] & 3] & 63;
}

CASE(lane_set_by_input, 2, "\0\1\2\3\7") {
    lanes a = {1, 2, 3, 4};
    a[s[0] & 3] = s[1];
    return (a[0] + 2 * a[1] + a[2] * 4 + a[3]) & 63;
}

CASE(bytes_of_vector, 1, "") {
    HALVES;
    bytes16 v = {s[0], s[1]};
    v += 1;
    v ^= (bytes16)(v == 'b') & 5;
    return (v[0] & 7) + (v[1] & 7) * 8;
}

CASE(vector_through_memory, 2, "\0\1\100\377") {
    lanes v = {s[0], 7, s[1], 9};
    unsigned words[4];
    shorts h;
    memcpy(words, &v, 16);
    memcpy(&h, &v, 16);
    return (words[0] > words[2]) + 2 * (h[4] > 50) + 4 * (words[3] == 9) + 8 * (h[1] == 0);
}

CASE(vector_of_floats, 1, "") {
    HALVES;
    floats v = {s[0], s[1], 1.5f, -1}, w = v * v - 2.0f;
    return (w[0] > 0) + 2 * (w[1] < 60000) + 4 * (w[2] > 0) + 8 * (w[0] > w[1]);
}

CASE(vector_of_doubles, 1, "") {
    HALVES;
    doubles v = {s[0] / 2.0, s[1] * 3.0};
    v = v + (doubles){0.25, -1};
    return (v[0] > v[1]) + 2 * (v[0] == 8.25) + 4 * (v[1] < 0);
}

CASE(vector_shifted, 2, "\0\1\37\40\377") {
    lanes v = {1, 0x80000000u, 0xff, s[0]};
    v = v << (lanes){s[0] & 31, s[1] & 31, 1, 2} | v >> 1;
    return (v[0] > 0x10000) + 2 * (v[1] != 0) + 4 * (v[3] > 100);
}

CASE(vector_of_pointers_loop, 2, "\0\1\2\3") {
    static const byte table[4] = {1, 20, 5, 9};
    bytes16 v = {0};
    for (int i = 0; i < 16; i++)
        v[i] = table[(s[i & 1] + i) & 3];
    return __builtin_reduce_add(v) & 63;
}

CASE(vector_converted, 1, "") {
    HALVES;
    typedef signed char small4 __attribute__((vector_size(4)));
    typedef int int4 __attribute__((vector_size(16)));
    small4 v = {(signed char)s[0], (signed char)s[1], 3, -4};
    int4 w = __builtin_convertvector(v, int4);
    return (w[0] < 0) + 2 * (w[0] + w[1] > 100) + 4 * (w[3] == -4);
}

CASE(vector_by_argument, 1, "") {
    HALVES;
    extern lanes vector_passed(lanes a, lanes b);
    lanes r = vector_passed((lanes){s[0], 1, 2, 3}, (lanes){4, 5, s[1], 7});
    return (r[0] + r[2]) & 31;
}
__attribute__((noinline)) lanes vector_passed(lanes a, lanes b) {
    return a * 3 + b;
}

/* ---- wide integers ---- */

CASE(wide_shift, 1, "") {
    HALVES;
    unsigned __int128 v = (unsigned __int128)(s[0] | 1) << (s[1] & 127);
    return ((uint64_t)(v >> 64) != 0) + 2 * ((uint64_t)v != 0) +
           4 * (v > ((unsigned __int128)1 << 100));
}

CASE(wide_signed_shift, 1, "") {
    HALVES;
    __int128 v = (__int128)((signed char)s[0]) << 100;
    v >>= s[1] & 127;
    return (v < 0) + 2 * (v == -1) + 4 * (v == 0);
}

CASE(wide_in_memory, 1, "") {
    HALVES;
    union {
        unsigned __int128 w;
        byte b[16];
    } u = {0};
    u.b[15] = s[0];
    u.b[7] = s[1];
    return (u.w >> 127 != 0) + 2 * ((uint64_t)u.w > 1ull << 62) + 4 * (u.w == 0);
}

CASE(wide_to_double, 1, "") {
    HALVES;
    __int128 v = ((__int128)(signed char)s[0] << 90) + s[1];
    double d = (double)v;
    return (d > 1e27) + 2 * (d < 0) + 4 * ((__int128)d == v);
}

CASE(wide_by_argument, 1, "") {
    HALVES;
    extern __int128 wide_passed(__int128 a, int b, __int128 c);
    __int128 r = wide_passed((__int128)s[0] << 70, s[1], -(__int128)s[1]);
    return (r > 0) + 2 * (r < 0) + 4 * ((int64_t)r == 0);
}
__attribute__((noinline)) __int128 wide_passed(__int128 a, int b, __int128 c) {
    return a * b + c;
}

CASE(bits_of_odd_width, 2, "\0\1\177\200\377") {
    _BitInt(17) a = s[0] * 300;
    unsigned _BitInt(5) b = (unsigned _BitInt(5))(s[1] + s[0]);
    return (a < 0) + 2 * (b > 15) + 4 * (a + b > 1000);
}

CASE(bits_of_great_width, 1, "") {
    HALVES;
    unsigned _BitInt(200) a = s[0];
    a = a << 150 | s[1];
    return (a >> 151 != 0) + 2 * ((byte)a == 255) + 4 * (a > ((unsigned _BitInt(200))9 << 150));
}

/* ---- floating point ---- */

CASE(complex_quotient, 1, "") {
    HALVES;
    double complex a = s[0] + 1.0 * I, b = 1.0 - s[1] * I;
    double complex q = a / b;
    return (creal(q) > 0) + 2 * (cimag(q) > 0.5) + 4 * (cabs(a) > 100);
}

CASE(complex_by_argument, 1, "") {
    HALVES;
    extern float complex complex_passed(float complex a, float complex b);
    float complex r = complex_passed(s[0] + 2.0f * I, 1.0f - s[1] * I);
    return (crealf(r) > 10) + 2 * (cimagf(r) > 0) + 4 * (crealf(r) == cimagf(r));
}
__attribute__((noinline)) float complex complex_passed(float complex a, float complex b) {
    return a * b + conjf(a);
}

CASE(long_double_in_memory, 1, "") {
    HALVES;
    long double v = (long double)s[0] * 3 - s[1];
    struct {
        long double d;
        int n;
    } one = {v, s[1]}, two = one;
    return (two.d > 0) + 2 * (two.d == 0) + 4 * (two.n > 4) + 8 * ((long)two.d & 1);
}

CASE(long_double_bits, 1, "") {
    long double v = s[0];
    byte raw[16] = {0};
    memcpy(raw, &v, 10);
    return (raw[9] == 0x40) + 2 * (raw[7] > 0x90) + 4 * (raw[8] & 1);
}

CASE(half_in_memory, 2, "\0\74\174\200\377") {
    _Float16 h;
    memcpy(&h, s, 2);
    return (h > 1) + 2 * (h == h) + 4 * (h < 0) + 8 * ((float)h > 100.0f);
}

CASE(brain_float, 2, "\0\77\200\177\377") {
    unsigned raw = (unsigned)s[0] << 16 | (unsigned)s[1] << 24;
    float f;
    memcpy(&f, &raw, 4);
    return (f > 1) + 2 * (f < 0) + 4 * (f == f) + 8 * (fabsf(f) < 1e-30f);
}

CASE(float_loop, 1, "") {
    long turns = 0;
    for (float f = s[0]; f >= 1.0f; f *= 0.5f)
        turns++;
    return turns;
}

CASE(double_accumulates, 2, "\0\1\2\377") {
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += s[i & 1] * 0.1;
    return (sum == 0.3) + 2 * (sum > 50) + 4 * ((int)(sum * 10) & 3);
}

CASE(float_as_index, 2, "\0\1\2\3\377") {
    static const byte table[8] = {1, 2, 3, 4, 15, 6, 7, 28};
    return table[(int)(s[0] * 0.5f + s[1] * 0.25) & 7];
}

CASE(double_sorted, 3, "\0\1\2") {
    double d[3] = {s[0] - 1.0, s[1] * 0.5, -(double)s[2]};
    long moves = 0;
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && d[k - 1] > d[k]; k--, moves++) {
            double t = d[k];
            d[k] = d[k - 1];
            d[k - 1] = t;
        }
    return moves * 4 + (d[0] < 0);
}

/* ---- the middle of a function ---- */

static int late_store[4];

CASE(late_in_a_loop, 2, "\0\1\2\3") {
    long sum = 0;
    memset(late_store, 0, sizeof late_store);
    for (int i = 0; i < 8; i++) {
        sum += late_store[i & 3];
        if (i == 3)
            late_store[1] = s[0];
        if (i == 5)
            late_store[3] = late_store[1] + s[1];
    }
    return sum;
}

CASE(late_by_callee, 2, "\0\1\2\3") {
    extern int late_given(byte * from, int n);
    int a = 0, b = 1;
    for (int i = 0; i < 4; i++) {
        int t = a + (i > 1 ? late_given(s, i) : 2);
        a = b;
        b = t;
    }
    return b * 3 + a;
}
__attribute__((noinline)) int late_given(byte *from, int n) {
    return n == 2 ? from[0] : from[1];
}

CASE(late_by_pointer, 2, "\0\1\2") {
    extern void late_put(int *to, byte *from);
    int a = 1, b = 2, c;
    late_put(&a, s);
    c = a * 2 + b;
    late_put(&b, s + 1);
    return c + b * 7;
}
__attribute__((noinline)) void late_put(int *to, byte *from) {
    *to += *from;
}

CASE(late_by_jump, 2, "\0\1\2\3") {
    jmp_buf here;
    volatile int count = 0;
    volatile byte kept = 0;
    int code = setjmp(here);
    count++;
    if (code == 0) {
        kept = s[0];
        longjmp(here, 1 + (s[1] & 1));
    }
    if (count < 3 && kept > 1)
        longjmp(here, code + 1);
    return code * 8 + count + kept;
}

static volatile sig_atomic_t signalled;
static byte *signal_input;
static void on_signal(int number) {
    signalled += signal_input[0] > 100 ? number : 1;
}
CASE(late_by_signal, 1, "") {
    void (*old)(int);
    signalled = 0;
    signal_input = s;
    old = signal(SIGUSR2, on_signal);
    raise(SIGUSR2);
    signal(SIGUSR2, old);
    return signalled * 2;
}

CASE(late_in_recursion, 2, "\0\1\2\3") {
    extern long late_deep(byte * from, int depth, long seen);
    return late_deep(s, 0, 0);
}
__attribute__((noinline)) long late_deep(byte *from, int depth, long seen) {
    if (depth == 4)
        return seen;
    long below = late_deep(from, depth + 1, depth == 2 ? seen + from[0] : seen * 2);
    return depth == 1 ? below + from[1] : below + 1;
}

struct parts {
    int a, b, c, d, e;
};
struct parts late_made(struct parts p, byte *from);
CASE(late_structure, 2, "\0\1\2\3") {
    struct parts p = {1, 2, 3, 4, 5};
    for (int i = 0; i < 2; i++)
        p = late_made(p, s + i);
    return (p.a + 2 * p.b + 3 * p.e) & 63;
}
__attribute__((noinline)) struct parts late_made(struct parts p, byte *from) {
    p.b += *from;
    p.e ^= p.b;
    return p;
}

struct two {
    double d;
    long n;
};
struct two late_two(int k, byte *from);
CASE(late_pair, 2, "\0\1\2\377") {
    struct two a = late_two(0, s), b = late_two(1, s);
    return (a.d > b.d) + 2 * (a.n > b.n) + 4 * (b.n & 1);
}
__attribute__((noinline)) struct two late_two(int k, byte *from) {
    struct two r = {3.5, 4};
    if (k)
        r = (struct two){from[0] * 0.5, from[1]};
    return r;
}

CASE(late_by_switch, 2, "\0\1\2\3\377") {
    int state = 0, steps = 0;
    for (int i = 0; i < 6; i++)
        switch (state) {
        case 0:
            state = i < 2 ? 0 : s[0] & 3;
            steps++;
            break;
        case 1:
            state = s[1] & 1 ? 2 : 0;
            steps += 2;
            break;
        case 2:
            state = 3;
            steps += 5;
            break;
        default:
            state = s[1] == 3;
            steps += 7;
            break;
        }
    return steps;
}

CASE(late_through_labels, 2, "\0\1\2\3") {
    static void *const table[] = {&&one, &&two, &&three, &&end};
    int i = 0, n = 0;
    static const byte program[4] = {0, 1, 2, 1};
    byte code[5];
    memcpy(code, program, 4);
    code[2] = s[0] & 3;
    code[3] = s[1] & 3;
    code[4] = 3;
    goto *table[code[i++]];
one:
    n += 1;
    goto *table[code[i++]];
two:
    n += 5;
    goto *table[code[i++]];
three:
    n += 11;
    goto *table[code[i++]];
end:
    return n;
}

CASE(late_by_sort, 3, "\0\1\2") {
    extern int late_compare(const void *a, const void *b);
    int v[4] = {2, 2, 2, 2};
    qsort(v, 2, sizeof *v, late_compare);
    for (int i = 0; i < 3; i++)
        v[i] = s[i];
    qsort(v, 4, sizeof *v, late_compare);
    return v[0] + 4 * v[1] + 16 * (v[2] - v[1]);
}
int late_compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

CASE(late_atomic, 2, "\0\1\2\377") {
    static atomic_int total;
    static _Atomic(byte *) place;
    atomic_store(&total, 3);
    atomic_store(&place, s);
    atomic_fetch_add(&total, *atomic_load(&place));
    int expected = 5;
    int done = atomic_compare_exchange_strong(&total, &expected, s[1]);
    return done * 2 + (atomic_fetch_xor(&total, 1) & 7) * 4 + (expected > 100);
}

CASE(atomic_structure, 2, "\0\1\2\377") {
    struct small {
        short a, b;
    };
    static _Atomic struct small shared;
    struct small mine = {s[0], s[1]}, seen;
    atomic_store(&shared, mine);
    seen = atomic_exchange(&shared, ((struct small){7, 8}));
    struct small now = atomic_load(&shared);
    return (seen.a > seen.b) + 2 * (now.a == 7) + 4 * (seen.b == 1);
}

CASE(atomic_extremes, 2, "\0\1\200\377") {
    int v = s[0];
    __atomic_fetch_max(&v, (int)s[1], __ATOMIC_SEQ_CST);
    unsigned char c = s[1];
    __atomic_fetch_nand(&c, s[0], __ATOMIC_RELAXED);
    int was = __atomic_test_and_set(&c, __ATOMIC_SEQ_CST);
    return (v > 1) + 2 * (v > 200) + 4 * was;
}

/* ---- memory of the stack ---- */

CASE(taken_from_the_stack, 2, "\0\1\2\3\7") {
    size_t n = (s[0] & 7) + 1;
    byte *p = alloca(n);
    for (size_t i = 0; i < n; i++)
        p[i] = (byte)(i * s[1]);
    return p[n - 1] & 63;
}

CASE(row_of_variable_length, 2, "\0\1\2\3") {
    int n = 1 + (s[0] & 3);
    int grid[n][n + 1];
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= n; k++)
            grid[i][k] = i * k + s[1];
    return (grid[n - 1][n] + (long)sizeof grid / 4) & 63;
}

CASE(variable_length_in_loop, 2, "\0\1\2\3") {
    long sum = 0;
    for (int i = 0; i < 2; i++) {
        char text[1 + (s[i] & 3)];
        memset(text, 'a' + i, sizeof text);
        sum += (long)sizeof text * text[0];
    }
    return sum & 63;
}

CASE(unaligned_members, 3, "\0\1\200\377") {
    struct __attribute__((packed)) {
        byte a;
        int b;
        short c;
    } p;
    memset(&p, 0, sizeof p);
    memcpy((byte *)&p + 2, s, 3);
    return (p.b > 0x10000) + 2 * (p.b < 0) + 4 * (p.c != 0);
}

CASE(bits_across_words, 3, "\0\1\200\377") {
    struct __attribute__((packed)) {
        unsigned a : 5;
        int b : 11;
        unsigned long long c : 37;
        unsigned d : 3;
    } f = {0};
    memcpy(&f, s, 3);
    f.c += s[0];
    f.d = s[1];
    return (f.a > 9) + 2 * (f.b < 0) + 4 * (f.c > 200) + 8 * (f.d & 3);
}

CASE(union_of_pointer_and_number, 1, "") {
    static int cells[4] = {2, 4, 8, 16};
    union {
        int *p;
        uintptr_t n;
    } u = {.p = cells};
    u.n += (s[0] & 3) * sizeof *cells;
    return *u.p;
}

CASE(moved_by_symbolic_amount, 2, "\0\1\2\3") {
    char text[12] = "abcdefgh";
    memmove(text + (s[0] & 3), text + (s[1] & 3), 4);
    return (text[1] + text[3] * 3 + text[5]) & 63;
}

CASE(copied_then_compared, 2, "\0\1\2\3\7") {
    char a[4] = "xyz", b[4] = "xyz";
    memcpy(a, "abc", s[0] & 3);
    memcpy(b, "abd", s[1] & 3);
    return strcmp(a, b) == 0 ? 3 : strcmp(a, b) < 0 ? 9 : 20;
}

CASE(set_then_measured, 2, "\0\1\2\3\7") {
    char a[8] = "xyzxyz";
    memset(a + (s[0] & 3), 0, s[1] & 3);
    return (long)strlen(a);
}

/* ---- arguments ---- */

static long sum_of(int count, ...) {
    va_list list, copy;
    long sum = 0;
    va_start(list, count);
    va_copy(copy, list);
    for (int i = 0; i < count; i++)
        sum += i & 1 ? (long)va_arg(list, double) : va_arg(list, int);
    sum += va_arg(copy, int);
    va_end(copy);
    va_end(list);
    return sum;
}

CASE(count_of_arguments, 2, "\0\1\2\3\4") {
    return sum_of(1 + s[0] % 4, s[1] + 1, 2.5, 3, (double)s[1], 9) & 63;
}

struct triple {
    long a, b, c;
};
static long structures_of(int count, ...) {
    va_list list;
    long sum = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) {
        struct triple t = va_arg(list, struct triple);
        sum += t.a - t.b * 2 + t.c;
    }
    long double last = va_arg(list, long double);
    va_end(list);
    return sum + (long)last;
}

CASE(structures_as_arguments, 2, "\0\1\2\377") {
    struct triple t = {s[0], 1, s[1]}, u = {4, s[1], 2};
    return structures_of(2, t, u, (long double)s[0] * 0.5L) & 63;
}

static const char *pick(int n, const char *first, ...) {
    va_list list;
    va_start(list, first);
    for (; n > 0; n--)
        first = va_arg(list, const char *);
    va_end(list);
    return first;
}

CASE(text_among_arguments, 1, "") {
    return (long)strlen(pick(s[0] & 3, "", "one", "twenty", "thousands"));
}

static long many(char a, short b, int c, long d, float e, double f, byte g, unsigned h, long i,
                 double j, struct triple k, int l) {
    return a + b * 2 + c + d + (long)e + (long)f + g + h + i + (long)j + k.b + l;
}

CASE(many_arguments, 2, "\0\1\2\377") {
    return many((char)s[0], s[1], 3, s[0], s[1], 0.5, s[0], 1, 2, s[1] * 0.5,
                (struct triple){1, s[0], 3}, s[1]) &
           63;
}

/* ---- assembly and memory that the compiler does not see ---- */

CASE(assembly_swaps, 2, "\0\1\2\377") {
    unsigned a = s[0], b = s[1];
    __asm__("xchg %0, %1" : "+r"(a), "+r"(b));
    return a > b ? 5 : 11;
}

CASE(assembly_writes_memory, 1, "") {
    unsigned cell = 0;
    __asm__ volatile("movl %1, %0" : "=m"(cell) : "r"((unsigned)s[0]) : "memory");
    return cell > 100 ? 5 : 11;
}

CASE(barrier_only, 1, "") {
    unsigned a = s[0];
    __asm__ volatile("" : "+r"(a) : : "memory");
    return a > 100 ? 5 : 11;
}

CASE(barrier_of_memory, 1, "") {
    static byte kept;
    kept = s[0];
    __asm__ volatile("" : : "r"(&kept) : "memory");
    return kept > 100 ? 5 : 11;
}

CASE(strings_by_instruction, 1, "") {
    byte to[4] = {0};
    const byte *from = s;
    byte *at = to;
    size_t n = 1;
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(at), "+c"(n) : : "memory");
    return to[0] > 100 ? 5 : 11;
}

/* ---- cleaning up, names, weak things ---- */

static long cleaned;
static void clean(int *value) {
    cleaned += *value;
}
CASE(cleaned_at_end, 2, "\0\1\2\3") {
    cleaned = 0;
    for (int i = 0; i < 2; i++) {
        __attribute__((cleanup(clean))) int value = s[i] & 3;
        if (value == 2)
            continue;
        value *= 3;
    }
    return cleaned;
}

extern long missing_function(long) __attribute__((weak));
CASE(weak_function, 1, "") {
    return missing_function ? missing_function(s[0]) : s[0] & 15;
}

static long (*resolve(void))(long);
static long resolved(long n) {
    return n > 50 ? 9 : 4;
}
static long (*resolve(void))(long) {
    return resolved;
}
static long chosen_late(long n) __attribute__((ifunc("resolve")));
CASE(resolved_function, 1, "") {
    return chosen_late(s[0]);
}

static long aliased(long n) {
    return n & 1 ? 13 : 6;
}
extern long second_name(long n) __attribute__((alias("aliased")));
CASE(function_of_two_names, 1, "") {
    return second_name(s[0]) + (second_name == aliased);
}

CASE(statement_expression, 1, "") {
    return ({
        int t = s[0] % 5;
        t > 2 ? t * 2 : t;
    });
}

CASE(case_ranges, 1, "") {
    switch ((signed char)s[0]) {
    case -128 ... - 100:
        return 3;
    case -99 ... - 1:
        return 6;
    case 'a' ... 'f':
        return 10;
    case 0:
        return 15;
    default:
        return 20;
    }
}

static _Thread_local struct {
    int depth, seen[4];
} per_thread;
CASE(own_for_each_thread, 2, "\0\1\2\3") {
    per_thread.depth = s[0] & 3;
    per_thread.seen[per_thread.depth] = 9;
    return per_thread.seen[s[1] & 3] + per_thread.depth;
}

CASE(nested_selection, 3, "\0\1\2") {
    int a = s[0] ? (s[1] ? s[2] : 2) : (s[2] ? s[1] : 4), b = a > 1 && (s[0] == 2 || s[1] == s[2]);
    return a * 4 + b + 2 * !(a ^ b);
}

CASE(comma_and_order, 2, "\0\1\2") {
    int i = 0, v[3] = {1, 2, 4};
    v[i++] += s[0];
    v[i] ^= s[1], i += s[0] == 1;
    return v[0] + v[1] * 3 + v[i] * 5;
}

/* ---- copies of a symbolic length ---- */

CASE(appended_in_turn, 2, "\0\1\2\3") {
    char a[16] = "";
    int n = 0;
    for (int i = 0; i < 2; i++) {
        memcpy(a + n, "abc", s[i] & 3);
        n += s[i] & 3;
    }
    return (strcmp(a, "abca") == 0 ? 3 : strcmp(a, "ab") < 0 ? 9 : 20);
}

CASE(copied_over_and_over, 3, "\0\1\2\3ab") {
    char a[4] = "xyz";
    for (int i = 0; i < 3; i++)
        memcpy(a, s, s[i] & 3);
    return (strcmp(a, "abz") == 0 ? 3 : 9);
}

CASE(copied_to_both, 4, "\0\1\2\3ab") {
    char a[4] = "", b[4] = "";
    memcpy(a, s, s[2] & 3);
    memcpy(b, s + 1, s[3] & 3);
    return (strcmp(a, b) == 0 ? 3 : strcmp(a, b) < 0 ? 9 : 15);
}

CASE(copied_to_blocks, 4, "\0\1\2\3ab") {
    char *a = malloc(8), *b = calloc(1, 8);
    memcpy(a, s, s[2] & 3);
    a[s[2] & 3] = 0;
    memcpy(b, s + 1, s[3] & 3);
    return (strcmp(a, b) == 0 ? 3 : strcmp(a, b) < 0 ? 9 : 15);
}

CASE(copied_to_place, 2, "\0\1\2\3") {
    char a[8] = "xxxxxxx";
    memcpy(a + (s[0] & 3), "abc", s[1] & 3);
    return (strcmp(a, "xabcxxx") == 0 ? 3 : strcmp(a, "xxb") < 0 ? 9 : 20);
}

CASE(copied_side_by_side, 6, "\0\1\2ax") {
    char a[8] = "xxxxxxx";
    memcpy(a, s + 2, s[0] & 3);
    memcpy(a + 2, s + 3, s[1] & 3);
    return (strcmp(a, "abcxx") == 0 ? 3 : strcmp(a, "xxb") < 0 ? 9 : 20);
}

CASE(copied_within, 4, "\0\1\2\3abx") {
    char a[8] = "xxxxxxx";
    memcpy(a, a + 2, s[0] & 3);
    memcpy(a + 2, s + 1, s[1] & 3);
    memmove(a + 1, a, s[2] & 3);
    return (strcmp(a, "abcxx") == 0 ? 3 : strcmp(a, "xxb") < 0 ? 9 : 20);
}

CASE(copied_and_compared_in_turn, 3, "\0\1\2\3ab") {
    char a[4], b[4];
    memset(a, 0, 4);
    memset(b, 0, 4);
    for (int i = 0; i < 3; i++) {
        memcpy(a, s, s[i] & 3);
        memcpy(b, "ab", s[i] & 1);
        if (strcmp(a, b) == 0)
            return 3 + i;
    }
    return 20;
}

CASE(key_of_symbolic_length, 4, "\0\1\2\3ab") {
    struct {
        char name[4];
        int n;
    } t[2] = {{"ab", 1}, {"c", 2}};
    char key[4] = "";
    memcpy(key, s + 1, s[0] & 3);
    for (int i = 0; i < 2; i++)
        if (!strcmp(t[i].name, key))
            return t[i].n * 5;
    return 20;
}

CASE(appended_bytes, 4, "\0\1\2\3ab") {
    char key[4] = "", *p = key;
    for (int i = 0; i < 2; i++) {
        memcpy(p, s + 2, s[i] & 1);
        p += s[i] & 1;
    }
    return strcmp(key, "ab") ? strlen(key) * 3 : 30;
}
