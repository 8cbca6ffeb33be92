/* SPDX-License-Identifier: Apache-2.0
 *
 * instrument: the variants of a module. The order of calls: instrument_prepare on the linked,
 * cleaned module; facts are made (ir_facts_make); then instrument_module and instrument_emit. The
 * types of an entry are written before instrument_module.
 */
#ifndef SLOWPATH_INSTRUMENT_H
#define SLOWPATH_INSTRUMENT_H

#include "instrument/kind.h"
#include "ir/module.h"
#include <sys/types.h>

struct instrument_options {
    enum instrument_kind kind;
    const struct ir_facts *facts;
    const char *runtime_bitcode; /* path of the variant's inline runtime */
    const char *library_bitcode; /* symbolic: library functions that are explored, or NULL */
    const char *driver_bitcode;  /* symbolic: the entry's driver, or NULL */
    const char *const *called;   /* functions that a driver calls or hands on */
    size_t called_count;
    bool tells_loops;  /* symbolic: the trace tells of calls and loops; recording: always */
    bool keep_symbols; /* code without bitcode may refer to any function */
};

/* Takes away the weak do-nothing bodies of <slowpath.h> and <klee/klee.h>, which the runtime
 * replaces. */
void instrument_prepare(struct ir_module *module);

/* Makes the variant in place. The module must be the one that facts were made of. */
bool instrument_module(struct ir_module *module, const struct instrument_options *options,
                       struct base_error *error);

/* Where parts of large modules are kept, by the hash of all that makes them. Called in processes of
 * their own. */
struct instrument_store {
    bool (*find)(void *context, const char *key,
                 const char *path); /* puts it there if it is kept */
    void (*keep)(void *context, const char *key, const char *path);
    void (*progress)(void *context, unsigned done, unsigned all); /* functions; or NULL */
    void *context;
};
/* What the linker sees of a static function or variable ends in this. */
#define INSTRUMENT_PART_SUFFIX ".part"

/* Optimises the instrumented module, which is used up, and writes a native object. STORE may be
 * NULL. */
bool instrument_emit(struct ir_module *module, const struct instrument_store *store,
                     const char *object_path, struct base_error *error);

/* Writes the bitcode in a file, which is optimised already, as a native object. For
 * a process that ends then. */
bool instrument_assemble(const char *bitcode_path, const char *object_path,
                         struct base_error *error);

/* Writes the debug information of these functions, as an object for ir_read_signature; before
 * instrument_module, which leaves only lines. It is done by another process. */
pid_t instrument_begin_types(struct ir_module *module, const char *const *names, size_t count,
                             const char *object_path);
bool instrument_end_types(pid_t child, struct base_error *error);

#endif
