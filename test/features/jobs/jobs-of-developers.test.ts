/** Jobs over developers: each once, as they were selected, by the right of the moment. */
import assert from "node:assert/strict";
import { assertInvalid } from "../../support/answers.ts";
import type { TestDesk } from "../../support/desk.ts";
import {
  assertFailure,
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
import { call as send, issue, KEYS, readKey } from "../../support/keys.ts";
import { allItems, call } from "../../support/people.ts";

const DEVELOPERS = "/v1/developers";

/** Registers so many developers; gives their ids. */
async function registered(desk: TestDesk, count: number, prefix = "dev"): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
  for (const id of ids) {
    await desk.send("POST", DEVELOPERS, { body: { id, email: `${id}@school.example` } });
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

const isInactive = async (desk: TestDesk, id: string) =>
  (await call(desk, "GET", `${DEVELOPERS}/${id}`)).inactive;

const all = (total: number, rest = {}) => ({
  state: "done",
  total,
  done: total,
  left_alone: 0,
  failed: 0,
  ...rest,
});

onEngines("developers: what matched at a moment is deactivated, each once, and taken back", async (
  desk,
  clock,
) => {
  const ids = await registered(desk, 45);
  const [byHand = "", kept = "", own = ""] = ids;
  await registered(desk, 1, "other");
  await call(desk, "POST", `${DEVELOPERS}/${byHand}/deactivate`, { keys: "keep" });
  const { key_id: active } = await issue(desk, ["plan-a"], kept);
  const { key_id: stopped } = await issue(desk, ["plan-a"], own);
  await send(desk, "POST", `${KEYS}/${stopped}/suspend`, { reason: "by hand" });
  const path = `${JOBS}/selection?kind=deactivate_developers&q=dev`;
  const counted = await call(desk, "GET", path);
  assert.deepEqual([counted.total, counted.complete], [44, true]);
  clock.at += 1000;
  await desk.send("POST", DEVELOPERS, { body: { id: "dev-new", email: "new@school.example" } });
  const filter = { q: "dev", created_before: counted.created_before };
  const body = { kind: "deactivate_developers", filter, keys: "suspend", at_most: 44 };
  const job = await done(desk, { ...body, reason: "The course is over" });
  assert.deepEqual(outcomes(job), all(44));
  assert.deepEqual([job.of, job.undone_by, job.keys], ["developers", "undo", "suspend"]);
  for (const id of ids) assert.equal(await isInactive(desk, id), true);
  for (const id of ["other-0", "dev-new"]) assert.equal(await isInactive(desk, id), false);
  assert.equal((await readKey(desk, active)).state, "suspended");
  const request_id = (await allItems(desk, "/v1/audit-log?action=job.started"))[0].request_id;
  const rows = await allItems(desk, `/v1/audit-log?request_id=${request_id}`);
  const told = rows.filter(({ action }) => action === "developer.deactivated");
  assert.deepEqual(told.map(({ object_id }) => object_id).toSorted(), ids.slice(1).toSorted());
  const lines = await file(desk, "GET", `${JOBS}/${job.id}/result`);
  assert.equal(lines.length, 45);
  assert.equal(lines[0], "developer,email,outcome,why,at");
  assert.match(lines[1] ?? "", /^dev-\d+,dev-\d+@school\.example,deactivated,,\d/);
  // What somebody changed since is theirs.
  const [, , , back = "", edited = ""] = ids;
  await call(desk, "POST", `${DEVELOPERS}/${back}/reactivate`, {});
  const put = { email: `${edited}@school.example`, fields: { name: "Ada" } };
  await call(desk, "PUT", `${DEVELOPERS}/${edited}`, put);
  const undo = await done(desk, { kind: "undo", of_job: job.id });
  assert.deepEqual(outcomes(undo), all(44, { done: 42, left_alone: 2 }));
  assert.deepEqual([undo.of, undo.undoes], ["developers", "deactivate_developers"]);
  for (const id of [byHand, edited]) assert.equal(await isInactive(desk, id), true);
  for (const id of [kept, own, back]) assert.equal(await isInactive(desk, id), false);
  assert.equal((await readKey(desk, active)).state, "active");
  assert.equal((await readKey(desk, stopped)).state, "suspended");
  const again = await done(desk, { kind: "undo", of_job: job.id });
  assert.deepEqual(outcomes(again), all(44, { done: 0, left_alone: 44 }));
});

onEngines("developers: keys come back with them, and go again where that is undone", async (
  desk,
) => {
  const [a = "", b = ""] = await registered(desk, 2);
  const { key_id: theirs } = await issue(desk, ["plan-a"], a);
  await call(desk, "POST", `${DEVELOPERS}/${a}/deactivate`, { keys: "suspend" });
  const { key_id: live } = await issue(desk, ["plan-a"], a);
  const ids = [a, b, "nobody"];
  const job = await done(desk, { kind: "reactivate_developers", ids, keys: "resume" });
  assert.deepEqual(outcomes(job), all(3, { done: 1, left_alone: 2 }));
  assert.equal((await readKey(desk, theirs)).state, "active");
  assert.deepEqual(
    outcomes(await done(desk, { kind: "undo", of_job: job.id })),
    all(1),
  );
  assert.equal(await isInactive(desk, a), true);
  assert.equal((await readKey(desk, theirs)).state, "suspended");
  // It was active before the job, and stays so.
  assert.equal((await readKey(desk, live)).state, "active");
  const quiet = await done(desk, { kind: "reactivate_developers", filter: {} });
  assert.deepEqual(outcomes(quiet), all(1));
  assert.equal((await readKey(desk, theirs)).state, "suspended");
  const back = await done(desk, { kind: "undo", of_job: quiet.id });
  assert.deepEqual(outcomes(back), all(1));
  assert.equal((await readKey(desk, live)).state, "active");
});

onEngines("developers: who may not change one, or has a scope, changes none in a job", async (
  desk,
  clock,
) => {
  const ids = await registered(desk, 2);
  const body = { kind: "deactivate_developers", ids, keys: "keep" };
  const person = async (name: string, rest: object) => {
    const { id } = await call(desk, "POST", "/v1/people", { name, ...rest });
    const token = { name: "laptop", deliver: "answer" };
    const { access_token: credential } = await call(
      desk,
      "POST",
      `/v1/people/${id}/access-tokens`,
      token,
    );
    return { id, credential };
  };
  const approver = await person("Pia", { permissions: ["portal:read", "approve"] });
  const scope = { plans: ["plan-a"] };
  const permissions = ["portal:write", "approve"];
  const narrow = await person("Ned", { permissions, scope });
  for (const { credential } of [approver, narrow]) {
    await assertFailure(await desk.send("POST", JOBS, { body, credential }), "access_denied");
    const path = `${JOBS}/selection?kind=deactivate_developers`;
    await assertFailure(await desk.send("GET", path, { credential }), "access_denied");
  }
  const wide = await person("Wim", { permissions });
  const { id } = await startOnly(desk, body, wide.credential);
  const engine = engineOf(desk);
  await engine.turn();
  const change = async (less: object) => {
    const etag = (await desk.send("GET", `/v1/people/${wide.id}`)).headers.get("etag") ?? "";
    const put = { body: { name: "Wim", ...less }, headers: { "if-match": etag } };
    assert.equal((await desk.send("PUT", `/v1/people/${wide.id}`, put)).status, 200);
  };
  await change({ permissions: ["portal:read", "approve"] });
  await work(engine);
  const { state, why } = await read(desk, id);
  assert.deepEqual([state, why], ["broken_off", "permission_ended"]);
  await change({ permissions });
  const next = await startOnly(desk, body, wide.credential);
  await engine.turn();
  await change({ permissions, scope });
  await work(engine);
  assert.deepEqual(outcomes(await read(desk, next.id)), all(2, { done: 0, left_alone: 2 }));
  for (const one of ids) assert.equal(await isInactive(desk, one), false);
  // Callers are known for a second.
  clock.at += 2000;
  const seen = await desk.send("GET", `${JOBS}/${next.id}/result`, { credential: wide.credential });
  const lines = (await seen.text()).split("\r\n").slice(1, -1);
  assert.deepEqual(lines.map((line) => line.split(",")[1]), ["", ""]);
});

onEngines(
  "developers: what changed behind the selection, and other kinds' words, are refused",
  async (
    desk,
  ) => {
    const ids = await registered(desk, 2);
    const [first = "", second = ""] = ids;
    const { id } = await startOnly(desk, { kind: "deactivate_developers", ids, keys: "keep" });
    const engine = engineOf(desk);
    await engine.turn();
    const put = { email: `${first}@school.example`, fields: { name: "Ada" } };
    await call(desk, "PUT", `${DEVELOPERS}/${first}`, put);
    await work(engine);
    assert.deepEqual(outcomes(await read(desk, id)), all(2, { done: 1, left_alone: 1 }));
    assert.deepEqual([await isInactive(desk, first), await isInactive(desk, second)], [
      false,
      true,
    ]);
    const kind = "deactivate_developers";
    const refused = [
      [{ kind, ids }, "keys: needed by the kind deactivate_developers"],
      [
        { kind, ids, keys: "resume" },
        "keys: resume does not go with the kind deactivate_developers",
      ],
      [
        { kind, ids, keys: "keep", tags: ["x"] },
        "tags: goes with tag_keys, untag_keys, tag_developers, untag_developers alone",
      ],
      [
        { kind: "reactivate_developers", ids, keys: "suspend" },
        "keys: suspend does not go with the kind reactivate_developers",
      ],
      [
        { kind, keys: "keep", filter: { state: "revoked" } },
        "filter.state: expected active, inactive",
      ],
      [
        { kind, keys: "keep", filter: { plan: "x" } },
        "filter.plan: does not narrow the kind deactivate_developers",
      ],
      [
        { kind: "untag_keys", tags: ["x"], filter: { state: "inactive" } },
        "filter.state: expected active, suspended, revoked, expired",
      ],
    ] as const;
    for (const [body, message] of refused) {
      await assertInvalid(await desk.send("POST", JOBS, { body }), message);
    }
  },
);

onEngines("developers: tags are added and taken away by jobs, and taken back", async (desk) => {
  const ids = await registered(desk, 4);
  const [own = "", full = "", changed = "", last = ""] = ids;
  const tag = (id: string, tags: string[]) =>
    call(desk, "PUT", `${DEVELOPERS}/${id}/tags`, { tags });
  const tagsOf = async (id: string) => (await call(desk, "GET", `${DEVELOPERS}/${id}`)).tags;
  await tag(own, ["beta"]);
  const ten = Array.from({ length: 10 }, (_, n) => `t${n}`);
  await tag(full, ten);
  await call(desk, "POST", `${DEVELOPERS}/${last}/deactivate`, { keys: "keep" });
  const selection = `${JOBS}/selection?kind=tag_developers&q=dev`;
  assert.equal((await call(desk, "GET", selection)).total, 4);
  const body = { kind: "tag_developers", filter: { q: "dev" }, tags: ["course", "beta"] };
  const job = await done(desk, body);
  assert.deepEqual(outcomes(job), all(4, { done: 3, failed: 1 }));
  assert.deepEqual([job.of, job.undone_by, job.tags], ["developers", "undo", ["course", "beta"]]);
  assert.deepEqual(await tagsOf(own), ["beta", "course"]);
  assert.deepEqual(await tagsOf(full), ten);
  await tag(changed, ["else"]);
  const undo = await done(desk, { kind: "undo", of_job: job.id });
  assert.deepEqual(outcomes(undo), all(3, { done: 2, left_alone: 1 }));
  assert.deepEqual(await Promise.all(ids.map(tagsOf)), [["beta"], ten, ["else"], []]);
  const narrow = { kind: "untag_developers", filter: { tag: "t3", state: "active" }, tags: ["t3"] };
  const less = await done(desk, narrow);
  assert.deepEqual(outcomes(less), all(1));
  assert.deepEqual(await tagsOf(full), ten.filter((one) => one !== "t3"));
});

onEngines(
  "developers: a job takes what the single change takes, and shows itself",
  async (desk) => {
    const ids = await registered(desk, 1);
    const person = async (name: string, permissions: string[]) => {
      const { id } = await call(desk, "POST", "/v1/people", { name, permissions });
      const token = { name: "laptop", deliver: "answer" };
      return (await call(desk, "POST", `/v1/people/${id}/access-tokens`, token)).access_token;
    };
    const credential = await person("Wim", ["portal:write"]);
    const job = await done(desk, { kind: "tag_developers", ids, tags: ["one"] }, credential);
    assert.deepEqual(outcomes(job), all(1));
    const kept = await done(desk, { kind: "deactivate_developers", ids, keys: "keep" }, credential);
    assert.deepEqual(outcomes(kept), all(1));
    const undo = await done(desk, { kind: "undo", of_job: kept.id }, credential);
    assert.deepEqual(outcomes(undo), all(1));
    // Keys that follow take more, at the job and where it is taken back.
    const suspends = { kind: "deactivate_developers", ids, keys: "suspend" };
    const own = await done(desk, suspends);
    const refused = [
      suspends,
      { kind: "undo", of_job: own.id },
      { kind: "reactivate_developers", ids, keys: "resume" },
      { kind: "decline", ids },
      { kind: "suspend_keys", ids, reason: "x" },
      { kind: "clear_certificate_owner", ids },
    ];
    for (const body of refused) {
      const answer = await desk.send("POST", JOBS, { body, credential });
      // A job of others is none to who may not see it.
      const code = body.kind === "undo" ? "not_found" : "access_denied";
      await assertFailure(answer, code);
    }
    assert.equal((await desk.send("GET", `${JOBS}/${own.id}`, { credential })).status, 404);
    assert.equal((await desk.send("POST", `${JOBS}/${own.id}/stop`, { credential })).status, 404);
    const listed = await allItems(desk, JOBS, credential);
    assert.deepEqual(listed.map(({ id }) => id), [undo.id, kept.id, job.id]);
    const lines = await desk.send("GET", `${JOBS}/${job.id}/result`, { credential });
    assert.equal(lines.status, 200);
    // Who may care for certificates alone does so in jobs too.
    const certs = await person("Cem", ["certs:write"]);
    const muted = { kind: "clear_certificate_owner", ids: ["none"] };
    const started = await start(desk, muted, certs);
    assert.equal(
      (await desk.send("GET", `${JOBS}/${started.id}`, { credential: certs })).status,
      200,
    );
  },
);
