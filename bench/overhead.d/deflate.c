/* SPDX-License-Identifier: Apache-2.0
 *
 * zlib: compresses the input at its default level.
 */
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uLongf packed = compressBound(size);
    unsigned char *out = malloc(packed);
    int status = compress(out, &packed, data, size);
    free(out);
    return status != Z_OK;
}
