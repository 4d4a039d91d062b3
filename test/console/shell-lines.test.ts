/**
 * Lines that people paste from the console: a shell takes ids and secrets as they stand, and runs
 * nothing of them.
 */
import assert from "node:assert/strict";
import { partsOf } from "../../console/parts/key-parts.ts";
import { lineOf } from "../../console/screens/home/first-run/lines.ts";

const ODD = "a'b`id`$(id)\"c\\d";

Object.assign(globalThis, { location: new URL("https://desk.example.org/console") });

/** The words that a line gives to curl. */
async function wordsOf(line: string): Promise<string[]> {
  const shell = `curl() { printf '%s\\n' "$@"; }; KEY=the-key; KEYDESK=the-token; ${line}`;
  const { stdout, stderr } = await new Deno.Command("sh", { args: ["-c", shell] }).output();
  assert.equal(new TextDecoder().decode(stderr), "", line);
  return new TextDecoder().decode(stdout).trimEnd().split("\n");
}

Deno.test("lines: an API's id is data, and the key alone is filled in", async () => {
  const words = await wordsOf(lineOf.verify(ODD));
  assert.deepEqual(JSON.parse(words[words.indexOf("-d") + 1] ?? ""), {
    key: "the-key",
    api_id: ODD,
  });
  assert.equal(words.at(-1), "https://desk.example.org/v1/keys/verify");
});

Deno.test("lines: credentials are data", async () => {
  const client = partsOf({ RawKey: "", Password: "", client_id: ODD, secret: "s" });
  assert.ok((await wordsOf(client.at(-1)?.value ?? "")).includes(`${ODD}:s`));
  const user = partsOf({ RawKey: ODD, Password: "p'$(id)" });
  const words = await wordsOf(user.at(-1)?.value ?? "");
  assert.deepEqual(JSON.parse(words[words.indexOf("-d") + 1] ?? ""), {
    username: ODD,
    password: "p'$(id)",
  });
});
