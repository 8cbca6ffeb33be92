/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole program gets its input on stdin, in a file that @@ stands for, or as an argument; other
 * arguments come from --args. Its exit code is reported and is no failure.
 *
 * RUN: printf 'abcd' >in-four; printf '' >in-none
 * RUN: %slowpath measure %s in-four in-none --measure count:bytes | %check --check-prefix=STDIN
 * RUN: %slowpath measure %s --stdin 4 in-four in-none --measure count:bytes | %check --check-prefix=STDIN
 * STDIN: in-four ok {{.*}} 4 {{[0-9.]+}} ms (exit 4)
 * STDIN: in-none ok {{.*}} 0 {{[0-9.]+}} ms{{$}}
 *
 * RUN: %slowpath measure %s --args '-f @@' in-four in-none --measure count:bytes | %check --check-prefix=FILE
 * RUN: %slowpath measure %s --args '-f @@' --file 4 in-four in-none --measure count:bytes | %check --check-prefix=FILE
 * FILE: in-four ok {{.*}} 1004 {{[0-9.]+}} ms (exit 4)
 * FILE: in-none ok {{.*}} 1000 {{[0-9.]+}} ms{{$}}
 *
 * RUN: %slowpath measure %s --args '-a x' --arg 2 in-four in-none --measure count:bytes | %check --check-prefix=ARG
 * RUN: %slowpath measure %s --args "'-a'" --arg 2:4 in-four in-none --measure count:bytes | %check --check-prefix=ARG
 * ARG: in-four ok {{.*}} 2004 {{[0-9.]+}} ms (exit 4)
 * ARG: in-none ok {{.*}} 2000 {{[0-9.]+}} ms{{$}}
 *
 * The program's name is that of its first file, quotes group words.
 * RUN: %slowpath measure %s --args "-w 'two words' \\\"" in-none --measure count:bytes | %check --check-prefix=WORDS
 * WORDS: in-none ok {{.*}} 3010 {{[0-9.]+}} ms
 *
 * A folder stands for the files in it, in order of their names, without hidden ones.
 * RUN: mkdir inputs inputs/folder; printf 1 >inputs/b; printf 22 >inputs/a; printf 333 >inputs/.hidden
 * RUN: %slowpath measure %s inputs --measure count:bytes | %check --check-prefix=FOLDER
 * FOLDER: inputs/a ok {{.*}} 2 {{[0-9.]+}} ms
 * FOLDER-NEXT: inputs/b ok {{.*}} 1 {{[0-9.]+}} ms
 * FOLDER-NOT: ok
 *
 * - is the standard input of slowpath itself.
 * RUN: printf 12345 | %slowpath measure %s - --measure count:bytes | %check --check-prefix=DASH
 * DASH: - ok {{.*}} 5 {{[0-9.]+}} ms
 */
#include <slowpath.h>
#include <stdio.h>
#include <string.h>

static int count(FILE *file) {
    int bytes = 0;
    while (getc(file) != EOF)
        bytes++;
    return bytes;
}

int main(int argc, char **argv) {
    int bytes = 0, base = 0;
    if (argc == 3 && strcmp(argv[1], "-f") == 0) {
        FILE *file = fopen(argv[2], "r");
        base = 1000;
        bytes = file ? count(file) : 999;
    } else if (argc == 3 && strcmp(argv[1], "-a") == 0) {
        base = 2000;
        bytes = (int)strlen(argv[2]);
    } else if (argc == 4 && strcmp(argv[1], "-w") == 0) {
        base = 3000 + (int)strlen(argv[2]) + (int)strlen(argv[3]);
    } else if (strcmp(argv[0], "program.c") == 0) {
        bytes = count(stdin);
    }
    slowpath_count("bytes", base + bytes);
    return bytes;
}
