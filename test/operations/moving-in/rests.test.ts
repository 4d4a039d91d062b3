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
import { openExportFiles } from "../../../src/operations/moving-in/export-files.ts";
import { openGateway } from "../../../src/operations/moving-in/gateway.ts";
import { runMoving } from "../../../src/operations/moving-in/moving-in.service.ts";
import { reportOf } from "../../../src/operations/moving-in/report.ts";
import type { Source } from "../../../src/operations/moving-in/source.ts";
import { decrypted } from "../../../src/operations/own-form/age.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call, readKey } from "../../support/keys.ts";
import { exported, freshPair } from "../../support/moving-out.ts";
import { ids, makeExports, writeExports as writeFiles } from "../../support/original-exports.ts";
import { sessionOf, startInterfaces } from "../../support/original-interfaces.ts";
import { outcome, verify } from "../../support/verification.ts";

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
    // One belongs to no developer, so that nobody keeps its secret.
    assert.equal(lost.oauth_clients, 1);
    const back = new Gateway(ORG);
    back.plans.push(...original.plans);
    back.apis.push(...original.gateway.apis);
    const file = await Deno.open(`${folder.path}/out/redis.jsonl.age`);
    const text = await new Response(await decrypted(file.readable, identities)).text();
    for (const line of text.trim().split("\n")) {
      const { key, value }: { key: string; value: string } = JSON.parse(line);
      const isText = key.startsWith("quota-") || key.startsWith("cert-raw-");
      back.records.set(key, isText ? value : JSON.parse(value) as Members);
    }
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
    assert.deepEqual([await token("client-one"), await token("client-two")], [200, 403]);
  },
  settings,
);
