/* SPDX-License-Identifier: Apache-2.0
 *
 * Compressors behind one harness: -DCOMPRESSOR=name chooses, -DLEVEL=n where it has levels.
 */
#include <stdint.h>
#include <stdlib.h>

#define ZLIB 1
#define BZIP2 2
#define LZ4HC 3
#define LIBDEFLATE 4
#define LZO 5
#define BROTLI 6
#define XZ 7
#define UCL 8
#define ZSTD 9
#define LZLIB 10

#if COMPRESSOR == ZLIB
#include <zlib.h>
static int compress_all(const uint8_t *data, size_t size) {
    z_stream stream = {0};
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
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

#elif COMPRESSOR == BZIP2
#include <bzlib.h>
void bz_internal_error(int code) {
    (void)code;
    abort();
}
static int compress_all(const uint8_t *data, size_t size) {
    unsigned room = (unsigned)(size + size / 100 + 600);
    char *out = malloc(room);
    int status = BZ2_bzBuffToBuffCompress(out, &room, (char *)data, (unsigned)size, LEVEL, 0, 0);
    free(out);
    return status != BZ_OK;
}

#elif COMPRESSOR == LZ4HC
#include "lz4hc.h"
static int compress_all(const uint8_t *data, size_t size) {
    int room = LZ4_compressBound((int)size);
    char *out = malloc((size_t)room);
    int written = LZ4_compress_HC((const char *)data, out, (int)size, room, LEVEL);
    free(out);
    return written <= 0;
}

#elif COMPRESSOR == LIBDEFLATE
#include "libdeflate.h"
static int compress_all(const uint8_t *data, size_t size) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
    size_t room = libdeflate_deflate_compress_bound(compressor, size);
    void *out = malloc(room);
    size_t written = libdeflate_deflate_compress(compressor, data, size, out, room);
    free(out);
    libdeflate_free_compressor(compressor);
    return written == 0;
}

#elif COMPRESSOR == LZO
#include <lzo/lzo1x.h>
static int compress_all(const uint8_t *data, size_t size) {
    lzo_uint written = 0;
    unsigned char *out = malloc(size + size / 16 + 64 + 3);
    void *work = malloc(LZO1X_999_MEM_COMPRESS);
    int status = lzo1x_999_compress(data, size, out, &written, work);
    free(work);
    free(out);
    return status != LZO_E_OK;
}

#elif COMPRESSOR == BROTLI
#include <brotli/encode.h>
static int compress_all(const uint8_t *data, size_t size) {
    size_t room = BrotliEncoderMaxCompressedSize(size);
    uint8_t *out = malloc(room);
    int good = BrotliEncoderCompress(LEVEL, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, size, data,
                                     &room, out);
    free(out);
    return !good;
}

#elif COMPRESSOR == XZ
#include <lzma.h>
static int compress_all(const uint8_t *data, size_t size) {
    lzma_options_lzma options;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    size_t room = size + size / 2 + 1024, written = 0;
    uint8_t *out = malloc(room);
    lzma_lzma_preset(&options, LEVEL);
    options.dict_size = size < LZMA_DICT_SIZE_MIN ? LZMA_DICT_SIZE_MIN : (uint32_t)size;
    lzma_ret status = lzma_raw_buffer_encode(filters, NULL, data, size, out, &written, room);
    free(out);
    return status != LZMA_OK;
}

#elif COMPRESSOR == UCL
#include <ucl/ucl.h>
static int compress_all(const uint8_t *data, size_t size) {
    ucl_uint written = 0;
    unsigned char *out = malloc(size + size / 8 + 256);
    int status =
        ucl_nrv2b_99_compress(data, (ucl_uint)size, out, &written, NULL, LEVEL, NULL, NULL);
    free(out);
    return status != UCL_E_OK;
}

#elif COMPRESSOR == ZSTD
#include <zstd.h>
static int compress_all(const uint8_t *data, size_t size) {
    size_t room = ZSTD_compressBound(size);
    void *out = malloc(room);
    size_t written = ZSTD_compress(out, room, data, size, LEVEL);
    free(out);
    return (int)ZSTD_isError(written);
}

#elif COMPRESSOR == LZLIB
#include <lzlib.h>
/* What minilzip -6 asks for. */
static int compress_all(const uint8_t *data, size_t size) {
    struct LZ_Encoder *encoder = LZ_compress_open(1 << 23, 36, 0x0008000000000000u);
    size_t room = size + size / 2 + 1024, written = 0, at = 0;
    uint8_t *out = malloc(room);
    while (!LZ_compress_finished(encoder)) {
        int taken = LZ_compress_write(encoder, data + at, (int)(size - at));
        at += taken > 0 ? (size_t)taken : 0;
        if (at == size)
            LZ_compress_finish(encoder);
        int made = LZ_compress_read(encoder, out + written, (int)(room - written));
        if (taken < 0 || made < 0)
            break;
        written += (size_t)made;
    }
    int status = !LZ_compress_finished(encoder);
    LZ_compress_close(encoder);
    free(out);
    return status;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return compress_all(data, size);
}
