/* SPDX-License-Identifier: Apache-2.0
 *
 * cmark: renders the input, a CommonMark document, as HTML.
 */
#include <cmark.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *html = cmark_markdown_to_html((const char *)data, size, CMARK_OPT_DEFAULT);
    free(html);
    return 0;
}
