/** `keydesk requests` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { doors, linesOf, openDoors, openDoorsOf } from "../support/doors.ts";
import { keydeskProcess, startServerProcess } from "../support/command.ts";
import { chosenEngines } from "../support/engines.ts";
import { createMigrated } from "../support/migrated-stores.ts";

for (const door of doors) {
  Deno.test(`requests (${door}): list, search and show, as a table and as JSON`, async () => {
    await using desk = await openDoors();
    const call = desk[door];
    const table = await call("requests", "list");
    assert.deepEqual([table.code, table.stderr], [0, ""]);
    const rows = table.stdout.trimEnd().split("\n");
    assert.match(rows[0] ?? "", /^ID +STATE +ASKED +DEVELOPER +E-MAIL +PLANS$/);
    assert.equal(rows.length, 51);
    const every = linesOf((await call("requests", "list", "--json")).stdout);
    assert.deepEqual(rows.slice(1).map((row) => row.split(" ")[0]), every.map(({ id }) => id));
    const oldest = linesOf((await call("requests", "list", "--oldest", "--json")).stdout);
    assert.deepEqual(oldest.map(({ id }) => id).reverse(), every.map(({ id }) => id));
    const declined = linesOf(
      (await call("requests", "list", "--state", "declined", "--json")).stdout,
    );
    assert.deepEqual(declined, every.filter(({ state }) => state === "declined"));
    const few = await call("requests", "list", "--limit", "3", "--json");
    assert.deepEqual(linesOf(few.stdout), every.slice(0, 3));
    const one = every[0];
    const found = linesOf((await call("requests", "list", "-q", one.id, "--json")).stdout);
    assert.deepEqual(found, [one]);
    const [ofPlan, ofDeveloper] = [
      await call("requests", "list", "--plan", one.for_plan, "--json"),
      await call("requests", "list", "--developer", one.by_user, "--json"),
    ];
    const withPlan = every.filter(({ for_plan }) => for_plan === one.for_plan);
    assert.deepEqual(linesOf(ofPlan.stdout), withPlan);
    const asked = every.filter(({ by_user }) => by_user === one.by_user);
    assert.deepEqual(linesOf(ofDeveloper.stdout), asked);

    // Who has only the store is no person, so nothing is theirs.
    const mine = linesOf((await call("requests", "list", "--mine", "--json")).stdout);
    const waiting = every.filter(({ state }) => state === "pending").map(({ id }) => id);
    assert.deepEqual(mine.map(({ id }) => id).sort(), door === doors[0] ? [] : waiting.sort());
    for (const words of [["--developer", "nobody"], ["--developer", "nobody", "--json"]]) {
      const none = await call("requests", "list", ...words);
      assert.deepEqual([none.code, none.stdout], [0, ""]);
      assert.equal(none.stderr, "There is no key request that matches.\n");
    }
    const shown = await call("requests", "show", one.id);
    assert.ok(shown.stdout.startsWith(`id `) && shown.stdout.includes(one.id));
    assert.ok(shown.stdout.includes(one.portal_developer.email));
    const whole = JSON.parse((await call("requests", "show", one.id, "--json")).stdout);
    // One alone tells more, such as other requests, and all that a list does.
    assert.deepEqual({ ...whole, ...one }, whole);
    assert.ok("other_requests" in whole);
    const absent = await call("requests", "show", "nothing");
    assert.deepEqual([absent.code, absent.stdout], [1, ""]);
    assert.equal(absent.stderr, "keydesk: there is no key request nothing (not_found)\n");
  });

  Deno.test(`requests (${door}): approve prints each key once, and it stands nowhere else`, async () => {
    // What a process says is looked through.
    await using desk = await openDoorsOf(startServerProcess);
    const call = desk[door];
    const [first = "", second = "", third = "", fourth = ""] = await desk.pending();
    const one = await call("requests", "approve", first, "--reason", "agreed");
    assert.equal(one.code, 0, one.stderr);
    assert.equal(
      one.stderr,
      `Key request ${first} is approved. Its key is shown this once:\n`,
    );
    const [key = ""] = one.stdout.split("\n");
    assert.ok(key.length >= 8);
    const two = await call("requests", "approve", second, "nothing", first, third);
    assert.equal(two.code, 1);
    assert.deepEqual(two.stdout.trimEnd().split("\n").map((line) => line.split(" ")[0]), [
      second,
      third,
    ]);
    assert.match(two.stderr, /there is no key request nothing \(not_found\)/);
    assert.match(two.stderr, /: This key request was approved by .* \(already_decided\)/);
    assert.match(two.stderr, /keydesk: 2 of 4 not approved\n$/);
    const one_time_link = await call("requests", "approve", fourth, "--one-time-link", "--json");
    const { key: credential, one_time_link: { link } } = JSON.parse(one_time_link.stdout);
    assert.equal(credential, null);
    assert.match(link, /^http:\/\/\S+\/claim#[A-Za-z0-9_-]{43}$/);

    // Who decided is told, and what opens something is nowhere but on standard output.
    const shown = JSON.parse((await call("requests", "show", first, "--json")).stdout);
    assert.deepEqual([shown.state, shown.reason], ["issued", "agreed"]);
    assert.equal(
      shown.decided_by_name ?? shown.decided_by,
      {
        local: "operator",
        remote: "administrator",
      }[door],
    );
    // A user name and a client_id are no secrets; what stands behind them is.
    const secrets = [one.stdout, ...two.stdout.trimEnd().split("\n")]
      .map((line) => line.trimEnd().split(/\s+/).at(-1) ?? "");
    assert.ok(secrets.every(({ length }) => length >= 20), "no secrets to look for");
    const auditLog = (await desk.local("export", "audit")).stdout;
    assert.match(
      auditLog,
      new RegExp(`"key_request.approved".*${first}|${first}.*"key_request.approved"`),
    );
    await desk.server.stop();
    const kept: string[] = [auditLog, desk.server.stdout(), desk.server.stderr()];
    for (const { name } of Deno.readDirSync(desk.settings.KEYDESK_DATA_DIR ?? "")) {
      const bytes = await Deno.readFile(`${desk.settings.KEYDESK_DATA_DIR}/${name}`);
      kept.push(new TextDecoder("latin1").decode(bytes));
    }
    for (const secret of secrets) {
      assert.ok(kept.every((text) => !text.includes(secret)), "a plain key is kept");
    }
    assert.ok(kept.some((text) => text.includes(sha256(key))), "its hash is kept");
  });

  Deno.test(`requests (${door}): approve issues nothing for a plan that nobody knows`, async () => {
    await using desk = await openDoors();
    const token = (await Deno.readTextFile(desk.tokenFile)).trim();
    const file = async () => {
      const response = await fetch(`${desk.server.url}/v1/key-requests`, {
        method: "POST",
        headers: { authorization: token, "content-type": "application/json" },
        body: JSON.stringify({ for_plan: "noplan", by_user: "dev-new", fields: {} }),
      });
      const { id, ...rest } = await response.json();
      assert.equal(response.status, 200, JSON.stringify(rest));
      return id;
    };
    const ids = [await file(), await file()];
    const { code, stdout, stderr } = await desk[door]("requests", "approve", ...ids);
    assert.deepEqual([code, stdout], [1, ""]);
    const told = "There is no plan noplan: create it first (unknown_plan)\n";
    assert.equal(stderr.split(told).length, 3, stderr);
  });

  Deno.test(`requests (${door}): decline keeps the reason, and JSON tells what became of each`, async () => {
    await using desk = await openDoors();
    const call = desk[door];
    const [first = "", second = ""] = await desk.pending();
    const reason = "Please use the plan for partners.";
    const one = await call("requests", "decline", first, "--reason", reason);
    assert.deepEqual([one.code, one.stdout], [0, ""]);
    assert.equal(one.stderr, `Key request ${first} is declined.\n`);
    const two = await call("requests", "decline", second, first, "--json");
    assert.equal(two.code, 1);
    const [declined, ...others] = linesOf(two.stdout);
    assert.deepEqual([declined.id, declined.state, declined.reason], [second, "declined", null]);
    assert.deepEqual(others, []);
    assert.match(two.stderr, /\(already_decided\)\nkeydesk: 1 of 2 not declined\n$/);
    const shown = JSON.parse((await call("requests", "show", first, "--json")).stdout);
    assert.equal(shown.reason, reason);
  });
}

for (const engine of chosenEngines(["sqlite", "postgres"])) {
  Deno.test({
    name: `requests (${engine}): of approvals by both doors at once exactly one mints`,
    sanitizeOps: engine === "sqlite",
    sanitizeResources: engine === "sqlite",
    fn: async () => {
      const more: Record<string, string> = engine === "sqlite" ? {} : {
        KEYDESK_DATABASE_URL: await createMigrated(),
        KEYDESK_SEALING_KEY: newSealingKey().trim(),
      };
      await using desk = await openDoorsOf(startServerProcess, more);
      const [id = ""] = await desk.pending();
      const words = ["requests", "approve", id, "--json"];
      const server = ["--url", desk.server.url, "--token-file", desk.tokenFile];
      const ended = await Promise.all([
        keydeskProcess(words, desk.settings),
        keydeskProcess([...words, ...server], {}),
      ]);
      assert.deepEqual(ended.map(({ code }) => code).sort(), [0, 1]);
      const minted = ended.flatMap(({ stdout }) => linesOf(stdout));
      assert.equal(minted.length, 1);
      const auditLog = linesOf((await desk.local("export", "audit")).stdout);
      const approvals = auditLog.filter((row) =>
        row.object_id === id && row.action === "key_request.approved"
      );
      assert.equal(approvals.length, 1);
      // The server knows of it at once, whoever it was.
      const shown = JSON.parse((await desk.remote("requests", "show", id, "--json")).stdout);
      assert.equal(shown.state, "issued");
    },
  });
}

Deno.test("requests: a key whose reader is gone is not lost without a word", async () => {
  await using desk = await openDoors();
  const [id = ""] = await desk.pending();
  const main = new URL("../../src/cli/main.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, "requests", "approve", id],
    env: { ...desk.settings },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stdout.cancel();
  const stderr = await new Response(child.stderr).text();
  assert.equal((await child.status).code, 1, stderr);
  assert.match(stderr, /the key was issued, but could not be written .* \(its reader is gone\)/);
  assert.ok(stderr.includes(`POST /v1/key-requests/${id}/reissue`));
});
