/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths from node 0 by Dijkstra's algorithm, on a full matrix of byte weights.
 */
#define FAR 1000000
#define MOST 8

int dijkstra(const unsigned char *weight, int n) {
    int distance[MOST], done[MOST];
    for (int i = 0; i < n; i++) {
        distance[i] = FAR;
        done[i] = 0;
    }
    distance[0] = 0;
    for (int k = 0; k < n; k++) {
        int u = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && (u < 0 || distance[i] < distance[u]))
                u = i;
        done[u] = 1;
        for (int v = 0; v < n; v++)
            if (!done[v] && distance[u] + weight[u * n + v] < distance[v])
                distance[v] = distance[u] + weight[u * n + v];
    }
    return distance[n - 1];
}
