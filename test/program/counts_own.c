/* SPDX-License-Identifier: Apache-2.0
 *
 * The target has functions with names of the library's. Its own calls go there; the library's other
 * functions do not, and cost their bytes as always.
 *
 * RUN: for c in a b c d; do printf $c >in-$c; done
 * RUN: for f in memchr strlen; do \
 * RUN:   %slowpath measure %s --cflags -fno-builtin --measure calls:$f -- in-a in-b in-c in-d >table; \
 * RUN:   awk -v f=$f '{ print f, $1, $7 }' table; done >numbers
 * RUN: %slowpath measure %s --cflags -fno-builtin --measure weighted --weights call=0,other=0 -- in-b in-c in-d >table
 * RUN: awk '{ print "bytes", $1, $7 }' table >>numbers; %check <numbers
 * CHECK: memchr in-a 1
 * CHECK-NEXT: memchr in-b 0
 * CHECK-NEXT: memchr in-c 0
 * CHECK-NEXT: memchr in-d 0
 * CHECK: strlen in-a 1
 * CHECK-NEXT: strlen in-b 0
 * CHECK-NEXT: strlen in-c 0
 * CHECK-NEXT: strlen in-d 0
 * CHECK: bytes in-b 4
 * CHECK-NEXT: bytes in-c 5
 * CHECK-NEXT: bytes in-d 6
 */
#include <stddef.h>
#include <stdint.h>

size_t strnlen(const char *text, size_t count);
char *strcat(char *to, const char *from);
char *strdup(const char *text);

void *memchr(const void *bytes, int byte, size_t count) {
    const unsigned char *at = bytes;
    for (; count; count--, at++)
        if (*at == (unsigned char)byte)
            return (void *)at;
    return NULL;
}

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

static char text[16] = "hello", joined[16];
static char *volatile kept;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    switch (size ? data[0] : 0) {
    case 'a':
        return (int)strlen(text) + (memchr(text, 'l', sizeof text) != NULL);
    case 'b': /* the count */
        return (int)strnlen(text, 4);
    case 'c': /* the end of nothing, and three bytes with their NUL */
        return strcat(joined, text + 2) != NULL;
    case 'd': /* five bytes and their NUL */
        kept = strdup(text);
        return 0;
    }
    return 0;
}
