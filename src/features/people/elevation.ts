/**
 * Break-glass: somebody whom an administrator named before holds a role for a while, in one
 * session. A rule says who, which role and how; an elevation is one use of it. Decision 60.
 */
import type { PrincipalElevation } from "../../calls/principal.ts";
import { elevatedBy, type ElevationProof } from "../../contract/elevations.ts";
import { type Permission, permissions } from "../../contract/permissions.ts";
import { presetOf } from "../../contract/roles.ts";
import type { SealedPlace, Sealer } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";
import {
  type ElevationRow,
  type ElevationRuleRow,
  findElevation,
  findElevationRule,
} from "./elevations.store.ts";
import { openedRole } from "./role.ts";
import { findRole } from "./roles.store.ts";

/** What is set of a rule. */
export interface ElevationRuleTerms {
  name: string;
  /** The ids of those who may be elevated. */
  people: string[];
  /** The id of a role. */
  role: string;
  /** What an elevation gives: what the role gave as the rule was written, and never more. */
  permissions: Permission[];
  /** How long it lasts at the most. */
  minutes: number;
  proof: ElevationProof;
  /** The ids of those who say yes to somebody else's, where that is the proof. */
  seconds: string[];
  /** The ids of people who are told, besides administrators. */
  receivers: string[];
}

/** A rule that could be read. */
export interface ElevationRule extends ElevationRuleTerms {
  id: string;
  created_at: string;
  updated_at: string;
}

/** What is kept of an elevation while it is asked or open. */
export interface ElevationTerms {
  person_id: string;
  session_id: string;
  /** When its rule was changed last: another time is another rule. */
  rule_updated_at: string;
  role: string;
  permissions: Permission[];
  reason: string;
  /** When it ends; null while it is asked. */
  expires_at: string | null;
  /** How long it will last. */
  minutes: number;
}

const rulePlace = (org_id: string, id: string): SealedPlace => (
  { table: "elevation_rules", org_id, id, column: "terms" }
);
const elevationPlace = (org_id: string, id: string): SealedPlace => (
  { table: "elevations", org_id, id, column: "terms" }
);

/** The terms of a rule as they are stored. */
export function sealedRule(
  sealer: Sealer,
  { org_id, id }: { org_id: string; id: string },
  terms: ElevationRuleTerms,
): string {
  return sealer.seal(rulePlace(org_id, id), JSON.stringify(terms));
}

/** A stored rule, opened; undefined: it was changed in the store, or its key is lost. */
export function openedRule(sealer: Sealer, row: ElevationRuleRow): ElevationRule | undefined {
  const { org_id, id, terms, created_at, updated_at } = row;
  const place = rulePlace(org_id, id);
  if (terms === null || !sealer.canOpen(place, terms)) return undefined;
  // as: nobody else can seal.
  const read = JSON.parse(sealer.open(place, terms)) as ElevationRuleTerms;
  return { ...read, id, created_at, updated_at };
}

/** The terms of an elevation as they are stored. */
export function sealedElevation(
  sealer: Sealer,
  { org_id, id }: { org_id: string; id: string },
  terms: ElevationTerms,
): string {
  return sealer.seal(elevationPlace(org_id, id), JSON.stringify(terms));
}

/** The terms of an elevation that is asked or open; undefined: of none, or likewise. */
export function openedElevation(
  sealer: Sealer,
  { org_id, id, terms }: Pick<ElevationRow, "org_id" | "id" | "terms">,
): ElevationTerms | undefined {
  const place = elevationPlace(org_id, id);
  if (terms === null || !sealer.canOpen(place, terms)) return undefined;
  // as: likewise.
  return JSON.parse(sealer.open(place, terms)) as ElevationTerms;
}

/** A role by its id, as it is now; undefined: there is none, or it can't be read. */
export async function roleNow(
  db: Connection,
  sealer: Sealer,
  { org_id, role }: { org_id: string; role: string },
): Promise<{ name: string; permissions: readonly Permission[] } | undefined> {
  const preset = presetOf(role);
  if (preset) return preset;
  const row = await findRole(db, { org_id, id: role });
  return row && openedRole(sealer, row);
}

/** What a rule gives now: less than it says where its role was weakened since, never more. */
export async function givenNow(
  db: Connection,
  sealer: Sealer,
  org_id: string,
  rule: Pick<ElevationRuleTerms, "role" | "permissions">,
): Promise<Permission[]> {
  const role = await roleNow(db, sealer, { org_id, role: rule.role });
  const now = role ? elevatedBy(role.permissions) : [];
  return rule.permissions.filter((one) => now.includes(one));
}

/** Why an open elevation gives nothing, but for time and session; undefined: it gives it. */
export async function lostBy(
  db: Connection,
  sealer: Sealer,
  row: ElevationRow,
  terms: ElevationTerms,
): Promise<"rule" | "role" | undefined> {
  const { org_id, rule_id } = row;
  const stored = await findElevationRule(db, { org_id, id: rule_id });
  const rule = stored && openedRule(sealer, stored);
  if (rule?.updated_at !== terms.rule_updated_at || !rule.people.includes(terms.person_id)) {
    return "rule";
  }
  const given = await givenNow(db, sealer, org_id, terms);
  return given.length < terms.permissions.length ? "role" : undefined;
}

/**
 * What a session holds by its elevation; undefined: nothing. `timeOf`: the time to go by, out of
 * the latest at which any node saw it.
 */
export async function elevationOf(
  db: Connection,
  sealer: Sealer,
  session: { org_id: string; id: string; user_id: string; elevation_id: string },
  { own, timeOf }: {
    own: readonly Permission[];
    timeOf: (row: ElevationRow) => number;
  },
): Promise<PrincipalElevation | undefined> {
  const { elevation_id: id, user_id } = session;
  const held = await heldInElevation(db, sealer, { ...session, id, user_id }, { own, timeOf });
  return held?.session_id === session.id ? held.elevation : undefined;
}

/** What a person holds by an elevation, and in which session of theirs; undefined: nothing. */
export async function heldInElevation(
  db: Connection,
  sealer: Sealer,
  { org_id, id, user_id }: { org_id: string; id: string; user_id: string },
  { own, timeOf }: {
    own: readonly Permission[];
    timeOf: (row: ElevationRow) => number;
  },
): Promise<{ elevation: PrincipalElevation; session_id: string } | undefined> {
  const row = await findElevation(db, { org_id, id });
  if (row?.state !== "open") return undefined;
  const terms = openedElevation(sealer, row);
  if (terms?.person_id !== user_id) return undefined;
  const { expires_at, session_id } = terms;
  if (expires_at === null || timeOf(row) >= Date.parse(expires_at)) return undefined;
  if (await lostBy(db, sealer, row, terms) !== undefined) return undefined;
  const held = permissions.filter((one) => own.includes(one) || terms.permissions.includes(one));
  return { elevation: { id, permissions: held, expires_at }, session_id };
}
