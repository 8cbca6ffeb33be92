/* SPDX-License-Identifier: Apache-2.0
 *
 * Small queries about C types, for all files here.
 */
#ifndef SLOWPATH_API_TYPES_H
#define SLOWPATH_API_TYPES_H

#include "ir/types.h"

#include <string.h>

static inline bool api_is_pointer(const struct ir_type *type) {
    return type && type->kind == IR_TYPE_POINTER;
}

/* NULL: not a pointer, or one to void. */
static inline const struct ir_type *api_pointee(const struct ir_type *type) {
    return api_is_pointer(type) ? type->element : NULL;
}

static inline bool api_is_record(const struct ir_type *type) {
    return type && (type->kind == IR_TYPE_STRUCT || type->kind == IR_TYPE_UNION);
}

static inline bool api_is_file(const struct ir_type *type) {
    return api_is_record(type) && strcmp(type->name, "_IO_FILE") == 0;
}

static inline bool api_is_number(const struct ir_type *type) {
    return type && (type->kind == IR_TYPE_BOOL || type->kind == IR_TYPE_SIGNED ||
                    type->kind == IR_TYPE_UNSIGNED || type->kind == IR_TYPE_CHAR ||
                    type->kind == IR_TYPE_FLOAT || type->kind == IR_TYPE_ENUM);
}

static inline bool api_is_integer(const struct ir_type *type) {
    return api_is_number(type) && type->kind != IR_TYPE_FLOAT && type->kind != IR_TYPE_BOOL;
}

static inline bool api_is_callback(const struct ir_type *type) {
    const struct ir_type *function = api_pointee(type);
    return function && function->kind == IR_TYPE_FUNCTION;
}

#endif
