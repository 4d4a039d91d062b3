/** Developers of `/v1`: lists, search, counts, edits, deactivation, deletion. */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { developerDetail } from "../../../src/features/accounts/v1.contract.ts";
import type { v1DeveloperList } from "../../../src/features/accounts/v1.operations.ts";
import { hasUnworded } from "../../../src/features/developers/developer-words.store.ts";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { type SendInit, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { approve, create as request, smallRequest } from "../../support/key-requests.ts";

const DEVELOPERS = "/v1/developers";
const LEGACY = "/api/portal/developers";
const clock = { at: Date.parse("2026-03-01T00:00:00Z"), now: () => clock.at };

type Detail = z.output<typeof developerDetail>;
type List = z.output<typeof v1DeveloperList>;

async function call<Answer>(
  desk: TestDesk,
  method: string,
  path: string,
  init: SendInit = {},
): Promise<Answer> {
  const response = await desk.send(method, `${DEVELOPERS}${path}`, init);
  const answer: Answer = await response.json();
  assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

interface Removed {
  id: string;
  revoked_keys: number;
  deleted_requests: number;
  undo_until: string;
}

const KEEP = { body: { keys: "keep" } };

const list = (desk: TestDesk, query = "") => call<List>(desk, "GET", `?${query}`);
const get = (desk: TestDesk, id: string) => call<Detail>(desk, "GET", `/${id}`);
const create = (desk: TestDesk, body: unknown, init: SendInit = {}) =>
  call<Detail>(desk, "POST", "", { ...init, body });

/** The ids of a whole list, page after page. */
async function ids(desk: TestDesk, query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: List = await list(desk, `${query}${cursor === "" ? "" : `&cursor=${cursor}`}`);
    assert.equal(page.incomplete, undefined);
    found.push(...page.data.map((one) => one.id));
    cursor = page.next_cursor;
  }
  return found;
}

testOnEngines(
  "v1 developers: each state and order, in pages of any size, whoever comes meanwhile",
  async (desk) => {
    const all: string[] = [];
    for (let i = 0; i < 9; i++) {
      clock.at += i % 2 * 1000;
      const { id } = await create(desk, { id: `dev-${i}`, email: `${i}@example.org` });
      if (i % 3 === 0) await call(desk, "POST", `/${id}/deactivate`, KEEP);
      all.push(id);
    }
    const newest = (wanted: (i: number) => boolean) => all.filter((_, i) => wanted(i)).reverse();
    for (const limit of [1, 2, 5, 100]) {
      assert.deepEqual(await ids(desk, `limit=${limit}`), newest(() => true));
      assert.deepEqual(await ids(desk, `limit=${limit}&sort=oldest`), all);
      assert.deepEqual(
        await ids(desk, `limit=${limit}&state=inactive`),
        newest((i) => i % 3 === 0),
      );
      assert.deepEqual(await ids(desk, `limit=${limit}&state=active`), newest((i) => i % 3 !== 0));
    }
    const first = await desk.send("GET", `${DEVELOPERS}?limit=4`);
    const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    clock.at += 1000;
    await create(desk, { id: "dev-new", email: "new@example.org" });
    const next: List = await (await desk.send("GET", link)).json();
    assert.deepEqual(next.data.map((one) => one.id), newest(() => true).slice(4, 8));
    const other = await desk.otherOrganisation();
    const foreign = await desk.send("GET", DEVELOPERS, { credential: other.admin });
    assert.deepEqual((await foreign.json()).data, []);
  },
  { clock },
);

testOnEngines(
  "v1 developers: a search finds the beginnings of words, each developer once",
  async (desk) => {
    const fields = { name: "Grace O'Brien-Ünal", company: "Acme Weather", tags: ["gold", 7] };
    const { id: grace } = await create(desk, { email: "Grace.Hopper@Mail.acme.com", fields });
    const { id: ada } = await create(desk, {
      email: "ada@acme.com",
      fields: { name: "Ada Grace" },
    });
    await request(
      desk,
      smallRequest({ by_user: "dev-bare", portal_developer: { id: "dev-bare", email: "b@b.org" } }),
    );
    const both = [ada, grace].sort();
    const found = async (q: string, rest = "") =>
      (await ids(desk, `limit=1&q=${encodeURIComponent(q)}${rest}`)).sort();
    for (
      const q of [
        "grace",
        "GRACE.h",
        "hopper",
        "mail.acme",
        "o'bri",
        "brien",
        "ünal",
        "ÜNAL",
        "gold",
      ]
    ) {
      assert.ok((await found(q)).includes(grace), q);
    }
    assert.deepEqual(await found("grace"), both);
    assert.deepEqual(await found("acme"), both);
    assert.deepEqual(await found("a"), both);
    assert.deepEqual(await found("acme  weath"), [grace]);
    assert.deepEqual(await found("grace nobody"), []);
    assert.deepEqual(await found(grace), [grace]);
    assert.deepEqual(await found("dev-b"), ["dev-bare"]);
    for (const q of ["rien", "%", "7", "hop_er", "\u{10ffff}"]) {
      assert.deepEqual(await found(q), []);
    }
    assert.deepEqual(await found("acme", "&state=inactive"), []);

    await call(desk, "PUT", `/${ada}`, {
      body: { email: "ada@tides.org", fields: {}, account: "same_person" },
    });
    assert.deepEqual(await found("acme"), [grace]);
    assert.deepEqual(await found("tides"), [ada]);
    await call(desk, "DELETE", `/${ada}?keys=keep`);
    assert.deepEqual(await found("tides"), []);
    assert.equal(await hasUnworded(desk.app.ctx.storage.reader), false);
    await assertInvalid(
      await desk.send("GET", `${DEVELOPERS}?q=%01x`),
      "q: must not hold control characters",
    );
  },
);

testOnEngines(
  "v1 developers: a search says where it lacks somebody, and soon lacks nobody",
  async (desk) => {
    for (let i = 0; i < 300; i++) {
      await request(
        desk,
        smallRequest({
          by_user: `flood-${i}`,
          portal_developer: { id: `flood-${i}`, email: `${i}@flood.org` },
        }),
      );
    }
    const first = await list(desk, "q=flood&limit=100");
    assert.equal(first.incomplete, true);
    assert.equal((await ids(desk, "q=flood&limit=100")).length, 300);
  },
);

testOnEngines(
  "v1 developer: what they have, and none of their secrets",
  async (desk) => {
    const secrets = { nonce: "nonce-value", sso_key: "sso-value", password: "a long password" };
    const registered = await desk.send("POST", LEGACY, {
      body: { id: "dev-ada", email: "ada@example.org", fields: { name: "Ada" }, ...secrets },
    });
    assert.equal(registered.status, 200);
    const by = { by_user: "dev-ada", portal_developer: { id: "dev-ada" } };
    const plans = ["plan-1", "plan-2", "plan-3"];
    for (const for_plan of plans) {
      const id = await request(desk, smallRequest({ ...by, for_plan, apply_policies: [for_plan] }));
      if (for_plan !== "plan-3") await approve(desk, id);
    }
    const shown = await get(desk, "dev-ada");
    assert.deepEqual([shown.requests, shown.keys, shown.has_password], [3, 2, true]);
    assert.deepEqual(Object.keys(shown.subscriptions).sort(), ["plan-1", "plan-2"]);
    assert.equal(shown.last_login_date, null);
    const [key] = Object.values(shown.subscriptions);
    await desk.send("POST", `/v1/keys/${key}/revoke`, { body: { reason: "test" } });
    const [listed] = (await list(desk)).data;
    assert.deepEqual([listed?.requests, listed?.keys], [3, 1]);
    const text = JSON.stringify([shown, listed]);
    for (const value of [...Object.values(secrets), "argon2", "sso_key", "nonce"]) {
      assert.ok(!text.includes(value), value);
    }
  },
);

testOnEngines(
  "v1 developer: edit and deactivate, with If-Match; what was not sent stays",
  async (desk) => {
    await desk.send("POST", LEGACY, {
      body: { id: "dev-ada", email: "ada@example.org", nonce: "n", password_max_days: 7 },
    });
    const read = await desk.send("GET", `${DEVELOPERS}/dev-ada`);
    const etag = read.headers.get("etag") ?? "";
    const { revision }: Detail = await read.json();
    assert.equal(etag, `"${revision}"`);
    const headers = { "if-match": etag };
    const edited = await call<Detail>(desk, "PUT", "/dev-ada", {
      headers,
      body: { email: "ada@example.com", fields: { team: "tides" }, account: "same_person" },
    });
    assert.deepEqual([edited.email, edited.fields], ["ada@example.com", { team: "tides" }]);
    const legacy = await (await desk.send("GET", `${LEGACY}/dev-ada`)).json();
    assert.deepEqual([legacy.nonce, legacy.password_max_days], ["n", 7]);
    const stale: [method: string, path: string][] = [
      ["PUT", "/dev-ada"],
      ["POST", "/dev-ada/deactivate"],
      ["POST", "/dev-ada/reactivate"],
      ["DELETE", "/dev-ada?keys=keep"],
    ];
    for (const [method, path] of stale) {
      const ofChange = method === "PUT" ? { email: "x@example.org" } : { keys: "keep" };
      const body = method === "DELETE" ? undefined : ofChange;
      const response = await desk.send(method, `${DEVELOPERS}${path}`, { headers, body });
      await assertFailure(response, "precondition_failed");
    }
    const fresh = { "if-match": `"${edited.revision}"` };
    const off = await call<Detail>(desk, "POST", "/dev-ada/deactivate", {
      ...KEEP,
      headers: fresh,
    });
    assert.equal(off.inactive, true);
    assert.equal((await (await desk.send("GET", `${LEGACY}/dev-ada`)).json()).inactive, true);
    assert.deepEqual(await ids(desk, "state=inactive"), ["dev-ada"]);
    await call(desk, "POST", "/dev-ada/deactivate", KEEP);
    assert.equal((await call<Detail>(desk, "POST", "/dev-ada/reactivate")).inactive, false);
    const auditLog = await (await desk.send("GET", "/v1/audit-log?object_id=dev-ada")).json();
    const actions: string[] = auditLog.data.map((event: { action: string }) => event.action);
    assert.deepEqual(actions.reverse(), [
      "developer.created",
      "developer.updated",
      "developer.email_changed",
      "developer.deactivated",
      "developer.reactivated",
    ]);
    await assertInvalid(
      await desk.send("PUT", `${DEVELOPERS}/dev-ada`, { body: { email: "no address" } }),
      "email: expected an e-mail address",
    );
    await create(desk, { email: "taken@example.org" });
    await assertFailure(
      await desk.send("PUT", `${DEVELOPERS}/dev-ada`, { body: { email: "TAKEN@example.org" } }),
      "email_taken",
      {
        message: "email: belongs to another developer",
        errors: ["email: belongs to another developer"],
      },
    );
  },
);

testOnEngines(
  "v1 developer: registered once for an Idempotency-Key",
  async (desk) => {
    const headers = { "idempotency-key": "a-key-of-sixteen-characters" };
    const body = { email: "ada@example.org" };
    const first = await create(desk, body, { headers });
    assert.deepEqual(await create(desk, body, { headers }), first);
    await assertFailure(await desk.send("POST", DEVELOPERS, { body }), "email_taken", {
      message: "email: belongs to another developer",
      errors: ["email: belongs to another developer"],
    });
    await assertFailure(
      await desk.send("POST", DEVELOPERS, { body: { id: first.id, email: "x@example.org" } }),
      "developer_exists",
    );
    assert.equal((await ids(desk, "")).length, 1);
  },
);

testOnEngines(
  "v1 developer: deletion wants to be told what becomes of the keys",
  async (desk) => {
    const by = (n: number) => ({ by_user: `dev-${n}`, portal_developer: { id: `dev-${n}` } });
    for (const n of [1, 2]) {
      await create(desk, { id: `dev-${n}`, email: `${n}@example.org` });
      await approve(desk, await request(desk, smallRequest(by(n))));
      await request(desk, smallRequest(by(n)));
    }
    assert.equal((await desk.send("DELETE", `${DEVELOPERS}/dev-1`)).status, 400);
    assert.equal((await get(desk, "dev-1")).keys, 1);
    const key = Object.values((await get(desk, "dev-2")).subscriptions)[0];
    const headers = { "if-match": `"${(await get(desk, "dev-1")).revision}"` };
    const { undo_until, ...deleted } = await call<Removed>(desk, "DELETE", "/dev-1?keys=revoke", {
      headers,
    });
    assert.ok(undo_until);
    assert.deepEqual(deleted, {
      id: "dev-1",
      revoked_keys: 1,
      deleted_requests: 1,
    });
    const { undo_until: _, ...other } = await call<Removed>(desk, "DELETE", "/dev-2?keys=keep");
    assert.deepEqual(other, {
      id: "dev-2",
      revoked_keys: 0,
      deleted_requests: 1,
    });
    const kept = await (await desk.send("GET", `/v1/keys/${key}`)).json();
    assert.equal(kept.state, "active");
    await assertFailure(
      await desk.send("DELETE", `${DEVELOPERS}/dev-1?keys=keep`),
      "not_found_for_deletion",
    );
  },
);
