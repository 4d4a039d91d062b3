/**
 * What names a page of the audit log, and what walks it for a search, enters every table by an
 * index.
 */
import assert from "node:assert/strict";
import { type EventFilter, eventsBehind } from "../../../src/features/audit-log/audit-log.store.ts";
import * as live from "../../../src/features/audit-log/live-names.store.ts";
import { namesOfDevelopers } from "../../../src/features/developers/developer-names.store.ts";
import { plansOf } from "../../support/query-plans.ts";

const filter: EventFilter = {
  org_id: "org",
  q: "elif",
  typed: "Elif",
  id_text: "",
  kind: "changes",
  actor: "",
  objects: "[]",
  object_id: "",
  actions: "[]",
  token_id: "",
  session: "",
  elevation: "",
  request_id: "",
  client_address: "",
  after: "",
  before: "~",
};

Deno.test("sqlite: a search and the names of a page scan no table", async () => {
  const ids = ["a", "b"];
  const asked = await plansOf(async (tx) => {
    for (const read of Object.values(live)) await read(tx, "org", ids);
    await namesOfDevelopers(tx, "org", ids);
    for (const object_id of ["", "thing"]) {
      const place = { in: "log", below: 100 } as const;
      await eventsBehind(tx, { ...filter, object_id }, place, { from: 0, to: 100 });
    }
  });
  assert.equal(asked.length, 9);
  for (const { steps } of asked) {
    // The lists of ids and an event's own names are values, no tables.
    const scans = steps.filter((step) => /^SCAN (?!json_each|w\b|v\b)/.test(step));
    assert.deepEqual(scans.filter((step) => !step.includes("VIRTUAL TABLE")), [], steps.join("\n"));
    assert.ok(steps.some((step) => /^SEARCH .*\(org_id=\?/.test(step)), steps.join("\n"));
  }
});

Deno.test("sqlite: the log's order, and that of what waits for it, come from an index and are never sorted", async () => {
  const plain: EventFilter = { ...filter, q: "", typed: "", kind: "" };
  const waiting = { in: "waiting", size: 0, at: "~", id: "" } as const;
  const wanted = [
    [{ object_id: "" }, { in: "log", below: 100 }, ["audit_events_logged"]],
    [{ object_id: "thing" }, { in: "log", below: 100 }, ["audit_events_object_logged"]],
    [{ object_id: "" }, waiting, ["audit_events_unlogged", "audit_events_logged"]],
    [{ kind: "changes" }, waiting, [
      "audit_events_unlogged",
      "audit_events_unlogged",
      "audit_events_logged",
    ]],
  ] as const;
  for (const [more, place, indexes] of wanted) {
    const asked = await plansOf(async (tx) => {
      await eventsBehind(tx, { ...plain, ...more }, place, { from: 0, to: 100 });
    });
    const used = asked.map(({ plan }) => /USING (?:COVERING )?INDEX (audit_events_\w+)/.exec(plan));
    assert.deepEqual(used.map((match) => match?.[1]), indexes);
    for (const { plan } of asked) assert.doesNotMatch(plan, /TEMP B-TREE/, plan);
  }
});
