/* SPDX-License-Identifier: Apache-2.0
 *
 * A travelling salesman who goes to the nearest city that he has not seen: the worst map makes each
 * comparison with the nearest city so far a success.
 */
#include <stdlib.h>

int tour(const unsigned short *distance, int n) {
    char *seen = calloc((size_t)n, 1);
    int here = 0, total = 0;
    seen[0] = 1;
    for (int step = 1; step < n; step++) {
        int next = -1;
        for (int i = 0; i < n; i++)
            if (!seen[i] && (next < 0 || distance[here * n + i] < distance[here * n + next]))
                next = i;
        total++;
        seen[next] = 1;
        here = next;
    }
    free(seen);
    return total;
}
