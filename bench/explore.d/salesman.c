/* SPDX-License-Identifier: Apache-2.0
 *
 * The shortest tour through all cities, depth first; a tour that is no better than the best so far
 * is left. Every comparison is one of sums, of up to as many distances as there are cities.
 */
#define MOST 8

struct search {
    const int *distance;
    int n, best;
    int seen[MOST];
};

static void go_on(struct search *search, int here, int count, int sum) {
    if (search->best >= 0 && sum >= search->best)
        return;
    if (count == search->n) {
        int tour = sum + search->distance[here * search->n];
        if (search->best < 0 || tour < search->best)
            search->best = tour;
        return;
    }
    for (int next = 1; next < search->n; next++)
        if (!search->seen[next]) {
            search->seen[next] = 1;
            go_on(search, next, count + 1, sum + search->distance[here * search->n + next]);
            search->seen[next] = 0;
        }
}

int shortest_tour(const int *distance, int n) {
    struct search search = {.distance = distance, .n = n, .best = -1};
    go_on(&search, 0, 1, 0);
    return search.best;
}
