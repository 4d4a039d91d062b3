import { sql } from "kysely";
import { one } from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";
import type { LockedDeveloper } from "../developers/developers.store.ts";
import { lockRequest } from "./key-requests.store.ts";
import { type Decider, findDecider, selectDecider } from "./own-request.ts";

type Decision = { org_id: string; id: string; user_id: string };

/** A request as lockRequest gives it. */
export type LockedRequest = NonNullable<Awaited<ReturnType<typeof lockRequest>>>;

const wholeSql = one((db, p: Decision) =>
  selectDecider(db, p)
    .select(["r.state", "r.approved", "r.instant", "r.for_plan", "r.head", "r.tail", "r.offer"])
    .select(["r.asked_end", "r.policy", "r.added_words", "r.reminded_at"])
    .select(["d.id as developer_id", "d.secrets as developer_secrets"])
    .select(({ selectFrom }) =>
      selectFrom("gateways as g").select(sql<number>`count(*)`.as("n"))
        .where("g.org_id", "=", p.org_id).as("gateways")
    )
);

/**
 * A request, held until the transaction ends, with what is known of the person who decides; both
 * undefined where there is none. SQLite has one writer at a time, so there the developer is held by
 * the same statement; undefined: no one of that id is registered, or another statement has to hold
 * them.
 */
export async function lockWholeRequest(
  tx: Tx,
  p: Decision,
): Promise<{
  row: LockedRequest | undefined;
  decider: Decider | undefined;
  developer: LockedDeveloper | undefined;
}> {
  if (tx.dialect === "sqlite") {
    const row = await wholeSql(tx, p);
    return { row, decider: row, developer: row && developerIn(row) };
  }
  // Asked for together: that is one round trip.
  const [row, decider] = await Promise.all([lockRequest(tx, p), findDecider(tx, p)]);
  return { row, decider, developer: undefined };
}

function developerIn(
  { developer_id, document, developer_secrets, gateways }: {
    developer_id: string | null;
    document: string | null;
    developer_secrets: string | null;
    gateways: number | null;
  },
): LockedDeveloper | undefined {
  if (developer_id === null || document === null) return undefined;
  const hasGateways = Number(gateways) > 0;
  return { id: developer_id, document, secrets: developer_secrets, hasGateways };
}
