import assert from "node:assert/strict";
import { isDamaged } from "../../src/changes/checksum-demand.store.ts";
import { Client } from "../../src/client/client.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { type Permission, permissions as allPermissions } from "../../src/contract/permissions.ts";
import { createToken } from "../../src/features/people/operator.transactions.ts";
import { toWords } from "../../src/features/people/person.ts";
import { insertOrganisation } from "../../src/features/people/organisations.store.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import { newId, randomBytes, toHex } from "../../src/kernel/ids.ts";
import { inTime } from "../../src/kernel/in-time.ts";
import { createLog } from "../../src/kernel/log.ts";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import {
  checkedRowsBehind,
  checkedTables,
  idOf,
} from "../../src/maintenance/damage/checked-rows.store.ts";
import { endpoints } from "../../src/reference/registry.ts";
import { type Application, openApplication } from "../../src/server.ts";
import type { WriterChoice } from "../../src/storage/open-storage.ts";
import { defineTransaction, type StoreEnd, type Transaction } from "../../src/storage/storage.ts";
import { transactions } from "../../src/transactions.ts";
import { chosenEngines } from "./engines.ts";
import { makeKnown } from "./known-parties.ts";
import { makeStoreFolder } from "./memory-folder.ts";
import { freeDatabases, lendDatabase } from "./lent-databases.ts";
import { copyMigrated } from "./migrated-stores.ts";
import { PATIENT_POSTGRES } from "./patient-postgres.ts";
import { recordingOf, recordTest } from "./recorded-answers.ts";

/** An engine that a desk can be over. */
export type Engine = "sqlite" | "postgres";
/** The engines that every test of the interface runs on: both, or those that TEST_ENGINES names. */
export const engines = chosenEngines(["sqlite", "postgres"]);

/** A desk of its own for one test: the whole application in process over a fresh, real store. */
export interface TestDesk extends AsyncDisposable {
  readonly engine: Engine;
  readonly app: Application;
  /** The settings that it was opened with: where the store is. */
  readonly config: Config;
  readonly org_id: string;
  /** The first administrator's credential: every permission. */
  readonly admin: string;
  /** Log lines so far. */
  readonly logLines: string[];
  /** A typed client; without an access token it is nobody. */
  client(credential?: string): Client;
  /** Sends a raw request: path from `/`, body as it stands. */
  send(method: string, path: string, init?: SendInit): Promise<Response>;
  /** A further credential of the first organisation, or of `org_id`. */
  token(allow: readonly Permission[], org_id?: string): Promise<string>;
  /** A second organisation with an administrator of its own. */
  otherOrganisation(): Promise<{ org_id: string; admin: string }>;
}

/**
 * What a raw request may carry. An object body is sent as JSON; `credential` null sends none
 * (default: admin).
 */
export interface SendInit {
  credential?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  /** The address that it comes from, as the listener would say it; none: in process. */
  from?: string;
}

/** What a test's desk has that others have not. */
export interface TestDeskOptions {
  /** Settings, names with `KEYDESK_`. */
  environment?: Record<string, string>;
  /** Transactions for the test alone. */
  extra?: readonly Transaction<never, unknown>[];
  /** Replaces the machine's. */
  clock?: Clock | undefined;
  /**
   * By what nodes take turns; absent: by `clock` where that is given; null: by the database's, of a
   * file the machine's.
   */
  storeClock?: Clock | null | undefined;
  /** Replaces the one on the calling thread; it knows no transactions of tests but its own. */
  writer?: WriterChoice;
  /** Hears that the store is over. */
  onStoreEnd?(end: StoreEnd): void;
}

/** Opens a desk. The store that it finds has the schema already, unless `environment` names one. */
export async function openTestDesk(
  engine: Engine,
  { environment = {}, extra = [], clock, storeClock = clock, writer, onStoreEnd }: TestDeskOptions =
    {},
): Promise<TestDesk> {
  const folder = await makeStoreFolder("keydesk-test-");
  const { KEYDESK_ADMIN_TOKEN: admin = administratorOf(environment) } = environment;
  const isLent = engine === "postgres" && environment.KEYDESK_DATABASE_URL === undefined;
  const lent = isLent ? await lendDatabase() : undefined;
  const config = readConfig({
    KEYDESK_DATA_DIR: folder,
    KEYDESK_ADMIN_TOKEN: admin,
    ...engine === "postgres"
      ? {
        // A test that has a server of its own says how long that is waited for.
        ...lent ? { ...PATIENT_POSTGRES, KEYDESK_DATABASE_URL: lent.url } : {},
        KEYDESK_SEALING_KEY: newSealingKey(),
      }
      : {},
    ...environment,
  });
  if (engine === "sqlite" && environment.KEYDESK_DATA_DIR === undefined) {
    await copyMigrated(config.databaseFile);
  }
  const logLines: string[] = [];
  const app = await openApplication(config, {
    writer: writer ??
      { thread: false, transactions: [...transactions, addOrganisation, makeKnown, ...extra] },
    ...onStoreEnd ? { onStoreEnd } : {},
    log: createLog("info", (line) => void logLines.push(line)),
    checkAnswers: true,
    ...clock ? { clock } : {},
    ...storeClock ? { storeClock } : {},
  });
  const recording = recordingOf(app.fetch as never);
  // as: what it takes beside the request is handed on as it came.
  if (recording) Object.assign(app, { fetch: recording.fetch });
  const { org_id } = app.first;
  const token = async (allow: readonly Permission[], org = org_id) => {
    const credential = `test-${toHex(randomBytes(16))}`;
    await app.ctx.storage.commit(createToken, {
      actor: { org_id: org, user_id: "test", token_id: "test", now: Date.now() },
      name: "test",
      hash: sha256(credential),
      permissions: toWords(allow),
      expires_at: null,
    });
    return credential;
  };
  return {
    engine,
    app,
    config,
    org_id,
    admin,
    logLines,
    client: (credential) =>
      new Client({
        baseUrl: "http://desk.test",
        fetch: app.fetch,
        ...credential === undefined ? {} : { credential },
      }),
    send: async (method, path, init = {}) => {
      const headers = new Headers(init.headers);
      const credential = init.credential === undefined ? admin : init.credential;
      const name = credentialHeaderOf(path);
      if (credential !== null && !headers.has(name)) headers.set(name, credential);
      return await app.fetch(
        new Request(`http://desk.test${path}`, { method, headers, body: toBody(init.body) }),
        init.from === undefined ? undefined : { remoteAddr: { hostname: init.from } },
      );
    },
    token,
    otherOrganisation: async () => {
      const other = newId(Date.now());
      await app.ctx.storage.commit(addOrganisation, { id: other });
      return { org_id: other, admin: await token(allPermissions, other) };
    },
    [Symbol.asyncDispose]: async () => {
      app.ctx.passwords.close();
      // Some tests leave a store that never answers.
      const unwritten = await inTime(rowsWithoutChecksum(app), 2000, () => []);
      if (recording) await inTime(recording.end(app.ctx.storage.reader), 2000, () => {});
      await app.ctx.storage.close();
      lent?.giveBack();
      await Deno.remove(folder, { recursive: true });
      assert.deepEqual(unwritten, [], "every change writes its row's checksum");
    },
  };
}

/** Desks whose rows something else than Keydesk has written to. */
export const tampered = new WeakSet<Application>();

/**
 * Whatever the test did: no row may have been written by anything but what writes its checksum too.
 */
async function rowsWithoutChecksum(app: Application): Promise<string[]> {
  const { storage: { reader }, sealer } = app.ctx;
  const found: string[] = [];
  if (tampered.has(app)) return found;
  try {
    for (const table of checkedTables) {
      const rows = await checkedRowsBehind(reader, table, { org_id: "", id: "" }, 500);
      for (const row of rows) {
        if (await isDamaged(reader, sealer, table, row)) found.push(`${table} ${idOf(table, row)}`);
      }
    }
  } catch {
    // The test has taken the store away.
  }
  return found;
}

/**
 * A fresh one for a store of this desk alone. Where a test names the store it may be opened again,
 * or moved, and a store keeps the one of its first start.
 */
function administratorOf(environment: Record<string, string>): string {
  const isNamed = environment.KEYDESK_DATABASE_URL ?? environment.KEYDESK_DATA_DIR;
  return `admin-${isNamed ? "of-a-store-that-a-test-names-00" : toHex(randomBytes(16))}`;
}

/** Registers one test for each engine, over a desk of its own: `promise` is its name. */
export function testOnEngines(
  promise: string,
  test: (desk: TestDesk) => Promise<void>,
  options: TestDeskOptions = {},
): void {
  testEachEngine(promise, async (engine) => {
    await using desk = await openTestDesk(engine, options);
    await test(desk);
  });
}

/** Registers one test for each engine, which opens what it needs itself: `promise` is its name. */
export function testEachEngine(promise: string, test: (engine: Engine) => Promise<void>): void {
  for (const engine of engines) {
    Deno.test({
      name: `${engine}: ${promise}`,
      // The shared PostgreSQL outlives the single test.
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        recordTest(`${engine}: ${promise}`);
        await test(engine);
        freeDatabases();
      },
    });
  }
}

const addOrganisation = defineTransaction(
  "test.add-organisation",
  async (tx, input: { id: string }) => {
    await insertOrganisation(tx, {
      id: input.id,
      name: "Other",
      // After the first one, which is the operator's.
      date_created: new Date().toISOString(),
    });
  },
);

/** Where the endpoint of a path looks for its caller's credential. */
function credentialHeaderOf(path: string): string {
  const trees = endpoints.filter(({ wholeTree }) => wholeTree);
  return trees.find((tree) => path.startsWith(tree.path))?.credentialHeader ?? "authorization";
}

function toBody(body: unknown): BodyInit | null {
  if (body === undefined || body === null) return null;
  if (typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream) {
    return body as BodyInit;
  }
  return JSON.stringify(body);
}
