/* SPDX-License-Identifier: Apache-2.0
 *
 * tidy: parses the input as HTML and gathers what it complains about.
 */
#include "tidy.h"
#include "tidybuffio.h"
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    TidyDoc doc = tidyCreate();
    TidyBuffer in, err;
    tidyBufInit(&err);
    tidyBufInit(&in);
    tidySetErrorBuffer(doc, &err);
    tidyBufAttach(&in, (byte *)data, (uint)size);
    tidyParseBuffer(doc, &in);
    tidyBufDetach(&in);
    tidyRelease(doc);
    tidyBufFree(&err);
    return 0;
}
