/** Whoever writes a row that decides who gets in writes its checksum: types hold it of new rows, this of changes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkedTables } from "../../../src/operations/damage/checked-rows.store.ts";
import { repository } from "../../support/command.ts";

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* sources(path);
    else if (name.endsWith(".ts")) yield path;
  }
}

Deno.test("every statement that changes keys, access tokens or people sets the checksum", async () => {
  const change = new RegExp(`updateTable\\("(?:${checkedTables.join("|")})"\\)[^;]*`, "g");
  let count = 0;
  for await (const path of sources(join(repository, "src"))) {
    for (const [text] of (await Deno.readTextFile(path)).matchAll(change)) {
      count++;
      assert.match(text, /\bchecksum\b/, `${path}: ${text}`);
    }
  }
  assert.ok(count >= 10, "there are such statements");
});
