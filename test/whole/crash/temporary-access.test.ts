/**
 * Two servers that are killed as temporary access begin, are used and end: each is there once or
 * not at all, counts every deed, and ends by itself.
 */
import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import type { ServerProcess } from "../../support/processes.ts";
import { PAST, testTwoNodes } from "./support/two-nodes.ts";

const PEOPLE = 6;
const KILLS = 3;

interface Session {
  cookie: string;
  csrf: string;
}

/** Calls by a session; the status and answer, or undefined where none came. */
async function bySession(
  { url }: ServerProcess,
  { cookie, csrf }: Session,
  method: string,
  path: string,
  body?: unknown,
  // deno-lint-ignore no-explicit-any -- answers of several shapes
): Promise<{ status: number; body: any } | undefined> {
  try {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { cookie, "x-csrf-token": csrf, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return undefined;
  }
}

testTwoNodes(
  "temporary access: nodes that are killed amid them lose none, count every deed, and each ends",
  {},
  async ({ nodes, sql, sent, killed }) => {
    const person = async (name: string, email: string) => {
      const { id } = await sent("POST", "/v1/people", {
        name,
        email,
        permissions: ["portal:read"],
      });
      const token = { name: "laptop", deliver: "answer" };
      const { access_token: credential } = await sent(
        "POST",
        `/v1/people/${id}/access-tokens`,
        token,
      );
      const answer = await fetch(`${nodes[0].url}/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ access_token: credential }),
      });
      const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
      return { id: id as string, session: { cookie, csrf: (await answer.json()).csrf_token } };
    };
    const bob = await person("Bob", "bob@example.org");
    const people: Awaited<ReturnType<typeof person>>[] = [];
    for (let n = 0; n < PEOPLE; n++) people.push(await person(`P${n}`, `p${n}@example.org`));
    const { id: rule_id } = await sent("POST", "/v1/temporary-access-rules", {
      name: "Incidents",
      people: people.map(({ id }) => id),
      role: "approver",
      minutes: 1,
      proof: "second_person",
      seconds: [bob.id],
    });
    await sent("POST", "/v1/plans", { id: "plan", name: "plan" });
    const requests: string[] = [];
    for (let n = 0; n < PEOPLE * KILLS * 2; n++) {
      const by_user = `dev-${n}`;
      await sent("POST", "/v1/developers", { id: by_user, email: `${by_user}@example.org` });
      requests.push((await sent("POST", "/v1/key-requests", { by_user, for_plan: "plan" })).id);
    }
    let approved = 0;
    for (let kills = 0; kills < KILLS; kills++) {
      const at = (n: number) => nodes[n % 2 as 0 | 1];
      const works = people.map(async ({ session }, n) => {
        const asked = { rule_id, reason: "Incident 4711: keys leaked", minutes: 1 };
        const begun = await bySession(at(n), session, "POST", "/v1/temporary-access", asked);
        const id = begun?.body.id ??
          (await bySession(at(n), session, "GET", "/v1/temporary-access/own"))?.body
            .temporary_access?.id;
        await bySession(at(n + 1), bob.session, "POST", `/v1/temporary-access/${id}/confirm`);
        for (const request of requests.splice(0, 2)) {
          const path = `/v1/key-requests/${request}/approve`;
          const deed = await bySession(at(n), session, "POST", path, { deliver: "one_time_link" });
          if (deed?.status === 200) approved++;
        }
      });
      // Amid whatever they are at as the first of them have done something.
      const from = approved;
      await Promise.race([
        eventually("something is done", () => Promise.resolve(approved > from)),
        Promise.all(works),
      ]);
      await killed();
      await Promise.all(works);
    }
    // What a kill left asked waits for its second person a while yet: that time is over now.
    await sql(`update elevations set expires_at = '${PAST}' where state = 'asked'`);
    await eventually(
      "each has ended",
      async () => (await sql("select id from elevations where ended_at is null")).length === 0,
      500,
    );
    const rows = await sql("select id, started_at, deeds, end_reason from elevations");
    const events = await sql(`select object_id, action, count(*) as n from audit_events
      where action in ('elevation.started', 'elevation.ended', 'elevation.unanswered')
      group by object_id, action`);
    const times = (id: unknown, action: string) =>
      Number(events.find((one) => one.object_id === id && one.action === action)?.n ?? 0);
    let deeds = 0;
    for (const { id, started_at, deeds: counted } of rows) {
      const isBegun = started_at !== null;
      assert.deepEqual(
        ["started", "ended", "unanswered"].map((one) => times(id, `elevation.${one}`)),
        isBegun ? [1, 1, 0] : [0, 0, 1],
      );
      const { data } = await sent("GET", `/v1/audit-log?temporary_access=${id}&limit=100`);
      const marked = data.filter((one: { detail: { elevation?: unknown } }) =>
        one.detail.elevation === id
      );
      assert.equal(marked.length, Number(counted));
      deeds += marked.length;
    }
    const keys = await sql("select count(*) as n from credentials");
    const decided = await sql("select count(*) as n from key_requests where state = 'issued'");
    assert.equal(Number(keys[0]?.n), Number(decided[0]?.n));
    assert.ok(approved > 0 && Number(decided[0]?.n) >= approved);
    for (const { session } of people) {
      const held = await bySession(nodes[0], session, "GET", "/v1/session");
      assert.deepEqual(held?.body.permissions, ["portal:read"]);
    }
    console.log(
      `kills ${2 * KILLS}, temporary access ${rows.length}, deeds ${deeds}, answers lost ${
        Number(decided[0]?.n) - approved
      }`,
    );
  },
);
