/**
 * User names of basic auth: they never come as keys, and what earlier releases took for keys is
 * named and shut.
 */
import assert from "node:assert/strict";
import { hashings, hashOf, rawKey } from "../../../examples/moving/keys.ts";
import { permissions } from "../../../src/contract/permissions.ts";
import { findImportedAs } from "../../../src/features/keys/murmur.store.ts";
import { openExportFiles } from "../../../src/maintenance/import/export-files.ts";
import { openGateway } from "../../../src/maintenance/import/gateway.ts";
import {
  planMoving,
  runMoving,
  verifyMoving,
} from "../../../src/maintenance/import/import.service.ts";
import { putRun, runsOf } from "../../../src/maintenance/import/imports.store.ts";
import { reportOf } from "../../../src/maintenance/import/report.ts";
import { type Source } from "../../../src/maintenance/import/source.ts";
import { together } from "../../../src/maintenance/import/sources.ts";
import { leftOpen } from "../../../src/maintenance/import/user-names.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { call } from "../../support/keys.ts";
import { ids, makeExports, writeExports } from "../../support/original-exports.ts";
import {
  type OriginalInterfaces,
  sessionOf,
  startInterfaces,
} from "../../support/original-interfaces.ts";

const UNTIL = "2999-01-01T00:00:00.000Z";

/** Does one of the works with a source. */
async function move<T>(
  { app: { ctx }, org_id }: TestDesk,
  source: Source,
  work: (...words: Parameters<typeof runMoving>) => Promise<T>,
  theirs = false,
): Promise<T> {
  const principal = { org_id, user_id: "operator", token_id: "", permissions };
  const options = { theirs, murmurUntil: UNTIL, passphrase: undefined };
  const listener = { read: () => {}, found: () => {}, isOver: false };
  try {
    return await work({ ...ctx, principal }, source, options, listener);
  } finally {
    await source.close();
  }
}

async function gatewayOf({ gateway: url, secret }: OriginalInterfaces): Promise<Source> {
  return together([await openGateway({ url, secret, allowPlain: false, pauseMs: 1 })]);
}

/** What was found of keys, `id code detail`. */
async function found({ app: { ctx }, org_id }: TestDesk): Promise<string[]> {
  const all = await Array.fromAsync((await reportOf(ctx.storage.reader, org_id)).findings());
  return all.filter(({ kind }) => kind === "key")
    .map(({ id, code, detail }) => `${id} ${code} ${detail}`.trimEnd()).sort();
}

/** Whether a text alone is valid where a gateway asks. */
async function isValid(desk: TestDesk, text: string): Promise<boolean> {
  const body = { key: text };
  return (await call<{ valid: boolean }>(desk, "POST", "/v1/keys/verify", body)).valid;
}

/** Whether a text alone opens, by both doors. */
async function opens(desk: TestDesk, text: string): Promise<boolean> {
  const valid = await isValid(desk, text);
  const headers = { authorization: text, "x-keydesk-authorization": desk.admin };
  const response = await desk.send("GET", "/v1/forward-auth", { credential: null, headers });
  await response.body?.cancel();
  assert.equal(response.ok, valid, text);
  return valid;
}

/** The plan of all keys; a gateway tells of none. */
const addPlan = (desk: TestDesk) =>
  call(desk, "POST", "/api/portal/policies", {
    _id: ids.plan(1),
    id: "plan-1",
    name: "Plan 1",
    access_rights: { "api-1": { api_id: "api-1", api_name: "One", versions: ["Default"] } },
  });

const state = (desk: TestDesk, id: string) =>
  call<{ state: string; reason: string | null }>(desk, "GET", `/v1/keys/${id}`);

for (const hashing of hashings) {
  for (const showsEmptyPassword of [true, false]) {
    if (hashing !== "sha256" && !showsEmptyPassword) continue;
    testOnEngines(
      `moving in: a user name of a gateway of setting ${hashing} opens nothing by itself${
        showsEmptyPassword ? "" : ", however its password is blanked"
      }`,
      async (desk) => {
        const { org_id } = desk;
        await addPlan(desk);
        await using there = startInterfaces(makeExports(org_id, 1), { hashing, sessions: {} });
        const { keeps } = there;
        keeps.showsEmptyPassword = showsEmptyPassword;
        const plans = [ids.plan(1)];
        const name = await keeps.addUser("ada", "correct horse", ids.developer(0), plans);
        const key = rawKey(org_id, "a".repeat(32), hashing === "none" ? "sha256" : hashing);
        const own = await keeps.nameOf(key);
        keeps.records.set(`apikey-${own}`, sessionOf(org_id));
        const [summary] = (await move(desk, await gatewayOf(there), runMoving))
          .filter(({ kind }) => kind === "key");
        assert.ok(summary);
        const issue = `keydesk keys issue ${ids.developer(0)} ${ids.plan(1)}`;
        const told = (await found(desk)).filter((one) => one.includes("basic_password"));
        assert.equal(told.length, 1);
        assert.ok(told[0]?.endsWith(issue));
        // The plain key is a key; one of 32 bits never comes.
        assert.equal(summary.added, hashing === "murmur32" ? 0 : 1);
        for (const text of ["ada", keeps.wrapped("ada"), name, `${org_id}ada`]) {
          assert.equal(await opens(desk, text), false, text);
        }
        if (hashing !== "murmur32") assert.equal(await opens(desk, key), true);
        assert.deepEqual((await leftOpen(desk.app.ctx.storage.reader, org_id)).known, []);
      },
    );
  }
}

testOnEngines(
  "moving in: what one source told to be a user name is no key by another that knows its name alone",
  async (desk) => {
    const { org_id } = desk;
    const exports = makeExports(org_id, 1);
    const [person] = exports.collections.portal_developers as Record<string, unknown>[];
    assert.ok(person);
    const wrapped = rawKey(org_id, "ada", "sha256");
    const id = await hashOf(wrapped);
    person.keys = { [id]: [ids.plan(1)] };
    await using folder = await temporaryFolder();
    await writeExports(folder.path, exports);
    const files = () => openExportFiles(folder.path);
    await using there = startInterfaces(exports, { sessions: {} });
    await there.keeps.addUser("ada", "correct horse", ids.developer(0), [ids.plan(1)]);
    await move(desk, together([await files(), await gatewayOf(there)]), runMoving);
    for (const theirs of [false, true]) {
      await move(desk, await files(), runMoving, theirs);
      assert.equal(await opens(desk, wrapped), false);
      assert.ok((await found(desk)).some((one) => one.startsWith(`${id} basic_password`)));
    }
    const sides = await move(desk, await files(), verifyMoving);
    assert.deepEqual(sides.find(({ kind }) => kind === "key")?.open_by_name, []);
  },
);

testOnEngines(
  "moving in: of a user name whose password one source knows, the source that blanks it is not believed",
  async (desk) => {
    const { org_id } = desk;
    await addPlan(desk);
    const wrapped = rawKey(org_id, "ada", "sha256");
    const id = await hashOf(wrapped);
    // Of the time before passwords were hashed: nothing else says that there is one.
    const session = sessionOf(org_id, { basic_auth_data: { password: "plain", hash_type: "" } });
    await using there = startInterfaces(makeExports(org_id, 1), { sessions: { [id]: session } });
    await using folder = await temporaryFolder();
    const record = { key: `apikey-${id}`, value: JSON.stringify(session) };
    await Deno.writeTextFile(`${folder.path}/redis.jsonl`, JSON.stringify(record));
    const { gateway: url, secret } = there;
    const both = async () =>
      together([
        await openGateway({ url, secret, allowPlain: false }),
        await openExportFiles(folder.path),
      ]);
    for (let n = 0; n < 2; n++) {
      await move(desk, await both(), runMoving);
      await eventually("a suspended key opens", async () => !await isValid(desk, wrapped));
    }
    assert.equal((await state(desk, id)).state, "suspended");
  },
);

testOnEngines(
  "moving in: the catalogue tells a user name where a developer's map alone names it",
  async (desk) => {
    const { org_id } = desk;
    const exports = makeExports(org_id, 1);
    const [catalogue] = exports.collections.portal_catalogue as { apis: object[] }[];
    catalogue?.apis.splice(0, 1, { api_id: "api-1", policy_id: ids.plan(1), auth_type: "basic" });
    const [person] = exports.collections.portal_developers as Record<string, unknown>[];
    assert.ok(person);
    const wrapped = rawKey(org_id, "ada", "sha256");
    person.keys = { [await hashOf(wrapped)]: [ids.plan(1)] };
    await using folder = await temporaryFolder();
    await writeExports(folder.path, exports);
    await move(desk, await openExportFiles(folder.path), runMoving);
    assert.equal(await opens(desk, wrapped), false);
    assert.ok((await found(desk)).some((one) => one.includes("basic_password")));
  },
);

/** Says of the newest run what an earlier release said. */
const asBefore = defineTransaction(
  "test.as-before",
  async (tx, { org_id, sources }: { org_id: string; sources?: string }) => {
    for (const run of await runsOf(tx, org_id)) {
      const [told, over] = JSON.parse(run.sources);
      await putRun(tx, { org_id, ...run, sources: sources ?? JSON.stringify([told, over]) });
    }
  },
);

testOnEngines(
  "moving in: user names that an earlier release took for keys are named, shut once, and not opened again",
  async (desk) => {
    const { org_id, app: { ctx: { storage } } } = desk;
    await addPlan(desk);
    await using there = startInterfaces(makeExports(org_id, 1), { sessions: {} });
    const { keeps } = there;
    const plans = [ids.plan(1)];
    // An earlier release went by the password, which is blanked: to it these were keys.
    const name = await keeps.addUser("ada", "correct horse", ids.developer(0), plans);
    const used = rawKey(org_id, "grace", "murmur64");
    const murmur = await hashOf(used);
    keeps.records.set(`apikey-${murmur}`, { ...keeps.session(name) });
    const gone = rawKey(org_id, "gone", "sha256");
    keeps.records.set(`apikey-${await hashOf(gone)}`, { ...keeps.session(name) });
    const fine = rawKey(org_id, "f".repeat(32), "sha256");
    keeps.records.set(`apikey-${await hashOf(fine)}`, sessionOf(org_id));
    const users = [name, murmur, await hashOf(gone)].map((one) => keeps.session(one));
    const blanked = users.map((session) => session?.basic_auth_data);
    for (const session of users) if (session) delete session.basic_auth_data;
    await move(desk, await gatewayOf(there), runMoving);
    await storage.commit(asBefore, { org_id });
    for (const [n, session] of users.entries()) {
      if (session) session.basic_auth_data = blanked[n];
    }
    // A key known by a murmur hash was used since, and has another id.
    assert.equal(await opens(desk, keeps.wrapped("ada")), true);
    assert.equal(await opens(desk, used), true);
    const adopted = await findImportedAs(storage.reader, { org_id, imported_as: murmur });
    assert.ok(adopted !== undefined);
    keeps.revoke(await hashOf(gone));

    const left = await leftOpen(storage.reader, org_id);
    assert.deepEqual([left.known, left.unsure], [[], 4]);
    assert.ok(left.source.startsWith("127.0.0.1"));
    const verify = async () => {
      const sides = await move(desk, await gatewayOf(there), verifyMoving);
      return sides.find(({ kind }) => kind === "key")?.open_by_name;
    };
    assert.deepEqual(await verify(), [name, murmur].sort());
    const suspended = async (work: typeof runMoving | typeof planMoving, theirs?: boolean) => {
      const all = await move(desk, await gatewayOf(there), work, theirs);
      return all.find(({ kind }) => kind === "key")?.suspended;
    };
    assert.equal(await suspended(planMoving), 2);
    assert.equal(await opens(desk, used), true);
    assert.equal(await suspended(runMoving), 2);
    for (const text of [keeps.wrapped("ada"), used]) {
      await eventually("a suspended key opens", async () => !await isValid(desk, text));
      assert.equal(await opens(desk, text), false);
    }
    for (const id of [name, adopted]) {
      const { state: now, reason } = await state(desk, id);
      assert.deepEqual([now, reason], ["suspended", "basic_password"]);
    }
    assert.equal(await opens(desk, fine), true);
    assert.deepEqual(await verify(), []);
    // One that is gone there can't be looked at: it is named until it is revoked here.
    assert.deepEqual(await leftOpen(storage.reader, org_id), { ...left, unsure: 1 });
    await call(desk, "POST", `/v1/keys/${await hashOf(gone)}/revoke`, { reason: "gone there" });
    assert.equal((await leftOpen(storage.reader, org_id)).unsure, 0);

    // Neither run nor what is changed there opens it again.
    for (const theirs of [false, true]) assert.equal(await suspended(runMoving, theirs), 0);
    const session = keeps.session(name);
    if (session) Object.assign(session, { basic_auth_data: {}, alias: "a key now" });
    for (const theirs of [false, true]) await suspended(runMoving, theirs);
    assert.equal((await state(desk, name)).state, "suspended");
    const { data } = await call<{ data: { action: string; object_id: string }[] }>(
      desk,
      "GET",
      "/v1/audit-log?limit=100",
    );
    const shut = data.filter(({ action }) => action === "key.suspended");
    assert.deepEqual(shut.map(({ object_id }) => object_id).sort(), [name, adopted].sort());
  },
  { extra: [asBefore] },
);

testOnEngines(
  "moving in: what an earlier run knew as a user name and had taken for a key before is named",
  async (desk) => {
    const { org_id, app: { ctx: { storage } } } = desk;
    await using there = startInterfaces(makeExports(org_id, 1), {
      sessions: { ["a".repeat(64)]: sessionOf(org_id) },
    });
    await move(desk, await gatewayOf(there), runMoving);
    const unsure = async (sources: string) => {
      await storage.commit(asBefore, { org_id, sources });
      return (await leftOpen(storage.reader, org_id)).unsure;
    };
    assert.equal((await leftOpen(storage.reader, org_id)).unsure, 0);
    // Files never blanked a password; what has a host's name may have been a gateway.
    assert.equal(await unsure('[{"export/":1},{}]'), 0);
    assert.equal(await unsure('[{"gateway.example.org":1},{}]'), 1);
    assert.equal(await unsure("[{},{}]"), 1);
  },
  { extra: [asBefore] },
);
