/**
 * Approvals that an earlier release had signed by a passkey are proved as they were:
 * signed-approvals.jsonl is what `keydesk export audit --proof` of that release wrote.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk, temporaryFolder } from "../../support/command.ts";
import { runPageExample } from "../../support/page-example.ts";

const KEY =
  "keydesk/6b0c4c5f6e6a09553297597c+4edf0e89+AVH8Ea9eGNCPf9lpYm8nxEiUXx/DQOOWQulYSfdTL/AG";

/** The export with its rows as they stand, and what proves it. */
async function recorded(folder: string) {
  const text = await Deno.readTextFile(new URL("signed-approvals.jsonl", import.meta.url));
  const file = join(folder, "trail.jsonl");
  return {
    text,
    signatures: async (changed: string) => {
      await Deno.writeTextFile(file, changed);
      const at = { page: "audit-log.md", section: "A signed approval", folder };
      return await runPageExample(at, [file, "http://localhost:3000"]);
    },
    log: async (changed: string) => {
      await Deno.writeTextFile(file, changed);
      return (await keydesk(["audit", "verify", file, "--key", KEY], {})).code;
    },
  };
}

Deno.test("signed approvals: an export of before proves who approved and offered what", async () => {
  await using folder = await temporaryFolder();
  const { text, signatures, log } = await recorded(folder.path);
  assert.equal(text.split('"signed":{').length - 1, 3, "an approval, an offer and a step");
  assert.match(await signatures(text), /^(\w{24} \w{24} signed\n){2}0$/);
  assert.equal(await log(text), 0);
});

Deno.test("signed approvals: whatever is changed in one, it does not hold", async () => {
  await using folder = await temporaryFolder();
  const { text, signatures, log } = await recorded(folder.path);
  const row = text.split("\n").find((line) => line.includes('"key_request.approved"')) ?? "";
  const changes: Record<string, string> = {
    "another revision": text.replace(/"revision":"../, '"revision":"zz'),
    "other limits": text.replaceAll('"calls":7', '"calls":70'),
    "another end": text.replaceAll("2040-06-01", "2041-06-01"),
    "another person": text.replace(row, row.replace(/"actor":"\w{4}/, '"actor":"aaaa')),
  };
  for (const [what, changed] of Object.entries(changes)) {
    assert.notEqual(changed, text, what);
    assert.match(await signatures(changed), /false[^]*1$/, what);
    assert.equal(await log(changed), 1, what);
  }
  assert.match(await signatures(`${row}\n${text}`), /false[^]*1$/, "twice");
});
