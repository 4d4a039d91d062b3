/**
 * After whole life cycles, no plain secret stands in the store's files or tables, or in a log line.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import pg from "pg";
import { type TestDesk, testOnEngines } from "../support/desk.ts";
import {
  approvalOf,
  approve,
  create,
  list,
  pathOf,
  read,
  type ShownApproval,
  smallRequest,
  update,
} from "../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../support/live-records.ts";

const SENT_SECRETS = [
  "jwt-secret-7d1f",
  "second-jwt-secret-8e2a",
  "nonce-9f3b",
  "sso-key-0a4c",
  "client-secret-1b5d",
  "password-history-2c6e",
  "plain-key-of-a-client-3d7f",
];
const IDEMPOTENCY_KEY = "idempotency-key-4e8a";

/** Runs requests through all they can go through; gives every secret that came up on the way. */
async function liveThrough(desk: TestDesk): Promise<string[]> {
  const live = liveRecordsOf(desk);
  await live.plan("plan-basic", "basic");
  await live.plan("plan-oauth", "oauth");
  const [jwt_secret, second, nonce, sso_key, secret, history, key] = SENT_SECRETS;
  const portal_developer = {
    id: "dev-ada",
    email: "ada@example.org",
    nonce,
    sso_key,
    oauth_clients: { p: [{ client_id: "c", secret }] },
    PWHistory: [history],
  };
  const issued: ShownApproval[] = [];
  for (const for_plan of ["plan-token", "plan-basic", "plan-oauth"]) {
    const id = await create(desk, smallRequest({ for_plan, jwt_secret, portal_developer }));
    await update(desk, id, smallRequest({ for_plan, jwt_secret: second, portal_developer }));
    const headers = { "idempotency-key": `${IDEMPOTENCY_KEY}-${for_plan}` };
    issued.push(await approve(desk, id, { headers }));
    await approve(desk, id, { headers });
    await desk.send("PUT", approvalOf(id));
    await read(desk, id);
    await list(desk);
    const { RawKey } = issued.at(-1) ?? { RawKey: "" };
    await approve(desk, await create(desk, smallRequest({ for_plan, key: RawKey })));
    await desk.send("DELETE", pathOf(id));
    issued.push(...await changeHands(desk, RawKey, for_plan));
  }
  await create(desk, smallRequest({ by_user: "dev-bob", portal_developer, key }));
  const reader = await desk.token(["portal:read"]);
  await list(desk, "", reader);
  await desk.send("GET", `/api/portal/requests?credential=${desk.admin}`, { credential: null });
  await desk.send("POST", "/api/portal/requests", { body: `{"jwt_secret":"${jwt_secret}",` });
  await desk.send("POST", "/api/portal/requests", {
    body: smallRequest({ jwt_secret: [jwt_secret] }),
  });
  const keys = issued.flatMap(({ RawKey, Password }) =>
    Password === "" ? [RawKey] : [RawKey, Password]
  );
  assert.equal(keys.length, 3 * 5);
  // The inner id alone is as good as the whole key, and an OAuth client's id is no secret.
  const inner = JSON.parse(atob(keys[0] ?? "")).id;
  const client_ids = issued.map((one) => one.client_id);
  return [
    ...keys.filter((one) => !client_ids.includes(one)),
    inner,
    ...SENT_SECRETS,
    IDEMPOTENCY_KEY,
    desk.admin,
    reader,
  ];
}

/** Looks a key up, rotates it, and has another issued to its developer; gives the two new ones. */
async function changeHands(
  desk: TestDesk,
  key: string,
  plan: string,
): Promise<ShownApproval[]> {
  const shown: ShownApproval[] = [];
  const { key_id } = await (await desk.send("POST", "/v1/keys/find", { body: { key } })).json();
  const calls: [string, Record<string, unknown>][] = [
    [`/v1/keys/${key_id}/rotate`, { overlap_seconds: 60 }],
    ["/api/portal/developers/dev-ada/keys", { apply_policies: [plan] }],
  ];
  for (const [path, body] of calls) {
    const headers = { "idempotency-key": `${IDEMPOTENCY_KEY}-${plan}-${shown.length}` };
    const response = await desk.send("POST", path, { body, headers });
    assert.equal(response.status, 200, path);
    shown.push(await response.json());
  }
  return shown;
}

/** Everything that the store keeps, as text. */
async function storedText(desk: TestDesk): Promise<string> {
  const { DATABASE_URL, DATA_DIR } = desk.config;
  if (DATABASE_URL !== undefined) return await tablesText(DATABASE_URL);
  const decoder = new TextDecoder("latin1");
  let text = "";
  for await (const { name } of Deno.readDir(DATA_DIR)) {
    if (name.startsWith("keydesk.db")) {
      text += decoder.decode(await Deno.readFile(join(DATA_DIR, name)));
    }
  }
  return text;
}

/** Every row of every table, each column as text. */
async function tablesText(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query(
      "select table_name from information_schema.tables where table_schema = 'public'",
    );
    let text = "";
    for (const { table_name } of tables.rows) {
      const rows = await client.query(`select t::text as row from "${table_name}" t`);
      text += `${table_name}: ${rows.rows.map(({ row }) => row).join("\n")}\n`;
    }
    return text;
  } finally {
    await client.end();
  }
}

testOnEngines(
  "no plain secret is left in the store after whole life cycles",
  async (desk) => {
    const secrets = await liveThrough(desk);
    const text = await storedText(desk);
    // What must be there is found, so the search would find what must not.
    for (const kept of ["dev-ada", "ada@example.org", "key_request.approved"]) {
      assert.ok(text.includes(kept), `${kept} is not stored`);
    }
    for (const secret of secrets) assertAbsent(text, secret, "the store");
  },
  { extra: liveRecords },
);

testOnEngines(
  "no plain secret is left in the log after whole life cycles",
  async (desk) => {
    const secrets = await liveThrough(desk);
    const text = desk.logLines.join("");
    assert.ok(text.includes("/api/portal/requests/approve/{id}"));
    for (const secret of secrets) assertAbsent(text, secret, "the log");
  },
  { extra: liveRecords },
);

/** Also not in the forms that are as good as the secret itself. */
function assertAbsent(text: string, secret: string, where: string): void {
  const forms = [secret, btoa(secret), [...secret].reverse().join(""), encodeURIComponent(secret)];
  forms.push([...secret].map((c) => c.charCodeAt(0).toString(16)).join(""));
  for (const form of forms) {
    assert.ok(!text.includes(form), `${where} holds ${secret.slice(0, 12)}…`);
  }
}
