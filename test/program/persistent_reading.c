/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that opens files and does nothing else to its system: what it leaves open is closed,
 * what it wrote is gone, and each run gets its own input.
 *
 * RUN: for c in l n a t c x; do for size in 1 5000 3; do \
 * RUN:   { printf $c; head -c $size /dev/zero | tr '\0' $c; } >in-$c$size; done; done
 * RUN: take() { awk '/^in-/ { print $1, $2, $3, $4 }' | sort -u; }
 * RUN: for way in "--args @@" ""; do \
 * RUN:   %slowpath measure %s $way --fresh in-* | take >fresh; [ $(wc -l <fresh) = 18 ]; \
 * RUN:   for i in 1 2 3; do ls in-* | shuf --random-source=<(yes $i); done >order; \
 * RUN:   %slowpath measure %s $way --json json in-x1 in-x3 $(cat order) >table 2>err; take <table | diff fresh -; \
 * RUN:   grep -q '"restarts": 0,' json; cat err; [ ! -s err ]; done
 */
#include <stdio.h>

static int sum;

static void turn(int count) {
    for (int i = 0; i < count; i++)
        sum++;
}

static void spoil(const char *path, int how) {
    FILE *file = NULL;
    if (how == 'n')
        file = fopen("/tmp/left-behind", "w");
    else if (how == 'a')
        file = fopen(path, "a");
    else if (how == 't')
        file = fopen(path, "w");
    else if (how == 'c')
        fclose(stdin);
    if (file)
        fputs("!!!!!!!!", file);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "/dev/stdin";
    FILE *file = fopen(path, "r"), *other = fopen("/tmp/left-behind", "r");
    int how = file ? getc(file) : 0, size = 0;
    while (file && getc(file) != EOF)
        size++;
    turn(size);
    turn(file ? fileno(file) * 7 : 5); /* which is the first that is free */
    turn(other ? 10000 : 0);
    if (how != 'l' && file)
        fclose(file);
    spoil(path, how);
    return 0;
}
