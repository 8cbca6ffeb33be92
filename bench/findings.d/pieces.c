/* SPDX-License-Identifier: Apache-2.0
 *
 * expat, fed 16 bytes at a time, as from a slow connection: each call begins the token under way
 * again.
 */
#include <expat.h>
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    XML_Parser p = XML_ParserCreate("UTF-8");
    if (!p)
        return 0;
    XML_SetReparseDeferralEnabled(p, XML_FALSE);
    for (size_t i = 0; i < size; i += 16) {
        size_t n = size - i < 16 ? size - i : 16;
        if (XML_Parse(p, (const char *)data + i, (int)n, i + n == size) != XML_STATUS_OK)
            break;
    }
    XML_ParserFree(p);
    return 0;
}
