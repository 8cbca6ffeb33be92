/* SPDX-License-Identifier: Apache-2.0
 *
 * How deep are these brackets nested? One call per bracket, so an input can exhaust the stack.
 */
#include <stddef.h>

static const char *skip(const char *at, const char *end, int *deepest) {
    int inside, most = 0;
    while (at < end && *at == '(') {
        inside = 0;
        at = skip(at + 1, end, &inside);
        if (inside > most)
            most = inside;
        if (at < end)
            at++;
    }
    *deepest = most + 1;
    return at;
}

int depth(const char *text, size_t n) {
    int deepest;
    skip(text, text + n, &deepest);
    return deepest - 1;
}
