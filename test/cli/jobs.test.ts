/** `keydesk jobs` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { doors, linesOf, openDoors } from "../support/doors.ts";
import { eventually } from "../support/eventually.ts";

type Call = (...words: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;

/** Starts a job and waits for its end; gives it. */
async function ended(call: Call, words: readonly string[]) {
  const started = await call("jobs", ...words, "--json");
  assert.equal(started.code, 0, started.stderr);
  let job = JSON.parse(started.stdout);
  await eventually("the job has ended", async () => {
    job = JSON.parse((await call("jobs", "show", job.id, "--json")).stdout);
    return job.ended_at !== null;
  });
  return job;
}

const UNTIL = "2099-01-31T09:00:00.000Z";

for (const way of doors) {
  Deno.test(`jobs (${way}): keys are changed, told of and given back`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const [plan] = linesOf((await call("plans", "list", "--json")).stdout);
    const [{ id: developer }] = linesOf((await call("developers", "list", "--json")).stdout);
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const issued = await call("keys", "issue", developer, plan._id, "--tag", "course", "--json");
      assert.equal(issued.code, 0, issued.stderr);
      ids.push(JSON.parse(issued.stdout).key_id);
    }
    const done = (...words: string[]) => ended(call, words);
    const stateOf = async () => {
      const listed = await call("keys", "list", "--tag", "course", "--json");
      return linesOf(listed.stdout).map(({ state }) => state);
    };
    const job = await done("start", "suspend_keys", "--tag", "course", "--reason", "over");
    assert.deepEqual([job.state, job.done, job.failed], ["done", 3, 0]);
    assert.deepEqual(await stateOf(), ["suspended", "suspended", "suspended"]);
    const told = await call("jobs", "result", job.id);
    assert.equal(told.stdout.trim().split("\r\n").length, 4, told.stderr);
    assert.match((await call("jobs", "list")).stdout, /suspend_keys +done +3 +3/);
    const back = await done("undo", job.id);
    assert.deepEqual([back.undoes, back.done], ["suspend_keys", 3]);
    assert.deepEqual(await stateOf(), ["active", "active", "active"]);
    const tags = await done(
      "start",
      "tag_keys",
      ...ids.flatMap((id) => ["--ids", id]),
      "--set-tag",
      "spring",
    );
    assert.deepEqual([tags.tags, tags.done], [["spring"], 3]);
    const rotated = await done(
      "start",
      "rotate_keys",
      "--ids",
      ids[0] ?? "",
      "--overlap-seconds",
      "0",
      "--count",
      "1",
    );
    assert.equal(rotated.done, 1);
    const links = (await call("jobs", "links", rotated.id)).stdout.trim().split("\r\n");
    assert.match(links[1] ?? "", /\/claim#[\w-]{43},/);
    for (
      const [words, said] of [
        [["revoke_keys", "--tag", "spring", "--reason", "over"], /can't be undone: say by --count/],
        [["suspend_keys", "--reason", "over"], /say which: by --ids/],
        [["suspend_keys", "--all", "--tag", "spring", "--reason", "over"], /say which: by --ids/],
        [["deactivate_developers", "--ids", developer], /keys: needed by the kind/],
        [["suspend_keys", "--tag", "spring"], /reason: needed by the kind suspend_keys/],
      ] as const
    ) {
      const refused = await call("jobs", "start", ...words);
      assert.equal(refused.code, 1, words.join(" "));
      assert.match(refused.stderr, said);
    }
    const { id: active } = linesOf((await call("developers", "list", "--json")).stdout)
      .find(({ inactive }) => !inactive);
    const one = ["--ids", active, "--keys", "keep"];
    const off = await done("start", "deactivate_developers", ...one, "--count", "1");
    assert.deepEqual([off.of, off.done], ["developers", 1]);
    const on = await done("start", "reactivate_developers", "--state", "inactive");
    assert.deepEqual([on.keys, on.done >= 1], [null, true]);
    const none = await call("jobs", "undo", rotated.id);
    assert.match(none.stderr, /nothing takes back/);
    assert.match((await call("jobs", "show", "nothing")).stderr, /there is no job nothing/);
  });
}

for (const way of doors) {
  Deno.test(`jobs (${way}): key requests are assigned, declined, reopened and approved`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const done = (...words: string[]) => ended(call, words);
    const waiting = await desk.pending();
    const all = waiting.length;
    assert.ok(all >= 2);
    // The operator is no person: nothing is assigned to it, and nothing waits for it.
    const [{ id: person }] = linesOf((await desk.local("people", "list", "--json")).stdout);
    const to = way === "local" ? person : "me";
    const waits = way === "local" ? [] : ["--waits-for", "me"];
    const assigned = await done("start", "assign", "--assignee", "nobody", "--to", to);
    assert.deepEqual([assigned.of, assigned.done, assigned.failed], ["key_requests", all, 0]);
    const mine = await call("requests", "list", "--assignee", to, "--json");
    assert.equal(linesOf(mine.stdout).length, all);

    const [first = "", second = ""] = waiting;
    const ids = ["--ids", first, "--ids", second];
    const declined = await done("start", "decline", ...ids, "--reason", "The course is over.");
    assert.deepEqual([declined.done, declined.reason], [2, "The course is over."]);
    const told = await call("jobs", "result", declined.id);
    assert.equal(told.stdout.match(/,declined,/g)?.length, 2, told.stdout);
    const back = await done("undo", declined.id);
    assert.deepEqual([back.kind, back.done], ["reopen", 2]);
    assert.equal((await desk.pending()).length, all);

    const { for_plan, by_user } = JSON.parse(
      (await call("requests", "show", first, "--json")).stdout,
    );
    const few = await done("start", "approve", ...waits, "--assignee", to, "--count", "1");
    assert.deepEqual([few.state, few.why, few.done], ["broken_off", "too_many", 0]);
    const approved = await done(
      "start",
      "approve",
      ...waits,
      "--plan",
      for_plan,
      "--developer",
      by_user,
      "--message",
      "Welcome.",
      "--reason",
      "known",
      "--address",
      "192.0.2.0/24",
      "--review-at",
      "2040-01-31T09:00:00Z",
      "--expires-at",
      "2041-01-31T09:00:00Z",
      "--count",
      String(all),
    );
    assert.ok(approved.done >= 1 && approved.failed === 0, JSON.stringify(approved));
    assert.equal(approved.filter.waits_for, waits[1]);
    const shown = JSON.parse((await call("requests", "show", first, "--json")).stdout);
    assert.deepEqual([shown.state, shown.message, shown.reason], ["issued", "Welcome.", "known"]);
    assert.deepEqual(shown.granted.addresses, ["192.0.2.0/24"]);
    assert.equal(Date.parse(shown.granted.review_at), Date.parse("2040-01-31T09:00:00Z"));
    assert.equal(Date.parse(approved.key_expires_at), Date.parse("2041-01-31T09:00:00Z"));
    const links = (await call("jobs", "links", approved.id)).stdout;
    assert.equal(links.match(/\/claim#[\w-]{43},/g)?.length, approved.done, links);
    assert.match((await call("jobs", "undo", approved.id)).stderr, /nothing takes back/);
    for (
      const [words, said] of [
        [["approve", "--waits-for", "me"], /approve can't be undone: say by --count/],
        [["decline", "--reason", "over"], /say which: by --ids/],
        [["decline", "--state", "active"], /state: does not narrow the kind decline/],
        [["decline", "--all", "--message", "no"], /message: goes with approve alone/],
        [["assign", "--all"], /assignee: needed by the kind assign/],
      ] as const
    ) {
      const refused = await call("jobs", "start", ...words);
      assert.equal(refused.code, 1, words.join(" "));
      assert.match(refused.stderr, said);
    }
  });
}

for (const way of doors) {
  Deno.test(`jobs (${way}): certificates are changed by jobs too`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const owned = await ended(call, [
      "start",
      "set_certificate_owner",
      "--all",
      "--set-owner",
      "a@b.c",
    ]);
    assert.deepEqual([owned.of, owned.owner, owned.state], ["certificates", "a@b.c", "done"]);
    const muting = ["start", "mute_certificates", "--ids", "nothing", "--until", UNTIL];
    const muted = await ended(call, [...muting, "--reason", "a move"]);
    assert.deepEqual([muted.until, muted.left_alone], [UNTIL, 1]);
  });
}
