/* SPDX-License-Identifier: Apache-2.0
 *
 * A library's C interface as understood so far: which types are handles, which functions make and
 * destroy them, what each argument may be. Guessed from debug information and bitcode, corrected by
 * hand (model_text.c) and by running (learn.c).
 */
#ifndef SLOWPATH_API_MODEL_H
#define SLOWPATH_API_MODEL_H

#include "target/describe.h"

#define API_ARGUMENTS 8 /* maximum, for a function that is called */
#define API_SLOTS 4     /* live handles per type */

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
    API_BORROWED, /* a handle that belongs to another one */
    API_FRESH     /* memory to be freed with free */
};

struct api_parameter {
    const struct ir_type *type;
    const char *name;
    enum api_kind kind;
    uint32_t handle; /* its type's number, if it is a handle */
    uint32_t other;  /* the parameter it refers to */
    uint32_t shares; /* an array of the same length; IR_NONE: it has its own */
    const struct ir_parameter_roles *roles;
};

struct api_function {
    const struct ir_signature *signature;
    const struct ir_function_roles *roles; /* NULL: unknown */
    struct api_parameter parameters[API_ARGUMENTS];
    uint32_t count;
    enum api_result result;
    uint32_t handle;     /* type of the result */
    const char *why_not; /* reason why it is not called; NULL: it is */
    const char *learnt;  /* the crash that taught its present meaning, or NULL */
    bool can_free;       /* it can reach a function that frees memory (frees.c) */
    bool is_goal;        /* its cost is searched */
    bool is_corrected;   /* the user corrected it */
    bool is_dropped;     /* not called because of its behaviour (learn.c) */
    bool is_avoided;     /* ... in the search (avoid.c) */
    bool is_meaning;     /* another meaning of an earlier function (learn.c) */
    uint32_t number;     /* among the called functions */
    uint32_t checked_as; /* its number in the checked build */
    uint32_t in_facts;   /* index in the library's description */
};

struct api_type {
    const char *name;
    const struct ir_type *type;
    uint32_t destroyer; /* function, or IR_NONE: free */
    uint32_t sizer;     /* function that returns its number of elements, or IR_NONE */
    bool is_memory;     /* prepared by a function in the caller's memory */
    bool is_record;     /* ... and never destroyed: an iterator, options */
    bool is_made;       /* some function makes it */
};

struct api_model {
    struct target_description *library; /* borrowed */
    BASE_VECTOR(struct api_function) functions;
    BASE_VECTOR(struct api_type) types;
    BASE_VECTOR(uint32_t) called; /* functions, by number */
    struct ir_objects objects;    /* variables of the library that can be used */
    struct base_strings headers;  /* names for #include */
    struct base_strings folders;  /* additional folders to search for them */
    struct base_strings macros;   /* functions hidden behind macros in the headers */
    struct base_arena arena;
};

/* Analyses a library. Without HEADERS all functions visible to other files count, otherwise those
 * mentioned in them. FLAGS: compiler options, which say where headers are searched. */
bool api_model_init(struct api_model *model, struct target_description *library,
                    const struct base_strings *headers, const struct base_strings *flags,
                    struct base_error *error);
/* Renumbers the called functions after a change. */
void api_model_number(struct api_model *model);
void api_model_done(struct api_model *model);

bool api_is_handle(enum api_kind kind); /* of a live object */
/* A parameter; the count if there is none. */
uint32_t api_first_handle(const struct api_function *function);
bool api_makes(const struct api_function *function, uint32_t type);
bool api_is_lent(const struct api_model *model, uint32_t type); /* it needs no destroyer */
bool api_can_free(const struct ir_facts *facts, uint32_t function);
/* May the call end the life of handles lent by this one? */
bool api_may_remove(const struct api_function *function, uint32_t parameter);
bool api_is_exact(const struct api_parameter *parameter);   /* a number with meaningful values */
bool api_is_written(const struct api_parameter *parameter); /* the function may write to it */
bool api_has_role(const struct api_parameter *parameter, uint32_t role);
bool api_returns_pointer(const struct api_function *function);
const char *api_kind_name(enum api_kind kind);
/* The variables of this type; the caller frees the vector. */
void api_list_objects(const struct api_model *model, const struct ir_type *record,
                      struct base_strings *names);
uint32_t api_find_type(const struct api_model *model, const struct ir_type *record); /* or none */
uint32_t api_find_function(const struct api_model *model, const char *name); /* or IR_NONE */

/* model_text.c: printing a model and reading corrections. PATH is used in messages. */
void api_model_print(const struct api_model *model, struct base_buffer *out);
bool api_model_correct(struct api_model *model, const char *text, const char *path,
                       struct base_error *error);

#endif
