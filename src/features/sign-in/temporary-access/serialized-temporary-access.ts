import type { z } from "zod";
import { temporaryAccessEnds, temporaryAccessStates } from "../../../contract/temporary-access.ts";
import { revisionOf } from "../../../kernel/entity-tag.ts";
import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import type { Connection } from "../../../storage/storage.ts";
import {
  openedRule,
  openedTemporaryAccess,
  type TemporaryAccessRule,
} from "../../people/temporary-access.ts";
import {
  findTemporaryAccessRule,
  type TemporaryAccessRow,
} from "../../people/temporary-access.store.ts";
import { findUserName } from "../../people/people.store.ts";
import type { temporaryAccess } from "./temporary-access.contract.ts";

/** Temporary access as it is shown. */
export type SerializedTemporaryAccess = z.output<typeof temporaryAccess>;

/** A name of what is set of a rule. */
export function ruleRevision(rule: TemporaryAccessRule): string {
  return revisionOf(rule);
}

/** Stored temporary access as it is shown, with the names of today. */
export async function serializedTemporaryAccess(
  db: Connection,
  sealer: Sealer,
  row: TemporaryAccessRow,
): Promise<SerializedTemporaryAccess> {
  const { org_id, rule_id, person_id } = row;
  const nameOf = async (id: string) => ({
    id,
    name: await findUserName(db, { org_id, id }) ?? "",
  });
  const stored = await findTemporaryAccessRule(db, { org_id, id: rule_id });
  const terms = openedTemporaryAccess(sealer, row);
  return {
    id: row.id,
    rule: { id: rule_id, name: stored ? openedRule(sealer, stored)?.name ?? "" : "" },
    person: await nameOf(person_id),
    state: temporaryAccessStates.find((one) => one === row.state) ?? "ended",
    role: terms?.role ?? null,
    permissions: terms?.permissions ?? null,
    reason: terms?.reason ?? null,
    date_requested: row.asked_at,
    date_started: row.started_at,
    expires_at: row.expires_at,
    confirmed_by: row.confirmed_by === null ? null : await nameOf(row.confirmed_by),
    date_ended: row.ended_at,
    ended_by: row.ended_by,
    end_reason: temporaryAccessEnds.find((one) => one === row.end_reason) ?? null,
    actions: Number(row.deeds),
  };
}
