import { sql } from "kysely";
import { type SqlValue, statement } from "../../storage/statement.ts";
import { leaseIn } from "../../storage/lease.ts";
import { columnsOf, pick } from "../../storage/rows.ts";
import {
  all,
  change,
  changed,
  exists,
  lockAll,
  lockOne,
  one,
} from "../../storage/statement-functions.ts";
import { finds, inserts, removes } from "../../storage/table-statements.ts";
import type { Tx } from "../../storage/storage.ts";
import type { GatewayRow } from "./gateway.ts";

/** The right to bring gateways to what is wanted, which one node has at a time. */
export const gatewayLease = leaseIn("gateway_lease", 15_000);

const COLUMNS = columnsOf("gateways");

/** Gateways of one organisation. */
export const MOST_GATEWAYS = 20;

type Place = { org_id: string; id: string };

/** The gateways of an organisation, by name. */
export const listGateways = all(finds("gateways", { by: ["org_id"], order: ["name", "id"] }));

/** Locks an organisation's gateways: two additions wait for each other. */
export const lockGateways = lockAll((db, p: { org_id: string }) =>
  db.selectFrom("organisations").select("id").where("id", "=", p.org_id)
);

const lockChangesSql = statement()((db) => ({
  compile: () =>
    sql`lock table developers, credentials, certificates in exclusive mode`.compile(db),
}));

/**
 * Locks out changes of keys: each of them has ended before, or comes after this transaction and
 * sees its writes, since it locks a key's developer first, and writes the key before it looks for
 * its gateways. Call it first in a transaction. SQLite has one writer at a time.
 */
export async function lockKeyChanges(tx: Tx): Promise<void> {
  if (tx.dialect === "postgres") await tx.send(lockChangesSql, {});
}

/** One gateway, or undefined. */
export const findGateway = one(finds("gateways"));

/** The gateway, locked until the transaction ends. */
export const lockGateway = lockOne(finds("gateways"));

/** Adds a gateway. */
export const insertGateway = change(inserts("gateways"));

/** Takes a gateway away. */
export const deleteGateway = changed(removes("gateways"));

/** The changeable columns of a gateway. */
export type GatewayChange = Omit<
  GatewayRow,
  "org_id" | "id" | "kind" | "created_at" | "created_by" | "edition"
>;

const CHANGING = [
  "name",
  "url",
  "map",
  "probe_url",
  "plans",
  "redis_url",
  "secret",
  "state",
  "canary",
  "filled_to",
  "checked_at",
  "findings",
  "reconciled_at",
  "reconciled",
  "failing_since",
  "failure",
  "calls_per_second",
  "policies",
  "certificates",
  "unconfirmed_since",
] as const satisfies readonly (keyof GatewayChange)[];

const update = change((
  db,
  p: Place & { [K in keyof GatewayChange]: GatewayChange[K] & SqlValue },
) => {
  return db.updateTable("gateways").set(pick(p, ...CHANGING))
    .where("org_id", "=", p.org_id).where("id", "=", p.id);
});

/** Changes a gateway that the transaction holds; gives it as it is then. */
export async function updateGateway(
  tx: Tx,
  row: GatewayRow,
  with_: Partial<GatewayChange>,
): Promise<GatewayRow> {
  const { kind, created_at, created_by, edition, ...params } = { ...row, ...with_ };
  await update(tx, params);
  return { kind, created_at, created_by, edition, ...params };
}

/** Tells the map of a gateway from what it was before. */
export const raiseEdition = change((db, p: Place) =>
  db.updateTable("gateways").set({ edition: sql<number>`edition + 1` })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Every gateway, of any organisation, that is not paused and waits for no one's yes. */
export const activeGateways = all((db) =>
  db.selectFrom("gateways").select(COLUMNS).where("state", "<>", sql.lit("paused"))
    .where("unconfirmed_since", "is", null)
    .orderBy("org_id").orderBy("id")
);

/** Whether there is one of these. */
export const hasActive = exists((db) =>
  db.selectFrom("gateways").select("id").where("state", "<>", sql.lit("paused"))
    .where("unconfirmed_since", "is", null).limit(sql.lit(1))
);

/** Whether calls at gateways of the organisation were observed since an hour counted from 1970. */
export const hasShadowCalls = exists((db, p: { org_id: string; from: number }) =>
  db.selectFrom("observed_days").select("begins").where("org_id", "=", p.org_id)
    .where("kind", "in", [sql.lit<"organisation">("organisation"), sql.lit<"unknown">("unknown")])
    .where("begins", ">=", p.from).limit(sql.lit(1))
);
