/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames: what an object file carries besides its code (see abi/bundle.h), and where else to look
 * for them.
 */
#ifndef SLOWPATH_IR_FRAMES_H
#define SLOWPATH_IR_FRAMES_H

#include "base/base.h"

struct ir_frame {
    uint32_t kind; /* enum abi_frame_kind */
    char *name;    /* source file, as it was given to the compiler */
    char *data;
    size_t size;
};

struct ir_frames {
    struct ir_frame *data;
    size_t count, capacity;
};

/* Appends the frames of an object, archive (every member), shared library or executable. It is
 * not an error when there are none; a damaged frame, a file that is not ELF or ar, is. */
bool ir_extract(const char *path, struct ir_frames *frames, struct base_error *error);
void ir_frames_done(struct ir_frames *frames);
/* Shared libraries (DT_NEEDED) of an executable, resolved to paths as the loader would. */
bool ir_needed_libraries(const char *path, struct base_strings *paths, struct base_error *error);

#endif
