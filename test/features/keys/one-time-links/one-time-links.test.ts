/** One-time links: one use, short life, and nothing that anybody else could read. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { purgeEnded } from "../../../../src/maintenance/retention/retention.transactions.ts";
import { statement } from "../../../../src/storage/statement.ts";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { create, smallRequest } from "../../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../../support/live-records.ts";
import { tokenOf, tryOpen, v1 } from "../../../support/v1-requests.ts";
import { storedCredentials } from "../../../support/stored.ts";

const clock = { at: Date.parse("2026-03-01T00:00:00Z"), now: () => clock.at };
const HOUR = 60 * 60 * 1000;

const oneTimeLinksSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("claims").selectAll().where("org_id", "=", p.org_id)
);

function stored(desk: TestDesk) {
  return desk.app.ctx.storage.reader.rows(oneTimeLinksSql, { org_id: desk.org_id });
}

async function oneTimeLinkOf(desk: TestDesk, body = smallRequest()) {
  const id = await create(desk, body);
  const approved = await v1.approve(desk, id, "?deliver=one_time_link");
  assert.equal(approved.key, null);
  return { ...approved, token: tokenOf(approved.one_time_link) };
}

testOnEngines(
  "one-time link: opens once and hands over the credential that was stored",
  async (desk) => {
    const { token, key_id, one_time_link, id } = await oneTimeLinkOf(desk);
    assert.match(one_time_link?.link ?? "", /^\/claim#[A-Za-z0-9_-]{43}$/);
    const opened = await v1.open(desk, token);
    assert.equal(opened.key_id, key_id);
    assert.equal(sha256(opened.key.RawKey), key_id);
    assert.deepEqual(opened.plans, ["plan-weather"]);
    await assertFailure(await tryOpen(desk, token), "one_time_link_gone");
    const [listed] = (await v1.oneTimeLinks(desk)).data;
    assert.equal(listed?.state, "opened");
    assert.deepEqual([listed?.key_request_id, listed?.request_id], [id, id]);
    assert.equal((await stored(desk))[0]?.secret, null);
  },
);

testOnEngines(
  "one-time link: body or query ask for it, and OAuth clients come whole",
  async (desk) => {
    const id = await create(
      desk,
      smallRequest({ oauth_info: { redirect_uri: "https://a.example" } }),
    );
    const approved = await v1.approve(desk, id, "", { body: { deliver: "one_time_link" } });
    const { key: credential } = await v1.open(desk, tokenOf(approved.one_time_link));
    assert.equal(credential.redirect_uri, "https://a.example");
    assert.ok(credential.client_id && credential.secret);
  },
);

testOnEngines(
  "one-time link: the store holds neither token nor credential in readable form",
  async (desk) => {
    const { token } = await oneTimeLinkOf(desk);
    const [row] = await stored(desk);
    const text = JSON.stringify(row);
    assert.ok(!text.includes(token));
    // Without the token the server's own key opens what is still encrypted.
    const { sealer } = desk.app.ctx;
    const place = { table: "claims", org_id: desk.org_id, id: row?.id ?? "", column: "secret" };
    const inner = sealer.open(place, row?.secret ?? "");
    assert.throws(() => sealer.openTwice(`${token}x`, place, row?.secret ?? ""));
    const { key: credential } = await v1.open(desk, token);
    const bytes = Buffer.from(inner, "base64").toString("latin1");
    assert.ok(!`${inner}${bytes}`.includes(credential.RawKey));
    assert.ok(!text.includes(credential.RawKey));
    assert.ok(!desk.logLines.join("").includes(token));
    assert.ok(!desk.logLines.join("").includes(credential.RawKey));
  },
);

testOnEngines("one-time link: of many who open it at once, one gets it", async (desk) => {
  for (let round = 0; round < 5; round++) {
    const { token } = await oneTimeLinkOf(desk);
    const answers = await Promise.all(Array.from({ length: 10 }, () => tryOpen(desk, token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(410)]);
  }
});

testOnEngines(
  "one-time link: used, expired, withdrawn, unknown and of a dead key answer alike",
  async (desk) => {
    const answers = new Set<string>();
    const note = async (response: Response) => {
      const id = response.headers.get("x-request-id") ?? "";
      answers.add(`${response.status} ${(await response.text()).replaceAll(id, "")}`);
    };
    const used = await oneTimeLinkOf(desk);
    await v1.open(desk, used.token);
    await note(await tryOpen(desk, used.token));
    await note(await tryOpen(desk, "x"));
    await note(await tryOpen(desk, "A".repeat(43)));
    const withdrawn = await oneTimeLinkOf(desk);
    const path = `/v1/one-time-links/${withdrawn.one_time_link?.id}`;
    assert.equal((await (await desk.send("DELETE", path)).json()).state, "withdrawn");
    await note(await tryOpen(desk, withdrawn.token));
    const dead = await oneTimeLinkOf(desk);
    await liveRecordsOf(desk).revoke(dead.key_id);
    await note(await tryOpen(desk, dead.token));
    const late = await oneTimeLinkOf(desk);
    clock.at += HOUR;
    await note(await tryOpen(desk, late.token));
    assert.equal(answers.size, 1);
    assert.match([...answers].join(), /^410 .*one_time_link_gone/);
    for (const one_time_link of [used.one_time_link, withdrawn.one_time_link, late.one_time_link]) {
      await assertFailure(
        await desk.send("DELETE", `/v1/one-time-links/${one_time_link?.id}`),
        "one_time_link_closed",
      );
    }
    const states = (await v1.oneTimeLinks(desk)).data.map(({ state }) => state).sort();
    // The dead key's one-time link is over as well by now.
    assert.deepEqual(states, ["expired", "expired", "opened", "withdrawn"]);
    // What is over is erased in the background.
    await oneTimeLinkOf(desk);
    const input = { table: "claim_secrets" as const, now: clock.at };
    await desk.app.ctx.storage.commit(purgeEnded, input);
    assert.equal((await stored(desk)).filter(({ secret }) => secret !== null).length, 1);
  },
  { environment: { KEYDESK_ONE_TIME_LINK_LIFE: "3600" }, extra: liveRecords, clock },
);

testOnEngines(
  "one-time link: a suspended key burns nothing, and its one-time link opens when it is resumed",
  async (desk) => {
    const { token, key_id } = await oneTimeLinkOf(desk);
    const body = { reason: "asked the developer" };
    const post = (what: string) => desk.send("POST", `/v1/keys/${key_id}/${what}`, { body });
    assert.equal((await post("suspend")).status, 200);
    await assertFailure(await tryOpen(desk, token), "one_time_link_gone");
    assert.equal((await post("resume")).status, 200);
    assert.equal((await v1.open(desk, token)).key_id, key_id);
  },
);

testOnEngines(
  "one-time link: a request that changes a key has nothing to hand over",
  async (desk) => {
    const { key_id } = await v1.approve(desk, await create(desk, smallRequest()));
    const more = smallRequest({ for_plan: "plan-maps", key: key_id });
    const changed = await v1.approve(desk, await create(desk, more), "?deliver=one_time_link");
    assert.deepEqual([changed.key_id, changed.one_time_link, changed.key], [
      key_id,
      null,
      null,
    ]);
    assert.deepEqual(await stored(desk), []);
    assert.equal((await storedCredentials(desk)).length, 1);
  },
);

testOnEngines(
  "one-time link: lists are the organisation's own, by state and page after page",
  async (desk) => {
    for (let i = 0; i < 5; i++) await oneTimeLinkOf(desk);
    const first = await v1.oneTimeLinks(desk, "?limit=2&state=open");
    assert.equal(first.data.length, 2);
    const second = await v1.oneTimeLinks(desk, `?limit=2&cursor=${first.next_cursor}`);
    const last = await v1.oneTimeLinks(desk, `?limit=2&cursor=${second.next_cursor}`);
    assert.equal(last.next_cursor, null);
    const ids = [first, second, last].flatMap(({ data }) => data.map(({ id }) => id));
    assert.equal(new Set(ids).size, 5);
    assert.deepEqual((await v1.oneTimeLinks(desk, "?state=opened")).data, []);
    const { admin: credential } = await desk.otherOrganisation();
    const foreign = await (await desk.send("GET", "/v1/one-time-links", { credential })).json();
    assert.deepEqual(foreign, { data: [], next_cursor: null });
    const response = await desk.send("DELETE", `/v1/one-time-links/${ids[0]}`, { credential });
    await assertFailure(response, "not_found");
    const reader = await desk.token(["portal:read"]);
    const refused = await desk.send("DELETE", `/v1/one-time-links/${ids[0]}`, {
      credential: reader,
    });
    assert.equal(refused.status, 403);
  },
);

testOnEngines(
  "one-time link: links begin with the address that the settings give",
  async (desk) => {
    const { one_time_link } = await oneTimeLinkOf(desk);
    assert.match(one_time_link?.link ?? "", /^https:\/\/keys\.example\.org\/desk\/claim#.{43}$/);
  },
  { environment: { KEYDESK_PUBLIC_URL: "https://keys.example.org/desk/" } },
);

testOnEngines(
  "page of a one-time link: whole by itself, under a strict policy, and reading it burns nothing",
  async (desk) => {
    const { token } = await oneTimeLinkOf(desk);
    const page = await desk.send("GET", "/claim", { credential: null });
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(page.headers.get("referrer-policy"), "no-referrer");
    assert.equal(page.headers.get("cache-control"), "no-store");
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.ok(!policy.includes("unsafe"));
    const html = await page.text();
    assert.ok(
      !/https?:|style="|<style|<script>| on\w+="/.test(html),
      "nothing inline or from elsewhere",
    );
    for (const [, file = ""] of html.matchAll(/(?:src|href)="(claim\.\w+)"/g)) {
      const answer = await desk.send("GET", `/${file}`, { credential: null });
      assert.equal(answer.status, 200);
      // The preview names the plans; nobody keeps the id of one.
      assert.ok(!(await answer.text()).includes("policy_id"), file);
    }
    assert.equal((await desk.send("HEAD", "/claim", { credential: null })).status, 200);
    assert.equal(
      (await desk.send("GET", "/v1/one-time-links/open", { credential: null })).status,
      405,
    );
    await v1.open(desk, token);
  },
);
