/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes from one list what is in another: for each item of the first, the second is read from its
 * start. A sorted copy of it, or a table, would be read once.
 */
static int contains(const int *items, int count, int wanted) {
    for (int i = 0; i < count; i++)
        if (items[i] == wanted)
            return 1;
    return 0;
}

/* Gives how many are left. */
int remove_all(int *items, const int *unwanted, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!contains(unwanted, count, items[i]))
            items[kept++] = items[i];
    return kept;
}
