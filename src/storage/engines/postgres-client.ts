import { readFile } from "node:fs/promises";
import pg from "pg";
import { inTime } from "../../kernel/in-time.ts";
import { OtherStore, ReadOnlyServer } from "./postgres-errors.ts";
import type { PostgresLimits } from "./postgres-limits.ts";
import type { PostgresTarget, Server } from "./postgres-url.ts";

/** Counts and sizes are far below 2^53, so a bigint comes back as a number. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** The driver's words for a server of the URL. */
export type ClientOptions = pg.ClientConfig;

/** Reads the certificate files, once. Throws where one can't be read. */
export async function clientOptions(
  target: PostgresTarget,
  limits: Pick<PostgresLimits, "connectMs"> & Partial<PostgresLimits>,
): Promise<(server: Server) => ClientOptions> {
  const ssl = await tlsOptions(target);
  return ({ host, port }) => ({
    host,
    port,
    user: target.user,
    password: target.password,
    database: target.database,
    application_name: target.applicationName,
    // A socket needs none, and libpq asks for none there.
    ssl: host.startsWith("/") ? false : ssl,
    keepAlive: true,
    // What is asked before an answer came is sent at once, and answered in its order.
    pipeline: true,
    connectionTimeoutMillis: limits.connectMs,
    // Zero: without end, whatever the server's default is.
    statement_timeout: limits.statementMs ?? 0,
    lock_timeout: limits.lockMs ?? 0,
    idle_in_transaction_session_timeout: limits.idleMs ?? 0,
  });
}

async function tlsOptions(target: PostgresTarget): Promise<pg.ClientConfig["ssl"]> {
  const { sslMode, rootCertificate, clientCertificate, clientKey } = target;
  if (sslMode === "disable") return false;
  const file = async (path: string | undefined) =>
    path === undefined ? undefined : await readFile(path, "utf8");
  const [ca, cert, key] = await Promise.all(
    [rootCertificate, clientCertificate, clientKey].map(file),
  );
  return {
    ...ca === undefined ? {} : { ca },
    ...cert === undefined ? {} : { cert, key },
    // `require` protects from who listens, not from who stands in between.
    rejectUnauthorized: sslMode !== "require",
    ...sslMode === "verify-full" ? {} : { checkServerIdentity: () => undefined },
  };
}

/**
 * The number of the table of schema versions: another one after it was dropped, with its database
 * or alone.
 */
export const STORE_ID = "coalesce(to_regclass('schema_versions')::oid::bigint, 0)";

const SESSION = `select current_setting('transaction_read_only') as read_only,
  current_setting('synchronous_commit') as synchronous_commit, ${STORE_ID} as store,
  (select oid::bigint from pg_database where datname = current_database()) as database`;

/**
 * By what an open store is known again: the numbers of its database and of a table that no
 * migration makes anew.
 */
export interface StoreId {
  readonly database: number;
  readonly store: number;
}

/**
 * Prepares a new connection. Throws ReadOnlyServer for a standby, and OtherStore where `expected`
 * is not what stands there; gives what does. Where the server or the role would answer a commit
 * before it is durable, on this server and on the standby that it waits for, the session insists.
 */
export async function prepareSession(
  client: pg.ClientBase,
  expected?: StoreId,
): Promise<StoreId> {
  // Between two statements nobody else listens, and an error that nobody listens to ends the
  // process.
  client.on("error", () => {});
  const { rows: [row] } = await client.query(SESSION);
  if (row?.read_only !== "off") throw new ReadOnlyServer();
  const { database, store } = row;
  if (expected && (database !== expected.database || store !== expected.store)) {
    throw new OtherStore();
  }
  if (row.synchronous_commit !== "on" && row.synchronous_commit !== "remote_apply") {
    await client.query("set synchronous_commit = on");
  }
  return { database, store };
}

/**
 * Connects and looks whether the server takes writes. Throws what the driver throws, or
 * ReadOnlyServer.
 */
export async function probe(options: ClientOptions, patienceMs: number): Promise<StoreId> {
  const client = new pg.Client(options);
  try {
    client.on("error", () => {});
    return await inTime(client.connect().then(() => prepareSession(client)), patienceMs, () => {
      throw new Error("timeout expired");
    });
  } finally {
    // Not awaited: a server that is gone never says goodbye.
    client.end().catch(() => {});
  }
}

/**
 * One connection to the server of the list that takes writes, for work that lasts: its statements
 * have no time limit. Throws what the driver throws, or ReadOnlyServer. The caller ends it.
 */
export async function connectToWritable(
  target: PostgresTarget,
  connectMs: number,
): Promise<pg.Client> {
  const optionsOf = await clientOptions(target, { connectMs });
  const server = await Promise.any(target.servers.map(async (one) => {
    await probe(optionsOf(one), connectMs);
    return one;
  })).catch((error: AggregateError) => {
    throw target.servers.length === 1 ? error.errors[0] : error;
  });
  const client = new pg.Client(optionsOf(server));
  await client.connect();
  await prepareSession(client);
  return client;
}
