/* SPDX-License-Identifier: Apache-2.0
 *
 * Library functions that touch memory cost their call and one per byte that a straightforward
 * implementation must look at. Each case below makes one call on fixed texts. `weighted` with all
 * weights at 0 leaves the bytes, and 1 where LLVM makes the call an instruction of its own (a copy
 * or a fill), because those have no weight that could be set.
 *
 * RUN: export LC_ALL=C
 * RUN: for c in a b c d e f g h i j k l m n o p q r s t u v w x y z A B C D E F G H I J K L; do printf $c >in-$c; done
 * RUN: %slowpath measure %s --measure weighted --weights call=0,other=0 -- in-[a-z] in-[A-L] >table
 * RUN: awk '{ print $1, $7 }' table >bytes; %check <bytes
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char text[64] = "slow path", copy[64];
static char *volatile kept;
static volatile size_t nine = 9;

/* The volatile length keeps the compiler from computing a result by itself. */
static const char *hidden(const char *constant) {
    return constant + nine - 9;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *t = hidden(text);
    switch (size ? data[0] : 0) {
    case 'a': // CHECK: in-a 10
        memcpy(copy, t, nine);
        return 0;
    case 'b': // CHECK-NEXT: in-b 10
        mempcpy(copy, t, nine);
        return 0;
    case 'c': // CHECK-NEXT: in-c 10
        memmove(text + 1, t, nine);
        return 0;
    case 'd': // CHECK-NEXT: in-d 10
        memset(copy, (int)nine, nine);
        return 0;
    case 'e': // up to the difference: "slow path" and "slow"; CHECK-NEXT: in-e 5
        return memcmp(t, hidden("slow\0path"), nine);
    case 'f': // all are equal; CHECK-NEXT: in-f 9
        return bcmp(t, hidden("slow path"), nine);
    case 'g': // CHECK-NEXT: in-g 10
        bzero(copy, nine);
        return 0;
    case 'h': // up to the find; CHECK-NEXT: in-h 4
        return memchr(t, 'w', nine) != NULL;
    case 'i': // from the end: "htap"; CHECK-NEXT: in-i 4
        return memrchr(t, 'p', nine) != NULL;
    case 'j': // CHECK-NEXT: in-j 4
        return rawmemchr(t, 'w') != NULL;
    case 'k': // to the place of the find (3) and the word (3); CHECK-NEXT: in-k 6
        return memmem(t, nine, hidden("w p"), 3) != NULL;
    case 'l': // with the final NUL; CHECK-NEXT: in-l 10
        return (int)strlen(t);
    case 'm': // CHECK-NEXT: in-m 4
        return (int)strnlen(t, nine - 5);
    case 'n': // "slow" against "slow path": differs at the fifth; CHECK-NEXT: in-n 5
        return strcmp(t, hidden("slow"));
    case 'o': // CHECK-NEXT: in-o 3
        return strncmp(t, hidden("slower"), nine - 6);
    case 'p': // the case does not matter; CHECK-NEXT: in-p 10
        return strcasecmp(t, hidden("SLOW path"));
    case 'q': // CHECK-NEXT: in-q 5
        return strncasecmp(t, hidden("SLOWER"), nine);
    case 'r': // CHECK-NEXT: in-r 10
        strcpy(copy, t);
        return 0;
    case 's': // CHECK-NEXT: in-s 10
        return *stpcpy(copy, t);
    case 't': // pads with NULs; CHECK-NEXT: in-t 18
        strncpy(copy, t, 2 * nine);
        return 0;
    case 'u': // finds the end of "ab" and copies: 3 + 10; CHECK-NEXT: in-u 13
        copy[0] = 'a', copy[1] = 'b', copy[2] = 0;
        strcat(copy, t);
        return 0;
    case 'v': // finds the end of "ab" and copies 4: 3 + 4; CHECK-NEXT: in-v 7
        copy[0] = 'a', copy[1] = 'b', copy[2] = 0;
        strncat(copy, t, nine - 5);
        return 0;
    case 'w': // CHECK-NEXT: in-w 4
        return strchr(t, 'w') != NULL;
    case 'x': // not there: with the final NUL; CHECK-NEXT: in-x 10
        return *strchrnul(t, 'z');
    case 'y': // looks at all of it; CHECK-NEXT: in-y 10
        return strrchr(t, 'w') != NULL;
    case 'z': // to the place of the find (3) and the word with its NUL (4); CHECK-NEXT: in-z 7
        return strstr(t, hidden("w p")) != NULL;
    case 'A': // three match, the fourth does not; CHECK-NEXT: in-A 4
        return (int)strspn(t, hidden("osl"));
    case 'B': // CHECK-NEXT: in-B 5
        return (int)strcspn(t, hidden(" "));
    case 'C': // CHECK-NEXT: in-C 5
        return strpbrk(t, hidden(" ")) != NULL;
    case 'D': // CHECK-NEXT: in-D 10
        kept = strdup(t);
        return 0;
    case 'E': // CHECK-NEXT: in-E 4
        kept = strndup(t, nine - 5);
        return 0;
    case 'F': { // a struct is copied: its bytes; CHECK-NEXT: in-F 41
        struct block {
            char bytes[40];
        };
        *(struct block *)copy = *(const struct block *)t;
        return 0;
    }
    case 'G': // nothing is touched; CHECK-NEXT: in-G 0
        return (int)nine;
    case 'H': // not there: the text (9) and the word with its NUL (4); CHECK-NEXT: in-H 13
        return strstr(t, hidden("the")) != NULL;
    case 'I': // the word begins, and begins again: 1 before the find, 4 of the word; CHECK-NEXT: in-I 5
        return strstr(hidden("aaab"), hidden("aab")) != NULL;
    case 'J': // not there: the text (9) and the word (3); CHECK-NEXT: in-J 12
        return memmem(t, nine, hidden("the"), 3) != NULL;
    case 'K': // does not fit; CHECK-NEXT: in-K 0
        return memmem(t, 2, hidden("the"), 3) != NULL;
    case 'L': // not there; CHECK-NEXT: in-L 9
        return memrchr(t, 'z', nine) != NULL;
    }
    return 0;
}
