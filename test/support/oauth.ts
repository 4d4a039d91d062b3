import assert from "node:assert/strict";
import { checksumAfter } from "../../src/changes/checked-rows.ts";
import { lockKey } from "../../src/features/keys/key-life.store.ts";
import { insertKey } from "../../src/features/keys/keys.store.ts";
import { findPlan, insertPlan } from "../../src/features/plans/plans.store.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { statement } from "../../src/storage/statement.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import type { SendInit, TestDesk } from "./desk.ts";

/** A client's id and secret. */
export interface TestClient {
  client_id: string;
  client_secret: string;
}

/**
 * Adds an OAuth client with a known id and secret, in any organisation; a desk is opened with it.
 */
export const addOAuthClient = defineTransaction(
  "test.add-oauth-client",
  async (tx, input: TestClient & { org_id: string }) => {
    const { org_id, client_id, client_secret } = input;
    const ids = { id: "5f1a2b3c4d5e6f7081920003", given_id: "plan-weather" };
    const plan = { ...ids, name: "Weather of clients", auth_type: "oauth" };
    const date_created = "2026-01-01T00:00:00.000Z";
    // Several clients share it.
    if (!await findPlan(tx, { org_id, id: plan.id })) {
      await insertPlan(tx, { org_id, ...plan, document: "{}", date_created });
    }
    await insertKey(tx, {
      org_id,
      key_id: sha256(client_id),
      kind: "oauth",
      secret_hash: sha256(client_secret),
      state: "active",
      developer_id: "dev-ada",
      request_id: "",
      plans: '["plan-weather"]',
      mask: "",
      attempt_id: client_id,
      issued_at: "2026-01-01T00:00:00.000Z",
      issued_by: "test",
    });
  },
);

const changeSql = statement<
  { org_id: string; key_id: string; state: "active" | "suspended" | "revoked" } & {
    expires: string;
    checksum: string | null;
  }
>()((db, p) =>
  db.updateTable("credentials")
    .set({ state: p.state, expires_at: p.expires, checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** Changes a client's state and end. */
export const changeOAuthClient = defineTransaction(
  "test.change-oauth-client",
  async (
    tx,
    input: {
      org_id: string;
      key_id: string;
      state: "active" | "suspended" | "revoked";
      expires: string;
    },
  ) => {
    const before = await lockKey(tx, input.org_id, input.key_id);
    assert.ok(before);
    const after = { state: input.state, expires_at: input.expires };
    const checksum = checksumAfter(tx.sealer, "credentials", before.stored, after);
    assert.equal(await tx.change(changeSql, { ...input, checksum }), 1);
  },
);

/** Adds a client to the desk's organisation, or to `org_id`. */
export async function oauthClientOf(
  desk: TestDesk,
  client: unknown,
  org_id = desk.org_id,
): Promise<void> {
  // as: the examples of the contract hold these two.
  const { client_id, client_secret } = client as TestClient;
  await desk.app.ctx.storage.commit(addOAuthClient, { org_id, client_id, client_secret });
}

/** Sends a form as a client would; without an access token in the header unless `init` has one. */
export async function sendForm(
  desk: TestDesk,
  path: string,
  form: Record<string, string> | string,
  init: SendInit = {},
): Promise<Response> {
  return await desk.send("POST", path, {
    credential: null,
    ...init,
    body: new URLSearchParams(form).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...init.headers },
  });
}

/** Asks for a token, which must succeed. */
export async function tokenFor(desk: TestDesk, client: TestClient): Promise<string> {
  const form = { grant_type: "client_credentials", ...client };
  const response = await sendForm(desk, "/oauth/token", form);
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer.access_token;
}

/** What a gateway with the permission `verify` is told of a token. */
export async function introspected(
  desk: TestDesk,
  token: string,
  credential = desk.admin,
): Promise<Record<string, unknown>> {
  const response = await sendForm(desk, "/oauth/introspect", { token }, { credential });
  assert.equal(response.status, 200);
  return await response.json();
}
