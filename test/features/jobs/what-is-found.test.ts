/** What jobs find: nothing by what earlier code knew, nothing where a scope came meanwhile. */
import assert from "node:assert/strict";
import { addRows } from "../../../src/features/jobs/jobs.transactions.ts";
import { change } from "../../../src/storage/statement-functions.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { testOnEngines } from "../../support/desk.ts";
import { ask, engineOf, onEngines, outcomes, read, start, work } from "../../support/jobs.ts";
import { call } from "../../support/people.ts";
import { v1 } from "../../support/v1-requests.ts";
import { planWith } from "../../support/verification.ts";

/** As earlier code started one of what was late. */
const narrowToLate = defineTransaction(
  "test.narrow-to-late",
  async (tx, p: { org_id: string; id: string; selection: string }) => {
    await setSelection(tx, p);
    return null;
  },
);
const setSelection = change((db, p: { org_id: string; id: string; selection: string }) =>
  db.updateTable("jobs").set({ selection: p.selection })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

testOnEngines(
  "jobs: one that earlier code narrowed to what was late decides nothing",
  async (desk) => {
    const [waiting = ""] = await ask(desk, 1);
    const { id } = await start(desk, { kind: "decline", filter: {} });
    const { filter } = await read(desk, id);
    const selection = JSON.stringify({ filter: { ...filter, late: "true" } });
    await desk.app.ctx.storage.commit(narrowToLate, { org_id: desk.org_id, id, selection });
    await work(engineOf(desk));
    const found = { state: "done", total: 0, done: 0, left_alone: 0, failed: 0 };
    assert.deepEqual(outcomes(await read(desk, id)), found);
    assert.equal((await read(desk, id)).filter.late, "true");
    assert.equal((await v1.get(desk, waiting)).state, "pending");
  },
  { extra: [narrowToLate] },
);

onEngines(
  "where somebody is given a scope before all is found it is broken off",
  async (desk, clock) => {
    await ask(desk, 2);
    const body = { name: "Pia", permissions: ["portal:read", "approve"] };
    const { id: person } = await call(desk, "POST", "/v1/people", body);
    const token = { name: "laptop", deliver: "answer" };
    const { access_token: credential } = await call(
      desk,
      "POST",
      `/v1/people/${person}/access-tokens`,
      token,
    );
    const { next_cursor: next } = await call(desk, "GET", "/v1/key-requests?sort=oldest&limit=1");
    const { id } = await start(desk, { kind: "decline", filter: {} }, credential);
    // As though the first part had been found.
    const found = { org_id: desk.org_id, id, from: "", next, rows: [], now: clock.now() };
    await desk.app.ctx.storage.commit(addRows, found);
    const scope = { plans: [await planWith(desk, {})] };
    await call(desk, "PUT", `/v1/people/${person}`, { ...body, scope });
    await work(engineOf(desk));
    const { state, why, done } = await read(desk, id);
    assert.deepEqual([state, why, done], ["broken_off", "permission_ended", 0]);
  },
);
