/** `keydesk alerts why` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { asn1Time, made } from "../support/certificates.ts";
import { doors, openDoors } from "../support/doors.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

for (const door of doors) {
  Deno.test(`alerts why (${door}): the rule that decided about a certificate and a key`, async () => {
    await using desk = await openDoors();
    const call = desk[door];
    const authorization = (await Deno.readTextFile(desk.tokenFile)).trim();
    const post = (path: string, body: BodyInit) =>
      fetch(`${desk.server.url}${path}`, { method: "POST", headers: { authorization }, body });
    const response = await post(
      "/v1/certificates",
      made({ cn: "why.example", to: asn1Time(Date.now() + 100 * DAY_MS) }),
    );
    // as: the answer of POST /v1/certificates.
    const { results } = await response.json() as { results: { id: string }[] };
    const id = results[0]?.id ?? "";
    const why = await call("alerts", "why", id);
    assert.equal(why.code, 0, why.stderr);
    assert.match(
      why.stdout,
      /^Why was nothing sent\?\nNothing is due before \S+, 60 days before the end\..*no channel wants such alerts\..*\n {2}=> due: /,
    );
    assert.doesNotMatch(why.stdout, /not_reached|mute:/);
    const json = JSON.parse((await call("alerts", "why", id, "--certificate", "--json")).stdout);
    assert.deepEqual([json.result, json.decided_by], ["not_due", "due"]);

    const hook = { name: "Ops", url: "https://ops.example.org/hook" };
    const added = await post("/v1/channels", JSON.stringify(hook));
    // as: the answer of POST /v1/channels.
    const target = await added.json() as { id: string };
    const paused = await call("channels", "pause", target.id);
    assert.match(paused.stderr, /^Ops is paused\.$/m);
    const obstacle = await call("alerts", "why", id);
    assert.match(obstacle.stdout, /As it is now: Ops is paused since /);

    const { stdout } = await call("keys", "list", "--json");
    const [{ key_id }] = stdout.split("\n").filter((line) => line !== "").map((line) =>
      JSON.parse(line)
    );
    const key = await call("alerts", "why", key_id);
    assert.equal(key.code, 0, key.stderr);
    assert.match(key.stdout, /=> \w+: /);

    const gone = await call("alerts", "why", "nowhere");
    assert.deepEqual([gone.code, gone.stdout], [1, ""]);
    assert.match(gone.stderr, /there is no key nowhere/);
    const none = await call("alerts", "why", "nowhere", "--certificate");
    assert.match(none.stderr, /\(certificate_not_found\)/);
    assert.equal((await call("alerts", "why", id, "--key", "--certificate")).code, 2);
  });
}
