#include "distribution.h"

#include <stdlib.h>

struct distribution {
    size_t count;
    int *values;
    double *probabilities;
};

static double total(const double *probabilities, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(probabilities[i] >= 0))
            return -1;
        sum += probabilities[i];
    }
    return sum;
}

distribution *distribution_new(const int *values, const double *probabilities, size_t count) {
    double sum = total(probabilities, count);
    if (!(sum > 0))
        return NULL;
    distribution *self = malloc(sizeof *self);
    if (!self)
        return NULL;
    self->count = count;
    self->values = malloc(count * sizeof *self->values);
    self->probabilities = malloc(count * sizeof *self->probabilities);
    for (size_t i = 0; i < count; i++) {
        self->values[i] = values[i];
        self->probabilities[i] = probabilities[i] / sum;
    }
    return self;
}

void distribution_free(distribution *self) {
    if (!self)
        return;
    free(self->values);
    free(self->probabilities);
    free(self);
}

double distribution_probability(const distribution *self, int value) {
    double probability = 0;
    for (size_t i = 0; i < self->count; i++)
        if (self->values[i] == value)
            probability += self->probabilities[i];
    return probability;
}

double distribution_mean(const distribution *self) {
    double mean = 0;
    for (size_t i = 0; i < self->count; i++)
        mean += self->values[i] * self->probabilities[i];
    return mean;
}
