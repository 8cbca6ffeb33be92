/* SPDX-License-Identifier: Apache-2.0
 *
 * A sequence that is being written as C: what its parts share. values_c.c writes arguments,
 * sequence_c.c statements, program_c.c the program around them.
 */
#ifndef SLOWPATH_API_PRINTER_H
#define SLOWPATH_API_PRINTER_H

#include "api/sequence.h"

struct printer {
    const struct api_model *model;
    const struct api_sequence *sequence;
    struct base_buffer *out;
    struct api_alive alive;
    struct api_alive later; /* ... in a later turn of the loop under way */
    bool used[API_MOST_TYPES][API_SLOTS];
    bool is_brief;     /* for people: no checks */
    bool is_swapping;  /* what the call makes takes the place of another handle afterwards */
    const char *index; /* of the loop under way; NULL: there is none */
};

/* The argument at AT of a call; FOUND: the slots of its handles. */
void api_print_argument(const struct printer *printer, uint32_t function, uint32_t at,
                        const struct api_statement *statement, const int *found);
/* Lines that make the array of an argument. */
void api_print_array(const struct printer *printer, const struct api_parameter *parameter,
                     uint32_t at, const struct api_statement *statement, const char *indent);
void api_print_callback(const struct printer *printer, uint32_t function, uint32_t at,
                        unsigned pick);
/* All statements; what destroys one handle. */
void api_print_statements(struct printer *printer, const char *indent);
void api_print_destruction(const struct printer *printer, uint32_t type, int slot,
                           const char *indent);

#endif
