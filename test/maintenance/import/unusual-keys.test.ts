/**
 * Moving in what is tied to keys in unusual ways: by a murmur hash, by a user name, by an OAuth
 * client of nobody.
 */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import { murmurIdsOf } from "../../../src/features/keys/murmur.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { openExportFiles } from "../../../src/maintenance/import/export-files.ts";
import { runMoving } from "../../../src/maintenance/import/import.service.ts";
import { reportOf } from "../../../src/maintenance/import/report.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/keys.ts";
import {
  type Exports,
  ids,
  makeExports,
  originalKey,
  writeExports,
} from "../../support/original-exports.ts";
import { sessionOf } from "../../support/original-interfaces.ts";

const FOREIGN = "0".repeat(24);

/**
 * Moves in exports with records of Redis beside them, and gives what was found, `kind code detail`.
 */
async function moveIn(
  desk: TestDesk,
  exports: Exports,
  records: Record<string, unknown>,
  theirs = false,
): Promise<string[]> {
  await using folder = await temporaryFolder();
  await writeExports(folder.path, exports);
  const lines = Object.entries(records).map(([key, value]) =>
    JSON.stringify({ key, value: JSON.stringify(value) })
  );
  await Deno.writeTextFile(`${folder.path}/redis.jsonl`, lines.join("\n"));
  const { org_id, app: { ctx } } = desk;
  const principal = { org_id, user_id: "operator", token_id: "", permissions };
  await runMoving(
    { ...ctx, principal },
    await openExportFiles(folder.path),
    { theirs, murmurUntil: "2999-01-01T00:00:00.000Z", passphrase: undefined },
    { read: () => {}, found: () => {}, isOver: false },
  );
  const found: string[] = [];
  for await (
    const { kind, code, detail } of (await reportOf(ctx.storage.reader, org_id)).findings()
  ) {
    found.push(`${kind} ${code} ${detail}`.trimEnd());
  }
  return found.sort();
}

testOnEngines(
  "moving in: a request goes on naming its key by a murmur hash, also after the key's first use",
  async (desk) => {
    const exports = makeExports(desk.org_id, 2);
    const keys = ["key-of-the-first", "key-of-the-second"];
    const hashes = (await Promise.all(keys.map(murmurIdsOf))).map(([, murmur64]) => murmur64);
    for (const n of [0, 1]) {
      const [person, request] = [
        exports.collections.portal_developers?.[n],
        exports.collections.portal_key_requests?.[2 * n + 1],
      ] as Record<string, unknown>[];
      assert.ok(person && request);
      person.keys = { [String(hashes[n])]: [ids.plan(1)] };
      // It asks for plan 2 on the key of plan 1.
      Object.assign(request, {
        key: hashes[n],
        for_plan: ids.plan(2),
        apply_policies: [ids.plan(2)],
      });
    }
    await moveIn(
      desk,
      exports,
      Object.fromEntries(
        hashes.map((hash) => [`apikey-${hash}`, sessionOf(desk.org_id)]),
      ),
    );
    // The first key is used before its request is decided, the second is not.
    const used = await call<{ valid: boolean }>(desk, "POST", "/v1/keys/verify", {
      key: "key-of-the-first",
      api_id: "api-1",
    });
    assert.equal(used.valid, true);
    for (const n of [0, 1]) {
      const path = `/api/portal/requests/approve/${ids.request(2 * n + 1)}`;
      const { RawKey } = await call<{ RawKey: string }>(desk, "PUT", path);
      assert.equal(RawKey, n === 0 ? sha256("key-of-the-first") : hashes[1]);
      const { plans } = await call<{ plans: string[] }>(desk, "GET", `/v1/keys/${RawKey}`);
      assert.equal(plans.length, 2);
    }
  },
);

testOnEngines(
  "moving in: each user name of basic auth is named with what to do, and no key is",
  async (desk) => {
    const basic = { basic_auth_data: { password: "$2a$10$hash", hash_type: "bcrypt" } };
    const meta_data = { tyk_developer_id: ids.developer(0) };
    const hidden = "c".repeat(32);
    const found = await moveIn(desk, makeExports(desk.org_id, 1), {
      [`apikey-${desk.org_id}ada`]: sessionOf(desk.org_id, { ...basic, meta_data }),
      [`apikey-${"d".repeat(64)}`]: sessionOf(desk.org_id, basic),
      [`apikey-${desk.org_id}${hidden}`]: sessionOf(desk.org_id, basic),
      [`apikey-${"e".repeat(64)}`]: sessionOf(desk.org_id, {
        ...basic,
        meta_data: { tyk_developer_id: "x; rm -rf ~" },
      }),
    });
    const told = found.filter((one) => one.startsWith("key basic_password"));
    assert.deepEqual(told, [
      "key basic_password belongs to no developer: register its holder, issue then",
      "key basic_password belongs to no developer: register its holder, issue then",
      "key basic_password keydesk keys issue, for its developer and plans",
      `key basic_password user name "ada": keydesk keys issue ${ids.developer(0)} ${ids.plan(1)}`,
    ]);
    assert.ok(!found.join("\n").includes(hidden));
  },
);

testOnEngines(
  "moving in: an OAuth client that Redis alone knows comes into the organisation of its plan or API",
  async (desk) => {
    const exports = makeExports(desk.org_id, 1);
    exports.collections.tyk_policies?.push({
      _id: ids.plan(7),
      org_id: FOREIGN,
      name: "Another's too",
      access_rights: { "api-7": {} },
    });
    const client = (id: string, policyid: string) => ({ id, secret: `secret of ${id}`, policyid });
    const at = (api: string, id: string) => `oauth-data.${api}.oauth-clientid.${id}`;
    const found = await moveIn(desk, exports, {
      [`apikey-${sha256(originalKey(desk.org_id, 0))}`]: sessionOf(desk.org_id),
      [at("api-9", "by-plan")]: client("by-plan", ids.plan(2)),
      [at("api-1", "by-foreign-plan")]: client("by-foreign-plan", ids.plan(7)),
      [at("api-7", "by-foreign-api")]: client("by-foreign-api", "gone"),
      [at("api-9", "by-nothing")]: client("by-nothing", "gone"),
    });
    assert.deepEqual(found.filter((one) => one.startsWith("client")), [
      "client client_organisation",
      "client key_without_owner",
    ]);
    const { data } = await call<{ data: { key_id: string; kind: string }[] }>(
      desk,
      "GET",
      "/v1/keys",
    );
    const clients = data.filter(({ kind }) => kind === "oauth").map(({ key_id }) => key_id);
    assert.deepEqual(clients, [sha256("by-plan")]);
  },
);

testOnEngines(
  "moving in: alias and tags of a session are the key's, as far as they fit",
  async (desk) => {
    const exports = makeExports(desk.org_id, 1);
    const [person] = exports.collections.portal_developers as Record<string, unknown>[];
    assert.ok(person);
    const sent: [alias: string, tags: unknown, name: string, shown: string[]][] = [
      ["Checkout, live", ["payments", "payments", "x".repeat(51), 7], "Checkout, live", [
        "payments",
      ]],
      ["ada@example.org", null, "", []],
      [
        "a\nb",
        Array.from({ length: 12 }, (_, n) => `t${n}`),
        "",
        [..."0123456789"].map((n) => `t${n}`),
      ],
    ];
    const named = sent.map((one, n) => ({ one, hash: sha256(`key ${n}`) }));
    person.keys = Object.fromEntries(named.map(({ hash }) => [hash, [ids.plan(1)]]));
    await moveIn(
      desk,
      exports,
      Object.fromEntries(
        named.map(({ one: [alias, tags], hash }) => [
          `apikey-${hash}`,
          { ...sessionOf(desk.org_id), alias, tags },
        ]),
      ),
    );
    for (const { one: [, , name, tags], hash } of named) {
      const key = await call(desk, "GET", `/v1/keys/${hash}`);
      assert.deepEqual([key.name, key.tags], [name, tags]);
    }
    const { kinds } = await reportOf(desk.app.ctx.storage.reader, desk.org_id);
    assert.deepEqual(kinds.find(({ kind }) => kind === "key")?.dropped, { alias: 2, tags: 2 });
    // Where the key itself is its name, it is no label.
    const plain = "a-key-that-was-chosen-by-hand";
    await moveIn(desk, exports, {
      [`apikey-${plain}`]: sessionOf(desk.org_id, { alias: plain, tags: [plain, "edge"] }),
    });
    const key = await call(desk, "GET", `/v1/keys/${sha256(plain)}`);
    assert.deepEqual([key.name, key.tags], ["", ["edge"]]);
  },
);

testOnEngines(
  "moving in: a key gets the name that it was given there since, but not over one that it has here",
  async (desk) => {
    const { org_id } = desk;
    const exports = makeExports(org_id, 1);
    const [person] = exports.collections.portal_developers as Record<string, unknown>[];
    assert.ok(person);
    const [free, own] = [sha256("key of nobody's name"), sha256("key named here")];
    person.keys = { [free]: [ids.plan(1)], [own]: [ids.plan(1)] };
    const move = (alias: string, tags: string[], theirs?: boolean) =>
      moveIn(
        desk,
        exports,
        Object.fromEntries(
          [free, own].map((hash) => [`apikey-${hash}`, { ...sessionOf(org_id), alias, tags }]),
        ),
        theirs,
      );
    const shown = async (hash: string) => {
      const { name, environment, tags } = await call(desk, "GET", `/v1/keys/${hash}`);
      return [name, environment, tags];
    };
    await move("", []);
    const named = { name: "Named here", environment: "test", tags: [] };
    await call(desk, "PUT", `/v1/keys/${own}/labels`, named);
    const found = await move("Named there", ["edge"]);
    assert.deepEqual(found.filter((one) => one.includes("changed_here")), [
      "key changed_here its name or tags",
    ]);
    assert.deepEqual(await shown(free), ["Named there", "", ["edge"]]);
    assert.deepEqual(await shown(own), ["Named here", "test", []]);
    const listed = await call<{ data: { key_id: string }[] }>(desk, "GET", "/v1/keys?tag=edge");
    assert.deepEqual(listed.data.map(({ key_id }) => key_id), [free]);
    await move("Renamed there", ["edge", "live"], true);
    assert.deepEqual(await shown(own), ["Renamed there", "test", ["edge", "live"]]);
  },
);

testOnEngines(
  "moving in: a key that opened nothing by itself does not come, and members not kept are counted",
  async (desk) => {
    const { org_id } = desk;
    const exports = makeExports(org_id, 1);
    const bound: Record<string, unknown>[] = [
      { certificate: org_id + "a".repeat(64) },
      { mtls_static_certificate_bindings: [org_id + "a".repeat(64)] },
      { hmac_enabled: true, hmac_string: "a secret" },
      { enable_http_signature_validation: true, rsa_certificate_id: org_id + "b".repeat(64) },
      { jwt_data: { secret: "a secret" } },
    ];
    // Every member that a session has, set to nothing; and one that says something by those that
    // are not kept.
    const nothing = {
      certificate: "",
      mtls_static_certificate_bindings: [],
      hmac_enabled: true,
      hmac_string: "",
      jwt_data: { secret: "" },
      rsa_certificate_id: "",
      oauth_keys: {},
      monitor: { trigger_limits: null },
      session_lifetime: 0,
      max_query_depth: -1,
      last_check: 1,
      allowance: 7,
      rate: 1000,
      per: 1,
      enable_detailed_recording: false,
    };
    const { hmac_enabled: _, ...silent } = nothing;
    const meta_data = { tyk_developer_id: ids.developer(0) };
    const says = { session_lifetime: 60, monitor: { trigger_limits: [80] } };
    const sessions = [
      ...bound,
      { ...silent, meta_data },
      { ...nothing, ...says, meta_data: { ...meta_data, team: "Blue" } },
    ];
    const found = await moveIn(desk, exports, {
      ...Object.fromEntries(
        sessions.map((more, n) => [`apikey-${sha256(`key ${n}`)}`, sessionOf(org_id, more)]),
      ),
      "oauth-data.api-1.oauth-clientid.alone": {
        id: "alone",
        secret: "a secret of it",
        policyid: ids.plan(2),
        description: "",
        redirecturi: "https://alone.example.org",
      },
    });
    assert.deepEqual(found.filter((one) => one.includes("key_bound")), [
      "key key_bound certificate",
      "key key_bound hmac_string",
      "key key_bound jwt_data",
      "key key_bound mtls_static_certificate_bindings",
      "key key_bound rsa_certificate_id",
    ]);
    for (const n of sessions.keys()) {
      const { valid } = await call<{ valid: boolean }>(desk, "POST", "/v1/keys/verify", {
        key: `key ${n}`,
      });
      assert.equal(valid, n >= bound.length, String(n));
    }
    const { kinds } = await reportOf(desk.app.ctx.storage.reader, org_id);
    const dropped = Object.fromEntries(kinds.map((one) => [one.kind, one.dropped]));
    const counted = { hmac_enabled: 1, meta_data: 1, monitor: 1, session_lifetime: 1 };
    assert.deepEqual(dropped.key, counted);
    assert.deepEqual(dropped.client, {});
  },
);
