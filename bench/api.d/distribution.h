/* A distribution over a list of whole numbers, as EnumeratedIntegerDistribution. */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H
#include <stddef.h>

typedef struct distribution distribution;

/* NULL unless every probability is at least 0 and their sum is above 0. */
distribution *distribution_new(const int *values, const double *probabilities, size_t count);
void distribution_free(distribution *self);
double distribution_probability(const distribution *self, int value);
double distribution_mean(const distribution *self);

#endif
