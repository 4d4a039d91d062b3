/** `keydesk jobs` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { doors, linesOf, openDoors } from "../support/doors.ts";
import { eventually } from "../support/raw-http.ts";

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
    /** Starts a job and waits for its end; gives it. */
    const done = async (...words: string[]) => {
      const started = await call("jobs", ...words, "--json");
      assert.equal(started.code, 0, started.stderr);
      const { id } = JSON.parse(started.stdout);
      let job = JSON.parse(started.stdout);
      await eventually("the job has ended", async () => {
        job = JSON.parse((await call("jobs", "show", id, "--json")).stdout);
        return job.ended_at !== null;
      });
      return job;
    };
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
        [["suspend_keys", "--reason", "over"], /say which keys/],
        [["suspend_keys", "--all", "--tag", "spring", "--reason", "over"], /say which keys/],
        [["suspend_keys", "--tag", "spring"], /reason: needed by the kind suspend_keys/],
      ] as const
    ) {
      const refused = await call("jobs", "start", ...words);
      assert.equal(refused.code, 1, words.join(" "));
      assert.match(refused.stderr, said);
    }
    const none = await call("jobs", "undo", rotated.id);
    assert.match(none.stderr, /nothing takes back/);
    assert.match((await call("jobs", "show", "nothing")).stderr, /there is no job nothing/);
  });
}
