/**
 * What is left of a key after a move, and after the way back: of its quota, of its owner, of its
 * name, of its client.
 */
import assert from "node:assert/strict";
import { Gateway, type Members } from "../../../examples/moving/gateway.ts";
import { atGateway } from "../../../examples/moving/gateway-interface.ts";
import { writeExports } from "../../../examples/moving/exports.ts";
import { CHOSEN_KEY, filled, ids as filledIds, ORG } from "../../../examples/moving/fill.ts";
import { hashOf, rawKey } from "../../../examples/moving/keys.ts";
import type { Original } from "../../../examples/moving/original.ts";
import { PASSPHRASE } from "../../../examples/moving/certificates.ts";
import { permissions } from "../../../src/contract/permissions.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { openExportFiles } from "../../../src/maintenance/import/export-files.ts";
import { openGateway } from "../../../src/maintenance/import/gateway.ts";
import { runMoving } from "../../../src/maintenance/import/import.service.ts";
import { reportOf } from "../../../src/maintenance/import/report.ts";
import type { Source } from "../../../src/maintenance/import/source.ts";
import { together } from "../../../src/maintenance/import/sources.ts";
import { decrypted } from "../../../src/maintenance/archive/age.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call, readKey } from "../../support/keys.ts";
import { exported, freshPair } from "../../support/moving-out.ts";
import { ids, makeExports, writeExports as writeFiles } from "../../support/original-exports.ts";
import { sessionOf, startInterfaces } from "../../support/original-interfaces.ts";
import { outcome, verify } from "../../support/verification.ts";

/** What developers' documents say of keys. */
type Maps = { keys: Record<string, string[]>; subscriptions: Record<string, string> };

const UNTIL = "2999-01-01T00:00:00.000Z";
const settings = { environment: { KEYDESK_ORG_ID: ORG } };

async function run(
  { app: { ctx }, org_id }: TestDesk,
  source: Source,
  passphrase: string | undefined,
): Promise<void> {
  const principal = { org_id, user_id: "operator", token_id: "", permissions };
  const options = { theirs: false, murmurUntil: UNTIL, passphrase };
  const listener = { read: () => {}, found: () => {}, isOver: false };
  try {
    await runMoving({ ...ctx, principal }, source, options, listener);
  } finally {
    await source.close();
  }
}

/** Moves in what the stand-in has now, as files. */
async function runFiles(
  desk: TestDesk,
  original: Original,
  passphrase: string | null = PASSPHRASE,
): Promise<void> {
  await using folder = await temporaryFolder();
  await writeExports(original, folder.path);
  await run(desk, await openExportFiles(folder.path), passphrase ?? undefined);
}

async function findings({ app: { ctx }, org_id }: TestDesk) {
  return await Array.fromAsync((await reportOf(ctx.storage.reader, org_id)).findings());
}

for (const from of ["gateway", "files"] as const) {
  testOnEngines(
    `moving in: a murmur key keeps what it used of its quota when its first use gives it another id, from ${from}`,
    async (desk) => {
      const { org_id } = desk;
      const exports = makeExports(org_id, 1);
      await using there = startInterfaces(exports, { sessions: {}, hashing: "murmur128" });
      const { keeps } = there;
      const plan = { _id: ids.plan(1), id: "gold", org_id, name: "Gold", active: true };
      const quota = { quota_max: 50, quota_renewal_rate: 3600 };
      keeps.plans.push({ ...plan, ...quota, access_rights: { "api-1": {} } });
      const key = rawKey(org_id, "c".repeat(32), "murmur128");
      const name = await hashOf(key);
      keeps.records.set(`apikey-${name}`, sessionOf(org_id, { ...quota, quota_renews: 0 }));
      for (let n = 0; n < 8; n++) assert.equal((await keeps.open(key, "api-1")).status, 200);
      if (from === "gateway") {
        const { gateway: url, secret } = there;
        await run(
          desk,
          await openGateway({ url, secret, allowPlain: false, pauseMs: 1 }),
          undefined,
        );
      } else {
        await using folder = await temporaryFolder();
        exports.collections.tyk_policies = [{ ...keeps.plans[0] }];
        await writeFiles(folder.path, exports);
        const lines = [...keeps.records].map(([key, value]) =>
          JSON.stringify({ key, value: typeof value === "string" ? value : JSON.stringify(value) })
        );
        await Deno.writeTextFile(`${folder.path}/redis.jsonl`, lines.join("\n"));
        await run(desk, await openExportFiles(folder.path), undefined);
      }
      const verdict = await verify(desk, { key, api_id: "api-1" });
      assert.ok(verdict.valid);
      assert.equal(verdict.key_id, sha256(key));
      // 42 of 50 were left, and this call took one.
      assert.equal(verdict.quota?.remaining, 41);
    },
  );
}

for (const places of ["files of one folder", "folders"] as const) {
  Deno.test(`moving in: a key and its quota stand in different ${places} and are joined`, async () => {
    await using folder = await temporaryFolder();
    const write = async (name: string, ...records: [string, unknown][]) => {
      const path = `${folder.path}/${
        places === "folders" ? `${name}/redis` : `${name}.redis`
      }.jsonl`;
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      const lines = records.map(([key, value]) => JSON.stringify({ key, value }));
      await Deno.writeTextFile(path, lines.join("\n"));
    };
    const session = JSON.stringify(sessionOf(ORG, {}));
    // Of a record that stands twice the first counts.
    await write("one", ["quota-b", "8"], ["apikey-a", session], ["quota-c", "3"]);
    await write("two", ["apikey-b", session], ["quota-a", "5"], ["apikey-c", session]);
    await write("three", ["quota-c", "4"], ["apikey-d", session], ["quota-d", "no number"]);
    const paths = places === "folders" ? ["one", "two", "three"] : [""];
    const opened = paths.map((name) => openExportFiles(`${folder.path}/${name}`));
    const source = together(await Promise.all(opened));
    const used = new Map<unknown, unknown>();
    for await (const one of source.documents("key")) {
      assert.ok("members" in one);
      used.set(one.members.name, one.members.used);
    }
    assert.deepEqual([..."abcd"].map((name) => used.get(name)), [5, 8, 3, undefined]);
    await source.close();
  });
}

testOnEngines(
  "moving in: plans that were changed there come, also where its owner was taken away, who keeps the key here",
  async (desk) => {
    const original = await filled(6);
    await runFiles(desk, original);
    for (const n of [0, 5]) {
      const developer = original.developer(filledIds.developer(n));
      const [name = ""] = Object.keys(developer.keys);
      if (n === 5) {
        // A murmur key that was used here since, so that it has another id.
        const holder = original.holders.find(({ developer_id }) => developer_id === developer.id);
        assert.equal(await outcome(desk, holder?.key ?? ""), "valid");
      }
      [developer.keys, developer.subscriptions] = [{}, {}];
      Object.assign(original.gateway.session(name) ?? assert.fail(), {
        meta_data: {},
        apply_policies: [filledIds.plan(2)],
      });
    }
    await runFiles(desk, original);
    for (const n of [0, 5]) {
      const id = filledIds.developer(n);
      const { data } = await call<{ data: { plans: string[]; developer_id: string }[] }>(
        desk,
        "GET",
        `/v1/keys?developer=${id}`,
      );
      assert.deepEqual(data.map(({ plans }) => plans), [[filledIds.plan(2)]], String(n));
      const { keys } = await call<{ keys: Record<string, string[]> }>(
        desk,
        "GET",
        `/api/portal/developers/${id}`,
      );
      assert.deepEqual(Object.values(keys), [[filledIds.plan(2)]], String(n));
    }
    const codes = (await findings(desk)).map(({ code }) => code);
    assert.ok(!codes.includes("key_owner_differs"));
  },
  settings,
);

testOnEngines(
  "moving in: the id under which a key was imported is shown once it has another, and found",
  async (desk) => {
    const original = await filled(6);
    await runFiles(desk, original);
    const holder = original.holders.find(({ developer_id }) =>
      developer_id === filledIds.developer(5)
    );
    assert.ok(holder);
    const former = await hashOf(holder.key);
    assert.equal((await readKey(desk, former)).imported_as, null);
    assert.equal(await outcome(desk, holder.key), "valid");
    const key_id = sha256(holder.key);
    assert.equal((await readKey(desk, key_id)).imported_as, former);
    for (const q of [former, former.slice(0, 12)]) {
      const { data } = await call<{ data: { key_id: string }[] }>(desk, "GET", `/v1/keys?q=${q}`);
      assert.deepEqual(data.map((one) => one.key_id), [key_id]);
    }
  },
  settings,
);

testOnEngines(
  "moving in: a certificate whose private key is encrypted says that its passphrase is missing",
  async (desk) => {
    await runFiles(desk, await filled(1), null);
    const told = (await findings(desk)).filter(({ code }) => code === "certificate_refused")
      .map(({ detail }) => detail);
    assert.ok(
      told.includes(
        "its private key is encrypted and no passphrase was given: name --passphrase-file",
      ),
      told.join("\n"),
    );
  },
  settings,
);

testOnEngines(
  "moving in: a quota that is used up is so here, though the gateway's interface leaves it out",
  async (desk) => {
    const { org_id } = desk;
    await using there = startInterfaces(makeExports(org_id, 1), { sessions: {} });
    const { keeps } = there;
    const quota = { quota_max: 2, quota_renewal_rate: 3600 };
    const access_rights = { "api-1": {} };
    const name = "Gold";
    const known = { _id: ids.plan(1), id: "gold", org_id, name, active: true };
    keeps.plans.push({ ...known, ...quota, access_rights });
    const keys = await Promise.all(
      [0, 1, 2].map(async (calls) => {
        const session = sessionOf(org_id, { ...quota, quota_remaining: 2, quota_renews: 0 });
        const made = await keeps.add(`${calls} calls were made with it`, session);
        for (let n = 0; n < calls; n++) {
          assert.equal((await keeps.open(made.key, "api-1")).status, 200);
        }
        return made;
      }),
    );
    // Neither does one say it that was never called with.
    const left = keys.map((one) => keeps.shown(one.name)?.quota_remaining);
    assert.deepEqual(left, [undefined, 1, undefined]);
    const { gateway: url, secret } = there;
    const source = together([await openGateway({ url, secret, allowPlain: false })]);
    await run(desk, source, undefined);
    const twice = async (key: string) => [await outcome(desk, key), await outcome(desk, key)];
    const outcomes: string[][] = [];
    for (const { key } of keys) outcomes.push(await twice(key));
    assert.deepEqual(outcomes, [
      ["valid", "valid"],
      ["valid", "over_quota"],
      ["over_quota", "over_quota"],
    ]);
  },
);

testOnEngines(
  "moving out: the original's gateway goes on with keys, what is used of their quotas, and OAuth clients",
  async (desk) => {
    const original = await filled(10);
    const open = async (gateway: Gateway, key: string) =>
      (await gateway.open(key, "weather")).status;
    // A developer's document blanks a secret that the gateway has, as the dashboard's interface
    // does.
    const owner = original.developer(filledIds.odd(9));
    const [named] = Object(owner.oauth_clients)[filledIds.plan(2)];
    named.secret = "";
    for (const { key } of original.holders) await open(original.gateway, key);
    await runFiles(desk, original);
    const used: [key: string, calls: number][] = [];
    for (const { key } of original.holders) {
      const name = await original.gateway.find(key);
      const calls = Number(original.gateway.records.get(`quota-${name}`));
      if (await outcome(desk, { key, api_id: "weather" }) === "valid") used.push([key, calls]);
    }
    assert.ok(used.some(([key]) => key === CHOSEN_KEY) && used.length > 10);
    // Writes what it has in memory.
    await desk.app.ctx.verifier.close();

    await using folder = await temporaryFolder();
    const { encryption, identities } = await freshPair();
    const report = await exported(desk, `${folder.path}/out`, { encryption });
    const lost = Object.fromEntries(
      report.unknown_to_the_original.map(({ what, count }) => [what, count]),
    );
    assert.equal(lost.oauth_clients, undefined);
    const back = new Gateway(ORG);
    back.plans.push(...original.plans);
    back.apis.push(...original.gateway.apis);
    const documents = async <T>(name: string): Promise<T[]> => {
      const file = await Deno.open(`${folder.path}/out/${name}.age`);
      const text = await new Response(await decrypted(file.readable, identities)).text();
      return text.trim().split("\n").map((line) => JSON.parse(line));
    };
    for (const { key, value } of await documents<{ key: string; value: string }>("redis.jsonl")) {
      const isText = key.startsWith("quota-") || key.startsWith("cert-raw-");
      back.records.set(key, isText ? value : JSON.parse(value) as Members);
    }
    // Maps name keys as the gateway does, also those that got another id when they were used here.
    const inMaps = new Set<string>();
    for (const { keys, subscriptions } of await documents<Maps>("portal_developers.json")) {
      for (const name of [...Object.keys(keys), ...Object.values(subscriptions)]) inMaps.add(name);
    }
    const adopted: boolean[] = [];
    for (const [key] of used) {
      const name = await back.find(key) ?? "";
      if (name === sha256(key)) continue;
      assert.ok(!inMaps.has(sha256(key)), key);
      adopted.push(inMaps.has(name));
    }
    assert.ok(adopted.includes(true));
    for (const [key, calls] of used) {
      const name = await back.find(key);
      assert.ok(name !== undefined, key);
      assert.equal(back.records.get(`quota-${name}`), String(calls + 1), key);
      assert.equal(await open(back, key), 200, key);
      assert.equal(back.records.get(`quota-${name}`), String(calls + 2));
    }
    const token = async (client_id: string) =>
      (await atGateway(
        back,
        new Request("http://gateway/climate/oauth/token", {
          method: "POST",
          body: new URLSearchParams({ client_id, client_secret: `secret-of-${client_id}` }),
        }),
      )).status;
    // The second belongs to nobody.
    assert.deepEqual([await token("client-one"), await token("client-two")], [200, 200]);
  },
  settings,
);

testOnEngines(
  "moving out: OAuth clients of nobody go with their secrets, and those that can't are named",
  async (desk) => {
    const { org_id } = desk;
    const moveIn = async (policyid: string) => {
      const plan = (n: number, access_rights: Members) => (
        {
          _id: ids.plan(n),
          id: `plan-${n}`,
          org_id,
          name: `Plan ${n}`,
          active: true,
          access_rights,
        }
      );
      // One more than the developer of nobody takes, and one whose plan opens no API.
      const clients = [
        ...Array.from({ length: 201 }, (_, n) => ({ id: `client-${n}`, policyid })),
        { id: "closed", policyid: ids.plan(3) },
      ];
      const exports = makeExports(org_id, 0);
      exports.collections.tyk_policies = [
        ...[1, 2].map((n) => plan(n, { [`api-${n}`]: {} })),
        plan(3, {}),
      ];
      const records = clients.toReversed().map(({ id, policyid }) => ({
        key: `oauth-data.api-1.oauth-clientid.${id}`,
        value: JSON.stringify({
          id,
          secret: `secret-of-${id}`,
          policyid,
          redirecturi: `https://${id}.example.org/back`,
        }),
      }));
      await using folder = await temporaryFolder();
      await writeFiles(folder.path, exports);
      const lines = records.map((record) => JSON.stringify(record));
      await Deno.writeTextFile(`${folder.path}/redis.jsonl`, lines.join("\n"));
      await run(desk, await openExportFiles(folder.path), undefined);
    };
    const wayBack = async () => {
      await using folder = await temporaryFolder();
      const { encryption, identities } = await freshPair();
      const report = await exported(desk, `${folder.path}/out`, { encryption });
      const file = await Deno.open(`${folder.path}/out/redis.jsonl.age`);
      const text = await new Response(await decrypted(file.readable, identities)).text();
      const lost = report.unknown_to_the_original.find(({ what }) => what === "oauth_clients");
      return { text, lost };
    };
    await moveIn(ids.plan(1));
    const { text, lost } = await wayBack();
    assert.equal(text.match(/"oauth-data\.api-1\.oauth-clientid\.client-/g)?.length, 199);
    assert.match(text, /secret-of-client-200\b/);
    // Two beyond the most, and the one that opens nothing.
    assert.equal(lost?.count, 3);
    // Of two nothing but the hash is kept.
    assert.deepEqual(
      new Set(lost.names),
      new Set(["closed", sha256("client-0"), sha256("client-1")]),
    );
    assert.match(text, /redirecturi\\":\\"https:\/\/client-200\.example\.org\/back\\"/);
    // A plan that changed there is the plan of the record that goes back.
    await moveIn(ids.plan(2));
    const changed = await wayBack();
    assert.equal(changed.text.match(/"oauth-data\.api-2\.oauth-clientid\.client-/g)?.length, 199);
    assert.equal(changed.text.match(/"oauth-data\.api-1\.oauth-clientid\./g), null);
  },
);
