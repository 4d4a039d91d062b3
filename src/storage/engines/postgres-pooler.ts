/**
 * A pooler between Keydesk and PostgreSQL may give each transaction another server connection. Then
 * a statement that was prepared in one is not there in the next, and limits that were stated at the
 * start of a connection may not count.
 */
import pg from "pg";
import { sha256 } from "../../kernel/sha256.ts";
import { inTime } from "../../kernel/in-time.ts";
import type { ClientOptions } from "./postgres-client.ts";
import { isPreparedOnOtherConnection } from "./postgres-errors.ts";
import type { PostgresLimits } from "./postgres-limits.ts";

/** How Keydesk reaches its server. */
export interface Passage {
  /** Whether a statement that was prepared is there in each later transaction. */
  readonly keepsStatements: boolean;
  /** Limits of the settings that the server does not keep, as sentences. */
  readonly lacking: readonly string[];
  /** Whether the database takes text of any encoding, unchecked. */
  readonly isUnchecked: boolean;
}

/** Connections that are held open so that a pooler must give the next transaction another one. */
const HOLDERS = 3;
/** A pooler with one server connection lets the next transaction wait for ever. */
const MOST_MS = 2000;

/** The warnings for the operator, a sentence each. */
export function passageWarnings({ keepsStatements, lacking, isUnchecked }: Passage): string[] {
  return [
    ...lacking,
    ...keepsStatements ? [] : [
      "the pooler keeps no prepared statements, so the database reads each statement anew: PgBouncer keeps them from 1.21 on, with max_prepared_statements above 0",
    ],
    ...isUnchecked ? ["the database's encoding is SQL_ASCII: it takes any bytes for text"] : [],
  ];
}

/** A prepared statement's name: the same text has the same name in every process. */
export function statementName(text: string): string {
  return `k${sha256(text).slice(0, 40)}`;
}

const PID = "select pg_backend_pid() as pid";

const SETTINGS = `select current_setting('server_encoding') as encoding, pg_backend_pid() as pid,
  max(setting::bigint) filter (where name = 'statement_timeout') as "statementMs",
  max(setting::bigint) filter (where name = 'lock_timeout') as "lockMs",
  max(setting::bigint) filter (where name = 'idle_in_transaction_session_timeout') as "idleMs"
  from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`;

const NAMES = {
  statementMs: ["statement_timeout", "KEYDESK_DATABASE_STATEMENT_MS"],
  lockMs: ["lock_timeout", "KEYDESK_DATABASE_LOCK_MS"],
  idleMs: ["idle_in_transaction_session_timeout", "KEYDESK_DATABASE_IDLE_MS"],
} as const;

/**
 * Tries how the server is reached over a connection of these options on which no transaction is
 * open. Throws what the driver throws. `limits`: what the connection was asked to keep.
 */
export async function passageOf(
  client: pg.ClientBase,
  options: ClientOptions,
  limits: Partial<PostgresLimits>,
): Promise<Passage> {
  const { rows: [row] } = await client.query(SETTINGS);
  const lacking = (["statementMs", "lockMs", "idleMs"] as const).flatMap((limit) => {
    const most = limits[limit];
    const kept = Number(row[limit]);
    if (most === undefined || (kept > 0 && kept <= most)) return [];
    const [parameter, setting] = NAMES[limit];
    return `the database keeps no ${parameter} of ${most} ms (${setting}) but ${
      kept === 0 ? "none" : `${kept} ms`
    }, since a pooler ignores it: alter role … set ${parameter} = ${most}`;
  });
  return {
    keepsStatements: row.pid === processOf(client) || await keepsStatements(client, options),
    lacking,
    isUnchecked: row.encoding === "SQL_ASCII",
  };
}

/**
 * One prepared statement in two transactions. Others are held open meanwhile, so that the second
 * runs on another connection of the server, unless each client has its own.
 */
async function keepsStatements(client: pg.ClientBase, options: ClientOptions): Promise<boolean> {
  const ask = () => client.query<{ pid: number }>({ name: statementName(PID), text: PID });
  const holders: pg.Client[] = [];
  try {
    const { rows: [first] } = await ask();
    for (let count = 0; count < HOLDERS; count++) {
      const holder = await connected(options);
      holders.push(holder);
      const taken = await inTime(holder.query(`begin; ${PID}`), MOST_MS, () => undefined);
      const again = taken && await inTime(ask(), MOST_MS, () => undefined);
      if (!again || again.rows[0]?.pid !== first?.pid) return true;
    }
    return true;
  } catch (error) {
    // A pooler without room for more proves nothing; what is missing later is found out then.
    return !isPreparedOnOtherConnection(error);
  } finally {
    for (const holder of holders) holder.end().catch(() => {});
  }
}

/** Whether no pooler is between: then the session is the server's. */
export async function isDirect(client: pg.ClientBase): Promise<boolean> {
  const { rows: [row] } = await client.query<{ pid: number }>(PID);
  return row?.pid === processOf(client);
}

async function connected(options: ClientOptions): Promise<pg.Client> {
  const client = new pg.Client(options);
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** The server's process, as it said when it let the client in; a pooler makes a number up. */
function processOf(client: pg.ClientBase): number | undefined {
  // as: the driver keeps what the server said; its types leave it out.
  return (client as unknown as { processID: number | null }).processID ?? undefined;
}
