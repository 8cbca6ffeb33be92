/* SPDX-License-Identifier: Apache-2.0
 *
 * A library's C interface as it was understood: which types are handles, who makes and who destroys
 * them, what each argument may be. Guessed from debug information and bitcode, corrected by hand
 * (model_text.c) and by running (learn.c).
 */
#ifndef SLOWPATH_API_MODEL_H
#define SLOWPATH_API_MODEL_H

#include "target/describe.h"

#define API_ARGUMENTS 8 /* of a function that is called */
#define API_SLOTS 4     /* handles of one type at a time */

/* KIND(identifier, "name", has a reference to another parameter) */
#define API_KINDS(KIND)                                                                            \
    KIND(UNFIT, "unfit", false) /* cannot be made */                                               \
    KIND(SCALAR, "number", false)                                                                  \
    KIND(INDEX, "index", true)       /* of an element: 0 up to the size of a handle */             \
    KIND(POSITION, "position", true) /* the same, its end included */                              \
    KIND(LENGTH, "length", true)     /* elements behind a pointer */                               \
    KIND(TEXT, "text", false)                                                                      \
    KIND(OWNED_TEXT, "owned-text", false) /* from malloc: the library frees it */                  \
    KIND(BYTES, "bytes", false)                                                                    \
    KIND(ARRAY, "array", false) /* of numbers */                                                   \
    KIND(TEXTS, "texts", false)                                                                    \
    KIND(CELL, "cell", false) /* data of the caller, a void pointer */                             \
    KIND(OWNED_CELL, "owned-cell", false)                                                          \
    KIND(CELLS, "cells", false)                                                                    \
    KIND(OUT, "out", false)       /* the library writes there */                                   \
    KIND(ROOM, "room", false)     /* an array that the library fills: there is plenty */           \
    KIND(RECORD, "record", false) /* a struct of zeros */                                          \
    KIND(OBJECT, "object", false) /* a struct that the library has */                              \
    KIND(CALLBACK, "callback", false)                                                              \
    KIND(ZERO, "zero", false) /* the beginning of a range */                                       \
    KIND(NONE, "null", false)                                                                      \
    KIND(HANDLE, "handle", false)                                                                  \
    KIND(FILLED, "filled", false) /* a handle that has elements */                                 \
    KIND(TAKEN, "taken", false)   /* a handle that belongs to the library from then on */          \
    KIND(DESTROYED, "destroyed", false)                                                            \
    KIND(DESTROYED_AT, "destroyed-at", false) /* the address of a handle */                        \
    KIND(MADE_AT, "made-at", false)           /* a new handle is stored there */                   \
    KIND(PREPARED, "prepared", false)         /* memory that becomes a handle */

enum api_kind {
#define KIND(id, name, refers) API_##id,
    API_KINDS(KIND)
#undef KIND
};

enum api_result {
    API_IGNORED,
    API_NEW,      /* a handle that must be destroyed */
    API_BORROWED, /* a handle that belongs to another */
    API_FRESH     /* memory that free gives back */
};

struct api_parameter {
    const struct ir_type *type;
    const char *name;
    enum api_kind kind;
    uint32_t handle; /* number of its type, when it is one */
    uint32_t other;  /* that it refers to */
    uint32_t shares; /* an array that is as long as this one; IR_NONE: it has its own length */
    const struct ir_parameter_roles *roles;
};

struct api_function {
    const struct ir_signature *signature;
    const struct ir_function_roles *roles; /* NULL: unknown */
    struct api_parameter parameters[API_ARGUMENTS];
    uint32_t count;
    enum api_result result;
    uint32_t handle;     /* type of the result */
    const char *why_not; /* it is not called; NULL: it is */
    const char *learnt;  /* the crash that taught what is said of it, or NULL */
    bool can_free;       /* it can reach what gives memory back (frees.c) */
    bool is_goal;        /* its cost is looked for */
    bool is_corrected;   /* somebody said something about it */
    bool is_dropped;     /* it is not called because of what it did (learn.c) */
    bool is_avoided;     /* ... any more, because of what it did in the search (avoid.c) */
    bool is_meaning;     /* another meaning of a function before it (learn.c) */
    uint32_t number;     /* among those that are called */
    uint32_t checked_as; /* its number in the checked build */
    uint32_t in_facts;   /* of the library's description */
};

struct api_type {
    const char *name;
    const struct ir_type *type;
    uint32_t destroyer; /* function, or IR_NONE: free */
    uint32_t sizer;     /* function that tells how many elements it has, or IR_NONE */
    bool is_memory;     /* the caller has the memory, a function prepares it */
    bool is_record;     /* ... and nothing has to be destroyed: an iterator, options */
    bool is_made;       /* somebody makes them */
};

struct api_model {
    struct target_description *library; /* borrowed */
    BASE_VECTOR(struct api_function) functions;
    BASE_VECTOR(struct api_type) types;
    BASE_VECTOR(uint32_t) called; /* functions, by number */
    struct ir_objects objects;    /* variables of the library that can be named */
    struct base_strings headers;  /* as they are included */
    struct base_strings folders;  /* that have to be searched for them besides */
    struct base_strings macros;   /* functions that the headers hide behind macros */
    struct base_arena arena;
};

/* Understands a library. Without HEADERS all functions that other files see are taken, else those
 * that they mention. FLAGS: the options of the compiler, which say where headers are searched. */
bool api_model_init(struct api_model *model, struct target_description *library,
                    const struct base_strings *headers, const struct base_strings *flags,
                    struct base_error *error);
/* After a change: numbers those that are called. */
void api_model_number(struct api_model *model);
void api_model_done(struct api_model *model);

bool api_is_handle(enum api_kind kind);                         /* of a live object */
uint32_t api_first_handle(const struct api_function *function); /* parameter; its count: none */
bool api_makes(const struct api_function *function, uint32_t type);
bool api_is_lent(const struct api_model *model, uint32_t type); /* it needs no destroyer */
bool api_can_free(const struct ir_facts *facts, uint32_t function);
/* Handles that were lent by this one may be gone after the call. */
bool api_may_remove(const struct api_function *function, uint32_t parameter);
bool api_is_exact(const struct api_parameter *parameter); /* a number whose values mean something */
bool api_is_written(const struct api_parameter *parameter); /* the function may write there */
bool api_has_role(const struct api_parameter *parameter, uint32_t role);
bool api_returns_pointer(const struct api_function *function);
const char *api_kind_name(enum api_kind kind);
/* The variables of this type; the caller frees the vector. */
void api_list_objects(const struct api_model *model, const struct ir_type *record,
                      struct base_strings *names);
uint32_t api_find_type(const struct api_model *model, const struct ir_type *record); /* or none */
uint32_t api_find_function(const struct api_model *model, const char *name); /* or IR_NONE */

/* model_text.c: as text, and corrections from it. PATH is for messages. */
void api_model_print(const struct api_model *model, struct base_buffer *out);
bool api_model_correct(struct api_model *model, const char *text, const char *path,
                       struct base_error *error);

#endif
