/**
 * Whoever writes a row that decides who gets in writes its checksum: types hold it of new rows,
 * this of changes.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkedColumns } from "../../../src/changes/checked-rows.ts";
import { LABELS } from "../../../src/features/keys/key-labels.ts";
import { checkedTables } from "../../../src/maintenance/damage/checked-rows.store.ts";
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
      if (!namesChecked(text)) continue;
      assert.match(text, /\bchecksum\b/, `${path}: ${text}`);
    }
  }
  assert.ok(count >= 10, "there are such statements");
});

/**
 * Whether it may set a column that the checksum covers: what a key is called, say, is none of them.
 */
function namesChecked(statement: string): boolean {
  const covered = new Set<string>(Object.values(checkedColumns).flat());
  if (statement.includes(".set(pick(p, ...LABELS))")) {
    return LABELS.some((name) => covered.has(name));
  }
  const [, members] = /\.set\(\{([^{}]*)\}\)/.exec(statement) ?? [];
  if (members === undefined) return true;
  const names = members.split(",").map((one) => one.split(":")[0]?.trim() ?? "").filter(Boolean);
  return names.some((name) => covered.has(name) || !/^\w+$/.test(name));
}
