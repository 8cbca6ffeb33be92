/* SPDX-License-Identifier: Apache-2.0
 *
 * What a stream knows besides its bytes: how much waits in it, where it stands, also when it leads to a device that keeps
 * nothing, whether that took it, and what lies in its memory. Where that depends on the input, it is lost by name.
 *
 * RUN: search() { %slowpath run %s --stdin 2 --args $1 --strategy exhaustive --jobs 1 --out s --force --quiet >out; }
 * RUN: loses() { search $1; grep -qx "not complete: input data was lost in $2 ([0-9]* runs*)" out || { echo $1; cat out; exit 1; }; }
 * RUN: loses pending __fpending; loses position ftell; loses refused 'a device that may refuse what is written'
 * RUN: loses buffer 'the memory of a stream'; loses member 'the memory of a stream'; loses ahead 'the memory of a stream'
 *
 * A stream with a buffer of the program's own, into which nobody looks, is followed; so are the functions whose bodies
 * are in the headers.
 * RUN: follows() { search $1; grep -q "^ *$2 different paths" out && grep -qx 'complete: every path was covered' out || { echo $1; cat out; exit 1; }; }
 * RUN: follows own 2; follows unlocked 3
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

static volatile int spent;
static char buffer[64];

static long decide(const char *how) {
    int is = !strcmp(how, "unlocked") ? getchar_unlocked() : getchar();
    FILE *null = fopen("/dev/null", "w"), *full = fopen("/dev/full", "w");
    if (!strcmp(how, "unlocked"))
        return is == 'a' ? 1 : getc_unlocked(stdin) == 'b' ? 2 : feof_unlocked(stdin) ? 9 : 5;
    if (!strcmp(how, "pending"))
        return fprintf(null, "%.*s", is & 3, "abc"), (long)__fpending(null);
    if (!strcmp(how, "position"))
        return fprintf(null, "%.*s", is & 3, "abc"), ftell(null);
    if (!strcmp(how, "refused"))
        return fprintf(full, "%.*s", is & 3, "abc"), fflush(full) ? 3 : 7;
    if (!strcmp(how, "member"))
        return stdin->_IO_read_ptr[0] == 'b' ? 3 : 7;
    setvbuf(null, buffer, _IOFBF, sizeof buffer);
    if (!strcmp(how, "ahead"))
        setvbuf(stdin, buffer, _IOFBF, sizeof buffer);
    fputc(is, null);
    if (!strcmp(how, "own"))
        return fclose(null), is == 'a' ? 3 : 7;
    return buffer[0] == 'a' ? 3 : 7;
}

int main(int argc, char **argv) {
    for (long i = argc > 1 ? decide(argv[1]) : 0; i > 0; i--)
        spent++;
    return 0;
}
