/**
 * The upgrade that gives plans and the audit log permissions of their own: who gains, who loses,
 * and who is told.
 */
import assert from "node:assert/strict";
import type { StoreSession } from "../../src/storage/engines/store-session.ts";
import { migrateSession } from "../../src/storage/migrate-session.ts";
import { migrations } from "../../src/storage/migrations/list.ts";
import { openSession } from "../../src/storage/open-session.ts";
import { statement } from "../../src/storage/statement.ts";
import { keydesk } from "../support/command.ts";
import { linesOf } from "../support/doors.ts";
import { testOnStores } from "../support/unopened-stores.ts";

const AT = "2026-01-01T00:00:00.000Z";
/** The step that this is about, and the one that gave access tokens a scope. */
const STEP = 13;

interface Holder {
  id: string;
  permissions: string;
  scope?: string;
  /** What the audit log says that they did something to. */
  changed?: string;
  ended?: "revoked_at" | "expires_at";
}

const holders: readonly Holder[] = [
  { id: "admin", permissions: "portal:read portal:write approve admin operator", changed: "plan" },
  { id: "portal", permissions: "portal:write approve", changed: "catalogue" },
  { id: "configures", permissions: "portal:write", changed: "configuration" },
  { id: "prices", permissions: "portal:write", changed: "plan" },
  { id: "files", permissions: "portal:write", changed: "key_request" },
  { id: "reads", permissions: "portal:read", changed: "plan" },
  { id: "revoked", permissions: "portal:write", changed: "plan", ended: "revoked_at" },
  { id: "expired", permissions: "portal:write", changed: "plan", ended: "expires_at" },
];

/** Access tokens narrower than their person. */
const narrow: readonly Holder[] = [
  { id: "admin-narrow", permissions: "portal:write admin", scope: "portal:read", changed: "plan" },
  { id: "admin-only", permissions: "portal:write admin", scope: "admin", changed: "plan" },
  { id: "no-longer", permissions: "portal:write", scope: "portal:write admin" },
];

function onSessions(
  promise: string,
  test: (settings: Record<string, string>, session: StoreSession) => Promise<void>,
): void {
  testOnStores(promise, async ({ settings, location }) => {
    const session = await openSession(location);
    try {
      await test(settings, session);
    } finally {
      await session.close();
    }
  });
}

async function add(session: StoreSession, holder: Holder): Promise<void> {
  const { id, permissions, scope, changed, ended } = holder;
  const insert = (table: string, row: Record<string, string>) => {
    const values = Object.values(row).map((value) => `'${value}'`).join(", ");
    return session.exec(`insert into ${table} (${Object.keys(row).join(", ")}) values (${values})`);
  };
  const own = { org_id: "org", id, name: id, date_created: AT };
  await insert("users", { ...own, permissions });
  await insert("access_tokens", {
    ...own,
    user_id: id,
    hash: id,
    ...scope === undefined ? {} : { scope },
    ...ended === undefined ? {} : { [ended]: AT },
  });
  if (changed === undefined) return;
  const event = {
    at: AT,
    actor: id,
    action: `${changed}.updated`,
    object: changed,
    object_id: "x",
  };
  await insert("audit_events", { org_id: "org", id, ...event, detail: "{}" });
}

/** The names of the access tokens that a dry run says would lose something. */
async function named(settings: Record<string, string>): Promise<string[]> {
  const dry = await keydesk(["upgrade", "--dry-run"], settings);
  assert.equal(dry.code, 3, dry.stderr);
  const told = dry.stdout.split("\n").filter((line) => line.startsWith("would lose: "));
  const json = await keydesk(["upgrade", "--dry-run", "--json"], settings);
  const steps: { version: number; losing_plans?: { id: string; person: string }[] }[] = linesOf(
    json.stdout,
  );
  const losing = steps.find(({ version }) => version === STEP)?.losing_plans ?? [];
  for (const [i, { id, person }] of losing.entries()) {
    assert.ok(told[i]?.includes(`access token ${id} "${id}" of ${person} in organisation org`));
  }
  assert.equal(told.length, losing.length);
  return losing.map(({ id }) => id);
}

const peopleSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("users").select(["id", "permissions"])
);
const scopesSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("access_tokens").select(["id", "scope"]).where("scope", "is not", null)
);

onSessions(
  "upgrade: who administers gets plans and audit, nobody else, and who loses is named before",
  async (settings, session) => {
    await migrateSession(session, migrations.filter(({ version }) => version < STEP));
    for (const holder of [...holders, ...narrow]) await add(session, holder);
    assert.deepEqual(await named(settings), ["configures", "portal", "prices"]);
    assert.equal((await keydesk(["upgrade"], settings)).code, 0);
    const held = new Map<string, string | null>();
    for (const { id, permissions } of await session.rows(peopleSql, {})) held.set(id, permissions);
    for (const { id, permissions } of [...holders, ...narrow]) {
      const gained = permissions.split(" ").includes("admin") ? " plans audit" : "";
      assert.equal(held.get(id), permissions + gained, id);
    }
    const scopes = (await session.rows(scopesSql, {})).map(({ id, scope }) => [id, scope]);
    assert.deepEqual(
      new Map(scopes as [string, string][]),
      new Map([
        ["admin-narrow", "portal:read"],
        ["admin-only", "admin plans audit"],
        ["no-longer", "portal:write admin"],
      ]),
    );
    const again = await keydesk(["upgrade", "--dry-run"], settings);
    assert.deepEqual([again.code, again.stdout.split("\n").length], [0, 2]);
  },
);

onSessions("upgrade: an empty store names nobody", async (settings) => {
  assert.deepEqual(await named(settings), []);
});
