/* SPDX-License-Identifier: Apache-2.0
 *
 * Breadth-first search over the edges that the input lists.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct edge {
    uint32_t to, next;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t edges = size / 4, nodes = edges / 3 + 1;
    struct edge *list = malloc((edges + 1) * sizeof *list);
    uint32_t *first = calloc(nodes, sizeof *first), *queue = malloc(nodes * sizeof *queue);
    uint8_t *seen = calloc(nodes, 1);
    for (size_t i = 0; i < edges; i++) {
        uint16_t pair[2];
        memcpy(pair, data + 4 * i, 4);
        list[i + 1 > edges ? edges : i] = (struct edge){pair[1] % nodes, first[pair[0] % nodes]};
        first[pair[0] % nodes] = (uint32_t)i + 1;
    }
    for (size_t start = 0; start < nodes; start++) {
        size_t head = 0, tail = 0;
        if (seen[start])
            continue;
        seen[start] = 1;
        queue[tail++] = (uint32_t)start;
        while (head < tail)
            for (uint32_t at = first[queue[head++]]; at; at = list[at - 1].next)
                if (!seen[list[at - 1].to]) {
                    seen[list[at - 1].to] = 1;
                    queue[tail++] = list[at - 1].to;
                }
    }
    free(list);
    free(first);
    free(queue);
    free(seen);
    return 0;
}
