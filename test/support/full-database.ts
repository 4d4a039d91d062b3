/**
 * Writes to a store until its database would be larger than a file of this process may be, and
 * prints what its log's care says, and how many rows are read.
 */
import { DatabaseSync } from "node:sqlite";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { SqliteLogCare } from "../../src/storage/engines/sqlite-log-care.ts";

const [path = ""] = Deno.args;
const connection = SqliteConnection.openWriter(path);
connection.exec("create table t (n); insert into t values (zeroblob(120000))");
connection.takeOverLog();
connection.exec("insert into t values (zeroblob(120000))");
const care = new SqliteLogCare(
  { bytes: () => Deno.statSync(`${path}-wal`).size, takeOver: () => connection.takeOverLog() },
  { bytes: 0, everyMs: 0, readMs: 0 },
);
const heldBack = care.look();
const reader = new DatabaseSync(path, { readOnly: true });
console.log(heldBack, reader.prepare("select count(*) as n from t").get()?.n);
