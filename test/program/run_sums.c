/* SPDX-License-Identifier: Apache-2.0
 *
 * Decisions that compare sums of inputs, as Bellman and Ford's algorithm makes them: every path is
 * covered without Z3, and the same paths without the stage for sums on a graph that Z3 can bear.
 *
 * RUN: %slowpath run %s --entry 'shortest(weight[n*n], n)' --size n=3 --strategy exhaustive --jobs 1 --no-stage smt --out s --quiet --json j >out
 * RUN: grep -q '"paths": 50,' j && grep -q '"complete": true' j
 * RUN: %slowpath run %s --entry 'shortest(weight[n*n], n)' --size n=2 --strategy exhaustive --jobs 1 --no-stage smt --out s --quiet --json a >out
 * RUN: %slowpath run %s --entry 'shortest(weight[n*n], n)' --size n=2 --strategy exhaustive --jobs 1 --no-stage sums --out s --quiet --json b >out
 * RUN: grep '"paths"' a >pa; grep '"paths"' b >pb; cmp pa pb; grep -q '"complete": true' b
 *
 * Ints of any size wrap around in sums: 1,469 paths on the same graph.
 *
 * RUN: sed 's/ short / int /' %s >int.c
 * RUN: %slowpath run int.c --entry 'shortest(weight[n*n], n)' --size n=3 --strategy exhaustive --jobs 1 --no-stage smt --out t --quiet --json j >out
 * RUN: grep -q '"paths": 1469,' j && grep -q '"complete": true' j
 */
#define FAR 1000000

int shortest(const short *weight, int n) {
    int distance[4];
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
