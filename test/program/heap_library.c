/* SPDX-License-Identifier: Apache-2.0
 *
 * What the C library allocates for the program counts too: getline's buffer (getline says how large
 * it is), asprintf's text, the buffer of open_memstream's stream. free gives it back.
 *
 * RUN: printf 'short\n' >in-short; head -c 5000 /dev/zero | tr '\0' y >in-long
 * RUN: %slowpath measure %s in-short in-long --json - 2>/dev/null | %check
 * CHECK: "file": "in-short"
 * CHECK: "memory": [[#SHORT:]],
 * CHECK: "count:getline": [[#SHORT]]
 * CHECK: "file": "in-long"
 * CHECK: "memory": [[#LONG:]],
 * CHECK: "count:getline": [[#LONG]]
 *
 * A text of 9 letters takes 10 bytes, though the library may ask for more on the way.
 * RUN: %slowpath measure %s --args print in-short --json - 2>/dev/null | %check --check-prefix=PRINT
 * PRINT: "count:left": 10
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <slowpath.h>
#include <stdio.h>
#include <stdlib.h>

static char stream_buffer[4096];

int main(int argc, char **argv) {
    (void)argv;
    char *text = NULL;
    size_t room = 0;
    if (argc > 1) {
        int length = asprintf(&text, "%s-%d", "slow", 1234);
        slowpath_count("left", (long)malloc_usable_size(text));
        free(text);
        return length != 9;
    }
    setvbuf(stdin, stream_buffer, _IOFBF, sizeof stream_buffer);
    if (getline(&text, &room, stdin) < 0)
        return 1;
    slowpath_count("getline", (long)room);
    free(text);
    text = malloc(1); /* what was freed is not there any more: the peak stays */
    free(text);
    return 0;
}
