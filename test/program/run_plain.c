/* SPDX-License-Identifier: Apache-2.0
 *
 * A function begins without shadows and goes over to the body with shadows where something symbolic
 * turns up: at a load in the middle of a loop, behind a call, at a volatile load, at an argument, at a
 * second load of the same block that depends on the first. in[0] is 5, above 100, or another; in[1]
 * is 7 or not: six paths, each of whose costs is that of the measuring build.
 *
 * RUN: %slowpath run %s --entry 'plain(in[2])' --strategy exhaustive --jobs 1 --out s --quiet >out
 * RUN: grep -q ' 6 different paths' out && grep -q '"complete": true' s/suite.json || { cat out; exit 1; }
 * RUN: grep -q '"mismatches": 0,' s/suite.json
 */
struct cell {
    int value;
    struct cell *next;
};

static struct cell cells[4];
static volatile int seen, done;

__attribute__((noinline)) static int get(const struct cell *cell) {
    return cell->next->value;
}

__attribute__((noinline)) static int sum(void) {
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += get(&cells[i]);
    return sum;
}

__attribute__((noinline)) static void note(int is_large) {
    if (is_large)
        done++;
}

int plain(const unsigned char *in) {
    for (int i = 0; i < 4; i++)
        cells[i] = (struct cell){i == 2 ? in[0] : 0, &cells[(i + 1) % 4]};
    seen = in[1];
    for (int i = 0; i < 4; i++)
        note(get(&cells[i]) > 100);
    if (sum() == 5)
        done += 2;
    if (seen == 7)
        done += 3;
    return done;
}
