/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults on purpose: what does the engine do when the disk is full, when memory is short, when a
 * child cannot be started? Places where the world can fail ask here by name whether it is time to
 * pretend so. SLOWPATH_FAULT=write:3 lets the third writing of a file fail, write:3+ that and all
 * later ones, several are separated by commas. Without the variable a place costs one test. Each
 * fault that came to pass is a byte in the file SLOWPATH_FAULT_LOG.
 */
#include "base/base.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 8

struct fault {
    const char *name;
    size_t length;
    unsigned long left; /* calls until it is due */
    bool for_ever;
};

static struct fault faults[MOST];
unsigned base_faults;

static bool is_place(const char *name, size_t length) {
#define FAULT(place, what)                                                                         \
    if (strlen(place) == length && strncmp(name, place, length) == 0)                              \
        return true;
    BASE_FAULTS(FAULT)
#undef FAULT
    return false;
}

static bool add_fault(const char *text, size_t length) {
    const char *colon = memchr(text, ':', length);
    char *end = NULL;
    if (!colon || base_faults == MOST || !is_place(text, (size_t)(colon - text)))
        return false;
    struct fault fault = {text, (size_t)(colon - text), strtoul(colon + 1, &end, 10), false};
    fault.for_ever = *end == '+';
    if (!fault.left || end + fault.for_ever != text + length)
        return false;
    faults[base_faults++] = fault;
    return true;
}

void base_fault_set(const char *text) {
    base_faults = 0;
    for (size_t length; *text; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        if (!add_fault(text, length))
            base_warn("SLOWPATH_FAULT: '%.*s' is no PLACE:NUMBER", (int)length, text);
    }
}

__attribute__((constructor)) static void read_faults(void) {
    const char *text = getenv("SLOWPATH_FAULT");
    if (text)
        base_fault_set(text);
}

unsigned long base_fault_left(void) {
    return base_faults ? faults[0].left : 0;
}

static bool note_fault(void) {
    const char *path = getenv("SLOWPATH_FAULT_LOG");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) {
        ssize_t written = write(fd, ".", 1);
        (void)written;
        close(fd);
    }
    return true;
}

bool base_fault_due(const char *name) {
    for (unsigned i = 0; i < base_faults; i++) {
        struct fault *fault = &faults[i];
        if (strlen(name) != fault->length || strncmp(name, fault->name, fault->length) != 0)
            continue;
        unsigned long left = __atomic_load_n(&fault->left, __ATOMIC_RELAXED);
        if (left == 0)
            return fault->for_ever;
        if (__atomic_sub_fetch(&fault->left, 1, __ATOMIC_RELAXED) == 0)
            return note_fault();
    }
    return false;
}

void base_fault_damage(void *bytes, size_t count) {
    static uint64_t calls;
    uint64_t place = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) * 0x9e3779b97f4a7c15u;
    if (count)
        ((unsigned char *)bytes)[(place >> 32) % count] ^= (unsigned char)(1u << (place >> 61));
}
