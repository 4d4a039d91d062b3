import { readFile } from "node:fs/promises";
import pg from "pg";
import { inTime } from "../../kernel/in-time.ts";
import { OtherStore, ReadOnlyServer, refusedParameter, WrongEncoding } from "./postgres-errors.ts";
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
    // Further queries are sent at once, before the first answer, and answered in their order.
    pipeline: true,
    connectionTimeoutMillis: limits.connectMs,
    // The driver leaves out what is zero: then the server's and the role's own limits hold.
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
    // `require` protects from who listens, not from who is in between.
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
  current_setting('server_encoding') as encoding, ${STORE_ID} as store,
  (select oid::bigint from pg_database where datname = current_database()) as database`;

/**
 * By what an open store is known again: the numbers of its database and of a table that no
 * migration makes anew.
 */
export interface StoreId {
  readonly database: number;
  readonly store: number;
}

/** SQL_ASCII keeps every text as its bytes came, so that of Keydesk as UTF-8. */
const ENCODINGS: readonly unknown[] = ["UTF8", "SQL_ASCII"];

/**
 * Prepares a new connection. Throws ReadOnlyServer for a standby, WrongEncoding for a database that
 * can't hold every text, and OtherStore where `expected` is not what is there; gives what does.
 */
export async function prepareSession(
  client: pg.ClientBase,
  expected?: StoreId,
): Promise<StoreId> {
  // Between two statements no one else listens, and an error that no one listens to ends the
  // process.
  client.on("error", () => {});
  const { rows: [row] } = await client.query(SESSION);
  if (row?.read_only !== "off") throw new ReadOnlyServer();
  if (!ENCODINGS.includes(row.encoding)) throw new WrongEncoding(row.encoding);
  const { database, store } = row;
  if (expected && (database !== expected.database || store !== expected.store)) {
    throw new OtherStore();
  }
  return { database, store };
}

/**
 * A call that has the commits of its transaction, or of its session, answered only when they are
 * durable, on this server and on the standby that it waits for, whatever the server or the role
 * says. Behind a pooler the next transaction may have another session.
 */
export const durably = (span: "transaction" | "session") =>
  `set_config('synchronous_commit', case current_setting('synchronous_commit')
    when 'remote_apply' then 'remote_apply' else 'on' end, ${span === "transaction"})`;

/**
 * Connects and looks whether the server takes writes. Throws what the driver throws, or
 * ReadOnlyServer.
 */
export async function probe(options: ClientOptions, patienceMs: number): Promise<StoreId> {
  const { client, id } = await connect(options, patienceMs);
  leave(client);
  return id;
}

/** A connection to a server that takes writes, which the caller ends. Throws as `probe` does. */
async function connect(
  options: ClientOptions,
  patienceMs: number,
): Promise<{ client: pg.Client; id: StoreId }> {
  const client = new pg.Client(options);
  try {
    client.on("error", () => {});
    const id = client.connect().then(() => prepareSession(client));
    const late = () => {
      throw new Error("timeout expired");
    };
    return { client, id: await inTime(id, patienceMs, late) };
  } catch (error) {
    leave(client);
    throw refusedParameter(error) ?? error;
  }
}

/** Not awaited: a server that is gone never says goodbye. */
function leave(client: pg.Client): void {
  client.end().catch(() => {});
}

/** A search that has no answer asks so often in its time. */
const SEARCH_ATTEMPTS = 4;

/**
 * Like `probe`, with up to four connections, one after another, until one is answered: what was
 * lost on its way is sent again ever more rarely, so that the first alone would notice late that
 * the network is back.
 */
export function search(options: ClientOptions, patienceMs: number): Promise<StoreId> {
  const deadline = performance.now() + patienceMs;
  return new Promise((resolve, reject) => {
    const attempt = () => {
      probe(options, Math.max(0, deadline - performance.now()))
        .then(resolve, reject)
        .finally(() => clearInterval(timer));
    };
    const timer = setInterval(attempt, patienceMs / SEARCH_ATTEMPTS);
    attempt();
  });
}

/**
 * One connection to the server of the list that takes writes. Of limits that are not stated those
 * of the server and the role hold. Throws what the driver throws, or ReadOnlyServer. The caller
 * ends it.
 */
export async function connectToWritable(
  target: PostgresTarget,
  limits: Pick<PostgresLimits, "connectMs"> & Partial<PostgresLimits>,
): Promise<{ client: pg.Client; options: ClientOptions }> {
  const optionsOf = await clientOptions(target, limits);
  const connecting = target.servers.map(async (server) => {
    const options = optionsOf(server);
    return { client: (await connect(options, limits.connectMs)).client, options };
  });
  try {
    const first = await Promise.any(connecting);
    for (const one of connecting) {
      one.then(({ client }) => client === first.client || leave(client), () => {});
    }
    return first;
  } catch (error) {
    // as: nothing else does Promise.any throw.
    const { errors } = error as AggregateError;
    throw target.servers.length === 1 ? errors[0] : error;
  }
}
