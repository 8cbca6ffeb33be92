#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Load tests of compressors from Debian's source packages: what does a suite of beam search cost
# against the best random inputs of the same time, against the input that it started from, and
# against what `auto` finds? All options at their defaults.
#
#   bench/load.d/compressors.sh [-b BUILD] [-t SECONDS] [-w FOLDER] [SIZE...]
#
# SECONDS is the time of each search (default 60), SIZE the bytes of an input (default 1024 10240
# 102400 1048576). ONLY="bzip2 lz4hc" chooses compressors. libdeflate, lzo and brotli were never used
# while the search was worked on.
set -eu
. "$(dirname "$0")/options"
rows=$work/compressors.table
: >"$rows"

source_of() { # PACKAGE
    "$here/../sources" -d "$work/sources" "$1" | tail -1
}

# Prints what `slowpath run` is to be given for a compressor.
target_of() { # NAME
    echo "$here/compress.c"
    case $1 in
    deflate-*)
        from=$(source_of zlib)
        for file in deflate trees zutil adler32 crc32; do echo "$from/$file.c"; done
        echo "--cflags=-I$from -DCOMPRESSOR=ZLIB -DLEVEL=${1#deflate-}"
        ;;
    bzip2)
        from=$(source_of bzip2)
        for file in blocksort huffman crctable randtable compress decompress bzlib; do echo "$from/$file.c"; done
        echo "--cflags=-I$from -DBZ_NO_STDIO -DCOMPRESSOR=BZIP2 -DLEVEL=9"
        ;;
    lz4hc)
        from=$(source_of lz4)/lib
        echo "$from/lz4.c"
        echo "$from/lz4hc.c"
        echo "--cflags=-I$from -DCOMPRESSOR=LZ4HC -DLEVEL=9"
        ;;
    libdeflate)
        from=$(source_of libdeflate)
        echo "$from/lib/deflate_compress.c"
        echo "$from/lib/utils.c"
        [ ! -e "$from/lib/x86/cpu_features.c" ] || echo "$from/lib/x86/cpu_features.c"
        echo "--cflags=-I$from -DCOMPRESSOR=LIBDEFLATE -DLEVEL=6"
        ;;
    lzo)
        from=$(source_of lzo2)
        echo "$from/src/lzo1x_9x.c"
        echo "$from/src/lzo_util.c"
        echo "$from/src/lzo_ptr.c"
        echo "--cflags=-I$from/include -I$from/include/lzo -DCOMPRESSOR=LZO"
        ;;
    brotli)
        from=$(source_of brotli)/c
        ls "$from"/enc/*.c "$from"/common/*.c
        echo "--cflags=-I$from/include -DCOMPRESSOR=BROTLI -DLEVEL=5"
        ;;
    xz)
        from=$(source_of xz-utils)/src
        for file in common/common common/filter_buffer_encoder common/filter_encoder \
            common/filter_common lz/lz_encoder lz/lz_encoder_mf lzma/lzma_encoder \
            lzma/lzma_encoder_presets lzma/lzma_encoder_optimum_fast \
            lzma/lzma_encoder_optimum_normal lzma/lzma2_encoder lzma/fastpos_table \
            rangecoder/price_table check/crc32_table; do
            echo "$from/liblzma/$file.c"
        done
        printf '%s' "--cflags=-I$from/common"
        for folder in api common check lz rangecoder lzma simple delta; do printf '%s' " -I$from/liblzma/$folder"; done
        echo " -DHAVE_STDBOOL_H -DHAVE__BOOL -DHAVE_STDINT_H -DHAVE_INTTYPES_H -DHAVE_ENCODERS" \
            "-DHAVE_ENCODER_LZMA2 -DHAVE_MF_BT4 -DHAVE_MF_HC4 -DMYTHREAD_POSIX" \
            "-DCOMPRESSOR=XZ -DLEVEL=6"
        ;;
    esac
}

search() { # NAME BYTES STRATEGY: prints mean, best and what it started from
    target_of "$1" >"$work/target"
    IFS='
'
    set -- "$1" "$2" "$3" $(cat "$work/target")
    unset IFS
    name=$1 bytes=$2 strategy=$3 out=$work/suite.$1.$2.$3
    shift 3
    rm -rf "$out"
    "$slowpath" run "$@" --size "$bytes" --strategy "$strategy" --tests 10 --time "$seconds" --limit-time 300 \
        --out "$out" --quiet >"$work/$name.$strategy.txt" 2>&1 ||
        { cat "$work/$name.$strategy.txt" >&2; exit 1; }
    awk -v start="$(sed -n 's/^ *"start": \([0-9.]*\),*$/\1/p' "$out/suite.json" | head -1)" '
        /^tests\// { sum += $2; n++; if (n == 1) best = $2 }
        END { printf "%.0f %.0f %.0f\n", n ? sum / n : 0, best, start }' "$work/$name.$strategy.txt"
    rm -rf "$out"
}

for name in ${ONLY:-deflate-1 deflate-6 deflate-9 bzip2 lz4hc libdeflate lzo brotli}; do
    for bytes in ${*:-1024 10240 102400 1048576}; do
        set_of() { search "$name" "$bytes" "$1"; }
        random=$(set_of random)
        beam=$(set_of beam)
        auto=$(set_of auto)
        echo "$name $bytes $random $beam $auto" >>"$rows"
    done
done

echo "compressors; means of suites of 10; IR instructions; $seconds s for each search"
printf '%-11s %8s %14s %14s %14s %14s %9s %9s\n' compressor bytes random "beam's start" "beam's suite" "auto's best" \
    "to random" "to start"
awk '{ printf "%-11s %8d %14.0f %14.0f %14.0f %14.0f %8.2fx %8.2fx\n", $1, $2, $3, $8, $6, $10,
    $3 ? $6 / $3 : 0, $8 ? $6 / $8 : 0 }' "$rows"
