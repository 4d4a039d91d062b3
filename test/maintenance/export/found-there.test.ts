/** The way back: of each key that is said to be found at a gateway, whether it opens there. */
import assert from "node:assert/strict";
import { Gateway, type Members } from "../../../examples/moving/gateway.ts";
import { type Hashing, hashings, rawKey, wrapped } from "../../../examples/moving/keys.ts";
import { permissions } from "../../../src/contract/permissions.ts";
import { openExportFiles } from "../../../src/maintenance/import/export-files.ts";
import { openGateway } from "../../../src/maintenance/import/gateway.ts";
import { runMoving } from "../../../src/maintenance/import/import.service.ts";
import { reportOf } from "../../../src/maintenance/import/report.ts";
import type { Source } from "../../../src/maintenance/import/source.ts";
import { organisationDocuments } from "../../../src/maintenance/export/organisation-documents.ts";
import { Losses } from "../../../src/maintenance/export/missing.ts";
import { demandsChecksums } from "../../../src/changes/checksum-demand.store.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { ids, makeExports, writeExports } from "../../support/original-exports.ts";
import { sessionOf, startInterfaces } from "../../support/original-interfaces.ts";
import { outcome } from "../../support/verification.ts";

const TEXT = "partner key, green and blue";
const API = "weather";

async function moveIn({ app: { ctx }, org_id }: TestDesk, source: Source): Promise<void> {
  const principal = { org_id, user_id: "operator", token_id: "", permissions };
  const options = { theirs: false, murmurUntil: "2999-01-01T00:00:00.000Z", passphrase: undefined };
  const listener = { read: () => {}, found: () => {}, isOver: false };
  try {
    await runMoving({ ...ctx, principal }, source, options, listener);
  } finally {
    await source.close();
  }
}

/** Another gateway with what was exported, and what the report counts. */
async function target(
  { app: { ctx }, org_id }: TestDesk,
  hashing: Hashing,
): Promise<{ gateway: Gateway; unfound: number }> {
  const gateway = new Gateway(org_id, hashing);
  const access_rights = { [API]: { api_id: API } };
  const limits = { active: true, quota_max: -1, quota_renewal_rate: -1, access_rights };
  gateway.plans.push({ _id: ids.plan(1), id: ids.plan(1), org_id, ...limits });
  gateway.apis.push({ api_id: API, org_id, use_oauth2: false });
  const { sealer, storage: { reader } } = ctx;
  const demands = await demandsChecksums(reader, sealer);
  const desk = { db: reader, sealer, org_id, demandsChecksums: demands } as never;
  const losses = new Losses();
  const by = {
    organisation: desk,
    now: Date.now(),
    withSecrets: true,
    targetHash: hashing,
    losses,
  };
  for await (const { file, document } of organisationDocuments(by)) {
    if (file !== "redis") continue;
    const { key, value } = document as { key: string; value: string };
    if (!key.startsWith("apikey-")) continue;
    const session: Members = JSON.parse(value);
    gateway.records.set(key, { ...session, quota_max: -1, basic_auth_data: {} });
  }
  const unfound = losses.of("original").find(({ what }) => what === "unfound_keys")?.count ?? 0;
  return { gateway, unfound };
}

/** Keys that a gateway of this setting has, by its interface. */
async function fromGateway(desk: TestDesk, hashing: Hashing, keys: string[]): Promise<void> {
  const there = new Gateway(desk.org_id, hashing);
  const names = await Promise.all(keys.map(async (key) => await there.nameOf(key)));
  const sessions = Object.fromEntries(names.map((name) => [name, sessionOf(desk.org_id)]));
  const exports = makeExports(desk.org_id, 0);
  await using interfaces = startInterfaces(exports, { sessions, hashing });
  await using folder = await temporaryFolder();
  await writeExports(folder.path, exports);
  await moveIn(desk, await openExportFiles(folder.path));
  const { gateway: url, secret } = interfaces;
  await moveIn(desk, await openGateway({ url, secret, allowPlain: false, pauseMs: 1 }));
}

for (const from of ["sha256", "murmur64", "none"] as const) {
  testOnEngines(
    `the way back: keys of a gateway of setting ${from} open there, or are counted`,
    async (desk) => {
      const { org_id } = desk;
      const by = from === "none" ? "murmur64" : from;
      const chosen = wrapped(org_id, TEXT, by);
      const raw = rawKey(org_id, "0".repeat(32), by);
      await fromGateway(desk, from, [chosen, raw]);
      const shown = [TEXT, raw];
      const isUsed = from === "sha256";
      for (const key of isUsed ? shown : []) assert.equal(await outcome(desk, { key }), "valid");
      for (const hashing of hashings) {
        const { gateway, unfound } = await target(desk, hashing);
        const opened = await Promise.all(shown.map(async (key) => await gateway.open(key, API)));
        const closed = opened.filter(({ status }) => status !== 200).length;
        // It is never said that a key opens which does not, where that is where it came from.
        if (hashing === from || hashing === "none") assert.equal(closed, unfound, hashing);
        if (hashing === from && from !== "none") assert.equal(closed, 0, hashing);
        if (hashing === "none") assert.equal(closed, shown.length);
      }
    },
  );
}

testOnEngines(
  "moving in: a text of less than three characters opened nothing there",
  async (desk) => {
    const { org_id } = desk;
    await fromGateway(desk, "none", [
      wrapped(org_id, "ab", "murmur64"),
      wrapped(org_id, "abc", "murmur64"),
    ]);
    const findings: string[] = [];
    const report = await reportOf(desk.app.ctx.storage.reader, org_id);
    for await (const { code } of report.findings()) findings.push(code);
    assert.ok(findings.includes("key_too_short"));
    assert.equal(await outcome(desk, { key: "ab" }), "unknown");
    assert.equal(await outcome(desk, { key: "abc" }), "valid");
    const gateway = new Gateway(org_id, "none");
    gateway.records.set(`apikey-${wrapped(org_id, "ab", "murmur64")}`, sessionOf(org_id));
    assert.equal((await gateway.open("ab", API)).status, 403);
  },
);

testOnEngines(
  "moving in: a hashed text of less than three characters opens nothing here",
  async (desk) => {
    const { org_id } = desk;
    await fromGateway(desk, "sha256", [wrapped(org_id, "ab", "sha256")]);
    assert.equal(await outcome(desk, { key: "ab" }), "unknown");
  },
);
