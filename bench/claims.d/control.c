/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of bench/claims: where the program goes on depends on the input.
 */
#include "claim.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <threads.h>
#include <ucontext.h>

static long plus(long a) {
    return a + 1;
}
static long twice(long a) {
    return a * 2 + 7;
}
static long loops(long a) {
    long sum = 0;
    for (long i = 0; i < (a & 15); i++)
        sum += i & 1;
    return sum;
}
static long (*const operations[3])(long) = {plus, twice, loops};

CASE(function_by_index, 1, "") {
    return operations[s[0] % 3](s[0]) & 31;
}

CASE(function_by_choice, 1, "") {
    long (*f)(long) = s[0] < 9 ? plus : s[0] < 90 ? twice : loops;
    return f(5);
}

struct with_function {
    const char *name;
    long (*call)(long);
};

CASE(function_by_name, 2, "abc\0") {
    static const struct with_function table[] = {{"a", plus}, {"bb", twice}, {"c", loops}};
    char name[3] = {(char)s[0], (char)s[1], 0};
    for (int i = 0; i < 3; i++)
        if (!strcmp(table[i].name, name))
            return table[i].call(9);
    return 40;
}

CASE(library_by_pointer, 2, "1a \0") {
    char text[3] = {(char)s[0], (char)s[1], 0};
    size_t (*length)(const char *) = strlen;
    int (*number)(const char *) = atoi;
    return s[0] & 1 ? (long)length(text) : number(text) & 15;
}

CASE(own_or_library, 1, "") {
    int (*table[2])(int) = {abs, NULL};
    extern int toupper(int);
    table[1] = toupper;
    return table[s[0] >> 7]((int)s[0] - 128) & 31;
}

CASE(computed_goto, 2, "\0\1\2\3\4") {
    static void *const labels[] = {&&add, &&swap, &&stop, &&loop};
    long a = 1, b = 2;
    int at = 0;
next:
    if (at == 2)
        return a * 4 + b;
    goto *labels[s[at++] & 3];
add:
    a += b;
    goto next;
swap: {
    long t = a;
    a = b;
    b = t;
}
    goto next;
stop:
    return 33;
loop:
    b += 3;
    goto next;
}

CASE(jump_back, 1, "") {
    jmp_buf back;
    volatile int count = 0;
    int value = setjmp(back);
    count++;
    if (count < 4 && s[0] > 10 * count)
        longjmp(back, s[0] & 7);
    return count * 9 + value;
}

static void deep(jmp_buf *back, int depth, const byte *s) {
    if (depth == s[0] % 4)
        longjmp(*back, 2 + depth);
    if (depth < 6)
        deep(back, depth + 1, s);
}

CASE(jump_out_of_recursion, 1, "") {
    jmp_buf back;
    int value = setjmp(back);
    if (!value)
        deep(&back, 0, s);
    return value;
}

static byte seen;
static long handled;
static void handle(int number) {
    handled += number == SIGUSR1 ? 3 : 5;
    if (seen > 100)
        handled += 20;
}

CASE(handler_sees_input, 1, "") {
    seen = s[0];
    handled = 0;
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_DFL);
    return handled;
}

CASE(signal_by_input, 1, "") {
    seen = s[0];
    handled = 0;
    signal(SIGUSR1, handle);
    signal(SIGUSR2, handle);
    raise(s[0] & 1 ? SIGUSR1 : SIGUSR2);
    signal(SIGUSR1, SIG_DFL);
    signal(SIGUSR2, SIG_DFL);
    return handled;
}

static sigjmp_buf from_fault;
static void on_fault(int number) {
    siglongjmp(from_fault, number);
}

CASE(fault_is_caught, 1, "") {
    struct sigaction action = {.sa_handler = on_fault};
    sigaction(SIGSEGV, &action, NULL);
    long result = 2;
    volatile int *p = s[0] == 7 ? NULL : &(int){9};
    if (!sigsetjmp(from_fault, 1))
        result = *p;
    else
        result = 30;
    signal(SIGSEGV, SIG_DFL);
    return result;
}

static long sum_of(int count, ...) {
    va_list list, copy;
    long sum = 0;
    va_start(list, count);
    va_copy(copy, list);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, int);
    if (count > 2)
        sum += va_arg(copy, int) == 3;
    va_end(copy);
    va_end(list);
    return sum;
}

CASE(variadic, 2, "\0\1\2\3\4\5\6\7") {
    return sum_of(s[1] & 3, s[0] & 7, 2, 3) & 31;
}

static double mixed(const char *kinds, ...) {
    va_list list;
    double sum = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        sum += *kinds == 'i'   ? va_arg(list, int)
               : *kinds == 'd' ? va_arg(list, double)
                               : (double)va_arg(list, long);
    va_end(list);
    return sum;
}

CASE(variadic_mixed, 2, "idl\0") {
    char kinds[3] = {(char)(s[0] == 'd' ? 'd' : 'i'), (char)(s[1] ? 'l' : 0), 0};
    return (long)(kinds[0] == 'd' ? mixed(kinds, 2.0, 3L) : mixed(kinds, 8, 3L));
}

static long forward(int count, va_list list) {
    long last = 0;
    while (count--)
        last = va_arg(list, long);
    return last;
}
static long forwarded(int count, ...) {
    va_list list;
    va_start(list, count);
    long result = forward(count, list);
    va_end(list);
    return result;
}

CASE(variadic_forwarded, 1, "") {
    return forwarded(1 + s[0] % 8, 1L, (long)(s[0] > 9), 5L, 7L, 9L, 11L, 13L, 20L);
}

CASE(assembly, 1, "") {
    unsigned x = s[0];
    __asm__("addl %1, %0" : "+r"(x) : "r"(3u));
    return x > 100 ? 9 : 2;
}

CASE(assembly_that_does_nothing, 1, "") {
    unsigned x = s[0];
    __asm__ volatile("" : "+r"(x)::"memory");
    return x > 100 ? 9 : 2;
}

CASE(assembly_with_labels, 1, "") {
    __asm__ goto("testb $1, %0\n\tjnz %l1" ::"r"(s[0]) : "cc" : odd);
    return 3;
odd:
    return 12;
}

CASE(atomics, 1, "") {
    _Atomic int a = 5;
    int old = atomic_fetch_add(&a, s[0]), expected = 12;
    _Bool done = atomic_compare_exchange_strong(&a, &expected, 40);
    return done ? 3 : old + (atomic_load(&a) & 15);
}

CASE(atomic_exchange_of_bytes, 2, "\0\1\2\3") {
    _Atomic byte a = s[0];
    byte b = atomic_exchange(&a, s[1]);
    atomic_fetch_or(&a, 1);
    atomic_fetch_xor(&a, b);
    return atomic_load(&a) & 31;
}

static _Thread_local int own_number = 4;
CASE(thread_local_variable, 1, "") {
    own_number += s[0] & 3;
    long result = own_number;
    own_number = 4;
    return result;
}

static int in_thread(void *argument) {
    byte *s = argument;
    return s[0] > 9;
}

CASE(thread_result, 1, "") {
    thrd_t thread;
    int result = 5;
    if (thrd_create(&thread, in_thread, s) == thrd_success)
        thrd_join(thread, &result);
    return result;
}

static void *by_pthread(void *argument) {
    byte *s = argument;
    s[0] = s[0] > 9 ? 3 : 4;
    return NULL;
}

CASE(thread_writes, 1, "") {
    pthread_t thread;
    if (!pthread_create(&thread, NULL, by_pthread, s))
        pthread_join(thread, NULL);
    return s[0] & 15;
}

static pthread_key_t key;
CASE(thread_specific, 1, "") {
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, (void *)(uintptr_t)(s[0] & 7));
    long result = (long)(uintptr_t)pthread_getspecific(key);
    pthread_key_delete(key);
    return result;
}

static pthread_once_t once_control;
static long once_count;
static void once_only(void) {
    once_count++;
}
CASE(once, 1, "") {
    once_control = PTHREAD_ONCE_INIT;
    once_count = 0;
    for (int i = 0; i < (s[0] & 3); i++)
        pthread_once(&once_control, once_only);
    return once_count * 5 + 1;
}

static ucontext_t home, away;
static long away_result;
static void go_away(int a) {
    away_result = a > 60 ? 9 : 3;
}
CASE(other_stack, 1, "") {
    static char stack[65536];
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = sizeof stack;
    away.uc_link = &home;
    makecontext(&away, (void (*)(void))go_away, 1, (int)s[0]);
    swapcontext(&home, &away);
    return away_result;
}

static long ackermann(long m, long n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
CASE(recursion, 2, "\0\1\2\3") {
    return ackermann(s[0] & 1, s[1] & 3);
}

static long even(int n);
static long odd(int n) {
    return n == 0 ? 2 : even(n - 1);
}
static long even(int n) {
    return n == 0 ? 9 : odd(n - 1);
}
CASE(mutual_recursion, 1, "") {
    return even(s[0] & 15);
}

CASE(switch_with_ranges, 1, "") {
    switch (s[0]) {
    case 0 ... 9:
        return 1;
    case 'a' ... 'f':
        return 2;
    case 200:
    case 202:
        return 3;
    default:
        return s[0] > 250 ? 4 : 5;
    }
}

CASE(switch_on_long, 2, "\0\1\2\377") {
    long long x = ((long long)s[0] << 40) | s[1];
    switch (x) {
    case 0x10000000001:
        return 9;
    case 0xff00000000ff:
        return 12;
    case 2:
        return 15;
    }
    return 1;
}

CASE(duff, 1, "") {
    int n = (s[0] & 7) + 1, turns = (n + 3) / 4;
    long count = 0;
    switch (n % 4) {
    case 0:
        do {
            count++;
        case 3:
            count += 2;
        case 2:
            count += 3;
        case 1:
            count++;
        } while (--turns > 0);
    }
    return count;
}

CASE(no_branch, 2, "\0\1\2\3\177\200\377") {
    int less = s[0] < s[1], equal = s[0] == s[1];
    return (less & !equal) * 3 + (equal & (s[0] > 1)) * 7 + (less | equal);
}

CASE(minimum_and_maximum, 2, "\0\1\2\3\4\5") {
    int low = s[0] < s[1] ? s[0] : s[1], high = s[0] < s[1] ? s[1] : s[0];
    return (high - low) & 15;
}

static int at_end;
static void count_end(void) {
    at_end++;
}
CASE(callbacks_of_sort, 3, "\0\1\2") {
    int order(const void *a, const void *b);
    byte copy[3] = {s[0], s[1], s[2]};
    qsort(copy, 3, 1, order);
    (void)count_end;
    return copy[0] * 9 + copy[1] * 3 + copy[2];
}
int order(const void *a, const void *b) {
    return *(const byte *)a - *(const byte *)b;
}

CASE(sort_of_symbolic_count, 3, "\0\1\2") {
    byte copy[4] = {3, s[1], s[2], 1};
    qsort(copy, 1 + (s[0] & 3), 1, order);
    return copy[0] * 4 + copy[3];
}

CASE(sort_by_library_function, 2, "\0\1\2a") {
    char texts[3][2] = {{(char)s[0], 0}, {(char)s[1], 0}, {'b', 0}};
    qsort(texts, 3, 2, (int (*)(const void *, const void *))strcmp);
    return texts[0][0] == 'a' ? 5 : texts[2][0] == 'b' ? 9 : 13;
}

CASE(search_in_sorted, 1, "") {
    static const byte sorted[] = {2, 9, 17, 30, 99, 150};
    const byte *at = bsearch(s, sorted, sizeof sorted, 1, order);
    return at ? at - sorted + 2 : 1;
}

CASE(division_by_input, 1, "") {
    return s[0] == 0 ? 60 : 100 / s[0] % 20;
}

CASE(negative_remainder, 2, "\0\1\5\177\200\377") {
    int a = (signed char)s[0], b = (signed char)s[1];
    return b == 0 ? 30 : (a % b) + 8 * (a / b > 0);
}
