/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths with Bellman and Ford's algorithm on a matrix of weights, ended by the first round
 * that improves nothing: in the worst graph each round does.
 */
#include <stdbool.h>
#include <stdlib.h>

#define FAR 1000000000u

void bellman_ford(const unsigned short *weight, int n) {
    unsigned *distance = malloc((size_t)n * sizeof *distance);
    for (int i = 0; i < n; i++)
        distance[i] = FAR;
    distance[0] = 0;
    bool changed = true;
    for (int round = 1; round < n && changed; round++) {
        changed = false;
        for (int from = 0; from < n; from++)
            for (int to = 0; to < n; to++)
                if (distance[from] + weight[from * n + to] < distance[to]) {
                    distance[to] = distance[from] + weight[from * n + to];
                    changed = true;
                }
    }
    free(distance);
}
