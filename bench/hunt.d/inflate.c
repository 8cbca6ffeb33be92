/* SPDX-License-Identifier: Apache-2.0
 *
 * zlib's inflate, raw, with an output of at most 64 KB: what it does is bounded by the input and
 * that.
 */
#include <stdint.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static unsigned char out[65536];
    z_stream stream = {0};
    if (inflateInit2(&stream, -15) != Z_OK)
        return 1;
    stream.next_in = (Bytef *)data;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = sizeof out;
    inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return 0;
}
