import assert from "node:assert/strict";
import { beginsWith, startOf } from "../../src/cli/named.ts";
import { columnsWithin, printable, tableLine } from "../../src/cli/table.ts";
import { keydesk, temporaryFolder } from "../support/command.ts";
import { copySeeded } from "../support/seeded-store.ts";
import { runHere } from "../support/terminal.ts";

Deno.test("table: a cell is padded to its column or cut to it, the last one is whole", () => {
  assert.equal(tableLine(["ab", "abcdef", "abcdef"], [4, 4]), "ab    abc…  abcdef");
  assert.equal(tableLine(["ab", "abcdef", "abcdef"], [4, 4], true), "ab    abcdef  abcdef");
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
  assert.deepEqual(columnsWithin(listing, Infinity), {
    visible: [0, 1, 2, 3],
    widths: [24, 8, 24],
  });
  assert.deepEqual(columnsWithin(listing, 100).visible, [0, 1, 2, 3]);
  assert.deepEqual(columnsWithin(listing, 80), { visible: [0, 1, 3], widths: [24, 8, 44] });
  // The next command takes an id whole.
  assert.deepEqual(columnsWithin({ head: ["TOPIC", "ID"], widths: [26, 40] }, 60).widths, [18, 40]);
  const { visible: shown, widths } = columnsWithin(listing, 40);
  assert.deepEqual(shown, [0, 1, 3]);
  assert.ok(widths.reduce((sum, one) => sum + one + 2, -2) <= 40, widths.join());
});

Deno.test("table: a key is named by what an 80 column terminal shows of its id, a certificate by its fingerprint", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, NO_COLOR: "1" };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const listed = await runHere(["keys", "list", "--state", "active"], settings, "", 80);
  const line = listed.stdout.split("\n")[1] ?? "";
  // The developer's id is whole; of the key's id as much is shown as fits, and its cut.
  assert.match(line, / [0-9a-f]{24} {2}[0-9a-f]{12,}…$/);
  const shown = line.split(" ").at(-1) ?? "";
  for (const word of [shown, shown.slice(0, 8)]) {
    const { code, stderr } = await keydesk(["keys", "label", word, "--note", word], settings);
    assert.equal(code, 0, stderr);
  }
  const all = (await keydesk(["keys", "list", "--json"], settings)).stdout.split("\n")
    .filter(Boolean).map((one) => JSON.parse(one));
  const labelled = all.filter(({ note }) => note !== "");
  assert.deepEqual(
    labelled.map(({ key_id, note }) => [key_id.startsWith(note), note]),
    [[true, shown.slice(0, 8)]],
  );
  const revoke = ["keys", "revoke", "--reason", "test"];
  assert.equal((await keydesk([...revoke, shown], settings)).code, 0);
  // Seven digits are typed by mistake.
  const short = await keydesk([...revoke, shown.slice(0, 7)], settings);
  assert.match(short.stderr, /there is no key/);

  const certificates = await runHere(["certs", "list"], settings, "", 80);
  const fingerprint = certificates.stdout.split("\n")[1]?.split(" ").at(-1) ?? "";
  assert.match(fingerprint, /^[0-9a-f]{12,}…$/);
  const { code, stderr } = await keydesk(["certs", "rm", fingerprint], settings);
  assert.equal(code, 0, stderr);
  assert.match(stderr, new RegExp(`Certificate [0-9a-f]{24}${fingerprint.slice(0, -1)}`));
});

Deno.test("table: of several ids that begin so all are listed, and none is taken", () => {
  const [a, b] = ["0123456789", "0123456780"];
  assert.equal(startOf("0123456…"), undefined);
  assert.equal(startOf("01234567…"), "01234567");
  assert.equal(startOf("0".repeat(64)), undefined, "it is whole");
  assert.throws(
    () => beginsWith("key", "01234567", [a, b, "ffffffff"]),
    { message: `2 keys begin with 01234567; give more of one:\n  ${a}\n  ${b}` },
  );
  assert.equal(beginsWith("key", "012345678", [a, "0123456"]), a);
  assert.equal(beginsWith("key", a, [a, `${a}0`]), a, "the whole one");
  assert.equal(beginsWith("key", a, [b]), undefined);
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
