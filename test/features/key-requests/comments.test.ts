/** What people of the team say to each other about a key request, and who never reads it. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { addMailChannel, addPerson, mailEngine, mailServer } from "../../support/mail-server.ts";
import { allItems, newPerson, testClock } from "../../support/people.ts";
import { addChannel, deliver, engineOf, receiver } from "../../support/receiver.ts";
import { auditRows } from "../../support/stored.ts";
import { planWith } from "../../support/verification.ts";

type Comment = {
  id: string;
  words: string | null;
  author: { id: string; name: string };
  mentions: { id: string; name: string }[];
  removed_by_name: string | null;
  may_remove: boolean;
};

const clock = testClock();
const approver = ["portal:read", "approve"] as const;
const WORDS = "their lead is on holiday until the 4th";
const path = (id: string) => `/v1/key-requests/${id}/comments`;

const denied = (at: string) => ({
  message: `access denied: You do not have permission to access  ${at}`,
});

/** A request that waits. */
async function asked(desk: TestDesk, email?: string): Promise<string> {
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const { id: by_user } = await registered(desk, `dev-${crypto.randomUUID()}`, email);
  const body = { by_user, for_plan: plan };
  return (await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body })).id;
}

const say = (desk: TestDesk, id: string, body: object, credential?: string) =>
  succeed<Comment>(desk, "POST", path(id), { body, ...credential && { credential } });

testOnEngines("comments: the oldest first, by cursor, of a decided request too", async (desk) => {
  const id = await asked(desk);
  const ann = await newPerson(desk, approver, { name: "Ann" });
  for (let n = 0; n < 25; n++) {
    clock.at += 1;
    if (n === 12) await succeed(desk, "POST", `/v1/key-requests/${id}/decline`, { body: {} });
    await say(desk, id, { words: `no. ${n}` }, n % 2 === 0 ? ann.credential : undefined);
  }
  const all = await allItems(desk, `${path(id)}?limit=10`);
  assert.deepEqual(all.map(({ words }) => words), Array.from({ length: 25 }, (_, n) => `no. ${n}`));
  assert.deepEqual(all[0].author, { id: ann.id, name: "Ann" });
}, { clock });

testOnEngines(
  "comments: removed by whoever said it or an administrator; the row stays",
  async (desk) => {
    const id = await asked(desk);
    const ann = await newPerson(desk, approver, { name: "Ann" });
    const bob = await newPerson(desk, approver, { name: "Bob" });
    const one = await say(desk, id, { words: WORDS }, ann.credential);
    assert.equal(one.may_remove, true);
    const at = `${path(id)}/${one.id}`;
    await assertFailure(
      await desk.send("DELETE", at, { credential: bob.credential }),
      "access_denied",
      denied(at),
    );
    const removed = await succeed<Comment>(desk, "DELETE", at, { credential: ann.credential });
    assert.equal(removed.words, null);
    assert.equal(removed.removed_by_name, "Ann");
    const again = await succeed<Comment>(desk, "DELETE", at);
    assert.equal(again.removed_by_name, "Ann", "once removed it stays as it is");
    const other = await say(desk, id, { words: WORDS }, ann.credential);
    await succeed(desk, "DELETE", `${path(id)}/${other.id}`);
    const actions = (await auditRows(desk)).filter(({ object_id }) => object_id === id)
      .map(({ action }) => action).filter((action) => action.includes("comment")).sort();
    assert.deepEqual(actions, [
      "key_request.comment_removed",
      "key_request.comment_removed",
      "key_request.commented",
      "key_request.commented",
    ]);
    await assertFailure(await desk.send("DELETE", `${path(id)}/none`), "not_found");
  },
  { clock },
);

testOnEngines("comments: nothing but their list ever shows their words", async (desk) => {
  await openPages(desk);
  const id = await asked(desk, "dora@example.org");
  const ann = await newPerson(desk, approver, { name: "Ann" });
  await using hooked = receiver();
  await addChannel(desk, hooked, { topics: ["*"] });
  const engine = engineOf(desk);
  await say(desk, id, { words: WORDS }, ann.credential);
  await deliver(engine);
  const dora = await signInByCode(desk, "dora@example.org");
  const texts = [
    JSON.stringify(await dora.get("GET", `/v1/my/requests/${id}`)),
    JSON.stringify(await dora.get("GET", "/v1/my/requests")),
    ...await Promise.all([
      `/v1/key-requests/${id}`,
      "/v1/key-requests",
      "/v1/key-requests/export",
      `/v1/audit-log?object_id=${id}`,
      `/api/portal/requests/${id}`,
      "/api/portal/requests",
    ].map(async (one) => await (await desk.send("GET", one)).text())),
    JSON.stringify(hooked.taken),
  ];
  for (const text of texts) assert.ok(!text.includes("holiday"), text);
  assert.ok(texts.at(-1)?.includes("key_request.commented"));
}, { clock });

testOnEngines("comments: whose own it is reads none and says none", async (desk) => {
  const id = await asked(desk, "dora@example.org");
  const dora = await addPerson(desk, "dora@example.org");
  const { access_token: credential } = await succeed<{ access_token: string }>(
    desk,
    "POST",
    `/v1/people/${dora}/access-tokens`,
    { body: { name: "laptop", deliver: "answer" } },
  );
  const one = await say(desk, id, { words: WORDS });
  const body = { words: "mine" };
  await assertFailure(await desk.send("GET", path(id), { credential }), "own_request");
  await assertFailure(await desk.send("POST", path(id), { credential, body }), "own_request");
  const at = `${path(id)}/${one.id}`;
  await assertFailure(await desk.send("DELETE", at, { credential }), "own_request");
  const portal = await desk.token(["portal:read", "portal:write", "secrets"]);
  await assertFailure(
    await desk.send("GET", path(id), { credential: portal }),
    "access_denied",
    denied(path(id)),
  );
}, { clock });

testOnEngines("comments: who is mentioned is mailed once, a link and no words", async (desk) => {
  await using smtp = await mailServer();
  const id = await asked(desk, "dora@example.org");
  const tomas = await addPerson(desk, "tomas@example.org");
  const reader = await newPerson(desk, ["portal:read"], { name: "Reader" });
  const dora = await addPerson(desk, "dora@example.org");
  await addMailChannel(desk, { digest_minutes: 0 });
  const engine = mailEngine(desk, smtp);
  for (const one of [reader.id, dora, "f".repeat(24)]) {
    const message = `mentions[0]: no person of this key request's team has the id ${one}`;
    await assertFailure(
      await desk.send("POST", path(id), { body: { words: "x", mentions: [one] } }),
      "invalid_input",
      { message, errors: [message] },
    );
  }
  const said = await say(desk, id, { words: WORDS, mentions: [tomas, tomas] });
  assert.deepEqual(said.mentions.map((one) => one.id), [tomas]);
  await deliver(engine);
  await deliver(engine);
  assert.deepEqual(smtp.taken.map(({ to }) => to), [["tomas@example.org"]]);
  const [mail] = smtp.taken;
  assert.match(mail?.parsed.subject ?? "", /^You are mentioned: .*’s request for /);
  assert.match(mail?.parsed.text ?? "", new RegExp(`/console/requests/${id}`));
  assert.ok(!mail?.parsed.text?.includes("holiday"));
  const gone = await say(desk, id, { words: WORDS, mentions: [tomas] });
  await succeed(desk, "DELETE", `${path(id)}/${gone.id}`);
  await deliver(engine);
  assert.equal(smtp.taken.length, 1, "what was removed is told nobody");
}, { clock });

testOnEngines("comments: with Idempotency-Key once, and gone with their request", async (desk) => {
  const id = await asked(desk);
  const headers = { "idempotency-key": "a-key-of-16-or-more" };
  const body = { words: WORDS };
  const twice = [
    await succeed<Comment>(desk, "POST", path(id), { body, headers }),
    await succeed<Comment>(desk, "POST", path(id), { body, headers }),
  ];
  assert.equal(twice[0]?.id, twice[1]?.id);
  const { admin: other } = await desk.otherOrganisation();
  await assertFailure(await desk.send("GET", path(id), { credential: other }), "not_found");
  await assertFailure(
    await desk.send("POST", path(id), { credential: other, body }),
    "not_found",
  );
  assert.equal((await desk.send("DELETE", `/api/portal/requests/${id}`)).status, 200);
  await assertFailure(await desk.send("GET", path(id)), "not_found");
  const { reader } = desk.app.ctx.storage;
  const { countComments } = await import(
    "../../../src/features/key-requests/comments.store.ts"
  );
  assert.equal(await countComments(reader, { org_id: desk.org_id, request_id: id }), 0);
}, { clock });

testOnEngines(
  "comments: a repeated call gives no words back that were removed, nor to whoever left the team",
  async (desk) => {
    const id = await asked(desk, "ada@example.org");
    const ann = await newPerson(desk, approver, { name: "Ann" });
    const headers = { "idempotency-key": "a-key-of-16-or-more" };
    const body = { words: WORDS };
    const init = { body, headers, credential: ann.credential };
    const said = await succeed<Comment>(desk, "POST", path(id), init);
    await succeed(desk, "DELETE", `${path(id)}/${said.id}`);
    const again = await succeed<Comment>(desk, "POST", path(id), init);
    assert.deepEqual([again.id, again.words], [said.id, null]);
    assert.equal((await allItems(desk, path(id))).length, 1);
    const own = { name: "Ann", permissions: approver, email: "ada@example.org" };
    await succeed(desk, "PUT", `/v1/people/${ann.id}`, { body: own });
    await assertFailure(await desk.send("POST", path(id), init), "own_request");
    assert.equal((await desk.send("DELETE", `/api/portal/requests/${id}`)).status, 200);
    await assertFailure(await desk.send("POST", path(id), init), "not_found");
  },
  { clock },
);

testOnEngines("comments: beside a decision both are done", async (desk) => {
  const ann = await newPerson(desk, approver, { name: "Ann" });
  for (let round = 0; round < 5; round++) {
    const id = await asked(desk);
    const [said, declined] = await Promise.all([
      desk.send("POST", path(id), { body: { words: WORDS }, credential: ann.credential }),
      desk.send("POST", `/v1/key-requests/${id}/decline`, { body: {} }),
    ]);
    assert.deepEqual([said.status, declined.status], [200, 200]);
    await Promise.all([said.body?.cancel(), declined.body?.cancel()]);
  }
}, { clock });
