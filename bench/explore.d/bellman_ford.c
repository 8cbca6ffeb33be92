/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths from node 0 by Bellman and Ford's algorithm, on a full matrix of weights that may
 * be negative: every comparison is one of sums. WEIGHT may be an int, whose sums wrap around.
 */
#define FAR 1000000
#define MOST 8

#ifndef WEIGHT
#define WEIGHT short
#endif

int bellman_ford(const WEIGHT *weight, int n) {
    int distance[MOST];
    for (int i = 0; i < n; i++)
        distance[i] = FAR;
    distance[0] = 0;
    for (int round = 1; round < n; round++)
        for (int from = 0; from < n; from++)
            for (int to = 0; to < n; to++)
                if (from != to && distance[from] + weight[from * n + to] < distance[to])
                    distance[to] = distance[from] + weight[from * n + to];
    return distance[n - 1];
}
