// Runs a script in a database in memory and prints every row.
#include <stdio.h>
#include "sqlite3.h"

static const char *script =
    "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INTEGER);"
    "CREATE INDEX by_name ON item(name);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
    " INSERT INTO item SELECT i, 'item ' || (i * 7919 % 101), i * 1.25, i * i % 17 FROM n;"
    "SELECT count(*), sum(stock), avg(price), min(name), max(name) FROM item;"
    "UPDATE item SET price = price * 1.1 WHERE stock > 8;"
    "DELETE FROM item WHERE id % 5 = 0;"
    "SELECT stock, count(*), round(sum(price), 2) FROM item GROUP BY stock ORDER BY 2 DESC, 1 LIMIT 6;"
    "BEGIN; DELETE FROM item; ROLLBACK;"
    "SELECT a.name, b.name FROM item a JOIN item b ON b.id = a.id + 1 WHERE a.name LIKE '%3%' ORDER BY a.id LIMIT 5;"
    "SELECT group_concat(upper(name), ';') FROM (SELECT name FROM item WHERE name < 'item 3' ORDER BY name);"
    "SELECT typeof(1), typeof(1.5), typeof('x'), typeof(x'00ff'), hex(x'00ff'), coalesce(NULL, 7), 7 / 2, 7 % 3, 'a' || 'b';"
    "SELECT substr('refrain', 2, 3), instr('refrain', 'ain'), replace('banana', 'an', 'AN'), printf('%05d|%.3f|%s', 42, 3.14159, 'q');"
    "CREATE VIEW cheap AS SELECT * FROM item WHERE price < 20;"
    "SELECT count(*) FROM cheap;"
    "EXPLAIN QUERY PLAN SELECT * FROM item WHERE name = 'item 5';";

static int print(void *unused, int columns, char **values, char **names) {
    (void)unused;
    (void)names;
    for (int i = 0; i < columns; i++) printf("%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
    printf("\n");
    return 0;
}

int main(void) {
    sqlite3 *db;
    char *message = 0;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 2;
    int status = sqlite3_exec(db, script, print, 0, &message);
    if (message) printf("%s\n", message);
    sqlite3_free(message);
    sqlite3_exec(db, "SELECT nonsense FROM nowhere", print, 0, &message);
    printf("%s\n", message ? message : "no error");
    sqlite3_free(message);
    sqlite3_close(db);
    printf("%s\n", sqlite3_libversion());
    return status;
}
