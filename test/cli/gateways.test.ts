/** `keydesk gateways` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { canaryLines } from "../../src/cli/gateways.ts";
import { doors, linesOf, openDoors } from "../support/doors.ts";
import { eventually } from "../support/eventually.ts";

for (const way of doors) {
  Deno.test(`gateways (${way}): added with a secret out of a file, shown, hurried and removed`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    assert.equal((await call("gateways", "list")).stderr, "There is no gateway.\n");
    const file = await Deno.makeTempFile();
    await Deno.writeTextFile(file, "what-opens-it\n");
    const where = [
      "--connection",
      "synced",
      "--gateway-url",
      "https://gateway.example.org",
      "--secret-file",
      file,
    ];
    const added = await call("gateways", "add", "City", ...where, "--plan", "plan-a");
    await Deno.remove(file);
    assert.match(
      added.stderr,
      way === "local"
        ? /^Gateway [0-9a-f]{24} "City": every key is written to it/
        : /^Gateway [0-9a-f]{24} "City": it waits for a person's yes in the console/,
    );
    assert.match(added.stderr, /KEYDESK_OUTBOUND has to name gateway\.example\.org/);
    const [listed] = linesOf((await call("gateways", "list", "--json")).stdout);
    assert.deepEqual([listed.name, listed.kind, listed.plans], ["City", "tyk", ["plan-a"]]);
    const shown = await call("gateways", "show", "City", "--json");
    assert.ok(!shown.stdout.includes("what-opens-it"));
    assert.equal(JSON.parse(shown.stdout).id, listed.id);
    // It is tried a minute after it was added.
    const untried = await call("gateways", "canary", "City");
    assert.equal(untried.stderr, "City was not tried in the last hour.\n");
    const canary = JSON.parse((await call("gateways", "canary", "City", "--json")).stdout);
    assert.deepEqual(canary, { tried: "read", runs: 0, last: null, median: null });
    const change = async (...words: string[]) =>
      JSON.parse((await call("gateways", "change", "City", ...words, "--json")).stdout);
    const slow = await change("--calls-per-second", "50", "--certificates", "--write-policies");
    assert.deepEqual(
      [slow.calls_per_second, slow.certificates, slow.policies, slow.plans, slow.url],
      [50, true, "write", ["plan-a"], "https://gateway.example.org/"],
    );
    const free = await change("--no-calls-per-second", "--no-plan", "--no-write-policies");
    assert.deepEqual(
      [free.calls_per_second, free.certificates, free.policies, free.plans],
      [null, true, "compare", null],
    );
    assert.equal((await call("gateways", "change", "Nowhere", "--no-plan")).code, 1);
    const elsewhere = ["--gateway-url", "https://gateway.example.net"];
    const moved = await call("gateways", "change", "City", ...elsewhere);
    assert.match(moved.stderr, /secret: needed for another url/);
    // The operator's own is a yes.
    const confirmed = await call("gateways", "confirm", "City");
    if (way === "remote") {
      assert.match(confirmed.stderr, /no access token does/);
      assert.match((await desk.local("gateways", "confirm", "City")).stderr, /is confirmed/);
    } else assert.match(confirmed.stderr, /waits for no yes/);
    // Nothing of this organisation may be called, so its keys wait.
    const [id = "", other = ""] = await desk.pending();
    const approved = await call("requests", "approve", id, "--wait", "1");
    assert.equal(approved.code, 0, approved.stderr);
    assert.match(approved.stderr, /^It is not at every gateway yet\.$/m);
    const told = await call("requests", "approve", other, "--wait", "60");
    assert.match(told.stderr, /wait.*10000/);
    // An approval stands before its row at each gateway does.
    const states = async () =>
      linesOf((await call("gateways", "keys", "City", "--json")).stdout).map(({ state }) => state);
    await eventually("its row", async () => (await states()).length === 1);
    assert.deepEqual(await states(), ["waiting"]);
    assert.equal((await call("gateways", "now", "City")).stderr, "1 tried now.\n");
    assert.match((await call("gateways", "pause", "City")).stderr, /is paused/);
    assert.match((await call("gateways", "resume", listed.id)).stderr, /is brought what waits/);
    assert.match((await call("gateways", "reconcile", "City", "--dry-run")).stderr, /soon/);
    assert.equal((await call("gateways", "keys", "City", "--state", "x")).code, 2);
    const off = "No keys are migrated from City; 0 keys so far.\n";
    assert.equal((await call("gateways", "lazy-migration", "City")).stderr, off);
    assert.equal((await call("gateways", "lazy-migration", "City", "--stop")).stderr, off);
    const soon = new Date(Date.now() + 60_000).toISOString();
    const refused = await call("gateways", "lazy-migration", "City", "--until", soon);
    assert.match(refused.stderr, /can't be believed/);
    assert.equal((await call("gateways", "lazy-migration", "City", "--until", "soon")).code, 2);
    assert.equal(
      (await call("gateways", "lazy-migration", "City", "--stop", "--until", soon)).code,
      2,
    );
    const none = await call("gateways", "unknown", "City");
    assert.match(none.stderr, /found no unknown key/);
    const map = ["--connection", "map", "--kind", "haproxy", "--socket", "fetched"];
    assert.equal((await call("gateways", "add", "Far", ...map)).code, 0);
    assert.match((await call("gateways", "canary", "Far")).stderr, /^Far is not tried: its proxy/);
    const gone = await call("gateways", "remove", "Far", "--end-keys");
    assert.match(
      gone.stderr,
      /^Gateway Far is removed. Its proxy empties its map when it next asks/,
    );
    assert.match((await call("gateways", "remove", "City")).stderr, /removed; 0 keys were left/);
    assert.match((await call("gateways", "remove", "City")).stderr, /not_found/);
  });
}

Deno.test("gateways: how long one took is told for people", () => {
  const took = { valid_after_ms: 410, invalid_after_ms: 600 };
  const last = { at: "2026-01-05T09:00:00.000Z", how: "called" as const, ...took };
  const of = { tried: "called" as const, runs: 60, last, median: took };
  assert.deepEqual(canaryLines("City", of), [
    "2026-01-05T09:00:00.000Z: accepted after 0.41 s, refused after 0.60 s, called with.",
    "Median of 60 in the last hour: accepted after 0.41 s, refused after 0.60 s.",
  ]);
  const quick = { ...last, valid_after_ms: 3 };
  assert.match(
    canaryLines("City", { ...of, last: quick })[0] ?? "",
    /accepted at once, refused after/,
  );
  const never = { ...last, valid_after_ms: null, invalid_after_ms: null };
  assert.match(canaryLines("City", { ...of, last: never })[0] ?? "", /accepted not within 15 s/);
  const away = { ...never, how: null };
  assert.match(canaryLines("City", { ...of, last: away })[0] ?? "", /no key could be made at City/);
});
