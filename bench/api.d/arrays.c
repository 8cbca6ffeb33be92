#include "arrays.h"

#include <stdlib.h>
#include <string.h>

static int is_marked(const size_t *places, size_t count, size_t place) {
    for (size_t i = 0; i < count; i++)
        if (places[i] == place)
            return 1;
    return 0;
}

double *arrays_remove_all(const double *values, size_t count, const size_t *places,
                          size_t place_count, size_t *kept) {
    double *copy = malloc((count + 1) * sizeof *copy);
    *kept = 0;
    if (!copy)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_marked(places, place_count, i))
            copy[(*kept)++] = values[i];
    return copy;
}

long arrays_index_of(const double *values, size_t count, double value, size_t start) {
    for (size_t i = start; i < count; i++)
        if (values[i] == value)
            return (long)i;
    return -1;
}

double *arrays_remove_elements(const double *values, size_t count, const double *unwanted,
                               size_t unwanted_count, size_t *kept) {
    double *copy = malloc((count + 1) * sizeof *copy);
    *kept = count;
    if (!copy)
        return NULL;
    if (count)
        memcpy(copy, values, count * sizeof *copy);
    for (size_t i = 0; i < unwanted_count; i++) {
        long at = arrays_index_of(copy, *kept, unwanted[i], 0);
        if (at < 0)
            continue;
        for (size_t k = (size_t)at; k + 1 < *kept; k++)
            copy[k] = copy[k + 1];
        (*kept)--;
    }
    return copy;
}
