/** Who writes SQLite's log back into the database. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { withFolder } from "../support/processes.ts";

for (const isReplicated of [false, true]) {
  const who = isReplicated ? "where Litestream is, Keydesk leaves it to that" : "Keydesk does it";
  Deno.test(`sqlite: writing the log back: ${who}`, async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "one.db");
      const first = SqliteConnection.openWriter(path);
      first.exec("create table t (text text)");
      if (isReplicated) {
        first.exec("create table _litestream_seq (id integer primary key, seq integer)");
      }
      first.close();
      const { size } = await Deno.stat(path);
      const writer = SqliteConnection.openWriter(path);
      // 72 MB, in commits of 4 MB.
      for (let i = 0; i < 18; i++) {
        writer.exec(
          `begin; with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
          insert into t select hex(zeroblob(2000)) from n; commit`,
        );
      }
      const grown = (await Deno.stat(path)).size > size;
      writer.close();
      assert.equal(grown, !isReplicated);
      assert.ok((await Deno.stat(path)).size > 60_000_000, "closing writes it back");
    });
  });
}
