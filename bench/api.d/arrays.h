/* Arrays of numbers, as ArrayUtils has them: removeAll, removeElements, indexOf. */
#ifndef ARRAYS_H
#define ARRAYS_H
#include <stddef.h>

/* A copy of the array without the elements at these places; the caller frees it. *KEPT is its
 * length. */
double *arrays_remove_all(const double *values, size_t count, const size_t *places,
                          size_t place_count, size_t *kept);
/* A copy without one occurrence of each of these values. */
double *arrays_remove_elements(const double *values, size_t count, const double *unwanted,
                               size_t unwanted_count, size_t *kept);
/* Where the value is, from START on, or -1. */
long arrays_index_of(const double *values, size_t count, double value, size_t start);

#endif
