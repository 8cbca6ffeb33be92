/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets of bench/stopping, one per name: runs that take long, never end, start processes or leave
 * huge traces, and questions that keep a solver busy.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned spent;

#ifdef ARITHMETIC
int entry(unsigned n) {
    for (unsigned i = 2; i * i <= n; i++)
        if (n % i == 0)
            return 0;
    return 1;
}
#endif

#ifdef SORT
void entry(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        for (; j >= 0 && a[j] > x; j--)
            a[j + 1] = a[j];
        a[j + 1] = x;
    }
}
#endif

static void work(unsigned long n) {
    while (n--)
        spent++;
}

static int go(const uint8_t *data, size_t size) {
#ifdef LOOPS
    for (size_t i = 0; i < size; i++)
        for (size_t k = i; k < size && data[i] == data[k]; k++)
            spent++;
#endif
#ifdef LONG /* half a second, whatever the input */
    work(size && data[0] > 'm' ? 260000000 : 250000000);
#endif
#ifdef ENDLESS
    while (!size || data[0] != 'q')
        spent++;
#endif
#ifdef FORKS
    for (size_t i = 0; i < size; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(data[i] > 'm');
        waitpid(child, NULL, 0);
    }
#endif
#ifdef TRACES /* a decision per turn and bit */
    for (unsigned turn = 0; turn < 20000; turn++)
        for (size_t i = 0; i < size; i++)
            if ((data[i] ^ turn) * 2654435761u >> 31)
                spent++;
#endif
    return 0;
}

#ifdef LIBRARY /* for api: a stack whose calls cost more and more, or half a second each */
struct stack {
    int *data;
    size_t count, room;
};

struct stack *stack_new(void) {
    return calloc(1, sizeof(struct stack));
}

void stack_free(struct stack *stack) {
    free(stack->data);
    free(stack);
}

void stack_push(struct stack *stack, int value) {
    go((const uint8_t *)&value, sizeof value);
    if (stack->count == stack->room) {
        stack->room = stack->room * 2 + 4;
        stack->data = realloc(stack->data, stack->room * sizeof *stack->data);
    }
    stack->data[stack->count++] = value;
}

int stack_has(const struct stack *stack, int value) {
    for (size_t i = 0; i < stack->count; i++)
        if (stack->data[i] == value)
            return 1;
    return 0;
}
#elif defined PROGRAM
int main(void) {
    static uint8_t data[4096];
    ssize_t size = read(0, data, sizeof data);
    if (size > 0 && write(1, data, (size_t)size) != size)
        return 1;
    return go(data, size > 0 ? (size_t)size : 0);
}
#elif !defined ARITHMETIC && !defined SORT
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return go(data, size);
}
#endif
