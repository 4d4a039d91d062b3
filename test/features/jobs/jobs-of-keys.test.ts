/** Jobs over keys: each once, as it was selected, by the right and scope of the moment. */
import assert from "node:assert/strict";
import type { TestDesk } from "../../support/desk.ts";
import { call as send, issue, KEYS, readKey } from "../../support/keys.ts";
import { allItems, call } from "../../support/people.ts";
import { assertInvalid } from "../../support/answers.ts";
import {
  assertFailure,
  DAY,
  engineOf,
  file,
  JOBS,
  onEngines,
  outcomes,
  read,
  start,
  startOnly,
  work,
} from "../../support/jobs.ts";
import { v1 } from "../../support/v1-requests.ts";

/** Issues so many keys, each to another developer; gives their ids, the oldest first. */
async function issued(desk: TestDesk, count: number, plans = ["plan-a"]): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { key_id } = await issue(desk, plans, `dev-${n}`);
    ids.push(key_id);
  }
  return ids;
}

/** Starts a job and works until it has ended; gives it. */
async function done(desk: TestDesk, body: object, credential?: string) {
  const { id } = await start(desk, body, credential);
  const engine = engineOf(desk);
  await work(engine);
  await engine.giveBack();
  return await read(desk, id);
}

const all = (total: number, rest = {}) => ({
  state: "done",
  total,
  done: total,
  left_alone: 0,
  failed: 0,
  ...rest,
});

onEngines("keys: what matched at a moment is suspended, each once, and taken back", async (
  desk,
  clock,
) => {
  const ids = await issued(desk, 45);
  const [other = ""] = await issued(desk, 1, ["plan-b"]);
  const [suspended = ""] = ids;
  await send(desk, "POST", `${KEYS}/${suspended}/suspend`, { reason: "by hand" });
  const path = `${JOBS}/selection?kind=suspend_keys&plan=plan-a`;
  const counted = await call(desk, "GET", path);
  assert.deepEqual([counted.total, counted.complete], [44, true]);
  clock.at += 1000;
  const [newer = ""] = await issued(desk, 1);
  const filter = { plan: "plan-a", created_before: counted.created_before };
  const job = await done(desk, { kind: "suspend_keys", filter, reason: "Odd", at_most: 44 });
  assert.deepEqual(outcomes(job), all(44));
  assert.deepEqual([job.of, job.undone_by, job.undoes], ["keys", "undo", null]);
  for (const id of ids.slice(1)) {
    const { state, reason } = await readKey(desk, id);
    assert.deepEqual([state, reason], ["suspended", "Odd"]);
  }
  for (const id of [other, newer]) assert.equal((await readKey(desk, id)).state, "active");
  const request_id = (await allItems(desk, "/v1/audit-log?action=job.started"))[0].request_id;
  const rows = await allItems(desk, `/v1/audit-log?request_id=${request_id}`);
  const told = rows.filter(({ action }) => action === "key.suspended");
  assert.deepEqual(told.map(({ object_id }) => object_id).toSorted(), ids.slice(1).toSorted());
  const lines = await file(desk, "GET", `${JOBS}/${job.id}/result`);
  assert.equal(lines.length, 45);
  assert.equal(
    lines[0],
    "key_id,developer,email,plans,outcome,why,new_key_id,one_time_link_until,at",
  );
  assert.match(lines[1] ?? "", /^[0-9a-f]{64},dev-\d+,[^,]*,plan-a,suspended,,,,/);
  // What somebody changed since is theirs.
  const [, resumed = "", filed = ""] = ids;
  await send(desk, "POST", `${KEYS}/${resumed}/resume`, { reason: "asked" });
  await send(desk, "PUT", `${KEYS}/${filed}/labels`, { name: "Checkout" });
  const back = await done(desk, { kind: "undo", of_job: job.id });
  assert.deepEqual(outcomes(back), all(44, { done: 42, left_alone: 2 }));
  assert.deepEqual([back.of, back.undoes, back.undone_by], ["keys", "suspend_keys", null]);
  assert.equal((await readKey(desk, filed)).state, "suspended");
  assert.equal((await readKey(desk, suspended)).state, "suspended");
  for (const id of ids.slice(3)) assert.equal((await readKey(desk, id)).state, "active");
  const again = await done(desk, { kind: "undo", of_job: job.id });
  assert.deepEqual(outcomes(again), all(44, { done: 0, left_alone: 44 }));
  const [, line = ""] = await file(desk, "GET", `${JOBS}/${back.id}/result`);
  assert.match(line, /,(taken back|left alone),/);
});

onEngines("keys: who uses none is found, and nobody else", async (desk, clock) => {
  const [a = "", b = ""] = await issued(desk, 2);
  clock.at += DAY;
  const unused_since = new Date(clock.at).toISOString();
  clock.at += DAY;
  const [newer = ""] = await issued(desk, 1);
  const filter = { unused_since };
  const path = `${JOBS}/selection?kind=suspend_keys&unused_since=${unused_since}`;
  assert.equal((await call(desk, "GET", path)).total, 2);
  const job = await done(desk, { kind: "suspend_keys", filter, reason: "Nobody uses it" });
  assert.deepEqual([job.done, job.filter.unused_since], [2, unused_since]);
  for (const id of [a, b]) assert.equal((await readKey(desk, id)).state, "suspended");
  assert.equal((await readKey(desk, newer)).state, "active");
  const none = await done(desk, {
    kind: "resume_keys",
    filter: { schedule: "suspended" },
    reason: "x",
  });
  assert.equal(none.total, 0);
});

onEngines("keys: plans, ends and tags are set, and come back as they were", async (desk, clock) => {
  const [a = "", b = ""] = await issued(desk, 2);
  const ids = [a, b];
  const seen = async () => {
    const keys = await Promise.all(ids.map((id) => readKey(desk, id)));
    return keys.map(({ plans, expires_at, tags }) => ({ plans, expires_at, tags }));
  };
  await send(desk, "PUT", `${KEYS}/${a}/labels`, { tags: ["own"] });
  const before = await seen();
  const end = new Date(clock.at + DAY).toISOString();
  const kinds = [
    [{ kind: "add_key_plans", plans: ["plan-b"] }, { plans: ["plan-a", "plan-b"] }],
    [{ kind: "set_key_plans", plans: ["plan-c"] }, { plans: ["plan-c"] }],
    [{ kind: "set_key_end", expires_at: end }, { expires_at: end }],
    [{ kind: "tag_keys", tags: ["own", "school"] }, { tags: ["own", "school"] }],
  ] as const;
  for (const [told, expected] of kinds) {
    const job = await done(desk, { ...told, ids });
    assert.deepEqual(outcomes(job), all(2), told.kind);
    for (const key of await seen()) {
      assert.deepEqual({ ...key, ...expected }, key, told.kind);
    }
    assert.deepEqual(outcomes(await done(desk, { kind: "undo", of_job: job.id })), all(2));
    assert.deepEqual(await seen(), before, told.kind);
  }
  await done(desk, { kind: "set_key_end", expires_at: end, ids });
  const cleared = await done(desk, { kind: "clear_key_end", ids });
  assert.deepEqual(outcomes(cleared), all(2));
  assert.deepEqual(await seen(), before);
  assert.deepEqual(outcomes(await done(desk, { kind: "undo", of_job: cleared.id })), all(2));
  assert.deepEqual((await seen()).map(({ expires_at }) => expires_at), [end, end]);
  const untagged = await done(desk, { kind: "untag_keys", tags: ["own"], ids });
  assert.deepEqual([untagged.tags, untagged.done], [["own"], 2]);
  assert.deepEqual((await seen()).map(({ tags }) => tags), [[], []]);
  // The end that comes back would be over.
  const late = await done(desk, { kind: "clear_key_end", ids });
  clock.at += 2 * DAY;
  const over = await done(desk, { kind: "undo", of_job: late.id });
  assert.deepEqual(outcomes(over), all(2, { done: 0, failed: 2 }));
});

onEngines("keys: revoking is for good, and what is so already is left alone", async (desk) => {
  const ids = await issued(desk, 3);
  const [ended = "", ...others] = ids;
  await send(desk, "POST", `${KEYS}/${ended}/revoke`, { reason: "found" });
  const body = { kind: "revoke_keys", ids: [...ids, "no-key"], reason: "Course over" };
  const job = await done(desk, body);
  assert.deepEqual(outcomes(job), all(4, { done: 2, left_alone: 2 }));
  assert.equal(job.undone_by, null);
  for (const id of others) {
    const { state, undo } = await readKey(desk, id);
    assert.deepEqual([state, undo], ["revoked", null]);
  }
  const undo = await desk.send("POST", JOBS, { body: { kind: "undo", of_job: job.id } });
  const expected = "of_job: the kind undo does not take back what this job did";
  await assertInvalid(undo, expected);
  const lines = await file(desk, "GET", `${JOBS}/${job.id}/result`);
  assert.match(lines.find((line) => line.startsWith("no-key")) ?? "", /^no-key,,,,left alone,/);
});

onEngines("keys: each that is rotated is handed over by a link, and shown to nobody", async (
  desk,
) => {
  const ids = await issued(desk, 3);
  const [suspended = "", ...others] = ids;
  await send(desk, "POST", `${KEYS}/${suspended}/suspend`, { reason: "by hand" });
  const job = await done(desk, { kind: "rotate_keys", ids, overlap_seconds: 3600 });
  assert.deepEqual(outcomes(job), all(3, { done: 2, failed: 1 }));
  assert.deepEqual([job.deliver, job.overlap_seconds, job.links_wait], ["links", 3600, true]);
  const lines = await file(desk, "POST", `${JOBS}/${job.id}/one-time-links/csv`);
  assert.equal(lines[0], "key_id,developer,email,plans,one_time_link,until");
  const result = (await file(desk, "GET", `${JOBS}/${job.id}/result`)).join("\n");
  assert.equal(lines.length, 3);
  for (const [at, old] of others.entries()) {
    const [key_id = "", developer, , plans, link = ""] = (lines[at + 1] ?? "").split(",");
    const { replaced_by, state } = await readKey(desk, old);
    assert.deepEqual([replaced_by, state, developer, plans], [
      key_id,
      "active",
      `dev-${at + 1}`,
      "plan-a",
    ]);
    const { key: credential } = await v1.open(desk, link.split("#")[1] ?? "");
    assert.ok(credential.RawKey);
    assert.ok(!result.includes(credential.RawKey));
    assert.match(result, new RegExp(`${old},dev-\\d,[^,]*,plan-a,rotated,,${key_id},`));
  }
  assert.equal((await file(desk, "POST", `${JOBS}/${job.id}/one-time-links/csv`)).length, 1);
});

onEngines("keys: a person's scope and permission hold at each row's turn", async (desk) => {
  const [mine = ""] = await issued(desk, 1, ["plan-a"]);
  const { key_id: theirs } = await issue(desk, ["plan-b"], "dev-b");
  const { key_id: both } = await issue(desk, ["plan-a", "plan-b"], "dev-ab");
  const permissions = ["portal:read", "approve"];
  const scope = { plans: ["plan-a"] };
  const { id: pia } = await call(desk, "POST", "/v1/people", { name: "Pia", permissions, scope });
  const token = { name: "laptop", deliver: "answer" };
  const person = await call(desk, "POST", `/v1/people/${pia}/access-tokens`, token);
  const body = { kind: "suspend_keys", ids: [mine, theirs, both], reason: "Odd" };
  const job = await done(desk, body, person.access_token);
  assert.deepEqual(outcomes(job), all(3, { done: 1, left_alone: 2 }));
  assert.equal((await readKey(desk, theirs)).state, "active");
  const answer = await desk.send("GET", `${JOBS}/${job.id}/result`, {
    credential: person.access_token,
  });
  const lines = (await answer.text()).split("\r\n");
  assert.match(lines.find((line) => line.startsWith(theirs)) ?? "", /,,,,left alone,/);
  const found = await call(
    desk,
    "GET",
    `${JOBS}/selection?kind=revoke_keys`,
    undefined,
    person.access_token,
  );
  assert.equal(found.total, 1);
  const next = { kind: "resume_keys", ids: [mine], reason: "Fine" };
  const { id } = await startOnly(desk, next, person.access_token);
  const engine = engineOf(desk);
  await engine.turn();
  const etag = (await desk.send("GET", `/v1/people/${pia}`)).headers.get("etag") ?? "";
  const less = { name: "Pia", permissions: ["portal:read"], scope };
  const put = { body: less, headers: { "if-match": etag } };
  assert.equal((await desk.send("PUT", `/v1/people/${pia}`, put)).status, 200);
  await work(engine);
  const { state, why } = await read(desk, id);
  assert.deepEqual([state, why], ["broken_off", "permission_ended"]);
  assert.equal((await readKey(desk, mine)).state, "suspended");
});

onEngines("keys: what changed behind the selection, and other kinds' words, are refused", async (
  desk,
) => {
  const [first = "", second = ""] = await issued(desk, 2);
  const { id } = await startOnly(desk, {
    kind: "suspend_keys",
    ids: [first, second],
    reason: "Odd",
  });
  const engine = engineOf(desk);
  await engine.turn();
  await send(desk, "PUT", `${KEYS}/${first}/plans`, { plans: ["plan-z"] });
  await work(engine);
  assert.deepEqual(outcomes(await read(desk, id)), all(2, { done: 1, left_alone: 1 }));
  assert.equal((await readKey(desk, first)).state, "active");
  const refused = [
    [{ kind: "suspend_keys", ids: [first] }, "reason: needed by the kind suspend_keys"],
    [
      { kind: "suspend_keys", ids: [first], reason: "x".repeat(501) },
      "reason: expected at most 500 characters",
    ],
    [{ kind: "set_key_end", ids: [first] }, "expires_at: needed by the kind set_key_end"],
    [
      { kind: "clear_key_end", filter: { api: "x" } },
      "filter.api: does not narrow the kind clear_key_end",
    ],
    [
      { kind: "decline", filter: { tag: "x" } },
      "filter.tag: does not narrow the kind decline",
    ],
    [
      { kind: "tag_keys", tags: ["x"], filter: { schedule: "warned", q: "x" } },
      "filter.schedule: goes without q",
    ],
    [{ kind: "undo", ids: [first] }, "of_job: needed by the kind undo"],
    [{ kind: "tag_keys", ids: [first] }, "tags: needed by the kind tag_keys"],
  ] as const;
  for (const [body, message] of refused) {
    await assertInvalid(await desk.send("POST", JOBS, { body }), message);
  }
  const mail = { kind: "rotate_keys", ids: [first], overlap_seconds: 0, deliver: "mail" };
  await assertFailure(await desk.send("POST", JOBS, { body: mail }), "links_not_mailed");
});
