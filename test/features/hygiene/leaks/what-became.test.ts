/** What becomes of a report: a list with states and times, "not so", and the mark with the key. */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { getExpiries } from "../../../../src/features/insight/insight.operations.ts";
import type { listedLeak } from "../../../../src/features/hygiene/leaks/leaks.operations.ts";
import { statement } from "../../../../src/storage/statement.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { call, issue, movableClock, readKey } from "../../../support/keys.ts";
import { openDesk, report, workOff } from "../../../support/leaks.ts";
import { newPerson } from "../../../support/people.ts";

type Leak = z.output<typeof listedLeak>;

const clock = movableClock();
const options = { environment: openDesk, clock };
const MINUTE = 60_000;
const URL = "https://example.org/repository/blob/main/.env";

const list = async (desk: TestDesk, query = "") =>
  (await call<{ data: Leak[] }>(desk, "GET", `/v1/leaks${query}`)).data;
const keysOf = async (desk: TestDesk, query: string) =>
  (await call<{ data: { key_id: string }[] }>(desk, "GET", `/v1/keys${query}`)).data
    .map(({ key_id }) => key_id);
const openAtHome = async (desk: TestDesk, credential?: string) => {
  const init = credential ? { credential } : {};
  const { keys } = await call<z.output<typeof getExpiries.response>>(
    desk,
    "GET",
    "/v1/insight/expiries",
    undefined,
    init,
  );
  return keys?.leaked;
};

async function leak(desk: TestDesk): Promise<string> {
  const { RawKey, key_id } = await issue(desk);
  await report(desk, [RawKey], { url: URL });
  await workOff(desk);
  clock.at += MINUTE;
  return key_id;
}

testOnEngines(
  "leaks: each report says who found the key where, what became of it, and how long that took",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T00:00:00Z");
    const open = await leak(desk);
    const rotated = await leak(desk);
    const revoked = await leak(desk);
    const suspended = await leak(desk);
    const ended = await leak(desk);
    const not = await leak(desk);
    await call(desk, "POST", `/v1/keys/${rotated}/rotate`, { overlap_seconds: 3600 });
    clock.at += MINUTE;
    await call(desk, "POST", `/v1/keys/${revoked}/revoke`, { reason: "leaked" });
    await call(desk, "POST", `/v1/keys/${suspended}/suspend`, { reason: "leaked" });
    const expires_at = new Date(clock.at + MINUTE).toISOString();
    await call(desk, "PUT", `/v1/keys/${ended}/expiry`, { expires_at });
    const all = [open, rotated, revoked, suspended, ended, not].toReversed();
    assert.deepEqual(
      (await openAtHome(desk))?.next.map(({ key_id }) => key_id),
      [open, suspended, ended, not],
    );
    const key = await call(desk, "POST", `/v1/keys/${not}/leak/dismiss`, { reason: "An example" });
    assert.equal(key.leaked, null);
    clock.at += 2 * MINUTE;
    const leaks = await list(desk);
    assert.deepEqual(leaks.map(({ key_id }) => key_id), all);
    assert.deepEqual(leaks.map(({ state, settled_after_seconds: s }) => [state, s]), [
      ["false_positive", 2 * 60],
      ["ended", 4 * 60],
      ["open", null],
      ["revoked", 5 * 60],
      ["rotated", 5 * 60],
      ["open", null],
    ]);
    const { reported_by, url, mask } = leaks.at(-1) ?? {};
    const shown = await readKey(desk, open);
    assert.deepEqual([reported_by, url, mask], ["anybody", URL, shown.mask]);
    assert.deepEqual((await list(desk, "?state=open")).map(({ key_id }) => key_id), [
      suspended,
      open,
    ]);
    const seen: string[] = [];
    for (let cursor = ""; seen.length < 6;) {
      const page = await call<{ data: Leak[]; next_cursor: string | null }>(
        desk,
        "GET",
        `/v1/leaks?limit=2${cursor}`,
      );
      seen.push(...page.data.map(({ key_id }) => key_id));
      cursor = `&cursor=${page.next_cursor}`;
    }
    assert.deepEqual(seen, all);
    const home = await openAtHome(desk);
    assert.equal(home?.count, 2);
    // The list of keys knows marks, and none that was dismissed.
    assert.deepEqual(await keysOf(desk, "?leaked=true"), all.slice(1));
    assert.deepEqual(await keysOf(desk, "?leaked=true&state=active"), [rotated, open]);
    assert.ok(!(await keysOf(desk, "?leaked=false")).includes(open));
    assert.ok((await keysOf(desk, "?leaked=false")).includes(not));
    const { admin } = await desk.otherOrganisation();
    const foreign = await call<{ data: Leak[] }>(desk, "GET", "/v1/leaks", undefined, {
      credential: admin,
    });
    assert.deepEqual([foreign.data, (await openAtHome(desk, admin))?.count], [[], 0]);
  },
  options,
);

const eventsSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("audit_events").select(["action", "actor", "detail"])
    .where("org_id", "=", p.org_id).where("object_id", "=", p.id)
    .where("action", "like", "credential.leak%").orderBy("id")
);

testOnEngines(
  "leaks: not so is said once, by a person and with a reason, and a report that comes again is a new one",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T00:00:00Z");
    const { RawKey, key_id } = await issue(desk);
    const dismiss = () =>
      call(desk, "POST", `/v1/keys/${key_id}/leak/dismiss`, { reason: "An example" });
    await report(desk, [RawKey], { url: URL });
    await workOff(desk);
    assert.ok((await readKey(desk, key_id)).leaked);
    await dismiss();
    await dismiss();
    assert.equal((await readKey(desk, key_id)).leaked, null);
    const events = await desk.app.ctx.storage.reader.rows(eventsSql, {
      org_id: desk.org_id,
      id: key_id,
    });
    assert.deepEqual(events.map(({ action }) => action), [
      "credential.leaked",
      "credential.leak_dismissed",
    ]);
    assert.notEqual(events[1]?.actor, "leak-desk");
    assert.match(events[1]?.detail ?? "", /An example/);
    clock.at += MINUTE;
    await report(desk, [RawKey], { url: `${URL}.2` });
    await workOff(desk);
    const [again, ...others] = await list(desk);
    assert.deepEqual([again?.state, again?.url, others], ["open", `${URL}.2`, []]);
    assert.equal(again?.reported_at, new Date(clock.at).toISOString());
    const { admin } = await desk.otherOrganisation();
    const foreign = await desk.send("POST", `/v1/keys/${key_id}/leak/dismiss`, {
      credential: admin,
      body: { reason: "Mine" },
    });
    assert.equal(foreign.status, 404);
    assert.ok((await readKey(desk, key_id)).leaked);
  },
  options,
);

testOnEngines(
  "leaks: access tokens are listed beside keys, for whoever holds admin alone",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T00:00:00Z");
    const key_id = await leak(desk);
    const grace = await newPerson(desk, ["portal:read"]);
    const admin = await newPerson(desk, ["admin"]);
    await report(desk, [grace.credential, admin.credential], { url: URL });
    await workOff(desk);
    clock.at += MINUTE;
    const { data: [token] } = await call<{ data: { id: string }[] }>(
      desk,
      "GET",
      `/v1/people/${grace.id}/access-tokens`,
    );
    await call(desk, "DELETE", `/v1/access-tokens/${token?.id}`);
    const all = await list(desk);
    assert.equal(all.length, 3);
    assert.deepEqual(all.at(-1)?.key_id, key_id);
    assert.deepEqual(
      await list(desk, "?object=access_token&state=revoked"),
      all.filter(({ person_id }) => person_id === grace.id),
    );
    const revoked = all.find(({ token_id }) => token_id === token?.id);
    assert.deepEqual(
      [revoked?.object, revoked?.state, revoked?.settled_after_seconds, revoked?.url],
      ["access_token", "revoked", 60, URL],
    );
    assert.deepEqual((await list(desk, "?object=key")).map((one) => one.key_id), [key_id]);
    assert.deepEqual((await list(desk, "?object=access_token&state=open")).length, 1);
    const seen: string[] = [];
    for (let cursor = ""; seen.length < 3;) {
      const page = await call<{ data: Leak[]; next_cursor: string | null }>(
        desk,
        "GET",
        `/v1/leaks?limit=1${cursor}`,
      );
      seen.push(...page.data.map((one) => one.key_id || one.token_id));
      cursor = `&cursor=${page.next_cursor}`;
    }
    assert.deepEqual(seen, all.map((one) => one.key_id || one.token_id));

    const reader = await newPerson(desk, ["portal:read"]);
    const read = async (query: string) =>
      (await call<{ data: Leak[] }>(desk, "GET", `/v1/leaks${query}`, undefined, {
        credential: reader.credential,
      })).data.map((one) => one.key_id);
    assert.deepEqual(await read(""), [key_id]);
    assert.deepEqual(await read("?object=access_token"), []);
  },
  options,
);
