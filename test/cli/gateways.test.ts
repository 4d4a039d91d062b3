/** `keydesk gateways` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { doors, linesOf, openDoors } from "../support/doors.ts";

for (const way of doors) {
  Deno.test(`gateways (${way}): added with a secret out of a file, shown, hurried and removed`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    assert.equal((await call("gateways", "list")).stderr, "There is no gateway.\n");
    const file = await Deno.makeTempFile();
    await Deno.writeTextFile(file, "what-opens-it\n");
    const where = ["--gateway-url", "https://gateway.example.org", "--secret-file", file];
    const added = await call("gateways", "add", "City", ...where, "--plan", "plan-a");
    await Deno.remove(file);
    assert.match(added.stderr, /^Gateway [0-9a-f]{24} "City": every key is brought there/);
    assert.match(added.stderr, /KEYDESK_OUTBOUND has to name gateway\.example\.org/);
    const [listed] = linesOf((await call("gateways", "list", "--json")).stdout);
    assert.deepEqual([listed.name, listed.kind, listed.plans], ["City", "tyk", ["plan-a"]]);
    const shown = await call("gateways", "show", "City", "--json");
    assert.ok(!shown.stdout.includes("what-opens-it"));
    assert.equal(JSON.parse(shown.stdout).id, listed.id);
    assert.equal((await call("gateways", "keys", "City")).stderr, "No key stands there.\n");
    assert.equal((await call("gateways", "now", "City")).stderr, "0 tried now.\n");
    assert.match((await call("gateways", "pause", "City")).stderr, /is paused/);
    assert.match((await call("gateways", "resume", listed.id)).stderr, /is brought what waits/);
    assert.match((await call("gateways", "reconcile", "City", "--dry-run")).stderr, /soon/);
    assert.equal((await call("gateways", "keys", "City", "--state", "x")).code, 2);
    const off = "No keys are learned from City; 0 were.\n";
    assert.equal((await call("gateways", "learn", "City")).stderr, off);
    assert.equal((await call("gateways", "learn", "City", "--stop")).stderr, off);
    const soon = new Date(Date.now() + 60_000).toISOString();
    const refused = await call("gateways", "learn", "City", "--until", soon);
    assert.match(refused.stderr, /can't be believed/);
    assert.equal((await call("gateways", "learn", "City", "--until", "soon")).code, 2);
    assert.equal((await call("gateways", "learn", "City", "--stop", "--until", soon)).code, 2);
    assert.match((await call("gateways", "remove", "City")).stderr, /removed; 0 keys were left/);
    assert.match((await call("gateways", "remove", "City")).stderr, /not_found/);
  });
}
