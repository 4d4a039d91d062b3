/** `keydesk witness`: of which logs a desk is a witness, as its operator says. */
import assert from "node:assert/strict";
import { newSigningKey, verifierText } from "../../src/kernel/checkpoint.ts";
import { keydesk, temporaryFolder } from "../support/command.ts";
import { filledStore } from "../support/filled-trail.ts";

const verifier = (name: string) => verifierText({ name, public_key: newSigningKey().public_key });

Deno.test("witness: a key that stays, logs that are added, listed and forgotten", async () => {
  await using folder = await temporaryFolder();
  const { settings } = await filledStore(folder.path);
  const run = (...words: string[]) => keydesk(["witness", ...words], settings);
  const key = (await run("key")).stdout;
  assert.match(key, /^keydesk-witness\/[0-9a-f]{16}\+[0-9a-f]{8}\+B[\w+/=]+\n$/);
  assert.equal((await run("key")).stdout, key);
  assert.match((await run("list")).stderr, /No log is witnessed here/);
  const [old, next] = [verifier("log.example/a"), verifier("log.example/a")];
  assert.equal((await run("add", old)).code, 0);
  assert.equal((await run("add", next, old)).code, 0);
  const [log] = (await run("list", "--json")).stdout.trim().split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(log, {
    origin: "log.example/a",
    size: 0,
    signed_at: null,
    keys: [next, old],
  });
  assert.equal((await run("add", "--origin", "another log", next)).code, 0);
  assert.match((await run("list")).stdout, /another log +0 +never/);
  assert.equal((await run("remove", "another log")).code, 0);
  assert.equal((await run("remove", "another log")).code, 1);
});

Deno.test("witness: what is no key, or leaves open which log, adds nothing", async () => {
  await using folder = await temporaryFolder();
  const { settings } = await filledStore(folder.path);
  const run = (...words: string[]) => keydesk(["witness", ...words], settings);
  const wrong = [
    ["add", "log.example/a"],
    ["add", verifier("log.example/a").replace("+", "+0")],
    ["add", verifier("log.example/a"), verifier("log.example/b")],
    ["add", "--origin", "two\nlines", verifier("log.example/a")],
    ["add"],
  ];
  for (const words of wrong) {
    const { code, stderr } = await run(...words);
    assert.equal(code, 2, words.join(" "));
    assert.notEqual(stderr, "");
  }
  assert.equal((await run("list", "--json")).stdout, "");
});
