/** Desks that learn keys from a gateway beside them. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Members } from "../../examples/moving/gateway.ts";
import type { Hashing } from "../../examples/moving/keys.ts";
import { noteCanary } from "../../src/features/gateways/settle-key.transactions.ts";
import { settleAsked } from "../../src/features/migration/lazy-migration/ask-anew.transactions.ts";
import { migrateKey } from "../../src/features/migration/lazy-migration/migrate-key.transactions.ts";
import { startLazyMigration } from "../../src/features/migration/lazy-migration/lazy-migration.transactions.ts";
import { MigrationEngine } from "../../src/features/migration/lazy-migration/migration-engine.ts";
import { openOutbound } from "../../src/kernel/outbound/open-outbound.ts";
import { openTestDesk, type TestDesk, type TestDeskOptions, testEachEngine } from "./desk.ts";
import { eventually } from "./eventually.ts";
import { placeForGateway, type StandIn, standIn } from "./gateway.ts";
import { addGateway, engineOf, plansOf, provision } from "./gateways.ts";
import { call } from "./people.ts";

/** A desk, and a gateway that it may learn from. */
export interface Learning {
  readonly desk: TestDesk;
  readonly door: StandIn;
  /** The gateway's id. */
  readonly id: string;
  /** Brings the gateway to what is wanted. */
  provision(): Promise<void>;
}

/** Registers one test for each engine; nothing is learned until it says so. */
export function testLearning(
  promise: string,
  test: (learning: Learning) => Promise<void>,
  { hashing = "murmur32", environment, ...options }: TestDeskOptions & { hashing?: Hashing } = {},
): void {
  testEachEngine(promise, async (engine) => {
    const place = placeForGateway();
    await using desk = await openTestDesk(engine, {
      ...options,
      environment: {
        KEYDESK_OUTBOUND: place.host,
        // A busy machine is late with its looks at changes; here they decide nothing.
        KEYDESK_VERIFY_MAX_STALE_MS: "30000",
        ...environment,
      },
    });
    await using door = standIn(desk.org_id, hashing, place);
    await plansOf(desk);
    const id = await addGateway(desk, door);
    const gateways = engineOf(desk, door);
    await provision(gateways);
    await test({ desk, door, id, provision: () => provision(gateways) });
    await gateways.giveBack();
  });
}

/** Has the gateway teach for a day by the desk's clock. */
export async function learn({ desk, id }: Learning, more: object = {}): Promise<void> {
  const ends_at = new Date(desk.app.ctx.clock.now() + 24 * 60 * 60 * 1000).toISOString();
  await call(desk, "PUT", `/v1/gateways/${id}/lazy-migration`, { ends_at, ...more });
}

/** Keeps a key at the gateway as it is, without wrapping it; gives what it is called there. */
export async function keep(
  { gateway }: StandIn,
  key: string,
  more: Members = {},
  plans: readonly string[] = ["plan-free"],
): Promise<string> {
  const name = await gateway.nameOf(key);
  gateway.records.set(`apikey-${name}`, { ...gateway.newSession("dev-ada", plans), ...more });
  return name;
}

/** How often the gateway was asked about each name since then, its canary left out. */
export function questionsOf({ door }: Pick<Learning, "door">, since = 0): Map<string, number> {
  const asked = new Map<string, number>();
  for (const one of door.calls.slice(since)) {
    const [, name] = /^GET \/tyk\/keys\/(.+)$/.exec(one) ?? [];
    if (name === undefined || isCanary(door, name)) continue;
    asked.set(name, (asked.get(name) ?? 0) + 1);
  }
  return asked;
}

function isCanary({ gateway }: StandIn, name: string): boolean {
  return gateway.session(name)?.alias === "keydesk-canary";
}

/** What asks anew over a desk, which does nothing by itself. */
export function anewOf({ desk, door }: Pick<Learning, "desk" | "door">): MigrationEngine {
  const outbound = openOutbound({ entries: [door.host] });
  return new MigrationEngine({ ...desk.app.ctx, outbound });
}

/** Another text of the same length for each number. */
export function textOf(n: number): string {
  return createHash("sha256").update(`text ${n}`).digest("hex").slice(0, 32);
}

/** Waits until this is said of a key: other nodes hear of changes within their second. */
export async function comesTo(said: () => Promise<string>, expected: string): Promise<void> {
  await eventually(`${expected} is said`, async () => await said() === expected);
}

/**
 * A key that was learned from a gateway which is not there, and waits for a yes to be revoked:
 * where nothing answers, what an answer leads to is done by itself.
 */
export async function awaitLoss(
  { app: { ctx: { storage, clock } } }: Pick<TestDesk, "app">,
  place: { org_id: string; gateway_id: string },
): Promise<void> {
  const now = clock.now();
  const key_id = createHash("sha256").update(place.gateway_id).digest("hex");
  const ends_at = new Date(now + 24 * 60 * 60 * 1000).toISOString();
  const actor = { org_id: place.org_id, user_id: "ada", token_id: "", now };
  const terms = { questions_per_second: 20, ends_at, gateway_id: place.gateway_id };
  await storage.commit(noteCanary, { ...place, id: place.gateway_id, canary: "0a1b2c3d", now });
  await storage.commit(startLazyMigration, { actor, ...terms });
  const said = { named: ["plan"], plans: ["plan"], expires: 0, edited: "", rest: "" };
  const seen = JSON.stringify({ ...said, canary: "0a1b2c3d" });
  const learned = await storage.commit(migrateKey, {
    ...place,
    key_id,
    seen,
    remote_id: "5b0c7d9d",
    developer_id: "",
    plans: ["plan"],
    mask: "5b0c…7d9d",
    isWeak: false,
    issued_at: new Date(now).toISOString(),
    expires_at: null,
    made_for: "",
    held: "",
    quota: null,
    labels: {},
    now,
  });
  assert.equal(learned.result, "learned");
  await storage.commit(settleAsked, {
    ...place,
    key_id,
    seen: 1,
    before: seen,
    said: { is: "gone" },
    plans: [],
    unknown: [],
    canary: "another",
    atOnce: 1,
    asked: now,
    now,
  });
}
