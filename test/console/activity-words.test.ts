/** Activity tells in words of everything that the trail can hold. */
import assert from "node:assert/strict";
import { deedOf, noteOf, placeOf } from "../../console/screens/activity/words.ts";
import { readModules } from "../support/modules.ts";

const event = (object: string, action: string, detail: Record<string, unknown> = {}) => ({
  ...{ actor: "p1", actor_name: "Ada", action, object, object_id: "a b", detail },
});

Deno.test("activity: every action that the source spells out has its words", () => {
  const action = /action(?::| =) "([a-z_]+)\.([a-z_]+)"|record\(tx, \w+, "([a-z_]+)\.([a-z_]+)"/g;
  const spelt = readModules().flatMap(({ text }) =>
    [...text.matchAll(action)].map(([, a, b, c, d]) => [a ?? c ?? "", b ?? d ?? ""] as const)
  );
  assert.ok(spelt.length > 20, `${spelt.length}`);
  const silent = spelt.filter(([object, did]) => {
    const kind = object === "credentials" ? "import" : object;
    return deedOf(event(kind, `${object}.${did}`)).startsWith("did ");
  });
  assert.deepEqual(silent, []);
});

Deno.test("activity: a sentence, its note and its place; what is unknown is shown as it is named", () => {
  const declined = event("key_request", "key_request.declined", { reason: "Which team?" });
  assert.equal(deedOf(declined), "declined a key request");
  assert.equal(noteOf(declined), "“Which team?”");
  assert.equal(placeOf(declined), "/key-requests/a%20b");
  assert.equal(placeOf(event("claim", "claim.opened", { request_id: "r1" })), "/key-requests/r1");
  assert.equal(placeOf(event("plan", "plan.deleted")), undefined);
  assert.equal(deedOf(event("moon", "moon.landed")), "did moon.landed");
  assert.equal(placeOf(event("moon", "moon.landed")), undefined);
});
