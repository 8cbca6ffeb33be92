/* SPDX-License-Identifier: Apache-2.0
 *
 * mujs: parses and compiles the input, a script, without running it.
 */
#include "mujs.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    js_State *J = js_newstate(NULL, NULL, JS_STRICT);
    memcpy(text, data, size);
    text[size] = 0;
    js_ploadstring(J, "input", text);
    js_freestate(J);
    free(text);
    return 0;
}
