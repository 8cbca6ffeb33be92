/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files that write a sequence as C: values_c.c writes arguments, sequence_c.c
 * statements, program_c.c the program around them.
 */
#ifndef SLOWPATH_API_PRINTER_H
#define SLOWPATH_API_PRINTER_H

#include "api/sequence.h"

struct printer {
    const struct api_model *model;
    const struct api_sequence *sequence;
    struct base_buffer *out;
    struct api_alive alive;
    struct api_alive later; /* ... in later iterations of the current loop */
    bool used[API_MOST_TYPES][API_SLOTS];
    bool is_brief;     /* for people: without checks */
    bool is_swapping;  /* the new handle replaces another one after the call */
    const char *index; /* index variable of the current loop; or NULL */
};

/* The argument at AT of a call; FOUND: the slots of its handles. */
void api_print_argument(const struct printer *printer, uint32_t function, uint32_t at,
                        const struct api_statement *statement, const int *found);
/* Lines that make an argument's array. */
void api_print_array(const struct printer *printer, const struct api_parameter *parameter,
                     uint32_t at, const struct api_statement *statement, const char *indent);
void api_print_callback(const struct printer *printer, uint32_t function, uint32_t at,
                        unsigned pick);
/* All statements; the code that destroys one handle. */
void api_print_statements(struct printer *printer, const char *indent);
void api_print_destruction(const struct printer *printer, uint32_t type, int slot,
                           const char *indent);

#endif
