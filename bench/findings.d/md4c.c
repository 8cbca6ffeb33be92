/* SPDX-License-Identifier: Apache-2.0
 *
 * md4c: renders the input, a Markdown document in GitHub's dialect, as HTML.
 */
#include <md4c-html.h>
#include <stddef.h>
#include <stdint.h>

static void take(const MD_CHAR *text, MD_SIZE size, void *sum) {
    (void)text;
    *(MD_SIZE *)sum += size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    MD_SIZE sum = 0;
    md_html((const char *)data, (MD_SIZE)size, take, &sum, MD_DIALECT_GITHUB, 0);
    return 0;
}
