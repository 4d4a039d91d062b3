import { sql } from "kysely";
import { columnsOf } from "../../../storage/rows.ts";
import type { StoredRow } from "../../../storage/schema.ts";
import {
  all,
  change,
  changed,
  lockAll,
  lockOne,
  one,
} from "../../../storage/statement-functions.ts";
import { finds, inserts, removes, updates } from "../../../storage/table-statements.ts";
import type { Tx } from "../../../storage/storage.ts";
import { addMinutes, type MinuteCalls } from "./call-minutes.ts";

/** A gateway as it is stored. */
export type CheckingGatewayRow = StoredRow<"doors">;

const COLUMNS = columnsOf("doors");

/** Gateways of one organisation. */
export const MOST_CHECKING_GATEWAYS = 100;

/** The gateways of an organisation, by name. */
export const listCheckingGateways = all(finds("doors", { by: ["org_id"], order: ["name"] }));

/**
 * Locks an organisation's gateways: concurrent additions wait, so that there are never more than
 * the maximum.
 */
export const lockCheckingGateways = lockAll((db, p: { org_id: string }) =>
  db.selectFrom("organisations").select("id").where("id", "=", p.org_id)
);

/** One gateway. */
export const findCheckingGateway = one(finds("doors"));

/** Sets up a gateway; false: the organisation has one of this name. */
export const insertCheckingGateway = changed(inserts("doors", { unless: ["org_id", "name"] }));

/** Changes what is set of a gateway; false: it is gone. */
export const updateCheckingGateway = changed(updates("doors", "kind", "silent_minutes"));

/** Takes a gateway away. */
export const removeCheckingGateway = changed(removes("doors"));

/** The gateways of an organisation of which people may have to be told. */
export const watchedGateways = all((db, p: { org_id: string }) =>
  db.selectFrom("doors").select(COLUMNS).where("org_id", "=", p.org_id)
    .where((of) => of.or([of("silent_minutes", ">", 0), of("told_silent_at", "is not", null)]))
);

/** Notes when it was told that a gateway is silent; false: it was told already. */
export const noteSilent = changed((db, p: { org_id: string; id: string; at: string }) =>
  db.updateTable("doors").set({ told_silent_at: p.at }).where("org_id", "=", p.org_id)
    .where("id", "=", p.id).where("told_silent_at", "is", null)
);

/** Notes that a silent gateway calls again; false: no one was told that it was silent. */
export const noteCalling = changed((db, p: { org_id: string; id: string }) =>
  db.updateTable("doors").set({ told_silent_at: null }).where("org_id", "=", p.org_id)
    .where("id", "=", p.id).where("told_silent_at", "is not", null)
);

/** The last sign of a gateway. */
export interface SeenGateway {
  org_id: string;
  name: string;
  first: string;
  last: string;
  version: string;
  /** Its calls in each minute. */
  minutes: MinuteCalls[];
}

type Place = { org_id: string; name: string };

const lockMinutes = lockOne((db, p: Place) =>
  db.selectFrom("doors").select("minutes")
    .where("org_id", "=", p.org_id).where("name", "=", p.name)
);

/** Keeps when a gateway was heard of, and how often; what is known of later calls stays. */
export async function noteGateway(tx: Tx, { minutes, ...seen }: SeenGateway): Promise<void> {
  const { org_id, name } = seen;
  const row = await lockMinutes(tx, { org_id, name });
  if (row) await setSeen(tx, { ...seen, minutes: addMinutes(row.minutes, minutes) });
}

const setSeen = change((db, p: Omit<SeenGateway, "minutes"> & { minutes: string }) =>
  db.updateTable("doors").set({
    minutes: p.minutes,
    first_call_at: sql`case when first_call_at is null or first_call_at > ${p.first}
      then ${p.first} else first_call_at end`,
    last_call_at: sql`case when last_call_at is null or last_call_at < ${p.last}
      then ${p.last} else last_call_at end`,
    version: sql`case when last_call_at is null or last_call_at <= ${p.last}
      then ${p.version} else version end`,
  }).where("org_id", "=", p.org_id).where("name", "=", p.name)
);
