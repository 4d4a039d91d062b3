/** A desk that was exported and imported is the same desk, whatever the engines. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { findingsAfter } from "../../../src/maintenance/import/imports.store.ts";
import { statement } from "../../../src/storage/statement.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type Engine, engines, openTestDesk, type TestDesk } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { fillStore } from "../../support/fill-store.ts";
import { standIn } from "../../support/identity-provider.ts";
import { call, issue } from "../../support/keys.ts";
import { openDesk as leaksOpen, report, workOff } from "../../support/leaks.ts";
import { digestOf, exported, freshPair, imported } from "../../support/moving-out.ts";

const OUTBOUND = { KEYDESK_OUTBOUND: "portal.example.org" };
const PASSWORD = "a long sentence that only she knows";

const providersSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("provider_states as s").innerJoin("provider_grants as g", "g.provider_id", "s.id")
    .select(["s.refused_by", "s.problem", "s.refreshes", "g.kind"])
);

/**
 * A desk with something in every table that travels, the keys that open there, and what a one-time
 * link's link holds.
 */
async function filledDesk(
  engine: Engine,
): Promise<{ desk: TestDesk; keys: string[]; token: string }> {
  await using provider = await standIn();
  const desk = await openTestDesk(engine, {
    environment: {
      ...leaksOpen,
      KEYDESK_OUTBOUND: `${OUTBOUND.KEYDESK_OUTBOUND},${provider.host}`,
    },
  });
  const url = "http://desk.test";
  const keys = await fillStore({ url, admin: desk.admin, fetch: desk.app.fetch, provider });
  assert.deepEqual(await desk.app.ctx.storage.reader.rows(providersSql, {}), [
    { refused_by: "provider", problem: "status 502", refreshes: "yes", kind: "people" },
  ]);
  const asked = { by_user: "least", for_plan: "full" };
  const { Message } = await call<{ Message: string }>(desk, "POST", "/api/portal/requests", asked);
  const { one_time_link } = await call<{ one_time_link: { link: string } }>(
    desk,
    "POST",
    `/v1/key-requests/${Message}/approve`,
    { deliver: "one_time_link" },
  );
  const [, token = ""] = one_time_link.link.split("#");
  const words = "Their team lead asked for this by phone.";
  await call(desk, "POST", `/v1/key-requests/${Message}/comments`, { words });
  await openPages(desk);
  await registered(desk, "dev-verified");
  const verified = await signInByCode(desk, "dev-verified@example.org");
  await verified.get("PUT", "/v1/my/mails", { language: "de", quota: false, key_ends: true });
  const { RawKey } = await issue(desk);
  assert.equal((await report(desk, [RawKey])).status, 202);
  await workOff(desk);
  // Writes what it has in memory, and from now on nothing by itself.
  await desk.app.ctx.verifier.close();
  return { desk, keys, token };
}

/** Places of members that nobody here knows, whose texts may be secrets. */
const UNKNOWN = [
  "plan.meta_data",
  "configuration.dcr_options",
  "configuration.mail_options.smtp",
  "catalogue_entry.config.headers",
];

/** Puts a text into each, and numbers and the like beside them. */
async function addUnknownMembers(desk: TestDesk): Promise<void> {
  const secret = "a secret of somebody else";
  await call(desk, "PUT", "/api/portal/policies/full", { meta_data: { upstream_key: secret } });
  await call(desk, "PUT", "/api/portal/configuration", {
    dcr_options: { idp_host: "", access_token: secret },
    mail_options: { mail_from_name: "APIs", smtp: [{ url: `smtp://u:${secret}@h` }] },
    enable_sso: true,
  });
  await call(desk, "PUT", "/api/portal/catalogue", {
    apis: [{ name: "Least", policy_id: "least", config: { headers: { "x-key": secret } } }],
  });
}

/** Tables that nothing in the tests fills. */
const EMPTY: readonly string[] = ["usage_erasures"];

const other: Readonly<Record<Engine, Engine>> = { sqlite: "postgres", postgres: "sqlite" };
const pairs = engines.map((from) => [from, engines.includes(other[from]) ? other[from] : from]);

for (const [from, to] of pairs as [Engine, Engine][]) {
  Deno.test(`export: from ${from} into an empty desk on ${to} comes the same desk`, async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "out");
    const { desk: source, keys, token } = await filledDesk(from);
    await using _source = source;
    const before = await digestOf(source);
    const empty = before.tables.filter(({ rows }) => rows === 0).map(({ table }) => table);
    assert.deepEqual(empty.filter((table) => !EMPTY.includes(table)), []);
    const { encryption, identities } = await freshPair();
    const report = await exported(source, path, { encryption });
    assert.deepEqual(report.missing, []);
    assert.ok(report.unknown_to_the_original.length > 3);

    const environment = { ...OUTBOUND, KEYDESK_ORG_ID: source.org_id };
    await using target = await openTestDesk(to, { environment });
    assert.notEqual((await digestOf(target)).sha256, before.sha256);
    const { summaries } = await imported(target, path, { identities });
    const found = await findingsAfter(
      target.app.ctx.storage.reader,
      target.org_id,
      { kind: "", id: "", code: "" },
      10,
    );
    assert.deepEqual(found, []);
    assert.ok(summaries.every(({ kept, others }) => kept + others === 0));
    const after = await digestOf(target);
    assert.deepEqual(after, before);

    // Again, and nothing is taken twice.
    const again = await imported(target, path, { identities });
    assert.equal(again.summaries.reduce((sum, { added }) => sum + added, 0), 0);
    assert.deepEqual(await digestOf(target), before);
    await usable(source, target, keys);
    // The link that its holder has opens here.
    const { key: credential } = await call<{ key: { RawKey: string } }>(
      target,
      "POST",
      "/v1/one-time-links/open",
      { token },
    );
    assert.ok(await opens(target, credential.RawKey));
  });
}

/** Whether a key opens something, under the id that it always had. */
async function opens(desk: TestDesk, key: string): Promise<boolean> {
  const asked = { key };
  const verdict = await call<{ valid: boolean; key_id: string }>(
    desk,
    "POST",
    "/v1/keys/verify",
    asked,
  );
  return verdict.valid && verdict.key_id === sha256(key);
}

/** The one-time links of keys; those of access tokens stay behind with these. */
async function oneTimeLinksOf(desk: TestDesk): Promise<unknown> {
  const { data } = await call<{ data: { access_token_id: string }[] }>(
    desk,
    "GET",
    "/v1/one-time-links",
  );
  return data.filter(({ access_token_id }) => access_token_id === "");
}

/**
 * What opened there opens here: keys, passwords, a one-time link, a private key; lists count what
 * they hold.
 */
async function usable(source: TestDesk, target: TestDesk, keys: readonly string[]): Promise<void> {
  for (
    const path of [
      "/api/portal/requests",
      "/api/portal/developers",
      "/api/portal/policies",
      "/api/portal/requests?p=1",
      "/v1/key-requests?state=declined",
      "/v1/keys",
      "/api/portal/catalogue",
      "/api/portal/configuration",
      "/v1/branding",
      "/api/certs?mode=detailed",
      "/v1/settings/alerts",
      "/v1/certificates/counts",
      "/v1/channels",
      "/v1/keys/labels",
      "/v1/keys?environment=production",
      "/v1/keys?tag=edge",
      "/v1/keys?q=checkout",
    ]
  ) {
    const [there, here] = await Promise.all(
      [source, target].map((desk) => call<unknown>(desk, "GET", path)),
    );
    assert.deepEqual(here, there, path);
  }
  assert.deepEqual(await oneTimeLinksOf(target), await oneTimeLinksOf(source));
  for (const key of keys) assert.ok(await opens(target, key));
  const login = { username: "full@example.org", password: PASSWORD };
  const signedIn = await target.send("POST", "/api/portal/developers/verify_credentials", {
    body: login,
  });
  assert.equal(signedIn.status, 200);
}

for (const engine of engines) {
  Deno.test(`${engine}: export: without secrets nothing of them is in it, and the report counts them`, async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "out");
    const { desk, keys } = await filledDesk(engine);
    await using _desk = desk;
    await addUnknownMembers(desk);
    const report = await exported(desk, path);
    const counted = Object.fromEntries(report.missing.map(({ what, count }) => [what, count]));
    assert.deepEqual(
      ["passwords", "developer_secrets", "request_secrets", "private_keys", "claims"]
        .filter((what) => !(counted[what] ?? 0)),
      [],
    );
    const { tables } = await digestOf(desk);
    const rows = Object.fromEntries(tables.map((one) => [one.table, one.rows]));
    for (const table of ["claims", "quota_uses", "delivery_targets", "leaks", "branding"]) {
      assert.equal(counted[table], rows[table as keyof typeof rows], table);
    }
    // All but the revoked one.
    assert.equal(counted.keys, (rows.credentials ?? 0) - 1);
    let text = "";
    for await (const { name } of Deno.readDir(path)) {
      assert.doesNotMatch(name, /\.age$/);
      const stat = await Deno.stat(join(path, name));
      assert.equal((stat.mode ?? 0) & 0o777, 0o600, name);
      text += await Deno.readTextFile(join(path, name));
    }
    for (const key of keys) {
      assert.ok(!text.includes(key) && !text.includes(sha256(key)));
    }
    assert.doesNotMatch(text, /PRIVATE KEY|argon2id|"keydesk"|sealed|of somebody else/);
    assert.match(text, /"partitions":\{"quota":true/);
    assert.match(text, /"enable_sso":true/);
    const unknown = report.missing.find(({ what }) => what === "unknown_members");
    assert.equal(unknown?.count, 4);
    for (const place of UNKNOWN) assert.ok(unknown.meaning.includes(place), place);
    assert.match(text, /BEGIN CERTIFICATE/);
  });
}
