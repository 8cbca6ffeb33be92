/* SPDX-License-Identifier: Apache-2.0
 *
 * Each run of a program gets its own input, whole and no longer than it is, whatever an earlier run
 * has done to the file or the argument that it came in.
 *
 * RUN: n=10; for c in u a s c r d m x; do n=$((n + 1)); for size in 1 5000 3; do \
 * RUN:   { printf $c; head -c $((size * n)) /dev/zero | tr '\0' $c; } >in-$c$size; done; done
 * RUN: take() { awk '/^in-/ { print $1, $2, $3, $4 }' | sort -u; }
 * RUN: for way in "--args @@" "--args x --arg 1" ""; do \
 * RUN:   %slowpath measure %s $way --fresh in-* | take >fresh; [ $(wc -l <fresh) = 24 ]; \
 * RUN:   for i in 1 2 3; do ls in-* | shuf --random-source=<(yes $i); done >order; \
 * RUN:   %slowpath measure %s $way --json json in-x1 in-x3 $(cat order) >table 2>err; take <table | diff fresh -; \
 * RUN:   grep -q '"restarts": 0,' json; cat err; [ ! -s err ]; done
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int sum;

static void look_at(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        sum += text[i] == 'x' ? 1 : text[i] == '!' ? 1000 : 2;
    for (int i = 0; i < sum % 1001; i++)
        sum++;
}

static void spoil_file(const char *path, int how) {
    FILE *file;
    switch (how) {
    case 'u':
        unlink(path);
        break;
    case 'a':
        file = fopen(path, "a");
        fputs("!!!!!!!!", file);
        fclose(file);
        break;
    case 's':
        unlink(path);
        sum += symlink("/etc/passwd", path);
        break;
    case 'c':
        chmod(path, 0);
        break;
    case 'r':
        sum += truncate(path, 100000);
        break;
    case 'd':
        unlink(path);
        sum += mkdir(path, 0700);
        break;
    case 'm':
        sum += rename(path, "/tmp/elsewhere");
        break;
    }
}

int main(int argc, char **argv) {
    char text[70000];
    struct stat status;
    const char *path = argc > 1 ? argv[1] : "";
    if (argc == 1 || stat(path, &status) == 0) {
        int file = argc == 1 ? STDIN_FILENO : open(path, O_RDONLY);
        ssize_t got = read(file, text, sizeof text);
        look_at(text, got > 0 ? (size_t)got : 0);
        if (argc == 1)
            sum += (int)write(file, "!!!!!!!!", 8);
        else
            spoil_file(path, text[0]);
    } else {
        look_at(argv[1], strlen(argv[1]));
        memset(argv[1], '!', strlen(argv[1]));
        argv[1] = NULL;
    }
    return 0;
}
