/** Organisations for the operator, who calls, and what the server tells of itself. */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import { version } from "../../../src/kernel/version.ts";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { create, list, smallRequest } from "../../support/key-requests.ts";
import { allItems, call, statusOf } from "../../support/people.ts";
import { storedText } from "../../support/stored.ts";

const ORGANISATIONS = "/v1/organisations";
const BODY = { name: "Weather", administrator: "Grace" };

testOnEngines(
  "organisations: a new one has an administrator with all but operator, and nothing else",
  async (desk) => {
    await create(desk, smallRequest());
    const made = await call(desk, "POST", ORGANISATIONS, BODY);
    const { person_id, access_token_id, access_token } = made.administrator;
    const me = await call(desk, "GET", "/v1/me", undefined, access_token);
    assert.deepEqual(me, {
      person: { id: person_id, name: "Grace" },
      organisation: { id: made.id, name: "Weather" },
      permissions: permissions.filter((one) => one !== "operator" && one !== "metrics"),
      scope: null,
      access_token: { id: access_token_id, name: "first", expires_at: null },
    });
    assert.deepEqual((await list(desk, "", access_token)).Data, []);
    const auditLog = JSON.stringify(await allItems(desk, "/v1/audit-log", access_token));
    assert.ok(!auditLog.includes(desk.org_id), auditLog);
    assert.ok(!(await storedText(desk)).includes(access_token));
    const listed = await allItems(desk, `${ORGANISATIONS}?limit=1`);
    assert.deepEqual(listed.map(({ name }) => name), ["Weather", "Default"]);
  },
);

testOnEngines(
  "organisations: an Idempotency-Key makes one, with the same access token",
  async (desk) => {
    const init = { body: BODY, headers: { "idempotency-key": "organisation-0123456789" } };
    const first = await (await desk.send("POST", ORGANISATIONS, init)).json();
    assert.deepEqual(await (await desk.send("POST", ORGANISATIONS, init)).json(), first);
    assert.equal((await allItems(desk, ORGANISATIONS)).length, 2);
    assert.equal(await statusOf(desk, first.administrator.access_token), 200);
  },
);

const clock = { at: Date.parse("2026-03-01T00:00:00Z"), now: () => clock.at };

testOnEngines(
  "organisations: the first one stays the first though the clock goes back",
  async (desk) => {
    clock.at -= 24 * 60 * 60 * 1000;
    await call(desk, "POST", ORGANISATIONS, BODY);
    assert.equal((await allItems(desk, ORGANISATIONS)).length, 2);
  },
  { clock },
);

testOnEngines(
  "server: tells administrators what runs, and no path, address or secret",
  async (desk) => {
    const info = await call(desk, "GET", "/v1/server");
    const { writing, nodes, ...others } = info;
    assert.deepEqual(nodes.map((node: typeof nodes[0]) => [node.state, node.version]), [[
      "current",
      version,
    ]]);
    assert.equal(writing.last_commit.outcome, "kept");
    assert.equal(writing.log_bytes > 0, desk.engine === "sqlite");
    assert.deepEqual({ ...others, schema_version: 0, uptime_seconds: 0 }, {
      version,
      command: "keydesk",
      engine: desk.engine,
      schema_version: 0,
      uptime_seconds: 0,
      pid: Deno.pid,
      warnings: [],
      damages: [],
      backup: { at: null, missing_since: null },
      restored: null,
      unknown_plans: { count: 0, plans: [] },
      config: { drifted: 0, waiting: 0 },
      failed_reads: 0,
      checkpoints_go_to: [],
      problems: [],
      settings: {
        page_size: 10,
        references: "strict",
        unknown_plan: "refuse",
        mask_secrets: false,
        certs_filter: "detailed",
        certs_answer: "full",
        pending_per_developer: 1000,
        pending_per_organisation: 1_000_000,
        request_bytes: 512 * 1024,
        revoke_rate_limit: 50,
        processes: 1,
      },
    });
    assert.ok(info.schema_version >= 9);
    assert.ok(!JSON.stringify(info).includes(desk.config.DATA_DIR));
  },
  { environment: { KEYDESK_REFERENCES: "strict" } },
);

testOnEngines(
  "organisations: one keeps the id that it had elsewhere, which is taken once",
  async (desk) => {
    const id = "5e9d9544a1dcd60001d0ed20";
    const made = await call(desk, "POST", ORGANISATIONS, { ...BODY, id });
    assert.equal(made.id, id);
    const again = await desk.send("POST", ORGANISATIONS, { body: { ...BODY, id } });
    await assertFailure(again, "organisation_exists");
  },
);
