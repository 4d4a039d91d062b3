/** A query that comes again means what it says, whatever came before it. */
import assert from "node:assert/strict";
import { openTestDesk } from "../support/desk.ts";

Deno.test("queries: one that comes again is read as at first, and a refused one is refused again", async () => {
  await using desk = await openTestDesk("sqlite");
  const statusOf = async (query: string) => {
    const answer = await desk.send("GET", `/v1/key-requests${query}`);
    const { data } = await answer.json();
    return answer.status === 200 ? data.length : answer.status;
  };
  const by_user = "ada";
  for (let n = 0; n < 2; n++) {
    const body = { by_user, for_plan: `plan-${n}` };
    assert.equal((await desk.send("POST", "/api/portal/requests", { body })).status, 200);
  }
  const queries = ["?limit=1", "?limit=1", "", "?limit=1", "?limits=1", "?limits=1", "?limit=1"];
  const long = `?limit=1&developer=ada${"%20".repeat(100)}`;
  const answers = [];
  for (const query of [...queries, long, "?limit=2", "?limit=1", "?limit=1&limit=1", "?limit=1"]) {
    answers.push(await statusOf(query));
  }
  assert.deepEqual(answers, [1, 1, 2, 1, 400, 400, 1, 0, 2, 1, 400, 1]);
});
