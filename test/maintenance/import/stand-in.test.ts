/**
 * The stand-in of examples/moving: what is read there is what its documents say, and every
 * difference occurs in it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type Desk,
  DEVELOPERS,
  meetEveryDifference,
} from "../../../examples/moving/differences.ts";
import { PASSPHRASE } from "../../../examples/moving/certificates.ts";
import { writeExports } from "../../../examples/moving/exports.ts";
import { filled, ids, ORG } from "../../../examples/moving/fill.ts";
import type { Members } from "../../../examples/moving/gateway.ts";
import { GATEWAY_SECRET } from "../../../examples/moving/gateway-interface.ts";
import { hashOf } from "../../../examples/moving/keys.ts";
import { DASHBOARD_TOKEN, serveStandIn } from "../../../examples/moving/stand-in.ts";
import { permissions } from "../../../src/contract/permissions.ts";
import { openExportFiles } from "../../../src/maintenance/import/export-files.ts";
import { differences } from "../../../src/maintenance/import/findings.ts";
import {
  planMoving,
  runMoving,
  verifyMoving,
} from "../../../src/maintenance/import/import.service.ts";
import { reportOf } from "../../../src/maintenance/import/report.ts";
import { repository, temporaryFolder } from "../../support/command.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/keys.ts";

/**
 * What is told only where interfaces are read, several sources together, or an export of our own.
 */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set([
  "client_organisation",
  "certificate_without_pem",
  "documentation_not_given",
  "sources_differ",
  "own_again",
  "quotas_unknown",
  "key_too_short",
]);
const settings = { environment: { KEYDESK_ORG_ID: ORG } };

testOnEngines(
  "moving in: every difference that a report knows is met in the stand-in",
  async (desk) => {
    const original = await filled(DEVELOPERS);
    await meetEveryDifference(original, {
      call: (method, path, body) => call(desk, method, path, body),
      move: async (what) => void await move(desk, original, runMoving, what),
    });
    const found = new Set((await findingsOf(desk)).map(({ code }) => code));
    const missed = Object.keys(differences).filter((code) =>
      !found.has(code) && !TOLD_ELSEWHERE.has(code)
    );
    assert.deepEqual(missed, []);
  },
  settings,
);

testOnEngines(
  "moving in: a key that is gone there is named until it is revoked here, or there again",
  async (desk) => {
    const original = await filled(DEVELOPERS);
    const gone = async () =>
      (await findingsOf(desk)).filter(({ code }) => code === "gone_there").map(({ id }) => id);
    const counted = async () => {
      const sides = await move(desk, original, verifyMoving);
      return sides.find(({ kind }) => kind === "key")?.gone_there;
    };
    await move(desk, original, runMoving);
    assert.deepEqual([await gone(), await counted()], [[], 0]);
    const [first = "", second = ""] = [0, 1].map((n) =>
      Object.keys(original.developer(ids.developer(n)).keys)[0] ?? ""
    );
    const session = original.gateway.records.get(`apikey-${second}`);
    original.revoke(first);
    original.gateway.records.delete(`apikey-${second}`);
    assert.equal(await counted(), 2);
    await move(desk, original, runMoving);
    assert.deepEqual(await gone(), [first, second].sort());
    // It is told, and not done.
    const { data } = await call<{ data: { key_id: string }[] }>(
      desk,
      "GET",
      "/v1/keys?state=active&limit=100",
    );
    assert.ok(data.some(({ key_id }) => key_id === first));
    await call(desk, "DELETE", `/api/portal/developers/${ids.developer(0)}/keys/${first}`);
    if (session !== undefined) original.gateway.records.set(`apikey-${second}`, session);
    assert.equal(await counted(), 0);
    await move(desk, original, runMoving);
    assert.deepEqual(await gone(), []);
  },
  settings,
);

testOnEngines(
  "moving in: an empty Redis is not believed, neither at first nor once keys came",
  async (desk) => {
    const original = await filled(DEVELOPERS);
    const empty = await filled(DEVELOPERS);
    empty.gateway.loseRecords();
    const codes = async () => new Set((await findingsOf(desk)).map(({ code }) => code));
    const refused = { name: "Error", message: /no session of a key of organisation \w+ is there/ };
    await assert.rejects(move(desk, empty, runMoving), refused);
    // No developer's key was said to be none.
    assert.ok(!(await codes()).has("key_not_in_gateway"));
    await move(desk, original, runMoving);
    // Nor does one know anything that has the keys of others alone.
    empty.gateway.records.set(`apikey-${"9".repeat(64)}`, { org_id: "0".repeat(24) });
    for (const { keys } of empty.developers) for (const name in keys) delete keys[name];
    for (const work of [planMoving, runMoving, verifyMoving]) {
      await assert.rejects(move<unknown>(desk, empty, work), refused);
    }
    assert.ok(!(await codes()).has("gone_there"));
  },
  settings,
);

testOnEngines(
  "moving in: a run without sessions leaves the ends of keys that came with them",
  async (desk) => {
    const original = await filled(DEVELOPERS);
    const [name, session] =
      [...original.gateway.records].find(([, value]) =>
        typeof value === "object" && value.expires === 1
      ) ??
        assert.fail();
    assert.ok(typeof session === "object");
    const end = async () => {
      const path = `/v1/keys/${name.slice("apikey-".length)}`;
      return (await call<{ expires_at: string | null }>(desk, "GET", path)).expires_at;
    };
    await move(desk, original, runMoving);
    const expected = "1970-01-01T00:00:01.000Z";
    assert.equal(await end(), expected);
    await move(desk, original, runMoving, "database");
    assert.equal(await end(), expected);
    session.expires = 0;
    await move(desk, original, runMoving);
    assert.equal(await end(), null);
  },
  settings,
);

testOnEngines(
  "moving in: verified where what is left was named, or is another's decision here",
  async (desk) => {
    const original = await filled(DEVELOPERS);
    const sums = async () => {
      const sides = await move(desk, original, verifyMoving);
      return (["missing", "changed_there", "changed_here"] as const).map((name) =>
        sides.reduce((sum, side) => sum + side[name], 0)
      );
    };
    await move(desk, original, runMoving);
    // Of two plans of one id one came.
    assert.deepEqual(await sums(), [0, 0, 0]);
    await call(desk, "DELETE", `/api/portal/developers/${ids.developer(0)}`);
    const [, , changed] = await sums();
    assert.ok(Number(changed) >= 1);
    original.changeDeveloper(ids.developer(1), { fields: { Name: "Named there" } });
    assert.deepEqual(await sums(), [0, 1, changed]);
    original.addDeveloper({ email: "new@example.org" });
    assert.deepEqual(await sums(), [1, 1, changed]);
  },
  settings,
);

Deno.test("docs: the example of a report has every difference", async () => {
  const page = await Deno.readTextFile(join(repository, "docs/examples/migration-report.html"));
  const missed = Object.keys(differences).filter((code) =>
    !TOLD_ELSEWHERE.has(code) && !page.includes(`<td>${code}</td>`)
  );
  assert.deepEqual(missed, []);
});

async function findingsOf(desk: TestDesk): Promise<{ id: string; code: string }[]> {
  const { findings } = await reportOf(desk.app.ctx.storage.reader, ORG);
  return await Array.fromAsync(findings());
}

async function move<T>(
  desk: TestDesk,
  original: Parameters<typeof writeExports>[0],
  work: (...words: Parameters<typeof runMoving>) => Promise<T>,
  what: Parameters<Desk["move"]>[0] = "everything",
): Promise<T> {
  await using folder = await temporaryFolder();
  await writeExports(original, folder.path, what);
  const principal = { org_id: ORG, user_id: "operator", token_id: "", permissions };
  return await work(
    { ...desk.app.ctx, principal },
    await openExportFiles(folder.path),
    { theirs: false, murmurUntil: null, passphrase: PASSPHRASE },
    { read: () => {}, found: () => {}, isOver: false },
  );
}

Deno.test("stand-in: dashboard, gateway and door answer in the shapes of the original", async () => {
  const original = await filled(12);
  await using standIn = serveStandIn(original);
  const { dashboard, gateway } = standIn;
  const ask = async (url: string, headers: Record<string, string>, init: RequestInit = {}) => {
    const response = await fetch(url, { ...init, headers });
    // as: each test names the members that it looks at.
    return [response.status, await response.json() as Members] as const;
  };
  const portal = { authorization: DASHBOARD_TOKEN };
  const at = async (path: string) => (await ask(dashboard + path, portal))[1];
  const [denied, body] = await ask(`${dashboard}/api/portal/policies`, { authorization: "no" });
  assert.deepEqual([denied, body], [401, {
    Status: "Error",
    Message: "Not authorised",
    Meta: null,
  }]);

  const all = await at("/api/portal/developers?p=-1");
  const { Data, Pages } = await at("/api/portal/developers?p=2");
  assert.ok(Array.isArray(all.Data) && Array.isArray(Data));
  assert.deepEqual(Data, all.Data.slice(10, 20));
  assert.equal(Pages, Math.ceil(all.Data.length / 10));
  assert.ok(all.Data.every((one: Members) => !("password" in one)));
  const everything = await at("/api/portal/requests");
  assert.deepEqual([(everything.Data as unknown[]).length, everything.Pages], [24, 0]);
  const plan = await at(`/api/portal/policies/plan-weather`);
  assert.equal(plan._id, ids.plan(1));
  const document = await at(`/api/portal/documentation/${ids.documentation}`);
  assert.equal(document.doc_type, "swagger");
  assert.equal((await at("/api/portal/catalogue")).org_id, ORG);
  assert.equal((await at("/api/portal/configuration")).HashKeys, true);

  const { cert_basics, pages } = await at("/api/certs?p=-1&mode=detailed");
  const [certificate] = cert_basics as Members[];
  assert.deepEqual([(cert_basics as unknown[]).length, pages], [3, 1]);
  assert.deepEqual(await at(`/api/certs/${certificate?.id}`), certificate);
  assert.ok(!JSON.stringify(cert_basics).includes("BEGIN"));
  assert.equal(((await at("/api/certs")).certs as unknown[])[0], certificate?.id);

  const secret = { "x-tyk-authorization": GATEWAY_SECRET };
  const [, { keys }] = await ask(`${gateway}/tyk/keys`, secret);
  const holder = original.holders[0];
  assert.ok(holder && Array.isArray(keys));
  const hash = await hashOf(holder.key);
  assert.ok(keys.includes(hash));
  const one = `${gateway}/tyk/keys/${hash}?hashed=true`;
  assert.deepEqual((await ask(one, secret))[1].apply_policies, [ids.plan(1)]);
  assert.equal((await ask(one, {}))[0], 403);
  assert.equal((await ask(`${gateway}/tyk/keys/unknown?hashed=true`, secret))[0], 404);

  // Each form of a key opens what it opens, raw and after Bearer, and nothing once it is revoked.
  const door = async (key: string) => (await ask(`${gateway}/weather/`, { authorization: key }))[0];
  const lengths = new Set<number>();
  for (const { key } of original.holders) {
    lengths.add((await hashOf(key)).length);
    assert.deepEqual([await door(key), await door(`Bearer ${key}`)], [200, 200]);
  }
  assert.deepEqual([...lengths].sort((a, b) => a - b), [8, 16, 32, 64]);
  assert.deepEqual([await door(""), await door("a-key-that-nobody-has")], [401, 403]);
  await ask(one, secret, { method: "DELETE" });
  assert.equal(await door(holder.key), 403);

  // A portal asks for a key, has it approved once, and its developer calls.
  const asked = JSON.stringify({ by_user: ids.developer(1), for_plan: ids.plan(1) });
  const [, { Message: id }] = await ask(`${dashboard}/api/portal/requests`, portal, {
    method: "POST",
    body: asked,
  });
  const approve = () =>
    ask(`${dashboard}/api/portal/requests/approve/${id}`, portal, { method: "PUT" });
  const [, { RawKey }] = await approve();
  assert.equal(await door(String(RawKey)), 200);
  assert.equal((await approve())[0], 400);
});
