/* SPDX-License-Identifier: Apache-2.0
 *
 * SQLite: runs the SQL text of the input on an empty database in memory.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int take_row(void *rows, int count, char **values, char **names) {
    (void)count, (void)values, (void)names;
    ++*(int *)rows;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    sqlite3 *database;
    int rows = 0;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK ||
        sqlite3_exec(database, text, take_row, &rows, NULL) != SQLITE_OK || rows == 0)
        abort();
    sqlite3_close(database);
    free(text);
    return 0;
}
