/** What becomes of the keys that a job's approvals issue: their ends, links and mails. */
import assert from "node:assert/strict";
import { assertInvalid } from "../../support/answers.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { v1 } from "../../support/v1-requests.ts";
import { allItems, call, newPerson } from "../../support/people.ts";
import {
  ask,
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

onEngines(
  "links are taken once, by whoever started the job, and stand nowhere else",
  async (desk) => {
    await ask(desk, 3);
    const { id } = await start(desk, { kind: "approve", filter: {} });
    await work(engineOf(desk));
    assert.equal((await read(desk, id)).links_wait, true);
    const other = await newPerson(desk, ["portal:read", "approve"]);
    const taking = { credential: other.credential };
    await assertFailure(
      await desk.send("POST", `${JOBS}/${id}/one-time-links/csv`, taking),
      "access_denied",
    );
    const seen = await call(desk, "GET", `${JOBS}/${id}`, undefined, other.credential);
    assert.deepEqual([seen.mine, seen.links_wait], [false, false]);
    // What was opened meanwhile is of no use to anybody.
    const [head, ...lines] = await file(desk, "POST", `${JOBS}/${id}/one-time-links/csv`);
    assert.equal(head, "key_request,developer,email,plan,one_time_link,until");
    assert.equal(lines.length, 3);
    const token = /#([\w-]{43}),/.exec(lines[0] ?? "")?.[1] ?? "";
    const { key: credential } = await v1.open(desk, token);
    assert.ok(credential.RawKey);
    assert.equal((await file(desk, "POST", `${JOBS}/${id}/one-time-links/csv`)).length, 1);
    assert.equal((await read(desk, id)).links_wait, false);
    const result = (await file(desk, "GET", `${JOBS}/${id}/result`)).join("\n");
    for (const secret of [token, credential.RawKey]) assert.ok(!result.includes(secret));
    const told = await allItems(desk, "/v1/audit-log?action=job.links_taken");
    assert.deepEqual(told.map(({ object_id }) => object_id), [id, id]);
  },
);

onEngines("keys of its approvals end when it says, or are not issued", async (desk, clock) => {
  const ids = await ask(desk, 3);
  const engine = engineOf(desk);
  const end = new Date(clock.at + DAY).toISOString();
  const { id, key_expires_at } = await start(desk, { kind: "approve", ids, expires_at: end });
  assert.equal(Date.parse(key_expires_at), Date.parse(end));
  await work(engine);
  const { data } = await call(desk, "GET", "/v1/keys");
  const ends = data.map((key: { expires_at: string }) => Date.parse(key.expires_at));
  assert.deepEqual(ends, ids.map(() => Date.parse(end)));
  assert.equal((await read(desk, id)).key_expires_at, key_expires_at);
  const [told] = await allItems(desk, "/v1/audit-log?action=job.started");
  assert.equal(told.detail.expires_at, key_expires_at);
  // Its day comes before their turn.
  const [late = ""] = await ask(desk, 1, { by_user: "dev-late" });
  const next = { kind: "approve", ids: [late], expires_at: new Date(clock.at + 60_000) };
  const { id: second } = await startOnly(desk, next);
  clock.at += 61_000;
  await work(engine);
  assert.deepEqual(outcomes(await read(desk, second)), {
    state: "done",
    total: 1,
    done: 0,
    left_alone: 0,
    failed: 1,
  });
  assert.equal((await v1.get(desk, late)).state, "pending");
  // Without it the plans say.
  const { id: third } = await start(desk, { kind: "approve", ids: [late] });
  await work(engine);
  assert.equal((await read(desk, third)).key_expires_at, null);
  const { data: all } = await call(desk, "GET", "/v1/keys");
  const endless = all.filter((key: { expires_at: string | null }) => key.expires_at === null);
  assert.deepEqual([all.length, endless.length], [4, 1]);
});

onEngines("an end that is over, or of what issues no key, is refused", async (desk, clock) => {
  const post = (body: object) => desk.send("POST", JOBS, { body });
  const past = new Date(clock.at - 1000).toISOString();
  const future = new Date(clock.at + DAY).toISOString();
  const approve = { kind: "approve", ids: ["x"] };
  await assertInvalid(
    await post({ ...approve, expires_at: past }),
    "expires_at: expected a time to come",
  );
  assert.equal((await post({ ...approve, expires_at: "tomorrow" })).status, 400);
  for (const kind of ["decline", "reopen"]) {
    await assertInvalid(
      await post({ kind, ids: ["x"], expires_at: future }),
      "expires_at: goes with approve, set_key_end alone",
    );
  }
  assert.deepEqual((await call(desk, "GET", JOBS)).data, []);
});

onEngines("by mail: no link waits for a file; without a channel the job ends", async (desk) => {
  await ask(desk, 50);
  const { id: channel } = await call(desk, "POST", "/v1/channels", { kind: "mail", name: "Mail" });
  assert.equal((await call(desk, "GET", `${JOBS}/selection?kind=approve`)).mails_links, true);
  const { id } = await start(desk, { kind: "approve", filter: {}, deliver: "mail" });
  const engine = engineOf(desk);
  await engine.turn();
  await engine.turn();
  const { done, links_wait } = await read(desk, id);
  assert.deepEqual([done > 0 && done < 50, links_wait], [true, false]);
  assert.equal((await file(desk, "POST", `${JOBS}/${id}/one-time-links/csv`)).length, 1);
  assert.equal((await desk.send("DELETE", `/v1/channels/${channel}`)).status, 200);
  await work(engine);
  const job = await read(desk, id);
  assert.deepEqual([job.state, job.why, job.done], ["broken_off", "links_not_mailed", done]);
});

onEngines(
  "a developer whose address changed is left alone, and their link goes where it was made for",
  async (desk) => {
    const before = { portal_developer: { id: "dev-0", email: "elif@example.org" } };
    const change = (id: string, email: string) =>
      call(desk, "PUT", `/v1/developers/${id}`, { email, fields: {}, account: "same_person" });
    // Between the selection and its turn.
    const [request = ""] = await ask(desk, 1, before);
    const first = await start(desk, { kind: "approve", ids: [request], deliver: "links" });
    const engine = engineOf(desk);
    await engine.turn();
    await change("dev-0", "thief@example.net");
    await work(engine);
    // It may have had its turn before that.
    const { done, left_alone } = await read(desk, first.id);
    assert.equal(done + left_alone, 1);
    // Behind the moment that somebody looked at.
    const { created_before } = await call(desk, "GET", `${JOBS}/selection?kind=approve`);
    const other = await create(
      desk,
      smallRequest({
        by_user: "dev-9",
        portal_developer: { id: "dev-9", email: "grace@example.org" },
        date_created: "2026-01-01T00:00:00Z",
      }),
    );
    await change("dev-9", "thief-9@example.net");
    const looked = await start(desk, {
      kind: "approve",
      filter: { created_before, developer: "dev-9" },
    });
    await work(engine);
    assert.deepEqual((await read(desk, looked.id)).left_alone, 1);
    assert.equal((await v1.get(desk, other)).state, "pending");
    // By mail nothing goes where nobody confirmed.
    await call(desk, "POST", "/v1/channels", { kind: "mail", name: "Mail" });
    const mailed = await start(desk, { kind: "approve", ids: [other], deliver: "mail" });
    await work(engine);
    assert.equal((await read(desk, mailed.id)).failed, 1);
    assert.ok(
      (await file(desk, "GET", `${JOBS}/${mailed.id}/result`)).some((line) =>
        line.includes("confirmed")
      ),
    );
    // What was handed over before the change stays for whom it was.
    const [last = ""] = await ask(desk, 1, {
      by_user: "dev-7",
      portal_developer: { id: "dev-7", email: "ada@example.org" },
    });
    const linked = await start(desk, { kind: "approve", ids: [last], deliver: "links" });
    await work(engine);
    await change("dev-7", "thief-7@example.net");
    const [, link = ""] = await file(desk, "POST", `${JOBS}/${linked.id}/one-time-links/csv`);
    assert.ok(link.includes("ada@example.org") && !link.includes("thief"), link);
  },
);
