/**
 * Scopes: who decides only what a team owns sees, finds, counts, exports, reads and decides that
 * alone, in every interface; all else answers as if it were not there.
 */
import assert from "node:assert/strict";
import { recipientsOf } from "../../../../src/features/notifications/recipients.transactions.ts";
import type { ChannelRow } from "../../../../src/features/notifications/channels.store.ts";
import { assertFailure, wholeAnswer } from "../../../support/answers.ts";
import {
  openTestDesk,
  type TestDesk,
  testEachEngine,
  testOnEngines,
} from "../../../support/desk.ts";
import { engineOf, laterEachTime, work } from "../../../support/jobs.ts";
import { approve, create, smallRequest } from "../../../support/key-requests.ts";
import { known } from "../../../support/known-parties.ts";
import { call, newPerson } from "../../../support/people.ts";
import { planWith } from "../../../support/verification.ts";
import { V1_REQUESTS } from "../../../support/v1-requests.ts";

/** Gives a person a scope and an access token. */
async function scoped(
  desk: TestDesk,
  scope: { plans?: string[]; apis?: string[]; tags?: string[] },
  role = "approver",
): Promise<{ id: string; credential: string }> {
  const { id } = await call(desk, "POST", "/v1/people", { name: "Pia", role, scope });
  const body = { name: "laptop", deliver: "answer" };
  const { access_token: credential } = await call(
    desk,
    "POST",
    `/v1/people/${id}/access-tokens`,
    body,
  );
  return { id, credential };
}

/** Requests inside of a scope and outside of it, in every state. */
async function seeded(desk: TestDesk) {
  const named = await planWith(desk, {}, ["weather", "other"]);
  const ofApi = await planWith(desk, {}, ["payments"]);
  const tagged = await planWith(desk, { tags: ["payments", "x"] }, ["other"]);
  const wider = await planWith(desk, {}, ["payments", "other"]);
  const everything = await planWith(desk, {});
  const foreign = await planWith(desk, { tags: ["y"] }, ["other"]);
  const mine: string[] = [];
  const theirs: string[] = [];
  let n = 0;
  const ask = async (plans: string[]) => {
    const [for_plan, ...apply_policies] = plans;
    const by_user = `dev-${n++}`;
    return await create(desk, smallRequest({ by_user, for_plan, apply_policies }));
  };
  for (let round = 0; round < 4; round++) {
    for (const plans of [[named], [ofApi], [tagged], [named, tagged]]) mine.push(await ask(plans));
    for (const plans of [[wider], [everything], [foreign], [named, foreign], [foreign, named]]) {
      theirs.push(await ask(plans));
    }
  }
  await known(desk, ...mine, ...theirs);
  // Each state on both sides.
  for (const all of [mine, theirs]) {
    await approve(desk, all[0] ?? "");
    await approve(desk, all[3] ?? "");
    await call(desk, "POST", `${V1_REQUESTS}/${all[1]}/decline`, {});
  }
  const scope = { plans: [named], apis: ["payments"], tags: ["payments"] };
  return { mine, theirs, scope, plans: { named, ofApi, tagged, foreign } };
}

const idsIn = (data: readonly { id: string }[]) => data.map(({ id }) => id).sort();

testOnEngines(
  "scopes: lists, search, counts, export and pages hold what is within, and nothing else",
  async (desk) => {
    const { mine, theirs, scope } = await seeded(desk);
    const { credential } = await scoped(desk, scope);
    const get = (path: string) => call(desk, "GET", path, undefined, credential);
    const walked = async (query: string) => {
      const found: { id: string }[] = [];
      let cursor: string | null = "";
      do {
        const page: { data: { id: string }[]; next_cursor: string | null } = await get(
          `${V1_REQUESTS}?limit=3${query}${cursor && `&cursor=${cursor}`}`,
        );
        found.push(...page.data);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return idsIn(found);
    };
    assert.deepEqual(await walked(""), [...mine].sort());
    assert.deepEqual(await walked("&sort=oldest"), [...mine].sort());
    // A search finds no more.
    assert.deepEqual(await walked("&q=dev-"), [...mine].sort());
    for (const state of ["issued", "declined"]) {
      const decided = await walked(`&state=${state}&sort=decided_at&direction=desc`);
      assert.deepEqual(decided, await walked(`&state=${state}`));
      assert.ok(decided.length > 0 && decided.every((id) => mine.includes(id)));
    }
    assert.deepEqual(await get(`${V1_REQUESTS}/counts`), {
      pending: mine.length - 3,
      issued: 2,
      declined: 1,
      all: mine.length,
    });
    assert.equal((await get("/v1/jobs/selection?kind=approve")).total, mine.length - 3);
    const csv = await (await desk.send("GET", `${V1_REQUESTS}/export`, { credential })).text();
    const older = await (await desk.send("GET", "/api/portal/requests", { credential })).text();
    for (const id of mine) assert.ok(csv.includes(id));
    for (const id of theirs) assert.ok(!csv.includes(id) && !older.includes(id));
    const undeclined = mine.filter((_, n) => n !== 1).sort();
    assert.deepEqual(idsIn(JSON.parse(older).Data), undeclined);
    const first = await get("/api/portal/requests?p=1");
    assert.equal(first.Pages, 2);
    const second = await get("/api/portal/requests?p=2");
    assert.deepEqual(idsIn([...first.Data, ...second.Data]), undeclined);
    const declined = await get("/api/portal/requests?declined=true");
    assert.deepEqual(idsIn(declined.Data), [mine[1]]);
    const approved = await get("/api/portal/requests?approved=true");
    assert.deepEqual(idsIn(approved.Data), [mine[0], mine[3]].sort());
  },
);

testOnEngines(
  "scopes: what is outside answers like what does not exist, whatever is asked of it",
  async (desk) => {
    const { mine, theirs, scope } = await seeded(desk);
    const { credential } = await scoped(desk, scope);
    const calls: [method: string, path: (id: string) => string, body?: unknown][] = [
      ["GET", (id) => `${V1_REQUESTS}/${id}`],
      ["GET", (id) => `/api/portal/requests/${id}`],
      ["PUT", (id) => `/api/portal/requests/approve/${id}`],
      ["POST", (id) => `${V1_REQUESTS}/${id}/approve`, {}],
      ["POST", (id) => `${V1_REQUESTS}/${id}/decline`, {}],
      ["POST", (id) => `${V1_REQUESTS}/${id}/reopen`],
      ["PUT", (id) => `${V1_REQUESTS}/${id}/reason`, { reason: "x" }],
    ];
    for (const [method, path, body] of calls) {
      const answer = async (id: string) =>
        JSON.stringify(await wholeAnswer(await desk.send(method, path(id), { credential, body })))
          .replaceAll(id, "<id>");
      const absent = await answer("0".repeat(24));
      for (const id of theirs) assert.equal(await answer(id), absent, `${method} ${path(id)}`);
      const seen = await desk.send(method, path(mine[5] ?? ""), { credential, body });
      assert.notEqual(seen.status, 404, `${method} ${path(mine[5] ?? "")}`);
      await seen.body?.cancel();
    }
    const many = { kind: "decline", ids: [theirs[6], mine[6], "0".repeat(24)], reason: "over" };
    const { id, done } = await call(desk, "POST", "/v1/jobs", many, credential);
    const { data: rows } = await call(desk, "GET", `/v1/jobs/${id}/rows`, undefined, credential);
    const codes = rows.map((one: { error: { code: string } | null }) => one.error?.code ?? "");
    assert.deepEqual([done, codes], [1, ["not_found", "", "not_found"]]);
    // Nothing of theirs was changed.
    const { data } = await call(desk, "GET", `${V1_REQUESTS}?limit=100`);
    const states = new Map(data.map((one: { id: string; state: string }) => [one.id, one.state]));
    theirs.forEach((id, n) => {
      const state = n === 0 || n === 3 ? "issued" : n === 1 ? "declined" : "pending";
      assert.equal(states.get(id), state);
    });
  },
);

testOnEngines("scopes: of a developer nothing is shown that is outside", async (desk) => {
  const { scope, plans: { named, foreign } } = await seeded(desk);
  const { credential } = await scoped(desk, scope);
  const inside = await create(desk, smallRequest({ by_user: "dev-both", for_plan: named }));
  const outside = await create(desk, smallRequest({ by_user: "dev-both", for_plan: foreign }));
  await known(desk, inside, outside);
  await approve(desk, outside);
  await approve(desk, inside);
  const whole = await call(desk, "GET", `${V1_REQUESTS}/${inside}`);
  assert.ok(JSON.stringify(whole).includes(foreign) && JSON.stringify(whole).includes(outside));
  for (const path of [`${V1_REQUESTS}/${inside}`, `/api/portal/requests/${inside}`]) {
    const shown = await call(desk, "GET", path, undefined, credential);
    const text = JSON.stringify(shown);
    assert.ok(!text.includes(foreign) && !text.includes(outside), text);
    assert.equal(Object.keys(shown.portal_developer.keys).length, 1);
  }
});

testEachEngine("scopes: a job decides row by row what is within at that moment", async (engine) => {
  const clock = laterEachTime();
  await using desk = await openTestDesk(engine, { clock });
  const { mine, theirs, scope, plans } = await seeded(desk);
  const { id: person, credential } = await scoped(desk, scope);
  const worker = engineOf(desk);
  const pending = mine.filter((_, n) => ![0, 1, 3].includes(n));
  const start = (body: object) => call(desk, "POST", "/v1/jobs", body, credential);
  const job = await start({ kind: "decline", ids: [pending[0], theirs[6], "0".repeat(24)] });
  await work(worker);
  const result = await desk.send("GET", `/v1/jobs/${job.id}/result`, { credential });
  const lines = (await result.text()).split("\r\n");
  const of = (id: string) => lines.find((line) => line.startsWith(id))?.split(",").slice(1, 7);
  assert.deepEqual(of(theirs[6] ?? ""), of("0".repeat(24)));
  assert.equal((await call(desk, "GET", `${V1_REQUESTS}/${theirs[6]}`)).state, "pending");
  // Another's job is none.
  const other = await call(desk, "POST", "/v1/jobs", { kind: "decline", ids: [theirs[7]] });
  await assertFailure(await desk.send("GET", `/v1/jobs/${other.id}`, { credential }), "not_found");
  const stop = await desk.send("POST", `/v1/jobs/${other.id}/stop`, { credential });
  await assertFailure(stop, "not_found");
  await work(worker);
  const { data } = await call(desk, "GET", "/v1/jobs", undefined, credential);
  assert.deepEqual(idsIn(data), [job.id]);
  // By a filter, with a scope that gets less before the rows have their turn.
  const all = await start({ kind: "decline", filter: {} });
  const less = { name: "Pia", role: "approver", scope: { plans: [plans.ofApi] } };
  await call(desk, "PUT", `/v1/people/${person}`, less);
  await work(worker);
  assert.equal((await call(desk, "GET", `/v1/jobs/${all.id}`, undefined, credential)).done, 3);
  const after = await call(desk, "GET", `${V1_REQUESTS}?state=pending&limit=100`);
  assert.equal(after.data.length, pending.length - 1 - 3 + theirs.length - 4);
});

testOnEngines(
  "scopes: people with one administer nothing, and count as nobody's administrator",
  async (desk) => {
    const { credential } = await scoped(desk, { tags: ["payments"] }, "administrator");
    for (
      const path of ["/v1/people", "/v1/audit-log", "/v1/channels", "/v1/certificates", "/v1/roles"]
    ) {
      await assertFailure(await desk.send("GET", path, { credential }), "access_denied", {
        message:
          "access denied: your scope closes this, because it concerns more than the plans that you see.",
      });
    }
    const me = await call(desk, "GET", "/v1/me", undefined, credential);
    assert.deepEqual(me.scope, { plans: [], apis: [], tags: ["payments"] });
    const { data } = await call(desk, "GET", "/v1/people");
    const first = data.find((one: { name: string }) => one.name === "administrator");
    const put = await desk.send("PUT", `/v1/people/${first.id}`, {
      body: {
        name: "administrator",
        permissions: first.permissions,
        scope: { tags: ["payments"] },
      },
    });
    await assertFailure(put, "last_administrator");
    // Whoever gives another scope holds what it then opens.
    const lesser = await newPerson(desk, ["admin", "portal:read"]);
    const strong = await scoped(desk, { tags: ["payments"] });
    const wider = await desk.send("PUT", `/v1/people/${strong.id}`, {
      body: { name: "Pia", role: "approver", scope: "everything" },
      credential: lesser.credential,
    });
    assert.equal(wider.headers.get("x-keydesk-error"), "permission_not_held");
    await wider.body?.cancel();
  },
);

testOnEngines("scopes: approvers are mailed of what is within theirs alone", async (desk) => {
  const { scope, mine, theirs } = await seeded(desk);
  const email = "pia@example.org";
  const person = { name: "Pia", role: "approver", scope, email };
  const { id } = await call(desk, "POST", "/v1/people", person);
  const { storage } = desk.app.ctx;
  const config = JSON.stringify({ mails: {} });
  const told = async (object_id: string, topic = "key_request.created") => {
    const message = { topic, object_id, at: new Date().toISOString() };
    // as: of a channel no more is looked at.
    const channel = { org_id: desk.org_id, kind: "mail", config } as unknown as ChannelRow;
    return (await recipientsOf(storage.reader, channel, message)).some((one) => one.includes(id));
  };
  assert.equal(await told(mine[2] ?? ""), true);
  for (const outside of theirs) assert.equal(await told(outside), false);
  assert.equal(await told("0".repeat(24), "access_token.ends_soon"), false);
});

testOnEngines(
  "scopes: a step within counts, and one outside is no request of theirs",
  async (desk) => {
    const mine = await planWith(desk, {}, ["payments"]);
    const foreign = await planWith(desk, {}, ["other"]);
    const { credential } = await scoped(desk, { plans: [mine] });
    const policy = { outcome: "steps", steps: [{ name: "Two", need: 2 }] };
    await call(desk, "PUT", `/v1/plans/${mine}/approval-policy`, policy);
    // Outside of their scope the administrator alone could decide.
    const short = await desk.send("PUT", `/v1/plans/${foreign}/approval-policy`, { body: policy });
    assert.equal((await short.json()).code, "policy_unfulfillable");
    const ask = (for_plan: string) => create(desk, smallRequest({ for_plan, apply_policies: [] }));
    const [within, outside] = [await ask(mine), await ask(foreign)];
    await known(desk, within, outside);
    const approve = (id: string) =>
      desk.send("POST", `${V1_REQUESTS}/${id}/approve`, { credential, body: {} });
    assert.equal((await (await approve(within)).json()).missing, "1 of “Two”");
    await assertFailure(await approve(outside), "not_found");
    const last = await call(desk, "POST", `${V1_REQUESTS}/${within}/approve`, {
      deliver: "one_time_link",
    });
    assert.equal(last.state, "issued");
  },
);
