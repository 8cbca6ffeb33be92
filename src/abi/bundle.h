/* SPDX-License-Identifier: Apache-2.0
 *
 * How an object file carries its bitcode. Every object that slowpath-cc makes has one section of
 * this name (not loaded, alignment 1). Linkers concatenate sections of one name, so the section
 * of an executable is a sequence of frames; each frame says how long it is, and a reader takes
 * the sequence apart again. Bytes between frames that are zero are padding.
 */
#ifndef SLOWPATH_ABI_BUNDLE_H
#define SLOWPATH_ABI_BUNDLE_H

#include <stdint.h>

#define ABI_BUNDLE_SECTION ".slowpath.bc"
#define ABI_BUNDLE_MAGIC "SLOWPBC1"

enum abi_frame_kind {
    ABI_FRAME_BITCODE = 1, /* LLVM bitcode of one C source, unoptimised, with debug information */
    ABI_FRAME_OBJECT = 2   /* a native relocatable object that has no bitcode (assembler source) */
};

struct abi_frame {
    char magic[8];
    uint32_t kind;
    uint32_t name_size; /* bytes of the source's name that follow the header, without a NUL */
    uint64_t data_size; /* bytes of data that follow the name */
    uint64_t checksum;  /* XXH3 (64 bits) of the data */
};

#endif
