/* SPDX-License-Identifier: Apache-2.0
 *
 * cJSON: parses the input, goes through its members by name and by number, compares it with a copy
 * of it, and prints it.
 */
#include <cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void go_through(cJSON *tree) {
    for (const cJSON *at = tree->child; at; at = at->next)
        if (at->string)
            cJSON_GetObjectItemCaseSensitive(tree, at->string);
    for (int i = 0; i < cJSON_GetArraySize(tree); i++)
        cJSON_GetArrayItem(tree, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    cJSON *tree = cJSON_Parse(text), *copy = tree ? cJSON_Duplicate(tree, 1) : NULL;
    if (copy) {
        go_through(copy);
        cJSON_Compare(tree, copy, 1);
        free(cJSON_Print(copy));
    }
    cJSON_Delete(tree);
    cJSON_Delete(copy);
    free(text);
    return 0;
}
