/**
 * Other tests call commands in their own process (`keydesk` of test/support). Here each command
 * shows that as a process of its own it says the same; `serve` has processes everywhere.
 */
import assert from "node:assert/strict";
import { createProgram } from "../../src/cli/program.ts";
import { keydesk, keydeskProcess, temporaryFolder } from "../support/command.ts";

/** Words whose answer is the same twice, for each command, and what it reads. */
const ROWS: Readonly<Record<string, { words?: string[]; input?: string }>> = {
  seed: {},
  context: { words: ["list"] },
  token: { words: ["list", "--json"] },
  requests: { words: ["list"] },
  developers: { words: ["list"] },
  apis: { words: ["list"] },
  plans: { words: ["list"] },
  policies: { words: ["list"] },
  config: { words: ["managed"] },
  diff: { words: ["-", "--name", "a"], input: "plans: []\n" },
  apply: { words: ["-", "--name", "a", "--yes"], input: "plans: []\n" },
  delegation: { words: ["show"] },
  people: { words: ["list"] },
  providers: { words: ["list"] },
  roles: { words: ["list"] },
  access: { words: ["list"] },
  jobs: { words: ["list"] },
  keys: { words: ["import", "-", "--dry-run"], input: '{"key":"none"}\nno JSON\n' },
  import: { words: ["tyk", "report"] },
  leaks: { words: ["report"], input: "one text\nanother\n" },
  alerts: { words: ["why", "nothing"] },
  gateways: { words: ["list"] },
  logs: { words: ["denied"] },
  channels: { words: ["list"] },
  deliveries: { words: ["list"] },
  console: { words: ["--as", "nobody"] },
  certs: { words: ["list"] },
  "sealing-key": { words: ["--help"] },
  reseal: {},
  export: { words: ["tyk", "--digest"] },
  audit: { words: ["verify"] },
  purge: { words: ["--dry-run"] },
  upgrade: {},
  "move-store": { words: ["--from", "sqlite:/no/such/file", "--to", "sqlite:/none/either"] },
  backup: { words: ["/no/such/folder/copy.db"] },
  restore: { words: ["/no/such/file"] },
  doctor: {},
  check: {},
  completion: { words: ["fish"] },
  version: {},
  help: { words: ["requests", "approve"] },
};

Deno.test("as a process: every command but serve says the same as here", async () => {
  const commands = (await createProgram()).commands.map((command) => command.name());
  assert.deepEqual(Object.keys(ROWS).sort(), commands.filter((name) => name !== "serve").sort());
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  assert.equal((await keydeskProcess(["seed"], settings)).code, 0);
  for (const [command, { words = [], input }] of Object.entries(ROWS)) {
    const there = await keydeskProcess([command, ...words], settings, input);
    assert.deepEqual(await keydesk([command, ...words], settings, input), there, command);
    assert.notEqual(there.stdout + there.stderr, "", command);
  }
});

Deno.test("as a process: unusable settings and wrong usage say the same as here", async () => {
  const every: [string[], Record<string, string>, number][] = [
    [["token", "list"], { KEYDESK_PORT: "none" }, 78],
    [["doctor"], { KEYDESK_NONE: "x" }, 1],
    [["fly"], {}, 2],
    [[], {}, 2],
  ];
  for (const [words, settings, code] of every) {
    const there = await keydeskProcess(words, settings);
    assert.equal(there.code, code, there.stderr);
    assert.deepEqual(await keydesk(words, settings), there);
  }
});
