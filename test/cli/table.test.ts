import assert from "node:assert/strict";
import { columnsWithin, printable, tableLine } from "../../src/cli/table.ts";
import { keydesk, temporaryFolder } from "../support/command.ts";
import { copySeeded } from "../support/seeded-store.ts";
import { runHere } from "../support/terminal.ts";

Deno.test("table: a cell is padded to its column or cut to it, the last one is whole", () => {
  assert.equal(tableLine(["ab", "abcdef", "abcdef"], [4, 4]), "ab    abc…  abcdef");
});

Deno.test("table: characters are counted, not their code units", () => {
  assert.equal(tableLine(["🔑🔑🔑", "x"], [3, 1]), "🔑🔑🔑  x");
});

Deno.test("table: no control character reaches the terminal, in no column", () => {
  assert.equal(tableLine(["a\u001b[31m", "b\u0007"], [6]), "a\ufffd[31m  b\ufffd");
});

Deno.test("table: a line ends with its last text", () => {
  assert.equal(tableLine(["a", ""], [3, 3]), "a");
});

Deno.test("table: of what somebody else wrote, line breaks and tabs alone reach the terminal as they are", () => {
  assert.equal(printable("a\n\tb"), "a\n\tb");
  assert.equal(printable("\u001b]0;x\u0007\r\u009b\u202e"), "\ufffd]0;x\ufffd\ufffd\ufffd\ufffd");
});

Deno.test("table: a terminal is shown what fits: less important columns go, then the widest are cut", () => {
  const listing = { head: ["ID", "STATE", "PLANS", "NAME"], widths: [24, 8, 24], extra: ["PLANS"] };
  assert.deepEqual(columnsWithin(listing, Infinity), { shown: [0, 1, 2, 3], widths: [24, 8, 24] });
  assert.deepEqual(columnsWithin(listing, 100).shown, [0, 1, 2, 3]);
  assert.deepEqual(columnsWithin(listing, 80), { shown: [0, 1, 3], widths: [24, 8, 44] });
  // The next command takes an id whole.
  assert.deepEqual(columnsWithin({ head: ["TOPIC", "ID"], widths: [26, 40] }, 60).widths, [18, 40]);
  const { shown, widths } = columnsWithin(listing, 40);
  assert.deepEqual(shown, [0, 1, 3]);
  assert.ok(widths.reduce((sum, one) => sum + one + 2, -2) <= 40, widths.join());
});

Deno.test("table: every list fits its terminal, -o wide shows all of it, and a pipe is given all", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, NO_COLOR: "1" };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const lists = ["requests", "developers", "plans", "keys", "people", "token"];
  for (const list of lists) {
    const piped = await keydesk([list, "list"], settings);
    const narrow = await runHere([list, "list"], settings, "", 80);
    assert.equal(narrow.code, 0, narrow.stderr);
    for (const line of narrow.stdout.split("\n")) assert.ok(line.length <= 80, `${list}: ${line}`);
    assert.match(narrow.stdout, /ID/, list);
    const { id } = JSON.parse(
      (await keydesk([list, "list", "--json"], settings)).stdout.split("\n")[0] ?? "",
    );
    if (list !== "keys") assert.ok(narrow.stdout.includes(`${id} `), `${list}: ${id}`);
    assert.deepEqual(await runHere([list, "list", "-o", "wide"], settings, "", 80), piped, list);
  }
});
