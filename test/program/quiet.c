/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that calls only functions which leave nothing in the kernel is put back without asking
 * the kernel, and of the libraries only the pages that runs write to. Still no run sees anything of
 * another: each looks at what the library remembers, changes what its first byte names, and ends as
 * its second byte says. Whatever the order, the counts are those of fresh processes.
 *
 * RUN: for a in a b c d e f g h; do for e in r e q x a d; do printf $a$e >in-$a$e; done; done
 * RUN: take() { awk '/^in-/ { print $1, $2, $3, $4, $5, $6, $8, $9, $10 }' | sed 's/ [0-9.]* ms//' | sort -u; }
 * RUN: %slowpath measure %s --fresh in-* | take >fresh; [ $(wc -l <fresh) = 48 ]
 * RUN: for seed in 1 2; do ls in-* in-?r in-?a | shuf --random-source=<(yes $seed) >order; \
 * RUN:   %slowpath measure %s $(cat order) 2>err | take >persistent; diff fresh persistent; \
 * RUN:   if grep fresh err; then exit 1; fi; done
 *
 * Only a crash costs the process.
 * RUN: rm in-?d; %slowpath measure %s in-* --json json >table; grep '"restarts": 0,' json
 *
 * Input of another length, also of none, and longer than a buffer.
 * RUN: printf '' >in-none; printf ar%%5000d 7 >in-long; %slowpath measure %s in-none in-long in-ar in-long in-none --fresh | take >fresh
 * RUN: %slowpath measure %s in-none in-long in-ar in-long in-none | take | diff fresh -
 *
 * The symbolic build takes the same paths.
 * RUN: %slowpath run %s --stdin 2 --strategy exhaustive --jobs 1 --time 60 --tests 100 --out p --quiet >out
 * RUN: %slowpath run %s --stdin 2 --strategy exhaustive --jobs 1 --time 60 --tests 100 --out f --fresh --quiet >out
 * RUN: same() { sed -n -e '/"paths"/p' -e '/"instructions"/p' -e '/"complete"/p' $1/suite.json; }; same p >a; same f | diff a -
 * RUN: [ $(grep -c '"instructions"' a) -gt 20 ]
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int counted;
static char words[] = "one two three";

static void work(unsigned long n) {
    for (volatile unsigned long i = n % 97; i > 0; i--)
        ;
}

/* Each place counts differently, so that two differences do not make up for each other. */
static void see(unsigned long value) {
    static unsigned long place;
    work(value + ++place);
}

static void look(void) {
    see((unsigned long)counted);
    see((unsigned long)rand());
    see((unsigned long)optind);
    see(getenv("HOME") != NULL);
    see((unsigned long)words[3]);
    char *block = malloc(40);
    see((unsigned long)block >> 4);
    see(block ? (unsigned char)block[20] : 0);
}

static void at_end(void) {
    work(40);
    puts("the end");
}

static void change(int what) {
    char *arguments[] = {"p", "-a", "-b", "rest", NULL};
    switch (what) {
    case 'a':
        counted++;
        break;
    case 'b':
        srand(7);
        break;
    case 'c':
        while (getopt(3, arguments, "ab") != -1)
            ;
        break;
    case 'd':
        strtok(words, " ");
        break;
    case 'e':
        atexit(at_end);
        break;
    case 'f':
        printf("%100d", 3);
        fprintf(stderr, "to be seen by nobody\n");
        break;
    case 'g':
        memset(malloc(100000), 1, 100000);
        break;
    case 'h':
        ungetc('x', stdin);
        break;
    default:
        break;
    }
}

static int end(int how) {
    switch (how) {
    case 'e':
        exit(3);
    case 'q':
        quick_exit(4);
    case 'x':
        _Exit(5);
    case 'a':
        abort();
    case 'd':
        *(volatile char *)8 = 1;
        break;
    default:
        break;
    }
    return 0;
}

int main(void) {
    look();
    int what = getchar(), how = getchar(), rest = 0;
    while (getchar() != EOF)
        rest++;
    work((unsigned long)rest);
    change(what);
    see((unsigned long)getchar() & 3);
    return end(how);
}
