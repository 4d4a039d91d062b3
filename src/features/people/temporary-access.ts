/**
 * Break-glass: a person whom an administrator named before holds a role for a while, in one
 * session. A rule says who, which role and how; temporary access is one use of it. Decision 60.
 */
import type { PrincipalTemporaryAccess } from "../../calls/principal.ts";
import {
  type TemporaryAccessProof,
  temporaryPermissionsOf,
} from "../../contract/temporary-access.ts";
import { type Permission, permissions } from "../../contract/permissions.ts";
import { presetOf } from "../../contract/roles.ts";
import type { SealedPlace, Sealer } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";
import {
  findTemporaryAccess,
  findTemporaryAccessRule,
  type TemporaryAccessRow,
  type TemporaryAccessRuleRow,
} from "./temporary-access.store.ts";
import { openedRole } from "./role.ts";
import { findRole } from "./roles.store.ts";

/** The settings of a rule. */
export interface TemporaryAccessRuleTerms {
  name: string;
  /** The ids of those who may get temporary access. */
  people: string[];
  /** The id of a role. */
  role: string;
  /**
   * The permissions of temporary access: those of the role when the rule was written, and never
   * more.
   */
  permissions: Permission[];
  /** How long it lasts at the most. */
  minutes: number;
  proof: TemporaryAccessProof;
  /** The ids of those who say yes to another person's, where that is the proof. */
  seconds: string[];
  /** The ids of people who are notified besides administrators. */
  receivers: string[];
}

/** A rule that could be read. */
export interface TemporaryAccessRule extends TemporaryAccessRuleTerms {
  id: string;
  created_at: string;
  updated_at: string;
}

/** The kept data of temporary access while it is requested or open. */
export interface TemporaryAccessTerms {
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
const temporaryAccessPlace = (org_id: string, id: string): SealedPlace => (
  { table: "elevations", org_id, id, column: "terms" }
);

/** The terms of a rule as they are stored. */
export function sealedRule(
  sealer: Sealer,
  { org_id, id }: { org_id: string; id: string },
  terms: TemporaryAccessRuleTerms,
): string {
  return sealer.seal(rulePlace(org_id, id), JSON.stringify(terms));
}

/** A stored rule, opened; undefined: it was changed in the store, or its key is lost. */
export function openedRule(
  sealer: Sealer,
  row: TemporaryAccessRuleRow,
): TemporaryAccessRule | undefined {
  const { org_id, id, terms, created_at, updated_at } = row;
  const place = rulePlace(org_id, id);
  if (terms === null || !sealer.canOpen(place, terms)) return undefined;
  // as: no one else can seal.
  const read = JSON.parse(sealer.open(place, terms)) as TemporaryAccessRuleTerms;
  return { ...read, id, created_at, updated_at };
}

/** The terms of temporary access as they are stored. */
export function sealedTemporaryAccess(
  sealer: Sealer,
  { org_id, id }: { org_id: string; id: string },
  terms: TemporaryAccessTerms,
): string {
  return sealer.seal(temporaryAccessPlace(org_id, id), JSON.stringify(terms));
}

/** The terms of temporary access that is asked or open; undefined: of none, or likewise. */
export function openedTemporaryAccess(
  sealer: Sealer,
  { org_id, id, terms }: Pick<TemporaryAccessRow, "org_id" | "id" | "terms">,
): TemporaryAccessTerms | undefined {
  const place = temporaryAccessPlace(org_id, id);
  if (terms === null || !sealer.canOpen(place, terms)) return undefined;
  // as: likewise.
  return JSON.parse(sealer.open(place, terms)) as TemporaryAccessTerms;
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

/**
 * The present permissions of a rule: fewer than it says if its role was weakened since, never more.
 */
export async function givenNow(
  db: Connection,
  sealer: Sealer,
  org_id: string,
  rule: Pick<TemporaryAccessRuleTerms, "role" | "permissions">,
): Promise<Permission[]> {
  const role = await roleNow(db, sealer, { org_id, role: rule.role });
  const now = role ? temporaryPermissionsOf(role.permissions) : [];
  return rule.permissions.filter((one) => now.includes(one));
}

/** Why open temporary access gives nothing, but for time and session; undefined: it gives it. */
export async function lostBy(
  db: Connection,
  sealer: Sealer,
  row: TemporaryAccessRow,
  terms: TemporaryAccessTerms,
): Promise<"rule" | "role" | undefined> {
  const { org_id, rule_id } = row;
  const stored = await findTemporaryAccessRule(db, { org_id, id: rule_id });
  const rule = stored && openedRule(sealer, stored);
  if (rule?.updated_at !== terms.rule_updated_at || !rule.people.includes(terms.person_id)) {
    return "rule";
  }
  const given = await givenNow(db, sealer, org_id, terms);
  return given.length < terms.permissions.length ? "role" : undefined;
}

/**
 * The temporary access of a session; undefined: none. `timeOf`: the time to go by, out of the
 * latest at which any node saw it.
 */
export async function temporaryAccessOf(
  db: Connection,
  sealer: Sealer,
  session: { org_id: string; id: string; user_id: string; elevation_id: string },
  { own, timeOf }: {
    own: readonly Permission[];
    timeOf: (row: TemporaryAccessRow) => number;
  },
): Promise<PrincipalTemporaryAccess | undefined> {
  const { elevation_id: id, user_id } = session;
  const inForce = await permissionsInTemporaryAccess(db, sealer, { ...session, id, user_id }, {
    own,
    timeOf,
  });
  return inForce?.session_id === session.id ? inForce.temporaryAccess : undefined;
}

/** The permissions of a person by temporary access, and their session with it; undefined: none. */
export async function permissionsInTemporaryAccess(
  db: Connection,
  sealer: Sealer,
  { org_id, id, user_id }: { org_id: string; id: string; user_id: string },
  { own, timeOf }: {
    own: readonly Permission[];
    timeOf: (row: TemporaryAccessRow) => number;
  },
): Promise<{ temporaryAccess: PrincipalTemporaryAccess; session_id: string } | undefined> {
  const row = await findTemporaryAccess(db, { org_id, id });
  if (row?.state !== "open") return undefined;
  const terms = openedTemporaryAccess(sealer, row);
  if (terms?.person_id !== user_id) return undefined;
  const { expires_at, session_id } = terms;
  if (expires_at === null || timeOf(row) >= Date.parse(expires_at)) return undefined;
  if (await lostBy(db, sealer, row, terms) !== undefined) return undefined;
  const inForce = permissions.filter((one) => own.includes(one) || terms.permissions.includes(one));
  return { temporaryAccess: { id, permissions: inForce, expires_at }, session_id };
}
