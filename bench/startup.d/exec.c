/* SPDX-License-Identifier: Apache-2.0
 *
 * The input is SQL: what does SQLite do with it in an empty database?
 */
#include "sqlite3.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sqlite3 *database;
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    if (sqlite3_open(":memory:", &database) == SQLITE_OK)
        sqlite3_exec(database, text, NULL, NULL, NULL);
    sqlite3_close(database);
    free(text);
    return 0;
}
