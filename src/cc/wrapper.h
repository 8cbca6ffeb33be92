/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the compiler wrapper share: the call as it was understood, children and
 * temporary files. Private to this room.
 */
#ifndef SLOWPATH_CC_WRAPPER_H
#define SLOWPATH_CC_WRAPPER_H

#include "abi/bundle.h"
#include "base/base.h"

/* ---- the call ---- */

enum cc_input_kind {
    CC_INPUT_LINKER,    /* objects, archives, libraries */
    CC_INPUT_C,         /* gets bitcode */
    CC_INPUT_ASSEMBLER, /* gets a copy of its object */
    CC_INPUT_OTHER,     /* compiled by clang, gets nothing */
    CC_INPUT_HEADER     /* a header to precompile */
};

struct cc_input {
    const char *path;     /* borrowed from the call's arguments */
    const char *language; /* what -x said, or NULL: by the file's name */
    enum cc_input_kind kind;
};

struct cc_call {
    struct base_strings arguments; /* response files expanded, without argv[0] */
    struct base_strings kept;      /* the options that the bitcode of a source needs as well */
    BASE_VECTOR(struct cc_input) inputs;
    const char *output;    /* -o, or NULL; borrowed */
    bool compile_only;     /* -c */
    bool pass_through;     /* clang makes no object, or says something and ends */
    bool link_time;        /* -flto of some kind */
    bool searches_headers; /* some input is preprocessed */
};

/* Understands the arguments after argv[0] as clang would. */
void cc_call_init(struct cc_call *call, size_t count, const char *const *arguments);
void cc_call_done(struct cc_call *call);
/* Appends the arguments with response files expanded. */
void cc_expand_arguments(size_t count, const char *const *given, struct base_strings *arguments);
/* Appends TEXT's arguments, quoted as in a response file; splits like clang does. */
void cc_split_response(const char *text, struct base_strings *arguments);
/* Adds an option after all of the command's options; only inputs may follow a bare `--`. */
void cc_add_option(struct base_strings *command, const char *option);
/* The object that `-c` makes of this input; the caller frees. */
char *cc_object_name(const struct cc_call *call, const struct cc_input *input);
/* Is OBJECT a name that the driver gives to the temporary object of INPUT? */
bool cc_is_temporary_object(const struct cc_input *input, const char *object);

/* ---- frames ---- */

/* Embeds into OBJECT what its source calls for: bitcode, or the object itself. SPOOL is a file
 * with what stdin said, or NULL. A source that yields no bitcode gets a warning, no more. */
void cc_embed_source(const struct cc_call *call, const struct cc_input *input, const char *object,
                     const char *spool);
/* Adds one frame of KIND with the bytes of file DATA to OBJECT, in place. */
bool cc_embed_frame(const char *object, enum abi_frame_kind kind, const char *name,
                    const char *data, struct base_error *error);

/* ---- compile and link in one call ---- */

/* Runs clang with this program in the linker's place. COMMAND is the user's, ready to run. */
int cc_link_call(const struct cc_call *call, struct base_strings *command, const char *spool);
/* In the linker's place: embeds into the temporary objects, then becomes the linker. */
int cc_link_hook(const char *plan, int argc, char **argv);
#define CC_PLAN_VARIABLE "SLOWPATH_CC_PLAN"

/* ---- children and temporary files ---- */

const char *cc_clang(void);        /* borrowed */
const char *cc_include_flag(void); /* -idirafterDIR of <slowpath.h>, or NULL; borrowed */
/* Runs to the end with stdin from INPUT and stderr to ERRORS (NULL: as ours). When a signal asked
 * this process to end, it does so here, once the child has ended. */
int cc_run(const struct base_strings *command, const char *input, const char *errors);
/* Becomes COMMAND; returns only an exit status, after an error message. */
int cc_become(const struct base_strings *command);
/* A name in a private folder that is made on demand; the caller frees. */
char *cc_temp_path(const char *name);
/* Temporary files go to this folder, which belongs to someone else. */
void cc_temp_borrow(const char *folder);
void cc_temp_done(void);
/* Prints `slowpath-cc: KIND: ...` on stderr. */
void cc_say(const char *kind, const char *format, ...) BASE_PRINTF(2, 3);

#endif
