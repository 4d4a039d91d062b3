/** Jobs over certificates: each once, as it was selected, by the right and scope of the moment. */
import assert from "node:assert/strict";
import { add, made } from "../../support/certificates.ts";
import type { TestDesk } from "../../support/desk.ts";
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

const CERTIFICATES = "/v1/certificates";
const LENA = "lena@example.com";

/** Adds so many certificates; gives their ids, the oldest first. */
async function added(desk: TestDesk, count: number, name = "made"): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await add(desk, made({ cn: `${name}-${n}` })));
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

const ended = (total: number, rest = {}) => ({
  state: "done",
  total,
  done: total,
  left_alone: 0,
  failed: 0,
  ...rest,
});

const ownerOf = async (desk: TestDesk, id: string): Promise<string> =>
  (await call(desk, "GET", `${CERTIFICATES}/${id}`)).owner;
const muteOf = async (desk: TestDesk, id: string) =>
  (await call(desk, "GET", `${CERTIFICATES}/${id}/alerts`)).mute;

onEngines("certificates: what matched at a moment has its owner, and comes back", async (
  desk,
  clock,
) => {
  const ids = await added(desk, 105, "shop");
  const [other = ""] = await added(desk, 1, "elsewhere");
  const [mine = ""] = ids;
  await call(desk, "PUT", `${CERTIFICATES}/${mine}`, { owner: "kim@example.com", tags: ["own"] });
  clock.at += 2000;
  const query = `kind=set_certificate_owner&q=shop&is_ca=false&expires_within=9999`;
  const counted = await call(desk, "GET", `${JOBS}/selection?${query}`);
  assert.deepEqual([counted.total, counted.complete], [105, true]);
  clock.at += 2000;
  const [newer = ""] = await added(desk, 1, "shop-newer");
  const { created_before } = counted;
  const filter = { q: "shop", is_ca: "false", expires_within: "9999", created_before };
  const body = { kind: "set_certificate_owner", filter, owner: LENA, at_most: 105 };
  const job = await done(desk, body);
  assert.deepEqual(outcomes(job), ended(105));
  assert.deepEqual([job.of, job.owner, job.undone_by], ["certificates", LENA, "undo"]);
  for (const id of ids) assert.equal(await ownerOf(desk, id), LENA);
  for (const id of [other, newer]) assert.equal(await ownerOf(desk, id), "");
  const request_id = (await allItems(desk, "/v1/audit-log?action=job.started"))[0].request_id;
  const rows = await allItems(desk, `/v1/audit-log?request_id=${request_id}`);
  const told = rows.filter(({ action }) => action === "certificate.updated");
  assert.deepEqual(told.map(({ object_id }) => object_id).toSorted(), ids.toSorted());
  const lines = await file(desk, "GET", `${JOBS}/${job.id}/result`);
  assert.equal(
    lines[0],
    "certificate,name,owner,not_after,outcome,why,key_id,one_time_link_until,at",
  );
  assert.equal(lines.length, 106);
  assert.match(lines[1] ?? "", /,shop-0,lena@example.com,2045-01-01T00:00:00Z,changed,,,,/);
  // What somebody changed or deleted since is theirs.
  const [, changed = "", gone = ""] = ids;
  await call(desk, "PUT", `${CERTIFICATES}/${changed}`, { owner: LENA, tags: ["since"] });
  await desk.send("DELETE", `${CERTIFICATES}/${gone}`);
  const back = await done(desk, { kind: "undo", of_job: job.id });
  assert.deepEqual(outcomes(back), ended(105, { done: 103, left_alone: 2 }));
  assert.equal(await ownerOf(desk, mine), "kim@example.com");
  assert.deepEqual((await call(desk, "GET", `${CERTIFICATES}/${mine}`)).tags, ["own"]);
  assert.equal(await ownerOf(desk, changed), LENA);
  for (const id of ids.slice(3)) assert.equal(await ownerOf(desk, id), "");
  const again = await done(desk, { kind: "undo", of_job: job.id });
  assert.deepEqual(outcomes(again), ended(105, { done: 0, left_alone: 105 }));
});

onEngines("certificates: owners are taken away where there are any", async (desk, clock) => {
  const [a = "", b = ""] = await added(desk, 2);
  await call(desk, "PUT", `${CERTIFICATES}/${a}`, { owner: LENA, tags: ["own"] });
  clock.at += 2000;
  const job = await done(desk, { kind: "clear_certificate_owner", filter: {} });
  assert.deepEqual(outcomes(job), ended(1));
  assert.equal(await ownerOf(desk, a), "");
  assert.deepEqual(outcomes(await done(desk, { kind: "undo", of_job: job.id })), ended(1));
  assert.equal(await ownerOf(desk, a), LENA);
  const none = await done(desk, { kind: "clear_certificate_owner", ids: [b, "nothing"] });
  assert.deepEqual(outcomes(none), ended(2, { done: 1, left_alone: 1 }));
  const rows = await allItems(desk, "/v1/audit-log?action=certificate.updated");
  assert.equal(rows.filter(({ object_id }) => object_id === b).length, 0, "nothing changed");
});

onEngines("certificates: alerts are muted, unmuted, and as they were again", async (
  desk,
  clock,
) => {
  const ids = await added(desk, 3);
  const [a = "", b = "", c = ""] = ids;
  const until = new Date(clock.at + 30 * DAY).toISOString();
  const own = { until: new Date(clock.at + 9 * DAY).toISOString(), reason: "Ordered" };
  await call(desk, "PUT", `${CERTIFICATES}/${a}/mute`, own);
  const job = await done(desk, { kind: "mute_certificates", ids, until, reason: "A move" });
  assert.deepEqual(outcomes(job), ended(3));
  assert.equal(job.until, until);
  for (const id of ids) {
    const mute = await muteOf(desk, id);
    assert.deepEqual([mute.until, mute.reason], [until, "A move"]);
  }
  const rows = await allItems(desk, "/v1/audit-log?action=certificate.alerts_muted");
  assert.equal(rows.filter(({ detail }) => detail.until === until).length, 3);
  await call(desk, "DELETE", `${CERTIFICATES}/${c}/mute`);
  const back = await done(desk, { kind: "undo", of_job: job.id });
  assert.deepEqual(outcomes(back), ended(3, { done: 2, left_alone: 1 }));
  const mute = await muteOf(desk, a);
  assert.deepEqual([mute.until, mute.reason], [own.until, own.reason]);
  assert.equal(await muteOf(desk, b), null);
  clock.at += 2000;
  const lifted = await done(desk, { kind: "unmute_certificates", filter: {} });
  assert.deepEqual(outcomes(lifted), ended(1));
  assert.equal(await muteOf(desk, a), null);
  assert.deepEqual(outcomes(await done(desk, { kind: "undo", of_job: lifted.id })), ended(1));
  assert.equal((await muteOf(desk, a)).reason, own.reason);
  const late = await startOnly(desk, {
    kind: "mute_certificates",
    ids: [b],
    until,
    reason: "Late",
  });
  clock.at += 31 * DAY;
  const engine = engineOf(desk);
  await work(engine);
  await engine.giveBack();
  assert.deepEqual(outcomes(await read(desk, late.id)), ended(1, { done: 0, failed: 1 }));
});

onEngines("certificates: by certs:write and without a scope alone, at each row's turn", async (
  desk,
  clock,
) => {
  const [a = ""] = await added(desk, 1);
  const token = { name: "laptop", deliver: "answer" };
  const person = async (name: string, permissions: string[], scope?: object) => {
    const { id } = await call(desk, "POST", "/v1/people", { name, permissions, scope });
    const { access_token: credential } = await call(
      desk,
      "POST",
      `/v1/people/${id}/access-tokens`,
      token,
    );
    return { id, credential };
  };
  const holds = ["approve", "portal:read", "certs:write"];
  const approver = await person("Ada", ["approve", "portal:read"]);
  const scoped = await person("Pia", holds, { plans: ["plan-a"] });
  const writer = await person("Kim", holds);
  const body = { kind: "set_certificate_owner", ids: [a], owner: LENA };
  const job = await done(desk, body, writer.credential);
  assert.deepEqual(outcomes(job), ended(1));
  for (const { credential } of [approver, scoped]) {
    const denied = async (method: "GET" | "POST", path: string, sent?: object) =>
      await assertFailure(
        await desk.send(method, path, { credential, ...sent ? { body: sent } : {} }),
        "access_denied",
      );
    await denied("POST", JOBS, body);
    await denied("GET", `${JOBS}/selection?kind=set_certificate_owner`);
    if (credential === approver.credential) {
      await denied("POST", JOBS, { kind: "undo", of_job: job.id });
      await denied("GET", `${JOBS}/${job.id}/result`);
    } else {
      const undo = await desk.send("POST", JOBS, {
        credential,
        body: { kind: "undo", of_job: job.id },
      });
      await assertFailure(undo, "not_found");
    }
  }
  assert.equal(await ownerOf(desk, a), LENA);
  // Started as somebody without a scope, who has one by the row's turn.
  const { id } = await startOnly(
    desk,
    { kind: "clear_certificate_owner", ids: [a] },
    writer.credential,
  );
  const etag = (await desk.send("GET", `/v1/people/${writer.id}`)).headers.get("etag") ?? "";
  const put = {
    body: { name: "Kim", permissions: holds, scope: { plans: ["plan-a"] } },
    headers: { "if-match": etag },
  };
  assert.equal((await desk.send("PUT", `/v1/people/${writer.id}`, put)).status, 200);
  const engine = engineOf(desk);
  await work(engine);
  assert.deepEqual(outcomes(await read(desk, id)), ended(1, { done: 0, left_alone: 1 }));
  assert.equal(await ownerOf(desk, a), LENA);
  const until = new Date(clock.at - DAY).toISOString();
  const mute = { kind: "mute_certificates", ids: [a], until, reason: "x" };
  await assertInvalid(
    await desk.send("POST", JOBS, { body: mute }),
    "until: expected a time to come",
  );
});
