/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the different words on its standard input, with a hash table whose hash is too simple:
 * words of the same letters fall into the same chain.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024

struct word {
    struct word *next;
    char text[];
};

static struct word *table[BUCKETS];
static unsigned different;

static unsigned hash(const char *text) {
    unsigned sum = 0;
    while (*text)
        sum += (unsigned char)*text++;
    return sum % BUCKETS;
}

static void count(const char *text) {
    struct word **place = &table[hash(text)], *word = *place;
    while (word && strcmp(word->text, text) != 0)
        word = word->next;
    if (word)
        return;
    word = malloc(sizeof *word + strlen(text) + 1);
    strcpy(word->text, text);
    word->next = *place;
    *place = word;
    different++;
}

int main(void) {
    char text[64];
    while (scanf("%63s", text) == 1)
        count(text);
    printf("%u\n", different);
    return 0;
}
