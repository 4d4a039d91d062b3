/**
 * The walk of docs/organisation-as-code.md, word for word: a team with staging and production, each
 * a server of its own, by the commands that the page shows.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, temporaryFolder } from "../support/command.ts";
import { startServerProcess } from "../support/processes.ts";

async function blocksOf(page: string): Promise<string[]> {
  const text = await Deno.readTextFile(join(repository, "docs", page));
  return [...text.matchAll(/<!-- walk -->\n\n```sh\n([\s\S]*?)```/g)].map(([, block = ""]) =>
    block
  );
}

Deno.test("the organisation as code: the walk of staging and production goes as its page says", async () => {
  const blocks = await blocksOf("organisation-as-code.md");
  assert.equal(blocks.length, 4);
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await using staging = await startServerProcess({ dataDir: at("staging") });
  await using production = await startServerProcess({ dataDir: at("production") });
  for (const [name, server] of Object.entries({ staging, production })) {
    const made = await server.send("POST", "/v1/people", {
      body: { name: "CI", permissions: ["config", "plans", "portal:read"] },
    });
    const path = `/v1/people/${made.body.id}/access-tokens`;
    const body = { name: "ci", deliver: "answer" };
    const issued = await server.send("POST", path, { body });
    await Deno.writeTextFile(at(`${name}.token`), issued.body.access_token, { mode: 0o600 });
  }
  const script = [
    "set -eu",
    `keydesk() { "$NODE" "$LAUNCHER" "$@"; }`,
    ...blocks,
    "keydesk plans list --context production --json",
  ].join("\n");
  const { success, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", script],
    cwd: folder.path,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: folder.path,
      NODE: "node",
      LAUNCHER: join(repository, "bin", "keydesk.js"),
      STAGING: staging.url,
      PRODUCTION: production.url,
    },
  }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.ok(success, said);
  assert.match(said, /Applied platform\.yaml: 3 added\./);
  assert.match(said, /Applied platform\.yaml: 1 changed, 1 removed\./);
  const plans = new TextDecoder().decode(stdout).split("\n").filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line)).filter(({ _id }) => _id);
  assert.deepEqual(plans.map(({ name, rate }) => [name, rate]), [["Gold", 250]]);
});
