/**
 * Keys that somebody chose there: the gateway wraps their text before it hashes it, and whoever
 * presents it is let in.
 */
import assert from "node:assert/strict";
import { policiesFile } from "../../../examples/moving/exports.ts";
import { CHOSEN_KEY, filled, ids as filledIds, ORG } from "../../../examples/moving/fill.ts";
import { hashings, rawKey } from "../../../examples/moving/keys.ts";
import { permissions } from "../../../src/contract/permissions.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { openExportFiles } from "../../../src/maintenance/import/export-files.ts";
import { openGateway } from "../../../src/maintenance/import/gateway.ts";
import { runMoving, verifyMoving } from "../../../src/maintenance/import/import.service.ts";
import { reportOf } from "../../../src/maintenance/import/report.ts";
import type { Source } from "../../../src/maintenance/import/source.ts";
import { together } from "../../../src/maintenance/import/sources.ts";
import { assertFailure } from "../../support/answers.ts";
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
import { outcome } from "../../support/verification.ts";

const UNTIL = "2999-01-01T00:00:00.000Z";
const TEXT = "partner key, green";

async function move<T>(
  { app: { ctx }, org_id }: TestDesk,
  source: Source,
  work: (...words: Parameters<typeof runMoving>) => Promise<T>,
): Promise<T> {
  const principal = { org_id, user_id: "operator", token_id: "", permissions };
  const options = { theirs: false, murmurUntil: UNTIL, passphrase: undefined };
  const listener = { read: () => {}, found: () => {}, isOver: false };
  try {
    return await work({ ...ctx, principal }, together([source]), options, listener);
  } finally {
    await source.close();
  }
}

function gatewayOf({ gateway: url, secret }: OriginalInterfaces): Promise<Source> {
  return openGateway({ url, secret, allowPlain: false, pauseMs: 1 });
}

/** Its gateway goes by this plan, as that of an organisation without a dashboard does. */
function withPlan({ keeps }: OriginalInterfaces): void {
  keeps.plans.push({
    _id: ids.plan(1),
    id: "gold",
    org_id: keeps.org_id,
    name: "Gold",
    active: true,
    quota_max: -1,
    quota_renewal_rate: -1,
    access_rights: { "api-1": {} },
  });
}

async function found({ app: { ctx }, org_id }: TestDesk, code: string): Promise<string[]> {
  const all = await Array.fromAsync((await reportOf(ctx.storage.reader, org_id)).findings());
  return all.filter((one) => one.code === code).map(({ id }) => id);
}

const functions = hashings.filter((one) => one !== "none");
/** How keys are hashed, and what their texts are wrapped for. */
const settings = [
  ...functions.filter((one) => one !== "murmur32").map((one) => [one, one] as const),
  ...[...functions, "" as const].map((one) => ["none", one] as const),
];

for (const [hashing, wrapsBy] of settings) {
  testOnEngines(
    `moving in: a key that somebody chose opens by its text, from a gateway of setting ${hashing}, ${wrapsBy}`,
    async (desk) => {
      const { org_id } = desk;
      await using there = startInterfaces(makeExports(org_id, 1), { sessions: {}, hashing });
      const { keeps } = there;
      keeps.wrapsBy = wrapsBy;
      withPlan(there);
      const session = sessionOf(org_id, { meta_data: { tyk_developer_id: "partner" } });
      const chosen = await keeps.add(TEXT, session);
      await keeps.addUser("ada", "correct horse", "", [ids.plan(1)]);
      await move(desk, await gatewayOf(there), runMoving);
      const known = hashing === "none" ? sha256(chosen.key) : chosen.name;
      // Neither a text that nobody chose nor a user name, wrapped or not.
      for (const text of ["partner key, blue", "ada", keeps.wrapped("ada"), known]) {
        assert.equal(await outcome(desk, text), "unknown", text);
      }
      // It is found by its text before it is used, too.
      const found = (key: string) =>
        call<{ key_id: string }>(desk, "POST", "/v1/keys/find", { key });
      assert.equal((await found(TEXT)).key_id, known);
      assert.equal(await outcome(desk, TEXT), "valid");
      const key = await call<{ key_id: string; developer_id: string }>(
        desk,
        "GET",
        `/v1/keys/${sha256(TEXT)}`,
      );
      assert.deepEqual([key.key_id, key.developer_id], [sha256(TEXT), "partner"]);
      assert.equal((await found(TEXT)).key_id, sha256(TEXT));
      const { keys } = await call<{ keys: Record<string, unknown> }>(
        desk,
        "GET",
        "/api/portal/developers/partner",
      );
      assert.deepEqual(Object.keys(keys), [sha256(TEXT)]);
      // Its use here changes nothing there, and one that is gone there is named as before.
      const compared = async () => {
        const sides = await move(desk, await gatewayOf(there), verifyMoving);
        const side = sides.find(({ kind }) => kind === "key");
        return [side?.missing, side?.changed_there, side?.gone_there];
      };
      assert.deepEqual(await compared(), [0, 0, 0]);
      keeps.revoke(chosen.name);
      keeps.records.set(`apikey-${"a".repeat(64)}`, session);
      assert.deepEqual(await compared(), [1, 0, 1]);
    },
  );
}

testOnEngines(
  "moving in: a chosen key opens by its text once a run saw its session, and no more once it is a user name",
  async (desk) => {
    const { org_id } = desk;
    const exports = makeExports(org_id, 1);
    await using there = startInterfaces(exports, { sessions: {} });
    const { keeps } = there;
    const owner = ids.developer(0);
    const session = sessionOf(org_id, { meta_data: { tyk_developer_id: owner } });
    const names = await Promise.all(
      ["first", "second", "third"].map(async (text) => (await keeps.add(text, session)).name),
    );
    const [person] = exports.collections.portal_developers as Record<string, unknown>[];
    assert.ok(person);
    person.keys = Object.fromEntries(names.map((name) => [name, [ids.plan(1)]]));
    await using folder = await temporaryFolder();
    await writeExports(folder.path, exports);
    // Developers' maps name user names likewise, as earlier runs took them for keys.
    await move(desk, await openExportFiles(folder.path), runMoving);
    assert.equal(await outcome(desk, "first"), "unknown");
    await move(desk, await gatewayOf(there), runMoving);
    // For a second it is remembered that it was unknown.
    await eventually("it opens", async () => await outcome(desk, "first") === "valid");
    await keeps.addUser("second", "correct horse", owner, [ids.plan(1)]);
    await move(desk, await gatewayOf(there), runMoving);
    const path = `/v1/keys/${names[1]}/resume`;
    await call(desk, "POST", path, { reason: "by mistake" });
    assert.equal(await outcome(desk, "second"), "unknown");
    // Nor is it told by its text which key it is.
    const named = await desk.send("POST", "/v1/keys/find", { body: { key: "second" } });
    await assertFailure(named, "not_found");
    assert.equal(await outcome(desk, "third"), "valid");
  },
);

testOnEngines(
  "moving in: a chosen key that may be guessed is named where its text is known, and in the audit log at its first use",
  async (desk) => {
    const { org_id } = desk;
    await using there = startInterfaces(makeExports(org_id, 1), {
      sessions: {},
      hashing: "none",
    });
    // As long as a hash with the organisation before it; one that would end what is around it.
    const texts = ["abcdef", "deadbeef", 'ü","h":"x', "d".repeat(40)];
    withPlan(there);
    const keys = new Map<string, string>();
    for (const [n, text] of texts.entries()) {
      there.keeps.wrapsBy = n < 2 ? "" : "murmur64";
      keys.set(text, (await there.keeps.add(text, sessionOf(org_id))).key);
    }
    await move(desk, await gatewayOf(there), runMoving);
    const weak = texts.slice(0, 3).map((text) => sha256(keys.get(text) ?? "")).sort();
    assert.deepEqual(await found(desk, "key_weak"), weak);
    for (const text of texts) assert.equal(await outcome(desk, text), "valid", text);
    const { data } = await call<{ data: { object_id: string; detail: { weak?: boolean } }[] }>(
      desk,
      "GET",
      "/v1/audit-log?action=key.rehashed",
    );
    const told = Object.fromEntries(data.map(({ object_id, detail }) => [object_id, detail.weak]));
    assert.deepEqual(
      texts.map((text) => told[sha256(text)]),
      [true, true, true, undefined],
    );
  },
);

for (const form of ["list", "map"] as const) {
  testOnEngines(
    `moving in: the policies of an open-source gateway come from its file, a ${form}`,
    async (desk) => {
      const original = await filled(1);
      await using folder = await temporaryFolder();
      const policies = JSON.parse(policiesFile(original, form));
      // One that a person named.
      const named = { name: "By hand", rate: 5, per: 1, access_rights: {}, active: true };
      if (form === "map") policies["by-hand"] = named;
      else policies.push({ ...named, _id: "", id: "by-hand" });
      await Deno.writeTextFile(`${folder.path}/policies.json`, JSON.stringify(policies));
      const files = () => openExportFiles(folder.path);
      await move(desk, await files(), runMoving);
      for (const id of [filledIds.plan(1), "by-hand"]) {
        const plan = await call<{ id: string }>(desk, "GET", `/v1/plans/${id}`);
        assert.equal(plan.id, id);
      }
      const [side] = await move(desk, await files(), verifyMoving);
      assert.ok(side);
      assert.deepEqual([side.missing, side.changed_there, side.changed_here], [0, 0, 0]);
      assert.ok(side.there >= 4);
    },
    { environment: { KEYDESK_ORG_ID: ORG } },
  );
}

testOnEngines(
  "moving in: with the gateway alone its keys come with the policies that they name, and open",
  async (desk) => {
    const { org_id } = desk;
    await using there = startInterfaces(makeExports(org_id, 1), { sessions: {} });
    const { keeps } = there;
    withPlan(there);
    const key = rawKey(org_id, "f".repeat(32), "sha256");
    keeps.records.set(`apikey-${sha256(key)}`, sessionOf(org_id));
    await move(desk, await gatewayOf(there), runMoving);
    const ask = async (api_id: string) =>
      (await call<{ valid: boolean; reason?: string }>(desk, "POST", "/v1/keys/verify", {
        key,
        api_id,
      })).reason;
    assert.deepEqual([await ask("api-1"), await ask("api-2")], [undefined, "wrong_api"]);
    assert.deepEqual(await found(desk, "unknown_plan"), []);
  },
);

Deno.test("moving in: a chosen key of the stand-in is called with", async () => {
  const { holders } = await filled(0);
  assert.ok(holders.some(({ key }) => key === CHOSEN_KEY));
});
