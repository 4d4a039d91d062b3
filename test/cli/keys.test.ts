/** `keydesk keys`, as child processes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256 } from "../../src/kernel/sha256.ts";
import { keydesk, run, temporaryFolder } from "../support/command.ts";

/** A store that has its organisation, and a way to write files beside it. */
async function desk() {
  const folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  assert.equal((await keydesk(["token", "list"], settings)).code, 1, "the store is empty");
  assert.equal((await keydesk(["seed"], settings)).code, 0);
  const file = join(folder.path, "keys.jsonl");
  return {
    file,
    write: (content: string | Uint8Array) =>
      Deno.writeFile(
        file,
        typeof content === "string" ? new TextEncoder().encode(content) : content,
      ),
    keys: (...words: string[]) => keydesk(["keys", ...words], settings),
    settings,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const lineOf = (key: string, more = {}) =>
  `${JSON.stringify({ key, developer: "dev-imported", plans: ["plan"], ...more })}\n`;

Deno.test("keys import: more than one chunk, then again, then listed and revoked", async () => {
  await using at = await desk();
  // Without an end of line at the end, with a mark of the byte order, blank lines and Windows' ends
  // of lines.
  const lines = Array.from({ length: 1234 }, (_, n) => lineOf(`key-${n}`));
  await at.write(`\ufeff${lines.join("\n").replaceAll("}\n", "}\r\n")}`.trimEnd());
  const dry = await at.keys("import", at.file, "--dry-run");
  assert.deepEqual(dry, {
    code: 0,
    stdout: "1234 keys: 1234 would be added, 0 known already, 0 refused\n",
    stderr: "",
  });
  assert.equal((await at.keys("list", "--developer", "dev-imported")).stderr.trim(), NO_KEY);
  const added = await at.keys("import", at.file);
  assert.deepEqual([added.code, added.stderr], [0, ""]);
  assert.equal(added.stdout, "1234 keys: 1234 added, 0 known already, 0 refused\n");
  const again = await at.keys("import", at.file, "--json");
  assert.deepEqual(JSON.parse(again.stdout), { lines: 1234, added: 0, exists: 1234, refused: 0 });

  const listed = await at.keys("list", "--plan", "plan", "--json");
  const rows = listed.stdout.trimEnd().split("\n").map((row) => JSON.parse(row));
  assert.deepEqual(
    rows.map((row) => row.key_id).sort(),
    lines.map((_, n) => sha256(`key-${n}`)).sort(),
  );
  const table = await at.keys("list", "--developer", "dev-imported");
  assert.match(
    table.stdout,
    /^MASK +NAME +ENVIRONMENT +STATE +KIND +CREATED +EXPIRES +LEAKED +DEVELOPER +PLANS +KEY ID\n/,
  );
  assert.equal(table.stdout.trimEnd().split("\n").length, 1235);

  const [one, two] = [sha256("key-1"), sha256("key-2")];
  const revoked = await at.keys("revoke", one, two, "--reason", "leaked");
  assert.deepEqual([revoked.code, revoked.stdout], [0, ""]);
  const half = await at.keys("revoke", one, sha256("key-3"), "nothing", "--reason", "leaked");
  assert.equal(half.code, 1);
  assert.match(
    half.stderr,
    /\(key_revoked\)\nKey .* is revoked for good\.\nthere is no key nothing \(not_found\)\n/,
  );
  const ended = await at.keys("list", "--state", "revoked", "--json");
  assert.equal(ended.stdout.trimEnd().split("\n").length, 3);
  assert.ok(ended.stdout.includes(`"reason":"leaked"`));
});

Deno.test("keys import: refused lines are told with number and reason, all else is kept", async () => {
  await using at = await desk();
  const secret = "a-secret-that-nobody-repeats";
  const invalid = new Uint8Array([0xff, 0x0a]);
  const parts = [
    lineOf("good-1"),
    `{"key":"${secret}"\n`,
    invalid,
    lineOf(secret, { plans: [] }),
    `"${"x".repeat(70_000)}"\n`,
    lineOf("good-2"),
  ].map((part) => typeof part === "string" ? new TextEncoder().encode(part) : part);
  await at.write(new Uint8Array(parts.flatMap((part) => [...part])));
  const ended = await at.keys("import", at.file);
  assert.equal(ended.code, 1);
  assert.equal(ended.stdout, "6 keys: 2 added, 0 known already, 4 refused\n");
  const reasons = [
    "2: is no JSON",
    "3: is not valid UTF-8",
    "4: plans: Too small: expected array to have >=1 items",
    "5: is longer than 65536 bytes",
  ];
  assert.deepEqual(ended.stderr.trimEnd().split("\n"), [
    ...reasons.map((reason) => `${at.file}:${reason}`),
    "keydesk: 4 refused, see above; all else is kept",
  ]);
  assert.ok(!ended.stderr.includes(secret));
});

Deno.test("keys import: murmur hashes need a switch and a day to come, and 32 bits stay refused", async () => {
  await using at = await desk();
  const hash = "cbd8a7b341bd9b025b1e906a48ae1d19";
  const of = (hash: string, algorithm: string) =>
    `${JSON.stringify({ hash, algorithm, developer: "d", plans: ["p"] })}\n`;
  await at.write(
    of(hash, "murmur128") + of(hash.slice(0, 16), "murmur64") + of("248bfa47", "murmur32"),
  );
  for (const words of [["--allow-murmur"], ["--murmur-until", "2099-01-01"]]) {
    const ended = await at.keys("import", at.file, ...words);
    assert.deepEqual([ended.code, ended.stdout], [2, ""]);
    assert.match(ended.stderr, /--allow-murmur and --murmur-until belong together/);
  }
  const late = await at.keys("import", at.file, "--allow-murmur", "--murmur-until", "2020-01-01");
  assert.deepEqual([late.code, late.stdout], [1, ""]);
  const refused = await at.keys("import", at.file);
  assert.match(refused.stdout, /^3 keys: 0 added, 0 known already, 3 refused/);
  const taken = await at.keys("import", at.file, "--allow-murmur", "--murmur-until", "2099-01-01");
  assert.match(taken.stdout, /^3 keys: 2 added, 0 known already, 1 refused/);
  assert.match(taken.stderr, /:3: algorithm: a hash of 32 bits is refused/);
  const { stdout } = await at.keys("list", "--developer", "d", "--json");
  for (const row of stdout.trimEnd().split("\n").map((text) => JSON.parse(text))) {
    assert.equal(row.use_before, "2099-01-01T00:00:00.000Z");
  }
  const help = await at.keys("import", "--help");
  assert.match(help.stdout, /Hashes of 32 bits are always refused/);
});

Deno.test("keys import: what can't be read is told without a stack, and standard input works", async () => {
  await using at = await desk();
  for (
    const [path, reason] of [
      [`${at.file}.absent`, "there is no such file"],
      [at.settings.KEYDESK_DATA_DIR, "is a folder"],
    ]
  ) {
    const ended = await at.keys("import", path ?? "");
    assert.deepEqual([ended.code, ended.stdout], [1, ""]);
    assert.equal(ended.stderr, `keydesk: ${path}: ${reason}\n`);
  }
  await at.write(lineOf("from-a-pipe"));
  const main = new URL("../../src/cli/main.ts", import.meta.url).pathname;
  const piped = await run(
    ["sh", "-c", `exec "$0" run -A "$1" keys import - < "$2"`, Deno.execPath(), main, at.file],
    { env: at.settings },
  );
  assert.equal(piped.stdout, "1 key: 1 added, 0 known already, 0 refused\n");
});

Deno.test("keys import: killed in the middle, nothing is half there and the next run does the rest", async () => {
  await using at = await desk();
  const count = 20_000;
  await at.write(Array.from({ length: count }, (_, n) => lineOf(`key-${n}`)).join(""));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("../../src/cli/main.ts", import.meta.url).pathname]
      .concat("keys", "import", at.file),
    env: at.settings,
    stdout: "null",
    stderr: "null",
  }).spawn();
  let seen = 0;
  while (seen === 0) {
    const { stdout } = await at.keys("list", "--developer", "dev-imported", "--json");
    seen = stdout.split("\n").length - 1;
  }
  child.kill("SIGKILL");
  await child.status;
  const rest = await at.keys("import", at.file, "--json");
  const { added, exists, refused } = JSON.parse(rest.stdout);
  assert.equal(added + exists, count);
  assert.equal(refused, 0);
  assert.equal(exists % 500, 0, "whole chunks");
});

const NO_KEY = "There is no key that matches.";

Deno.test("keys label: changes what it names; lists are narrowed and searched by it", async () => {
  await using at = await desk();
  const developers = await keydesk(["developers", "list", "--json"], at.settings);
  const [one = "{}"] = developers.stdout.split("\n");
  const plans = await keydesk(["plans", "list", "-q", "professional", "--json"], at.settings);
  const issued = await at.keys(
    "issue",
    JSON.parse(one).id,
    JSON.parse(plans.stdout)._id,
    "--json",
    "--name",
    "Checkout, live",
    "--environment",
    "checkout-live",
    "--tag",
    "payments",
    "--tag",
    "partner",
  );
  assert.equal(issued.code, 0, issued.stderr);
  const { key_id } = JSON.parse(issued.stdout);
  const labelled = await at.keys(
    "label",
    key_id,
    "--note",
    "Ask Lena first.",
    "--tag",
    "",
    "--json",
  );
  assert.equal(labelled.code, 0, labelled.stderr);
  const { name, environment, note, tags } = JSON.parse(labelled.stdout);
  assert.deepEqual([name, environment, note, tags], [
    "Checkout, live",
    "checkout-live",
    "Ask Lena first.",
    [],
  ]);
  for (const narrowed of [["--environment", "checkout-live"], ["-q", "checkout"]]) {
    const { stdout } = await at.keys("list", "--json", ...narrowed);
    assert.equal(JSON.parse(stdout).key_id, key_id);
  }
  assert.equal((await at.keys("list", "--tag", "payments")).stderr.trim(), NO_KEY);
  const unknown = await at.keys("label", "0".repeat(64), "--name", "x");
  assert.equal(unknown.code, 1);
});
