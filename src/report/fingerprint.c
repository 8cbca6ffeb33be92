/* SPDX-License-Identifier: Apache-2.0
 *
 * How does GitHub recognise an alert after lines have moved? By a rolling hash of the hundred
 * characters from the start of its line, without spaces and tabs and with carriage returns as line
 * feeds: multiplier 37, modulo 2^64, in hex, followed by the occurrence of that hash. The uploading
 * action computes it if the file is in the checkout; results that contain it are the same without.
 */
#include "report/issues.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW 100
#define FACTOR 37u
#define END 65535u

struct rolling {
    /* FIRST: the factor of the character leaving the window. */
    uint64_t window[WINDOW], hash, first;
    int lines[WINDOW]; /* number of the line that starts there; 0: none */
    unsigned at;
    int line;
    bool is_start, was_return;
    int wanted;
    uint64_t found;
    BASE_VECTOR(uint64_t) hashes; /* of all lines so far */
    size_t occurrence;            /* of the wanted line; 0: not found yet */
};

static void finish_line(struct rolling *rolling) {
    size_t same = 1;
    for (size_t i = 0; i < rolling->hashes.count; i++)
        same += rolling->hashes.data[i] == rolling->hash;
    base_push(&rolling->hashes, rolling->hash);
    if (rolling->lines[rolling->at] == rolling->wanted) {
        rolling->found = rolling->hash;
        rolling->occurrence = same;
    }
    rolling->lines[rolling->at] = 0;
}

static void roll(struct rolling *rolling, uint64_t character) {
    uint64_t leaves = rolling->window[rolling->at];
    rolling->window[rolling->at] = character;
    rolling->hash = FACTOR * rolling->hash + character - rolling->first * leaves;
    rolling->at = (rolling->at + 1) % WINDOW;
}

static void take(struct rolling *rolling, uint64_t character) {
    bool was_return = rolling->was_return;
    rolling->was_return = false;
    if (character == ' ' || character == '\t' || (was_return && character == '\n'))
        return;
    if (character == '\r') {
        character = '\n';
        rolling->was_return = true;
    }
    if (rolling->lines[rolling->at])
        finish_line(rolling);
    if (rolling->is_start) {
        rolling->is_start = false;
        rolling->lines[rolling->at] = ++rolling->line;
    }
    if (character == '\n')
        rolling->is_start = true;
    roll(rolling, character);
}

void report_hash_line(const char *path, int line, char text[40]) {
    struct rolling rolling = {.first = 1, .is_start = true, .wanted = line};
    struct base_error error;
    char *data;
    size_t size;
    *text = 0;
    if (line < 1 || !base_read_file(path, &data, &size, &error))
        return;
    for (int i = 0; i < WINDOW; i++)
        rolling.first *= FACTOR;
    for (size_t i = 0; i < size && !rolling.occurrence; i++)
        take(&rolling, (unsigned char)data[i]);
    if (!rolling.occurrence)
        take(&rolling, END);
    for (int i = 0; i < WINDOW && !rolling.occurrence; i++) {
        if (rolling.lines[rolling.at])
            finish_line(&rolling);
        roll(&rolling, 0);
    }
    if (rolling.occurrence)
        snprintf(text, 40, "%llx:%zu", (unsigned long long)rolling.found, rolling.occurrence);
    base_vector_done(&rolling.hashes);
    free(data);
}
