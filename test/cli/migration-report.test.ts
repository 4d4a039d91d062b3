/** `keydesk import migration-report` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { counted } from "../../src/cli/counted.ts";
import { doors, linesOf, openDoors } from "../support/doors.ts";
import { eventually } from "../support/eventually.ts";
import { policy, standIn } from "../support/gateway.ts";
import { fetchInPerson } from "../support/sign-in.ts";

for (const way of doors) {
  Deno.test(`import migration-report (${way}): how far a move is, and drafts of mails in a file`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const none = "No old gateway is connected, and shadow mode was never used.\n";
    assert.equal((await call("import", "migration-report")).stderr, none);
    const secret = join(desk.folder, "secret");
    await Deno.writeTextFile(secret, "what-opens-it\n");
    const where = [
      "--connection",
      "synced",
      "--gateway-url",
      "https://gateway.example.org",
      "--secret-file",
      secret,
    ];
    await call("gateways", "add", "City", ...where);
    const { stdout, code } = await call("import", "migration-report");
    assert.equal(code, 0);
    assert.match(stdout, /Switching off is safe for 0 of \d+ keys, on 0 of \d+ plans\.\n/);
    assert.match(stdout, /0 keys called the old gateway yesterday; never seen at either: \d+\.\n/);
    // Before anything was observed nobody knows a share.
    assert.doesNotMatch(stdout, /%/);
    const { keys } = JSON.parse((await call("import", "migration-report", "--json")).stdout);
    assert.equal(keys.migrated, 0);

    const file = join(desk.folder, "never-seen.jsonl");
    const told = await call("import", "migration-report", "--mails", file, "--language", "de");
    assert.match(
      told.stderr,
      /^\d+ mails? in the file, nothing is sent; \d+ keys? without a recipient\.\n$/,
    );
    const mails = linesOf(await Deno.readTextFile(file));
    assert.equal(told.stderr.split(" ")[0], String(mails.length));
    assert.ok(mails.every(({ text }) => text.startsWith("Guten Tag")));
  });
}

Deno.test("import migration-report: how many keys a gateway taught, as at the gateway itself", async () => {
  await using door = standIn("", "murmur32");
  await using desk = await openDoors({ KEYDESK_OUTBOUND: door.host });
  const credential = (await Deno.readTextFile(desk.tokenFile)).trim();
  const call = async (method: string, path: string, body?: unknown) => {
    const init = { method, headers: { authorization: credential } };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(new URL(path, desk.server.url), { ...init, ...sent });
    return await response.json();
  };
  const { organisation: { id: org_id } } = await call("GET", "/v1/me");
  const { id: plan } = await call("POST", "/v1/plans", {
    name: "Tides",
    access_rights: { tides: { api_id: "tides" } },
  });
  // As: it was made for this organisation's name, which is known by now alone.
  Object.assign(door.gateway, { org_id });
  door.gateway.plans.splice(0, Infinity, policy(org_id, plan, -1));
  const { url, secret } = door;
  const gateway = { name: "City", connection: "synced", url, secret };
  const { id } = await fetchInPerson(desk.server.url, credential, "/v1/gateways", gateway);
  await eventually(
    "it was looked at",
    async () => (await call("GET", `/v1/gateways/${id}`)).checked_at !== null,
  );
  const ends_at = new Date(Date.now() + 60 * 60 * 1000).toISOString();
  await call("PUT", `/v1/gateways/${id}/lazy-migration`, { ends_at });
  const key = `${org_id}${"0a1b2c3d".repeat(4)}`;
  const name = await door.gateway.nameOf(key);
  door.gateway.records.set(`apikey-${name}`, door.gateway.newSession("nova", [plan]));
  await eventually(
    "it is learned",
    async () => (await call("POST", "/v1/keys/verify", { key })).valid,
  );
  const { stdout } = await desk.local("import", "migration-report");
  assert.match(stdout, /\n1 key migrated from City, until \S+\.\n/);
  assert.match(
    (await desk.local("gateways", "lazy-migration", "City")).stderr,
    /; 1 key so far\.\n$/,
  );
});

Deno.test("command line: one of a thing is called so", () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => counted(count, "mail")),
    ["0 mails", "1 mail", "2 mails"],
  );
});
