import type { z } from "zod";
import { elevationEnds, elevationStates } from "../../../contract/elevations.ts";
import { revisionOf } from "../../../kernel/entity-tag.ts";
import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import type { Connection } from "../../../storage/storage.ts";
import { type ElevationRule, openedElevation, openedRule } from "../../people/elevation.ts";
import { type ElevationRow, findElevationRule } from "../../people/elevations.store.ts";
import { findUserName } from "../../people/people.store.ts";
import type { elevation } from "./elevations.contract.ts";

/** An elevation as it is shown. */
export type ShownElevation = z.output<typeof elevation>;

/** A name of what is set of a rule. */
export function ruleRevision(rule: ElevationRule): string {
  return revisionOf(rule);
}

/** A stored elevation as it is shown, with the names of today. */
export async function showElevation(
  db: Connection,
  sealer: Sealer,
  row: ElevationRow,
): Promise<ShownElevation> {
  const { org_id, rule_id, person_id } = row;
  const nameOf = async (id: string) => ({
    id,
    name: await findUserName(db, { org_id, id }) ?? "",
  });
  const stored = await findElevationRule(db, { org_id, id: rule_id });
  const terms = openedElevation(sealer, row);
  return {
    id: row.id,
    rule: { id: rule_id, name: stored ? openedRule(sealer, stored)?.name ?? "" : "" },
    person: await nameOf(person_id),
    state: elevationStates.find((one) => one === row.state) ?? "ended",
    role: terms?.role ?? null,
    permissions: terms?.permissions ?? null,
    reason: terms?.reason ?? null,
    date_asked: row.asked_at,
    date_started: row.started_at,
    expires_at: row.expires_at,
    confirmed_by: row.confirmed_by === null ? null : await nameOf(row.confirmed_by),
    date_ended: row.ended_at,
    ended_by: row.ended_by,
    end_reason: elevationEnds.find((one) => one === row.end_reason) ?? null,
    deeds: Number(row.deeds),
  };
}
