/* SPDX-License-Identifier: Apache-2.0
 *
 * An independent count of paths: with -DENUMERATE every D(condition) is noted in a trail, and the
 * different trails of all inputs of a small domain are counted.
 */
#ifdef ENUMERATE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char trail[256], seen[200000][64];
static int trail_length, seen_count;

static int note(int outcome) {
    trail[trail_length++] = (char)('0' + outcome);
    return outcome;
}
#define D(condition) note((condition) != 0)

static int compare_trails(const void *a, const void *b) {
    return strcmp(a, b);
}

/* The trail of one input is finished. */
static void keep_trail(void) {
    trail[trail_length] = 0;
    strcpy(seen[seen_count++], trail);
    trail_length = 0;
}

static void print_count(void) {
    int different = 0;
    qsort(seen, (size_t)seen_count, sizeof *seen, compare_trails);
    for (int i = 0; i < seen_count; i++)
        different += i == 0 || strcmp(seen[i], seen[i - 1]) != 0;
    printf("%d\n", different);
}
#else
#define D(condition) (condition)
#endif
