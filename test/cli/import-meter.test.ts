/** `keydesk import meter` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { counted } from "../../src/cli/counted.ts";
import { doors, linesOf, openDoors } from "../support/doors.ts";

for (const way of doors) {
  Deno.test(`import meter (${way}): how far a move is, and drafts of mails in a file`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const none = "No old gateway is connected, and nothing was observed.\n";
    assert.equal((await call("import", "meter")).stderr, none);
    const secret = join(desk.folder, "secret");
    await Deno.writeTextFile(secret, "what-opens-it\n");
    const where = ["--gateway-url", "https://gateway.example.org", "--secret-file", secret];
    await call("gateways", "add", "City", ...where);
    const { stdout, code } = await call("import", "meter");
    assert.equal(code, 0);
    assert.match(stdout, /Switching off is safe for 0 of \d+ keys, on 0 of \d+ plans\.\n/);
    assert.match(stdout, /0 keys called the old gateway yesterday; never seen at either: \d+\.\n/);
    // Before anything was observed nobody knows a share.
    assert.doesNotMatch(stdout, /%/);
    const { keys } = JSON.parse((await call("import", "meter", "--json")).stdout);
    assert.equal(keys.learned, 0);

    const file = join(desk.folder, "never-seen.jsonl");
    const told = await call("import", "meter", "--mails", file, "--language", "de");
    assert.match(
      told.stderr,
      /^\d+ mails? in the file, nothing is sent; \d+ keys? without anybody who can be mailed\.\n$/,
    );
    const mails = linesOf(await Deno.readTextFile(file));
    assert.equal(told.stderr.split(" ")[0], String(mails.length));
    assert.ok(mails.every(({ text }) => text.startsWith("Guten Tag")));
  });
}

Deno.test("command line: one of a thing is called so", () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => counted(count, "mail")),
    ["0 mails", "1 mail", "2 mails"],
  );
});
