/* SPDX-License-Identifier: Apache-2.0
 *
 * Where do the arguments behind `...` lie? A va_list of x86-64 refers to two places: registers
 * saved by the callee (48 bytes of integers and pointers, then 16 for each floating-point number),
 * and the rest on the caller's stack. After va_start, the shadows passed with the call are written
 * there; any older shadows there are stale.
 */
#include "runtime/symbolic.h"

#include <string.h>

#define INTEGER_BYTES 48u
#define SAVED_BYTES RUNTIME_SAVED_BYTES

extern uint32_t __slowpath_sym_args[64];

static RUNTIME_STATE struct variadic_call given;

void __slowpath_sym_give_variadic(uint32_t first, uint32_t end, uint64_t floating) {
    given.first = first;
    given.end = end;
    given.floating = floating;
}

void __slowpath_sym_keep_variadic(void *frame) {
    struct variadic_call *call = frame;
    call->first = given.first;
    call->end = given.end;
    call->floating = given.floating;
    for (uint32_t i = given.first; i < given.end && i < 64; i++)
        call->shadows[i] = __slowpath_sym_args[i];
    given.first = given.end = 0;
}

void runtime_sym_forget_variadic(void) {
    given.first = given.end = 0;
}

char *runtime_sym_next_variadic(struct variadic_list *list, bool floating) {
    uint32_t *offset = floating ? &list->floats : &list->integers;
    uint32_t limit = floating ? SAVED_BYTES : INTEGER_BYTES;
    if (*offset < limit) {
        char *place = list->saved + *offset;
        *offset += floating ? 16 : 8;
        return place;
    }
    list->rest += 8;
    return list->rest - 8;
}

void __slowpath_sym_start_variadic(const void *started, const void *frame) {
    const struct variadic_list *list = started;
    const struct variadic_call *call = frame;
    struct variadic_list at = *list;
    __slowpath_sym_clear(list->saved + list->integers, INTEGER_BYTES - list->integers);
    __slowpath_sym_clear(list->saved + list->floats, SAVED_BYTES - list->floats);
    for (uint32_t i = call->first; i < call->end && i < 64; i++) {
        char *place = runtime_sym_next_variadic(&at, call->floating >> i & 1);
        uint32_t shadow = call->shadows[i];
        __slowpath_sym_clear(place, 8);
        if (shadow)
            runtime_sym_put(place, shadow, (runtime_sym_at(shadow)->width + 7u) / 8);
    }
}

void runtime_sym_lay_variadic(struct variadic_given *to, const struct variadic_list *list) {
    __slowpath_sym_keep_variadic(&to->call);
    to->list = *list;
    __slowpath_sym_start_variadic(&to->list, &to->call);
}

void runtime_sym_lift_variadic(struct variadic_given *from) {
    memset(from->call.shadows, 0, sizeof from->call.shadows);
    __slowpath_sym_start_variadic(&from->list, &from->call);
}
