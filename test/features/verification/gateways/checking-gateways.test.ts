/**
 * Gateways that check each call: what counts by their names, when one is silent, whose they are.
 */
import assert from "node:assert/strict";
import { fileVersions } from "../../../../src/contract/checking-gateways.ts";
import {
  addMinutes,
  callsAMinute,
} from "../../../../src/features/verification/gateways/call-minutes.ts";
import { AlertEngine } from "../../../../src/features/notifications/alerts/alert-engine.ts";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { eventually } from "../../../support/eventually.ts";
import { issue, movableClock } from "../../../support/keys.ts";
import { addMailChannel, addPerson, mailEngine, mailServer } from "../../../support/mail-server.ts";
import { allItems, call } from "../../../support/people.ts";
import { deliver } from "../../../support/receiver.ts";
import {
  absent,
  denied,
  invalid,
  testRefusals,
  unauthenticated,
} from "../../../support/refusals.ts";
import { usageOf, written } from "../../../support/usage.ts";
import { planWith } from "../../../support/verification.ts";

const GATEWAYS = "/v1/gateways";
const clock = movableClock();
const MINUTE_MS = 60_000;

/** A call at a gateway, which is counted and written. */
async function ask(desk: TestDesk, said: string): Promise<void> {
  const answer = await desk.send("POST", "/v1/keys/verify", {
    body: { key: "nobody-has-this-key-at-all" },
    headers: { "x-keydesk-gateway": said },
  });
  assert.equal((await answer.json()).valid, false);
  await written(desk);
}

/** Minutes since 1970. */
const minute = (at: string) => Math.floor(Date.parse(at) / MINUTE_MS);

const gatewaysOf = async (desk: TestDesk, credential?: string) =>
  (await call(desk, "GET", `${GATEWAYS}?connection=checks`, undefined, credential)).data;

testOnEngines(
  "gateways that check: what names itself counts by its name once it is set up, and is silent after its minutes",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T22:10:00Z");
    await ask(desk, "edge-1;3");
    const set = { connection: "checks", name: "edge-1", kind: "nginx", silent_minutes: 5 };
    const gateway = await call(desk, "POST", GATEWAYS, set);
    assert.deepEqual([gateway.state, gateway.first_call_at, gateway.version], [
      "waiting",
      null,
      "",
    ]);
    await ask(desk, "Edge-1;4");
    await ask(desk, "edge-2");
    const called = new Date(clock.at).toISOString();
    assert.deepEqual(await gatewaysOf(desk), [
      { ...gateway, state: "calling", version: "4", first_call_at: called, last_call_at: called },
    ]);
    const errors = async (name: string) => (await usageOf(desk, `gateway=${name}`)).total.reasons;
    assert.deepEqual(await errors("edge-1"), [{ reason: "unknown", calls: 1 }]);
    assert.deepEqual(await errors("other"), [{ reason: "unknown", calls: 2 }]);

    clock.at += 5 * MINUTE_MS + 1;
    assert.equal((await gatewaysOf(desk))[0].state, "silent");
    await ask(desk, "edge-1");
    const [again] = await gatewaysOf(desk);
    assert.deepEqual([again.state, again.first_call_at, again.version], ["calling", called, ""]);

    await call(desk, "DELETE", `${GATEWAYS}/${gateway.id}`);
    assert.deepEqual(await gatewaysOf(desk), []);
    await assertFailure(await desk.send("DELETE", `${GATEWAYS}/${gateway.id}`), "not_found");
    const auditLog = await allItems(desk, "/v1/audit-log?object=gateway");
    assert.deepEqual(auditLog.map(({ action }) => action).reverse(), [
      "gateway.created",
      "gateway.deleted",
    ]);
  },
  { clock: { now: () => clock.at } },
);

testOnEngines(
  "gateways that check: another organisation neither sees nor removes them",
  async (desk) => {
    const { id } = await call(desk, "POST", GATEWAYS, { connection: "checks", name: "edge-1" });
    const { admin } = await desk.otherOrganisation();
    assert.deepEqual(await gatewaysOf(desk, admin), []);
    const foreign = await desk.send("DELETE", `${GATEWAYS}/${id}`, { credential: admin });
    await assertFailure(foreign, "not_found");
    assert.equal(
      (await call(desk, "POST", GATEWAYS, { connection: "checks", name: "edge-1" }, admin)).name,
      "edge-1",
    );
  },
);

testOnEngines(
  "gateways that check: of several that take one name at once one has it, and 100 are the most",
  async (desk) => {
    const answers = await Promise.all(
      Array.from(
        { length: 4 },
        () => desk.send("POST", GATEWAYS, { body: { connection: "checks", name: "edge-0" } }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
    for (const answer of answers) await answer.body?.cancel();
    for (let n = 1; n < 100; n++) {
      await call(desk, "POST", GATEWAYS, { connection: "checks", name: `edge-${n}` });
    }
    const more = await desk.send("POST", GATEWAYS, {
      body: { connection: "checks", name: "one-more" },
    });
    await assertFailure(more, "too_many_gateways");
  },
);

testRefusals("gateways that check", async (desk) => {
  await call(desk, "POST", GATEWAYS, { connection: "checks", name: "taken" });
  const form =
    "name: expected up to 63 small letters, digits, dots, - and _, a letter or digit first";
  const refused = (what: string, body: object, error: string) =>
    invalid(what, ["POST", GATEWAYS, { connection: "checks", name: "edge", ...body }], error);
  return {
    rows: [
      unauthenticated("GET", GATEWAYS),
      unauthenticated("POST", GATEWAYS, { connection: "checks", name: "edge" }),
      denied(["GET", GATEWAYS], "verify"),
      denied(["POST", GATEWAYS, { connection: "checks", name: "edge" }], "portal:write"),
      denied(["DELETE", `${GATEWAYS}/x`], "portal:write"),
      denied(["PUT", `${GATEWAYS}/x`, { silent_minutes: 1 }], "portal:write"),
      absent(["PUT", `${GATEWAYS}/x`, { silent_minutes: 1 }]),
      invalid(
        "minutes of more than a week",
        ["PUT", `${GATEWAYS}/x`, { silent_minutes: 10_081 }],
        "silent_minutes: expected at most 10080",
      ),
      refused("no name", { name: "" }, "name: must not be empty"),
      refused("a name with a space", { name: "edge 1" }, form),
      refused("capitals", { name: "Edge" }, form),
      refused(
        "the name of all others",
        { name: "other" },
        "name: all gateways that were not added count as other",
      ),
      refused(
        "a kind of nobody's",
        { kind: "moon" },
        "kind: expected nginx or caddy or haproxy or envoy or traefik or tyk or other or agentgateway",
      ),
      {
        name: "a name that is taken",
        call: ["POST", GATEWAYS, { connection: "checks", name: "taken" }],
        code: "gateway_name_taken",
      },
    ],
    unchanged: () => call(desk, "GET", GATEWAYS),
  };
});

testOnEngines(
  "gateways that check: of a silent one people are told once, and once that it calls again",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T22:10:00Z");
    const { ctx } = desk.app;
    await using smtp = await mailServer();
    await addMailChannel(desk);
    await addPerson(desk, "grace@example.org");
    const engine = new AlertEngine(ctx);
    const told = async () =>
      (await allItems(desk, "/v1/audit-log?object=gateway"))
        .map(({ action, detail }) => `${action} ${detail.name}`)
        .filter((line) => !line.startsWith("gateway.created")).reverse();
    await call(desk, "POST", GATEWAYS, { connection: "checks", name: "edge-1", silent_minutes: 5 });
    await call(desk, "POST", GATEWAYS, { connection: "checks", name: "edge-2" });
    await call(desk, "POST", GATEWAYS, { connection: "checks", name: "edge-3", silent_minutes: 5 });
    await ask(desk, "edge-1");
    await ask(desk, "edge-2");
    clock.at += 5 * MINUTE_MS;
    await engine.turn();
    assert.deepEqual(await told(), []);

    clock.at += 1;
    await engine.turn();
    await engine.turn();
    assert.deepEqual(await told(), ["gateway.silent edge-1"]);
    await deliver(mailEngine(desk, smtp, { now: () => clock.at }));
    assert.deepEqual(smtp.taken.map(({ to, parsed }) => [to, parsed.subject]), [
      [["grace@example.org"], "The gateway edge-1 is silent"],
    ]);
    assert.match(smtp.taken[0]?.parsed.text ?? "", /asked nothing for more than 5 minutes/);

    await ask(desk, "edge-1");
    await engine.turn();
    await engine.turn();
    assert.deepEqual(await told(), ["gateway.silent edge-1", "gateway.calling edge-1"]);

    // A server that starts later could not hear it before.
    clock.at += 60 * MINUTE_MS;
    await engine.giveBack();
    const later = new AlertEngine(ctx);
    await later.turn();
    assert.equal((await told()).length, 2);
    clock.at += 5 * MINUTE_MS + 1;
    await later.turn();
    assert.equal((await told()).at(-1), "gateway.silent edge-1");
  },
  { clock: { now: () => clock.at } },
);

Deno.test("gateways that check: minutes of several nodes add up in whichever order they come, and old ones go", () => {
  const [m] = [minute("2026-03-01T22:10:00Z")];
  const a = addMinutes("", [[m, 3], [m + 1, 1]]);
  const b = addMinutes(a, [[m, 4]]);
  assert.equal(b, addMinutes(addMinutes("", [[m, 4]]), [[m + 1, 1], [m, 3]]));
  const at = (text: string) => Date.parse(text);
  assert.equal(callsAMinute(b, at("2026-03-01T22:11:09Z")), 0);
  // A whole minute, once every node has written it.
  assert.equal(callsAMinute(b, at("2026-03-01T22:11:10Z")), 7);
  assert.equal(callsAMinute(b, at("2026-03-01T22:12:09Z")), 7);
  assert.equal(callsAMinute(b, at("2026-03-01T22:12:10Z")), 1);
  assert.equal(callsAMinute(b, at("2026-03-01T22:13:10Z")), 0);
  const later = addMinutes(b, Array.from({ length: 9 }, (_, n) => [m + 2 + n, 1] as const));
  assert.equal(later.split(" ").length, 5);
  assert.ok(!later.includes(`${m}:`));
});

testOnEngines(
  "gateways that check: calls a minute are those of the last whole minute; kind and minutes change, the name stays",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T22:10:05Z");
    const { id } = await call(desk, "POST", GATEWAYS, {
      connection: "checks",
      name: "edge-1",
      kind: "nginx",
    });
    await ask(desk, "edge-1;1");
    clock.at += 20_000;
    await Promise.all(["edge-1;1", "edge-1"].map((said) => ask(desk, said)));
    await ask(desk, "elsewhere");
    const rate = async () => (await gatewaysOf(desk))[0].calls_a_minute;
    assert.equal(await rate(), 0);
    clock.at = Date.parse("2026-03-01T22:11:10Z");
    assert.equal(await rate(), 3);
    clock.at += MINUTE_MS;
    assert.equal(await rate(), 0);

    const changed = await call(desk, "PUT", `${GATEWAYS}/${id}`, { silent_minutes: 7 });
    assert.deepEqual([changed.name, changed.kind, changed.silent_minutes], ["edge-1", "nginx", 7]);
    const other = await call(desk, "PUT", `${GATEWAYS}/${id}`, { kind: "caddy" });
    assert.deepEqual([other.name, other.kind, other.silent_minutes], ["edge-1", "caddy", 7]);
    const { admin } = await desk.otherOrganisation();
    const foreign = await desk.send("PUT", `${GATEWAYS}/${id}`, { body: {}, credential: admin });
    await assertFailure(foreign, "not_found");
    const [event] = await allItems(desk, "/v1/audit-log?action=gateway.updated");
    assert.deepEqual(event?.detail, { name: "edge-1", kind: "caddy", silent_minutes: 7 });
  },
  { clock: { now: () => clock.at } },
);

testOnEngines(
  "gateways that check: a file older than the documented one of its kind is told of, and no other",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T22:10:05Z");
    for (const name of ["edge-1", "edge-2", "edge-3"]) {
      await call(desk, "POST", GATEWAYS, {
        connection: "checks",
        name,
        kind: name === "edge-3" ? "other" : "nginx",
      });
    }
    await ask(desk, "edge-1;0");
    await ask(desk, `edge-2;${fileVersions.nginx}`);
    await ask(desk, "edge-3;0");
    const newer = (await gatewaysOf(desk)).map((one: { newer_version: unknown }) =>
      one.newer_version
    );
    assert.deepEqual(newer, [fileVersions.nginx, null, null]);
  },
  { clock: { now: () => clock.at } },
);

testOnEngines(
  "gateways that check: one that was not heard of lately is written at once, before the counts of keys",
  async (desk) => {
    await call(desk, "POST", GATEWAYS, { connection: "checks", name: "edge-1" });
    const { key_id, RawKey } = await issue(desk, [await planWith(desk, {})], "dev-ada");
    const answer = await desk.send("POST", "/v1/keys/verify", {
      body: { key: RawKey },
      headers: { "x-keydesk-gateway": "edge-1" },
    });
    assert.equal((await answer.json()).valid, true);
    const isCalling = async () => (await gatewaysOf(desk))[0].state === "calling";
    await eventually("it is told as calling", isCalling);
    assert.equal((await usageOf(desk, "gateway=edge-1")).total.success, 1);
    assert.equal((await usageOf(desk, `key=${key_id}`)).total.success, 0);
    await written(desk);
    assert.equal((await usageOf(desk, "gateway=edge-1")).total.success, 1);
    assert.equal((await usageOf(desk, `key=${key_id}`)).total.success, 1);
  },
);
