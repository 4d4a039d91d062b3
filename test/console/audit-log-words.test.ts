/** Activity tells in words of everything that the audit log can hold. */
import assert from "node:assert/strict";
import { presentAction } from "../../src/contract/former-names.ts";
import { kinds } from "../../console/screens/audit-log/kinds.ts";
import { grouped } from "../../console/screens/audit-log/grouped.ts";
import { actionOf, actionsOf, noteOf, placeOf } from "../../console/screens/audit-log/words.ts";
import { readModules } from "../support/modules.ts";

const event = (object: string, action: string, detail: Record<string, unknown> = {}) => ({
  actor: "p1",
  actor_name: "Ada",
  actor_type: "person" as const,
  action,
  object,
  object_id: "a b",
  detail,
  object_name: "",
  developer_name: "",
  plan_name: "",
});

/**
 * What the files write into the audit log, by its present name; what a template makes is listed.
 */
const spelt = new Set([
  ...readModules().filter(({ text }) =>
    /record(Change|Alone|Audit|Key)\(|noteInAuditLog\(|AuditLogRow/.test(text)
  )
    .flatMap(({ text }) =>
      [...text.matchAll(/(?<!defineTransaction\(\s*)"([a-z_]+\.[a-z_]+)"/g)].map(([, it = ""]) =>
        it
      )
    ),
  "key_request.commented",
  // Earlier code wrote these.
  "key_request.late",
  "key_request.late_soon",
  "activity.exported",
  "certificates.exported",
  "outbox.exported",
  "job_result.exported",
  "key_requests.exported",
  "keys.exported",
  "developers.exported",
  "store.backed_up",
  "store.restored",
  "documentation.created",
  "documentation.updated",
  "target.updated",
  "target.resumed",
  "target.secret_rotated",
  ...["credential", "access_token", "person"].flatMap((object) =>
    ["damaged", "accepted", "mended"].map((verb) => `${object}.${verb}`)
  ),
].map(presentAction));

Deno.test("activity: every action that the source writes has its words, whatever it is told of", () => {
  assert.ok(spelt.size > 50, `${spelt.size}`);
  assert.ok(spelt.has("sign_in_code.created") && spelt.has("call.refused"));
  const silent = [...spelt].filter((one) => actionOf(event("moon", one)).startsWith("did "));
  assert.deepEqual(silent, []);
  const link = event("access_token", "sign_in_code.created");
  assert.equal(actionOf(link), "made a sign-in link");
});

Deno.test("activity: each action can be chosen under some kind, in words, and nothing else can", () => {
  const choices = Object.keys(kinds).flatMap(actionsOf);
  const chosen = new Set(choices.map(({ value }) => value));
  // Secrets are told of with the thing whose they are.
  const apart = new Set(["secret.read", "secret.lost"]);
  assert.deepEqual([...spelt].filter((one) => !chosen.has(one) && !apart.has(one)), []);
  assert.deepEqual([...chosen].filter((one) => !spelt.has(one)), []);
  assert.deepEqual(choices.filter(({ value, text }) => text === value), []);
  const texts = actionsOf("access_token").map(({ text }) => text);
  assert.ok(texts.includes("Made a sign-in link"), `${texts}`);
});

Deno.test("activity: a job's end is told in words of whoever started it", () => {
  assert.equal(actionOf(event("job", "job.ended")), "started a job that is finished");
});

Deno.test("activity: what the server gives as a reason is no quotation", () => {
  const refused = (reason: string) =>
    noteOf({
      ...event("endpoint", "call.refused", { method: "GET", reason }),
      object_id: "/v1/keys",
    });
  assert.equal(refused("access_denied"), "GET /v1/keys: the access token does not allow it");
  assert.equal(refused("moon_denied"), "GET /v1/keys: moon_denied");
  const counted = { ...event("call", "call.refused", { count: 3 }), object_id: "" };
  assert.equal(noteOf(counted), "");
  assert.equal(noteOf(event("access_token", "access_token.refused", { reason: "address" })), "");
});

Deno.test("activity: a sentence, its note and its place; what is unknown is shown as it is named", () => {
  const declined = event("key_request", "key_request.declined", { reason: "Which team?" });
  assert.equal(actionOf(declined), "declined a key request");
  assert.equal(noteOf(declined), "“Which team?”");
  assert.equal(placeOf(declined), "/requests/a%20b");
  for (const detail of [{ key_request_id: "r1" }, { request_id: "r1" }]) {
    assert.equal(
      placeOf(event("one_time_link", "one_time_link.opened", detail)),
      "/requests/r1",
    );
  }
  assert.equal(placeOf(event("plan", "plan.deleted")), undefined);
  assert.equal(actionOf(event("moon", "moon.landed")), "did moon.landed");
  assert.equal(placeOf(event("moon", "moon.landed")), undefined);
});

Deno.test("activity: a sentence names its thing, a request by who asked", () => {
  const names = {
    object_name: "05f4…caaa",
    developer_name: "Elif Yıldız",
    plan_name: "Departures, free",
  };
  const told = (object: string, action: string, detail = {}) => {
    const one = { ...event(object, action, detail), ...names };
    return [actionOf(one), noteOf(one)];
  };
  assert.deepEqual(told("key_request", "key_request.approved"), [
    "approved the key request of Elif Yıldız",
    "for Departures, free",
  ]);
  assert.deepEqual(told("key", "key.alerts_unmuted"), [
    "lifted the mute of the key 05f4…caaa’s alerts",
    "Elif Yıldız, for Departures, free",
  ]);
  assert.deepEqual(
    told("one_time_link", "one_time_link.opened")[0],
    "opened the one-time link of Elif Yıldız",
  );
  assert.equal(told("developer", "developer.deleted")[0], "deleted the developer Elif Yıldız");
  // None of them says it twice, or leaves a hole.
  const all = Object.keys(kinds).flatMap((object) =>
    actionsOf(object).map(({ value }) => told(object, value)[0] ?? "")
  );
  assert.deepEqual(all.filter((one) => /\ban? the\b|\bthe the\b| {2}|\bof$/.test(one)), []);
});

Deno.test("activity: refused sign-ins of one place stand together while under 15 minutes apart", () => {
  const refused = (id: string, minute: number, client_address: string, token_id = "") => ({
    ...event("sign_in", "sign_in.refused"),
    id,
    at: new Date(minute * 60_000).toISOString(),
    client_address,
    token_id,
    session: "",
    request_id: "",
    caller_request_id: "",
    token_name: "",
  });
  const shown = grouped([
    refused("a", 60, "192.0.2.1"),
    refused("b", 59, "192.0.2.2"),
    refused("c", 50, "192.0.2.1"),
    refused("d", 49, "192.0.2.1", "token"),
    refused("e", 36, "192.0.2.1"),
    refused("f", 21, "192.0.2.1"),
    refused("g", 20, ""),
    refused("h", 20, ""),
  ]);
  assert.deepEqual(shown.map(({ id, others = [] }) => [id, ...others.map((one) => one.id)]), [
    ["a", "c", "e"],
    ["b"],
    ["d"],
    ["f"],
    ["g"],
    ["h"],
  ]);
});
