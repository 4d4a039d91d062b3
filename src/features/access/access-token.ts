import { effectivePermissions, parsePermissions } from "../../calls/principal.ts";
import { allows, type Permission } from "../../contract/permissions.ts";
import { randomAlphanumeric } from "../../kernel/ids.ts";

/** An access token as stored, with what its person holds. */
export interface AccessTokenRow {
  id: string;
  user_id: string;
  name: string;
  hash: string;
  /** Narrower permissions, as words; null: all that the person holds. */
  scope: string | null;
  date_created: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** The access token that took over at a rotation. */
  replaced_by: string | null;
  /** Who issued it for somebody else; "" where nobody did. */
  issued_by: string;
  /** What its person holds. */
  permissions: string;
}

/** An access token as shown: never its value. */
export interface AccessToken {
  id: string;
  person_id: string;
  name: string;
  state: "active" | "expired" | "revoked";
  /** What it opens: the person's permissions, within its scope. */
  permissions: Permission[];
  scope: Permission[] | null;
  date_created: string;
  expires_at: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
  issued_by: string | null;
}

/** A stored access token as shown at `now`, in milliseconds. */
export function showAccessToken(row: AccessTokenRow, now: number): AccessToken {
  return {
    id: row.id,
    person_id: row.user_id,
    name: row.name,
    state: row.revoked_at !== null ? "revoked" : isInForce(row, now) ? "active" : "expired",
    permissions: effectivePermissions(row.permissions, row.scope),
    scope: row.scope === null ? null : parsePermissions(row.scope),
    date_created: row.date_created,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
    replaced_by: row.replaced_by,
    issued_by: row.issued_by || null,
  };
}

/** True while an access token opens something: neither revoked nor at its end. */
export function isInForce(
  row: { expires_at: string | null; revoked_at: string | null },
  now: number,
): boolean {
  return row.revoked_at === null && (row.expires_at === null || Date.parse(row.expires_at) > now);
}

/** How well an organisation is administered: 2 by an access token without an end, 1 by one that has an end, 0 by nobody. */
export function administration(rows: readonly AccessTokenRow[], now: number): 0 | 1 | 2 {
  const able = rows.filter((row) =>
    isInForce(row, now) && allows(effectivePermissions(row.permissions, row.scope), "admin")
  );
  if (able.some((row) => row.expires_at === null)) return 2;
  return able.length > 0 ? 1 : 0;
}

/** 43 letters and digits: 256 bits. */
export function newAccessToken(): string {
  return randomAlphanumeric(43);
}
