/* SPDX-License-Identifier: Apache-2.0
 *
 * zlib's deflate, level 6, raw: no header and no checksum around the compressed bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    z_stream stream = {0};
    if (deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return 1;
    size_t room = deflateBound(&stream, size);
    unsigned char *out = malloc(room);
    stream.next_in = (Bytef *)data;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    int status = deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    free(out);
    return status != Z_STREAM_END;
}
