/* SPDX-License-Identifier: Apache-2.0
 *
 * cJSON's parser as a harness.
 */
#include "cJSON.h"
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cJSON *value = cJSON_ParseWithLength((const char *)data, size);
    if (value)
        cJSON_Delete(value);
    return 0;
}
