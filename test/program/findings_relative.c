/* SPDX-License-Identifier: Apache-2.0
 *
 * Names, each compared with all before it: they must differ for that. The linear relative that is told is the
 * nearest one, which has the same name again and again.
 *
 * RUN: %slowpath run %s --strategy patterns --jobs 1 --time 0 --runs 60000 --max-size 4096 --out a --quiet > out
 * RUN: %slowpath show a F1 > shown && %check --input-file shown
 *
 * CHECK: recipe    repeat unit="{{.*}}\#{{.*}}"
 * CHECK: differs   unit {{.*}}, not {{"[^\\]*"$}}
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MOST 4096

struct name {
    const uint8_t *text;
    size_t size;
};

static struct name names[MOST];
static size_t count;

static int is_known(const struct name *name) {
    for (size_t i = 0; i < count; i++)
        if (names[i].size == name->size && memcmp(names[i].text, name->text, name->size) == 0)
            return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    count = 0;
    for (size_t i = 0, begin = 0; i < size; i++) {
        struct name name = {data + begin, i - begin};
        if (data[i] != ';')
            continue;
        if (name.size && count < MOST && !is_known(&name))
            names[count++] = name;
        begin = i + 1;
    }
    return 0;
}
