/* SPDX-License-Identifier: Apache-2.0
 *
 * cJSON: are the two halves of the input the same value?
 */
#include <cJSON.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cJSON *a = cJSON_ParseWithLength((const char *)data, size / 2);
    cJSON *b = cJSON_ParseWithLength((const char *)data + size / 2, size - size / 2);
    if (a && b)
        cJSON_Compare(a, b, 1);
    cJSON_Delete(a);
    cJSON_Delete(b);
    return 0;
}
