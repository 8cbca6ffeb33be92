#include "strings.h"

#include <stdlib.h>

static int is_in(char letter, const char *set) {
    for (; *set; set++)
        if (*set == letter)
            return 1;
    return 0;
}

static size_t length_of(const char *text) {
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

char *strings_squeeze(const char *text, const char *set) {
    char *out = malloc(length_of(text) + 1), *to = out;
    char last = 0;
    if (!out)
        return NULL;
    for (; *text; text++) {
        if (*text == last && is_in(*text, set))
            continue;
        *to++ = last = *text;
    }
    *to = 0;
    return out;
}

int strings_distance(const char *a, const char *b) {
    size_t rows = length_of(a), columns = length_of(b);
    int *line = malloc((columns + 1) * sizeof *line);
    if (!line)
        return -1;
    for (size_t j = 0; j <= columns; j++)
        line[j] = (int)j;
    for (size_t i = 1; i <= rows; i++) {
        int diagonal = line[0];
        line[0] = (int)i;
        for (size_t j = 1; j <= columns; j++) {
            int cost = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = line[j];
            if (line[j] + 1 < cost)
                cost = line[j] + 1;
            if (line[j - 1] + 1 < cost)
                cost = line[j - 1] + 1;
            line[j] = cost;
        }
    }
    int result = line[columns];
    free(line);
    return result;
}
