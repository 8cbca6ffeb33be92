/* SPDX-License-Identifier: Apache-2.0
 *
 * What a strategy learned about cost and size, for the suite and for the user.
 */
#include "search/core/core.h"

#include <stdlib.h>

void search_model_done(struct search_model *model) {
    free(model->cost);
    free(model->growth);
    base_vector_done(&model->trained);
    base_vector_done(&model->rows);
    base_strings_done(&model->generators);
    base_strings_done(&model->notes);
}

void search_model_free(struct search_model *model) {
    if (model)
        search_model_done(model);
    free(model);
}

void search_note(struct search_model *model, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    base_strings_add(&model->notes, text);
    base_detail("%s", text);
}
