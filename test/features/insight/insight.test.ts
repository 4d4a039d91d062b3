/** What somebody sees at a glance: what ends, which steps are done. */
import assert from "node:assert/strict";
import type { z } from "zod";
import type {
  getExpiries,
  getFirstSteps,
} from "../../../src/features/insight/insight.operations.ts";
import { toTimestamp } from "../../../src/kernel/clock.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { add, asn1Time, made } from "../../support/certificates.ts";
import { CATALOGUE, succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { registered } from "../../support/developers.ts";
import { eventually } from "../../support/eventually.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { call, issue, movableClock } from "../../support/keys.ts";
import { written } from "../../support/usage.ts";
import { addPasskey } from "../../support/passkeys.ts";
import { signIn } from "../../support/sign-in.ts";
import { planWith } from "../../support/verification.ts";

type Expiries = z.output<typeof getExpiries.response>;
type Steps = z.output<typeof getFirstSteps.response>;

const DAY = 24 * 60 * 60_000;

function read<Answer>(desk: TestDesk, what: string, credential?: string): Promise<Answer> {
  const init = credential ? { credential } : {};
  return call<Answer>(desk, "GET", `/v1/insight/${what}`, undefined, init);
}

const clock = movableClock();

testOnEngines(
  "insight: keys that end lie in their band and bin, revoked ones in none",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T00:00:00Z");
    const plan = await planWith(desk, {}, ["weather"]);
    const lives = [3, 8, 40, 200, 4000];
    await call(desk, "POST", "/v1/developers", {
      id: "dev-ada",
      email: "Ada@Example.org",
      fields: { name: "Ada Byron" },
    });
    const ids: string[] = [];
    for (const days of [...lives, 5]) {
      const { RawKey } = await issue(desk, [plan], "dev-ada");
      const key_id = sha256(RawKey);
      const expires_at = new Date(clock.at + days * DAY).toISOString();
      await call(desk, "PUT", `/v1/keys/${key_id}/expiry`, { expires_at });
      ids.push(key_id);
    }
    await call(desk, "POST", `/v1/keys/${ids.at(-1)}/revoke`, { reason: "lost" });
    await issue(desk, [plan], "dev-ada");
    const { keys, certificates } = await read<Expiries>(desk, "expiries");
    assert.ok(keys && certificates);
    const { next, bins, ...bands } = keys;
    assert.deepEqual(bands, {
      expired: 0,
      within_7_days: 1,
      within_30_days: 1,
      within_90_days: 1,
      within_1_year: 1,
      later: 1,
      leaked: { count: 0, next: [] },
    });
    assert.deepEqual(bins.flatMap((n, at) => n === 1 ? [at] : []), [0, 5, 9, 15]);
    assert.deepEqual(next.map(({ key_id }) => key_id), ids.slice(0, 4));
    assert.deepEqual(next[0]?.plans, [plan]);
    assert.deepEqual([next[0]?.developer_email, next[0]?.developer_name], [
      "ada@example.org",
      "Ada Byron",
    ]);
    clock.at += 4 * DAY;
    const later = await read<Expiries>(desk, "expiries");
    assert.equal(later.keys?.expired, 1);
    assert.equal(later.keys?.next[0]?.key_id, ids[1]);
    const { admin } = await desk.otherOrganisation();
    const foreign = await read<Expiries>(desk, "expiries", admin);
    assert.deepEqual([foreign.keys?.later, foreign.keys?.next], [0, []]);
  },
  { clock },
);

testOnEngines(
  "insight: of certificates is to do what ended and is named, and what ends; nothing that is renewed, no authority",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T00:00:00Z");
    const now = clock.at;
    // What has ended is not taken in.
    clock.at -= 10 * DAY;
    let serial = 10;
    const ends = async (cn: string, days: number, ca = false) => {
      const to = asn1Time(now + days * DAY);
      return await add(desk, made({ cn, dns: [cn], to, ca, serial: `${serial++}` }));
    };
    const gone = {
      plan: await ends("plan.example.org", -3),
      api: await ends("api.example.org", -2),
      key: await ends("key.example.org", -1),
      nobody: await ends("nobody.example.org", -1),
      renewed: await ends("renewed.example.org", -1),
    };
    await ends("renewed.example.org", 3);
    await ends("renewed.example.org", 300);
    const soon = await ends("soon.example.org", 3);
    await ends("month.example.org", 20);
    await ends("later.example.org", 31);
    await ends("authority.example.org", 3, true);
    await ends("old-authority.example.org", -3, true);
    clock.at = now;
    const due = async (credential?: string) =>
      (await read<Expiries>(desk, "expiries", credential)).certificates?.due;
    const names = async () => (await due())?.next.map(({ name }) => name);
    assert.deepEqual(await names(), ["soon.example.org", "month.example.org"]);
    const rights = { weather: { api_name: "Weather", certificates: [gone.plan, gone.renewed] } };
    const plan = await planWith(desk, { name: "Gold", access_rights: rights }, []);
    const entry = { name: "Tides", api_id: "tides", fields: { certificate: gone.api } };
    await succeed(desk, "PUT", CATALOGUE, { body: { apis: [entry] } });
    const request = await create(desk, smallRequest({ certificate: gone.key }));
    assert.deepEqual(await names(), [
      "plan.example.org",
      "api.example.org",
      "soon.example.org",
      "month.example.org",
    ]);
    const key_id = sha256((await approve(desk, request)).RawKey);
    const told = await read<Expiries>(desk, "expiries");
    const at = (days: number) => toTimestamp(clock.at + days * DAY).replace(".000Z", "Z");
    const one = (id: string, name: string, days: number, used_by: unknown) => ({
      id,
      name: `${name}.example.org`,
      not_after: at(days),
      used_by,
    });
    assert.deepEqual(told.certificates?.due, {
      ended: 3,
      expired: 1,
      within_30_days: 2,
      next: [
        one(gone.plan, "plan", -3, { object: "plan", id: plan, name: "Gold" }),
        one(gone.api, "api", -2, { object: "api", id: "tides", name: "Tides" }),
        one(gone.key, "key", -1, { object: "key", id: key_id, name: "" }),
        one(soon, "soon", 3, null),
      ],
    });
    assert.deepEqual(told.certificates?.authorities, {
      expired: 1,
      within_30_days: 1,
      all: 2,
    });
    const reader = await desk.token(["certs:read"]);
    assert.deepEqual((await due(reader))?.next[2]?.used_by, { object: "key", id: "", name: "" });
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "lost" });
    const left = await due();
    assert.deepEqual([left?.ended, left?.expired], [2, 2]);
    const { admin } = await desk.otherOrganisation();
    const foreign = await due(admin);
    assert.deepEqual(foreign, { ended: 0, expired: 0, within_30_days: 0, next: [] });
  },
  { clock },
);

testOnEngines(
  "insight: each permission opens its own part, and none opens nothing",
  async (desk) => {
    const certificates = await desk.token(["certs:read"]);
    const seen = await read<Expiries>(desk, "expiries", certificates);
    assert.equal(seen.keys, null);
    assert.equal(seen.certificates?.expired, 0);
    const portal = await read<Expiries>(desk, "expiries", await desk.token(["portal:read"]));
    assert.equal(portal.certificates, null);
    assert.equal(portal.keys?.expired, 0);
    const steps = await desk.send("GET", "/v1/insight/first-steps", { credential: certificates });
    assert.equal(steps.status, 403);
  },
);

testOnEngines(
  "insight: steps are ticked by what there is, and open again with it",
  async (desk) => {
    const done = async () => {
      const steps = await read<Steps>(desk, "first-steps");
      return Object.entries(steps).flatMap(([name, step]) => step?.done ? [name] : []);
    };
    // One administrator alone is no second person who approves.
    assert.deepEqual(await done(), []);
    const portal = await desk.token(["portal:read", "portal:write"]);
    assert.deepEqual(await done(), ["portal_token"]);
    const gateway = await desk.token(["verify"]);
    assert.deepEqual(await done(), ["portal_token"]);
    await desk.send("POST", "/v1/keys/verify", {
      credential: gateway,
      body: JSON.stringify({ key: "x", api_id: "y" }),
    });
    await written(desk);
    await eventually("the gateway's step", async () => (await done()).includes("gateway"));
    assert.deepEqual(await done(), ["portal_token", "gateway"]);
    for (const credential of [portal, gateway]) {
      const me = await call<{ access_token: { id: string } }>(desk, "GET", "/v1/me", undefined, {
        credential,
      });
      await call(desk, "DELETE", `/v1/access-tokens/${me.access_token.id}`);
    }
    assert.deepEqual(await done(), []);
    await call(desk, "PUT", "/v1/developer-pages", { enabled: true });
    assert.deepEqual(await done(), ["pages"]);
    await call(desk, "PUT", "/v1/developer-pages", {});
    assert.deepEqual(await done(), []);
    const invited = await call<{ id: string }>(desk, "POST", "/v1/people", {
      name: "Grace",
      email: "grace@example.org",
      permissions: ["portal:read", "approve"],
    });
    assert.deepEqual(await done(), ["invitation", "approver"]);
    await call(desk, "DELETE", `/v1/people/${invited.id}`);
    assert.deepEqual(await done(), []);
    await addPasskey(desk, await signIn(desk, { credential: desk.admin }));
    assert.deepEqual(await done(), ["passkey"]);
  },
);

testOnEngines(
  "insight: how long people took to decide, in 30 days and in those before",
  async (desk) => {
    const start = clock.at = Date.parse("2026-03-01T00:00:00Z");
    const HOUR = DAY / 24;
    const plan = await planWith(desk, {});
    const pace = async () => {
      const { since: _, ...told } = await read<Record<string, unknown>>(desk, "decisions");
      return told;
    };
    const none = {
      approved: 0,
      declined: 0,
      more: false,
      median_seconds: null,
      approved_share: null,
    };
    const asked = (week: number, before: number) => ({ requested: { week, before } });
    assert.deepEqual(await pace(), { ...none, before: none, ...asked(0, 0) });
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) {
      const { id: by_user } = await registered(desk, `dev-${n}`);
      const body = { by_user, for_plan: plan };
      ids.push((await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body })).id);
    }
    for (const [n, id] of ids.entries()) {
      clock.at = start + Math.min(n + 5, 9) * HOUR;
      await succeed(desk, "POST", `/v1/key-requests/${id}/${n === 4 ? "decline" : "approve"}`, {
        body: {},
      });
    }
    const found = {
      approved: 5,
      declined: 1,
      more: false,
      median_seconds: 7.5 * 3600,
      approved_share: 5 / 6,
    };
    assert.deepEqual(await pace(), { ...found, before: none, ...asked(6, 0) });
    clock.at = start + 7 * DAY + HOUR;
    assert.deepEqual(await pace(), { ...found, before: none, ...asked(0, 6) });
    clock.at = start + 31 * DAY;
    assert.deepEqual(await pace(), { ...none, before: found, ...asked(0, 0) });
    clock.at = start + 61 * DAY;
    assert.deepEqual(await pace(), { ...none, before: none, ...asked(0, 0) });
    const reader = await desk.token(["certs:read"]);
    const refused = await desk.send("GET", "/v1/insight/decisions", { credential: reader });
    assert.equal(refused.status, 403);
  },
  { clock },
);
