/* SPDX-License-Identifier: Apache-2.0
 * What can be reached in a graph, by a matrix of bits. ENTRY: bfs(m[n], n) */
int bfs(const unsigned char *m, int n) {
    int seen[8] = {1}, queue[8], head = 0, tail = 1;
    queue[0] = 0;
    if (n > 8)
        return -1;
    while (head < tail) {
        int at = queue[head++];
        for (int k = 0; k < n; k++)
            if (m[at] >> k & 1 && !seen[k]) {
                seen[k] = 1;
                queue[tail++] = k;
            }
    }
    return tail;
}
