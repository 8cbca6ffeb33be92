/* SPDX-License-Identifier: Apache-2.0
 *
 * SQLite: one query, the input, on a database in memory of four tables with 2,000 rows. The tables
 * are filled once, before the first input; what a query changes is undone with the rest of a run.
 * The lookaside buffers of a connection are off: all memory of a query is then counted as such.
 * All tables have the same columns, so that a template may put any of them anywhere. Rows are
 * counted and looked at, not kept.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *database;

static void execute(const char *text) {
    if (sqlite3_exec(database, text, NULL, NULL, NULL) != SQLITE_OK)
        abort();
}

/* ROWS rows whose owners are among OWNERS rows of another table; a tenth has none. */
static void fill_table(const char *table, int rows, int owners) {
    char *text = sqlite3_mprintf(
        "create table %s(id integer primary key, name text, owner integer, year integer);"
        "with recursive n(i) as (select 0 union all select i + 1 from n where i < %d)"
        "insert into %s select i, '%s ' || (i * 7919 %% 1009), "
        "case when i %% 10 then i * 31 %% %d end, 1950 + i * 17 %% 70 from n;",
        table, rows - 1, table, table, owners);
    execute(text);
    sqlite3_free(text);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    if (sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) != SQLITE_OK ||
        sqlite3_open(":memory:", &database) != SQLITE_OK)
        abort();
    fill_table("artist", 200, 100);
    fill_table("album", 400, 200);
    fill_table("track", 800, 400);
    fill_table("event", 600, 200);
    execute("create index album_owner on album(owner); create index track_owner on track(owner);");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sqlite3_stmt *query;
    uint64_t bytes = 0;
    if (sqlite3_prepare_v2(database, (const char *)data, (int)size, &query, NULL) != SQLITE_OK)
        return 1;
    while (sqlite3_step(query) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(query); i++)
            bytes += (uint64_t)sqlite3_column_bytes(query, i);
    sqlite3_finalize(query);
    return bytes == 0;
}
