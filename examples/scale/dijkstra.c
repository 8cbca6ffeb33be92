/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths with Dijkstra's algorithm on a matrix of weights: in the worst graph every edge
 * that is looked at improves a distance.
 */
#include <stdlib.h>

#define FAR 1000000000u

void dijkstra(const unsigned short *weight, int n) {
    unsigned *distance = malloc((size_t)n * sizeof *distance);
    char *done = calloc((size_t)n, 1);
    for (int i = 0; i < n; i++)
        distance[i] = FAR;
    distance[0] = 0;
    for (int round = 0; round < n; round++) {
        int near = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && (near < 0 || distance[i] < distance[near]))
                near = i;
        done[near] = 1;
        for (int i = 0; i < n; i++)
            if (!done[i] && distance[near] + weight[near * n + i] < distance[i])
                distance[i] = distance[near] + weight[near * n + i];
    }
    free(distance);
    free(done);
}
