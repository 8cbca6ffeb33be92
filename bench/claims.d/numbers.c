/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of bench/claims: arithmetic of all widths, floating point, and texts that become numbers.
 */
#include "claim.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <wchar.h>

CASE(wide_product, 2, "\0\1\20\177\200\377") {
    unsigned __int128 x = (unsigned __int128)s[0] << 80 | s[1];
    return (long)((x * x) >> 100) & 31;
}

CASE(wide_division, 2, "\0\1\3\20\377") {
    unsigned __int128 x = ((unsigned __int128)(s[0] + 1) << 90) + 12345;
    return (long)(x / (s[1] + 1u) >> 88) & 31;
}

CASE(wide_compare, 2, "\0\1\177\200\377") {
    __int128 x = (__int128)(signed char)s[0] << 100, y = (__int128)(signed char)s[1] << 99;
    return x < y ? 3 : x == y ? 9 : 14;
}

CASE(odd_width, 2, "\0\1\20\177\200\377") {
    _BitInt(37) x = s[0];
    _BitInt(11) y = (_BitInt(11))(s[1] * 9);
    x = x * 0x1234567 - y;
    return x < 0 ? 3 : x > 99999999 ? 7 : 11;
}

CASE(overflow_is_noticed, 2, "\0\1\17\20\177\200\377") {
    int product;
    signed char small;
    return __builtin_mul_overflow((int)s[0] << 20, (int)s[1] << 8, &product) +
           3 * __builtin_add_overflow((signed char)s[0], (signed char)s[1], &small);
}

CASE(bits, 2, "\0\1\17\20\177\200\377") {
    unsigned x = s[0] | (unsigned)s[1] << 12;
    return __builtin_popcount(x) + (x ? __builtin_ctz(x) + __builtin_clz(x) % 8 : 40);
}

CASE(rotation, 2, "\0\1\3\17\37\377") {
    uint32_t x = 0x80000001u | s[0], n = s[1] & 31;
    x = (x << n) | (x >> ((32 - n) & 31));
    return (x & 7) + (__builtin_bswap32(x) > 99999999u ? 20 : 0);
}

CASE(shift_by_input, 1, "") {
    return (0x76543210u >> (s[0] & 31)) & 15;
}

CASE(signs, 1, "") {
    signed char c = (signed char)s[0];
    short h = (short)(c * 300);
    return (c < 0) + 2 * (h < 0) + 4 * ((unsigned)c > 1000) + 8 * ((c >> 3) == -1);
}

CASE(vector, 2, "\0\1\2\3\377") {
    typedef byte quad __attribute__((vector_size(4)));
    quad a = {s[0], s[1], 3, 4}, b = {1, 2, s[0], s[1]}, c = a + b, d = c > a;
    return (c[0] & 3) + (d[1] & 4) + (d[2] & 8);
}

CASE(vector_shuffle, 1, "") {
    typedef int four __attribute__((vector_size(16)));
    four a = {1, 2, 13, 4};
    four mask = {s[0] & 3, 1, 2, 3};
    four b = __builtin_shufflevector(a, a, 2, 3, 0, 1);
    return b[mask[0]] + a[s[0] >> 6];
}

CASE(floats_compared, 2, "\0\1\2\200\377") {
    float a = (float)(signed char)s[0] / 4, b = (signed char)s[1];
    return a < b ? 3 : a == b ? 8 : 15;
}

CASE(float_of_bits, 2, "\0\1\177\200\300\377") {
    union {
        uint32_t bits;
        float value;
    } u = {(uint32_t)s[0] << 24 | (uint32_t)s[1] << 16};
    return isnan(u.value) ? 1 : isinf(u.value) ? 5 : u.value < 0 ? 9 : u.value > 1e10f ? 13 : 17;
}

CASE(double_of_bits, 2, "\0\1\77\177\200\360\377") {
    uint64_t bits = (uint64_t)s[0] << 56 | (uint64_t)s[1] << 48 | 1;
    double value;
    memcpy(&value, &bits, sizeof value);
    return (value != value) + 2 * (value >= 1.0) + 4 * (signbit(value) != 0) +
           8 * (fabs(value) < 1e-300);
}

CASE(rounded, 1, "") {
    double x = (s[0] - 128) / 8.0;
    return (long)floor(x) + 2 * (long)ceil(x) + 4 * ((long)rint(x) & 3) + (long)trunc(x);
}

CASE(rounded_to_long, 1, "") {
    return lround(s[0] / 16.0) + lrintf((float)s[0] / 64);
}

CASE(square_root, 1, "") {
    return (long)sqrt(s[0]);
}

CASE(remainder_of_doubles, 2, "\0\1\3\12\144\377") {
    return (long)fmod(s[0], s[1] + 0.5) & 31;
}

CASE(powers, 1, "") {
    return pow(s[0] & 7, 2) > 20 ? 3 : 9;
}

CASE(exponent_of_double, 1, "") {
    int exponent;
    double part = frexp(s[0], &exponent);
    return exponent + 16 * (part > 0.75);
}

CASE(parts_of_double, 1, "") {
    double whole;
    double part = modf(s[0] / 10.0, &whole);
    return (long)whole + (part > 0.5);
}

CASE(scaled, 1, "") {
    return (long)ldexp(s[0] & 15, (s[0] >> 4) & 1);
}

CASE(long_double, 1, "") {
    long double x = s[0] / 3.0L;
    return x > 50 ? 3 : (long)x & 15;
}

CASE(half_float, 1, "") {
    _Float16 x = (_Float16)s[0];
    return x > (_Float16)200.5 ? 3 : 9;
}

CASE(complex_product, 1, "") {
    double complex z = (s[0] & 7) + 2.0 * I;
    z *= z;
    return creal(z) > 10 ? 5 : creal(z) < 0 ? 9 : 12;
}

CASE(to_integer_and_back, 2, "\0\1\177\200\377") {
    double x = (double)(s[0] * 1000003) * (s[1] + 0.5);
    int n = (int)(x / 1e6);
    return n & 31;
}

CASE(unsigned_conversion, 1, "") {
    float f = (float)s[0] * 1e7f;
    return (uint32_t)f > 2000000000u ? 3 : (byte)(int)(s[0] * 1.7) & 15;
}

CASE(fused, 1, "") {
    return fma(s[0], 0.1, -5.0) > 3.2 ? 9 : 4;
}

CASE(largest_and_smallest, 2, "\0\1\177\200\377") {
    double a = s[0] / 3.0, b = s[1] / 5.0;
    return (long)fmax(a, b) % 11 + (fmin(a, b) < 10 ? 20 : 0);
}

CASE(signs_of_doubles, 1, "") {
    double x = copysign(s[0], (int)(s[0] & 1) - 1.0);
    return x < 0 ? 3 : x > 100 ? 7 : signbit(x) ? 11 : 13;
}

static long kind_of_end(const char *text, const char *end) {
    return end - text + (errno == ERANGE ? 20 : errno ? 40 : 0);
}

CASE(strtol_end, 3, "01-+ x9g") {
    char text[4] = {(char)s[0], (char)s[1], (char)s[2], 0}, *end;
    errno = 0;
    long value = strtol(text, &end, 0);
    return kind_of_end(text, end) + 4 * (value > 7) + 8 * (value < 0);
}

CASE(strtol_range, 1, "") {
    char text[] = "922337203685477580?", *end;
    text[18] = (char)s[0];
    errno = 0;
    long value = strtol(text, &end, 10);
    return kind_of_end(text, end) + (value == LONG_MAX);
}

CASE(strtoul_minus, 2, "-0123 +") {
    char text[3] = {(char)s[0], (char)s[1], 0}, *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 4);
    return kind_of_end(text, end) + 4 * (value > 99999) + 8 * (value == 0);
}

CASE(strtoull_range, 1, "") {
    char text[] = "ffffffffffffffff0", *end;
    text[16] = (char)s[0];
    errno = 0;
    return kind_of_end(text, (strtoull(text, &end, 16), end));
}

CASE(strtol_base, 2, "\0\1\2\3\12\20\44\45az09") {
    char text[2] = {(char)s[1], 0}, *end;
    errno = 0;
    end = text;
    long value = strtol(text, &end, s[0] % 40);
    return (value & 31) + (errno ? 32 : 0);
}

CASE(strtol_base_0, 3, "0xXbB17f") {
    char text[4] = {(char)s[0], (char)s[1], (char)s[2], 0}, *end;
    long value = strtol(text, &end, 0);
    return (end - text) * 8 + (value & 7);
}

CASE(strtoimax_of_text, 2, "-+0123\0") {
    char text[3] = {(char)s[0], (char)s[1], 0};
    return strtoimax(text, NULL, 10) & 31;
}

CASE(atoi_of_text, 3, "0127-+ a") {
    char text[4] = {(char)s[0], (char)s[1], (char)s[2], 0};
    return atoi(text) & 63;
}

CASE(atoll_wraps, 1, "") {
    char text[] = "429496730?";
    text[9] = (char)s[0];
    return atoi(text) > 8 ? 3 : (long)(atoll(text) & 31);
}

CASE(strtod_end, 3, "0.1e-+ni") {
    char text[4] = {(char)s[0], (char)s[1], (char)s[2], 0}, *end;
    double value = strtod(text, &end);
    return (end - text) * 4 + (value > 0.05) + 2 * (value < 0);
}

CASE(strtod_of_exponent, 2, "0123456789-+") {
    char text[] = "7e???", *end;
    text[2] = (char)s[0];
    text[3] = (char)s[1];
    text[4] = '9';
    errno = 0;
    double value = strtod(text, &end);
    return (value > 1e50) + 2 * (value < 1e-9) + 4 * (errno != 0) + 8 * (end - text);
}

CASE(strtod_of_words, 3, "infaNIx(") {
    char text[5] = {(char)s[0], (char)s[1], (char)s[2], 0}, *end;
    double value = strtod(text, &end);
    return (end - text) * 4 + (isnan(value) != 0) + 2 * (isinf(value) != 0);
}

CASE(strtod_of_hexadecimal, 2, "01.pPf-g") {
    char text[] = "0x??1", *end;
    text[2] = (char)s[0];
    text[3] = (char)s[1];
    double value = strtod(text, &end);
    return (end - text) * 4 + (value > 3) + 2 * (value > 20);
}

CASE(strtof_overflows, 1, "") {
    char text[] = "3.4e3?", *end;
    text[5] = (char)s[0];
    errno = 0;
    float value = strtof(text, &end);
    return (isinf(value) != 0) + 2 * (errno != 0) + 4 * (end - text);
}

CASE(strtold_of_text, 2, "0159.e-") {
    char text[3] = {(char)s[0], (char)s[1], 0};
    return (long)(strtold(text, NULL) * 2) & 63;
}

CASE(atof_of_text, 2, "0159.e-") {
    char text[4] = {(char)s[0], (char)s[1], '5', 0};
    double value = atof(text);
    return value == 0.55 ? 40 : (long)value & 31;
}

CASE(wcstol_end, 2, "0179-+ x") {
    wchar_t text[3] = {s[0], s[1], 0}, *end;
    long value = wcstol(text, &end, 0);
    return (end - text) * 16 + (value & 15);
}

CASE(digits_by_hand, 2, "0123456789a") {
    unsigned value = 0;
    for (int i = 0; i < 2 && s[i] - '0' < 10u; i++)
        value = value * 10 + (s[i] - '0');
    return value % 37;
}

CASE(absolute, 1, "") {
    int x = (signed char)s[0];
    return (abs(x) & 15) + (labs(x - 100L) > 150 ? 16 : 0);
}

CASE(quotients, 1, "") {
    div_t d = div((signed char)s[0], 7);
    return d.quot + 20 + d.rem;
}

CASE(random_from_input, 1, "") {
    srand(s[0] & 3);
    return rand() & 31;
}
