/** Developers add words to their requests that wait. */
import assert from "node:assert/strict";
import { statement } from "../../../../src/storage/statement.ts";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";

type Said = { at: string; words: string };
type Detail = { revision: string; added_words: Said[] };
type Event = { detail: { words?: string }; actor_type: string };

async function begin(desk: TestDesk) {
  await openPages(desk);
  const { plans } = await offer(desk, [{ api: "winds", plan: "Winds" }]);
  const { email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const { id } = await ada.get<{ id: string }>("POST", "/v1/my/requests", { plan: plans.Winds });
  const path = `/v1/my/requests/${id}/words`;
  const add = (words: string, client = ada) => client.send("POST", path, { body: { words } });
  const mine = async () =>
    (await ada.get<{ added_words: Said[] }>("GET", `/v1/my/requests/${id}`)).added_words;
  const detail = () => succeed<Detail>(desk, "GET", `/v1/key-requests/${id}`);
  const told = async () =>
    (await succeed<{ data: Event[] }>(desk, "GET", "/v1/audit-log?action=key_request.word_added"))
      .data;
  return { ada, id, path, add, mine, detail, told };
}

const wordsOf = (said: readonly Said[]) => said.map(({ words }) => words);

testOnEngines("words: appended for those who decide, and they change nothing", async (desk) => {
  const { id, add, mine, detail, told } = await begin(desk);
  const before = await detail();
  assert.deepEqual(before.added_words, []);
  assert.equal((await add("  The contract is 4711 ")).status, 200);
  assert.equal((await add("Please before May")).status, 200);
  const all = ["The contract is 4711", "Please before May"];
  assert.deepEqual(wordsOf(await mine()), all);
  const after = await detail();
  assert.deepEqual(wordsOf(after.added_words), all);
  assert.equal(after.revision, before.revision);
  const events = await told();
  assert.deepEqual(events.map(({ detail }) => detail.words).sort(), all.toSorted());
  assert.deepEqual([...new Set(events.map((one) => one.actor_type))], ["developer"]);
  const approved = await desk.send("POST", `/v1/key-requests/${id}/approve`, {
    headers: { "if-match": `"${before.revision}"` },
    body: { deliver: "claim" },
  });
  assert.equal(approved.status, 200, await approved.text());
  assert.deepEqual(wordsOf(await mine()), all, "they stay with the request");
});

testOnEngines("words: the same once more are added once, at the same time too", async (desk) => {
  const { add, mine, told } = await begin(desk);
  const same = await Promise.all([add("Once"), add("Once"), add("Once")]);
  assert.deepEqual(same.map(({ status }) => status), [200, 200, 200]);
  assert.deepEqual(wordsOf(await mine()), ["Once"]);
  await Promise.all(["A", "B", "C"].map((words) => add(words)));
  assert.deepEqual(wordsOf(await mine()).toSorted(), ["A", "B", "C", "Once"], "none is lost");
  assert.equal((await told()).length, 4);
});

testOnEngines("words: bounded in number and length", async (desk) => {
  const { add, mine, told } = await begin(desk);
  for (const words of ["", "   ", "a".repeat(2001)]) {
    assert.equal((await add(words)).status, 400);
  }
  for (let n = 1; n <= 20; n++) assert.equal((await add(`${n}`.padEnd(2000, "."))).status, 200);
  await assertFailure(await add("One too many"), "too_many_words");
  assert.equal((await mine()).length, 20);
  assert.equal((await told()).length, 20);
});

testOnEngines("words: refused once it is decided, and another's is not there", async (desk) => {
  const { id, add, mine } = await begin(desk);
  const bob = await signInByCode(desk, (await registered(desk, "dev-bob")).email);
  await assertFailure(await add("Mine now", bob), "not_found");
  await succeed(desk, "POST", `/v1/key-requests/${id}/decline`, { body: {} });
  await assertFailure(await add("But why?"), "already_decided");
  assert.deepEqual(await mine(), []);
});

testOnEngines("words: whoever the request is moved to reads none of them", async (desk) => {
  const { ada, id, add, detail } = await begin(desk);
  await add("From Ada");
  const bob = await registered(desk, "dev-bob");
  const whole = await succeed<Record<string, unknown>>(desk, "GET", `/api/portal/requests/${id}`);
  await succeed(desk, "PUT", `/api/portal/requests/${id}`, { body: { ...whole, by_user: bob.id } });
  assert.deepEqual((await detail()).added_words, []);
  const theirs = await signInByCode(desk, bob.email);
  const seen = await theirs.send("GET", `/v1/my/requests/${id}`);
  assert.equal((await seen.text()).includes("From Ada"), false);
  await assertFailure(await ada.send("GET", `/v1/my/requests/${id}`), "not_found");
  assert.equal((await add("From Bob", theirs)).status, 200);
  assert.deepEqual(wordsOf((await detail()).added_words), ["From Bob"]);
});

const eventsSql = statement<{ action: string }>()((db, p) =>
  db.selectFrom("audit_events").select(["detail", "personal"]).where("action", "=", p.action)
);

testOnEngines("words: in the audit log they stand where they can be erased", async (desk) => {
  const { add } = await begin(desk);
  await add("Call me at home");
  const { reader } = desk.app.ctx.storage;
  const rows = await reader.rows(eventsSql, { action: "key_request.word_added" });
  assert.equal(rows.length, 1);
  assert.doesNotMatch(rows[0]?.detail ?? "", /Call me/);
  assert.match(rows[0]?.personal ?? "", /Call me at home/);
});
