import { effectivePermissions, missing, parsePermissions } from "../../calls/principal.ts";
import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import type { Delivery } from "../../contract/one-time-link.ts";
import type { Permission } from "../../contract/permissions.ts";
import type { CertsAnswer } from "../../contract/certs-answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import {
  type AccessToken,
  type AccessTokenRow,
  isSignInRow,
  isUnended,
  toAccessToken,
} from "./access-token.ts";
import {
  findAccessToken,
  insertToken,
  markRotated,
  revokeToken,
  setAddresses,
} from "./access-tokens.store.ts";
import { grantedBy } from "./granted.transactions.ts";
import { FIRST_TOKEN } from "./operator.transactions.ts";
import {
  activePerson,
  type Administration,
  beginAdministration,
  keepAdministered,
  requireNoTemporaryAccessRule,
  requireNotStronger,
  requirePermissions,
} from "./people.transactions.ts";
import { beginWithOperator } from "./operator.transactions.ts";
import { passkeysOf } from "./passkeys.store.ts";
import { type PersonRow, toWords } from "./person.ts";

/** An access token together with its value, which goes out once. */
export interface IssuedAccessToken extends AccessToken {
  credential: string;
}

/** An access token about to be made. */
interface NewAccessToken {
  /** Its value, made before the transaction. */
  credential: string;
  name: string;
  expires_at: string | null;
  /** null: all that the person holds. */
  scope: Permission[] | null;
  /** The id of a role whose permissions are the scope, in its place. */
  role?: string | null;
  /** Networks, as `addressList` takes them; null: it opens from everywhere. */
  addresses: string[] | null;
  /** How lists of certificates read to it; absent: as the setting says. */
  certs_answer?: CertsAnswer | undefined;
}

/** The input of issuing an access token. */
export interface IssueInput extends Administration {
  /** Absent: in the answer for anyone who issues one to themselves, by a one-time link else. */
  deliver?: Delivery | undefined;
  person_id: string;
  fresh: NewAccessToken;
  idempotency: IdempotentCall | null;
}

/** Issues an access token to a person. Throws what the endpoint lists. */
export const issueAccessToken = defineTransaction(
  "access.issue-access-token",
  async (tx, input: IssueInput): Promise<IssuedAccessToken> => {
    const { actor, person_id, fresh } = input;
    const permissions = await beginAdministration(tx, actor);
    return await once(tx, input.idempotency, async () => {
      const person = await activePerson(tx, actor.org_id, person_id);
      await requireNoTemporaryAccessRule(tx, permissions, actor, person_id);
      const scope = fresh.role
        ? (await grantedBy(tx, actor.org_id, { role: fresh.role })).permissions
        : fresh.scope;
      requireWithin(parsePermissions(person.permissions), scope);
      const expires_at = endOf(fresh.expires_at, input);
      const row = newRow({ ...input, fresh: { ...fresh, scope, expires_at } }, person);
      requirePermissions(permissions, effectivePermissions(row.permissions, row.scope));
      return await insert(tx, input, row);
    });
  },
);

/** Revokes an access token, which ends its sessions too. */
export const revokeAccessToken = defineTransaction(
  "access.revoke-access-token",
  async (tx, input: Administration & { id: string }): Promise<AccessToken> => {
    const { actor, id } = input;
    const permissions = await beginWithOperator(tx, actor);
    const row = await tokenInForce(tx, input, id);
    requireNoMore(permissions, actor, row);
    const at = toTimestamp(actor.now);
    const own = { org_id: actor.org_id, user_id: row.user_id };
    const passkeys = (await passkeysOf(tx, own)).length;
    await keepAdministered(tx, input, async () => {
      await revokeToken(tx, actor.org_id, id, at);
    });
    await recordChange(tx, actor, {
      action: "access_token.revoked",
      object_id: id,
      // A thief of the token may have added a passkey, which stays valid.
      detail: { person_id: row.user_id, ...passkeys === 0 ? {} : { passkeys_left: passkeys } },
      personal: { "/name": row.name },
    });
    return toAccessToken({ ...row, revoked_at: at }, actor.now);
  },
  { withoutRoom: true },
);

/** The input of replacing an access token. */
export interface RotateInput extends Administration {
  /** As in IssueInput. */
  deliver?: Delivery | undefined;
  id: string;
  credential: string;
  overlapMs: number;
  /** null: the old one's. */
  expires_at: string | null;
  idempotency: IdempotentCall | null;
}

/** Lets a new access token of this person and scope take over. Throws what the endpoint lists. */
export const rotateAccessToken = defineTransaction(
  "access.rotate-access-token",
  async (tx, input: RotateInput): Promise<IssuedAccessToken> => {
    const { actor, id } = input;
    const permissions = await beginAdministration(tx, actor);
    return await once(tx, input.idempotency, async () => {
      const old = await tokenInForce(tx, input, id);
      if (old.replaced_by !== null) throw new Failure("access_token_rotated");
      // The caller who rotates gets to see an access token with all these permissions.
      requirePermissions(permissions, effectivePermissions(old.permissions, old.scope));
      requireNoMore(permissions, actor, old);
      await requireNoTemporaryAccessRule(tx, permissions, actor, old.user_id);
      const fresh: NewAccessToken = {
        credential: input.credential,
        // The first one's name is kept for what the server's start makes.
        name: old.name === FIRST_TOKEN ? `${FIRST_TOKEN}, rotated` : old.name,
        expires_at: endOf(input.expires_at, input, old.expires_at),
        scope: null,
        addresses: null,
      };
      const { deliver } = input;
      const place = { actor, person_id: old.user_id, fresh, deliver };
      const { scope, scope_role, addresses, certs_answer } = old;
      const row = { ...newRow(place, old), scope, scope_role, addresses, certs_answer };
      let issued: IssuedAccessToken | undefined;
      await keepAdministered(tx, input, async () => {
        issued = await insert(tx, place, row);
        await end(tx, old, {
          org_id: actor.org_id,
          now: actor.now,
          by: row.id,
          overlapMs: input.overlapMs,
        });
      });
      await recordChange(tx, actor, {
        action: "access_token.rotated",
        object_id: id,
        detail: {
          person_id: old.user_id,
          replaced_by: row.id,
          overlap_seconds: input.overlapMs / 1000,
        },
        personal: { "/name": old.name },
      });
      if (!issued) throw new Error("the change above sets it");
      return issued;
    });
  },
);

/** Sets from where an access token opens something. Throws what the endpoint lists. */
export const limitAccessToken = defineTransaction(
  "access.limit-access-token",
  async (
    tx,
    input: Administration & { id: string; addresses: string[] | null },
  ): Promise<AccessToken> => {
    const { actor, id } = input;
    const permissions = await beginWithOperator(tx, actor);
    const row = await tokenInForce(tx, input, id);
    requireNoMore(permissions, actor, row);
    const addresses = input.addresses === null ? null : input.addresses.join(" ");
    await setAddresses(tx, { org_id: actor.org_id, id, addresses });
    const after = toAccessToken({ ...row, addresses }, actor.now);
    const before = toAccessToken(row, actor.now).addresses;
    await recordChange(tx, actor, {
      action: "access_token.limited",
      object_id: id,
      detail: { name: row.name, person_id: row.user_id, before, after: after.addresses },
    });
    return after;
  },
);

function newRow(
  { actor, person_id, fresh }: Pick<Administration, "actor"> & {
    person_id: string;
    fresh: NewAccessToken;
  },
  { permissions, covers, suspended_at }: Pick<
    PersonRow,
    "permissions" | "covers" | "suspended_at"
  >,
): AccessTokenRow {
  return {
    id: newId(actor.now),
    user_id: person_id,
    name: fresh.name,
    hash: sha256(fresh.credential),
    scope: fresh.scope === null ? null : toWords(fresh.scope),
    date_created: toTimestamp(actor.now),
    expires_at: fresh.expires_at,
    revoked_at: null,
    replaced_by: null,
    issued_by: actor.user_id === person_id ? "" : actor.user_id,
    addresses: fresh.addresses === null ? null : fresh.addresses.join(" "),
    certs_answer: fresh.certs_answer ?? null,
    scope_role: fresh.role ?? null,
    permissions,
    covers,
    suspended_at,
    last_used_at: null,
    last_used_from: null,
    leaked_at: null,
    leaked_by: null,
    leaked_url: null,
  };
}

async function insert(
  tx: Tx,
  { actor, fresh, deliver = "one_time_link" }: Pick<IssueInput, "actor" | "fresh" | "deliver">,
  row: AccessTokenRow,
): Promise<IssuedAccessToken> {
  const { id, user_id, name, hash, scope, date_created, expires_at, issued_by, addresses } = row;
  const place = { org_id: actor.org_id, id, user_id };
  const { certs_answer, scope_role } = row;
  const limits = { scope, scope_role, date_created, expires_at, addresses, certs_answer };
  if (!await insertToken(tx, { ...place, name, hash, ...limits, issued_by })) {
    throw new Error("256 random bits came twice");
  }
  const view = toAccessToken(row, actor.now);
  // Rows of the audit log keep the former name of the value.
  const delivered = deliver === "one_time_link" ? "claim" : deliver;
  const mark = issued_by === "" ? {} : { issued_by, deliver: delivered };
  const from = addresses === null ? {} : { addresses: view.addresses };
  const reads = certs_answer === null ? {} : { certs_answer };
  const named = scope_role === null ? {} : { role: scope_role };
  const opens = { scope: view.scope, ...named, ...from, ...reads };
  const detail = { person_id: user_id, expires_at, ...opens, ...mark };
  const personal = { "/name": name };
  const action = "access_token.created";
  await recordChange(tx, actor, { action, object_id: id, detail, personal });
  return { ...view, credential: fresh.credential };
}

async function end(
  tx: Tx,
  old: AccessTokenRow,
  { org_id, now, by, overlapMs }: { org_id: string; now: number; by: string; overlapMs: number },
): Promise<void> {
  const until = toTimestamp(now + overlapMs);
  const sooner = old.expires_at !== null && Date.parse(old.expires_at) < now + overlapMs;
  const done = await markRotated(tx, {
    org_id,
    id: old.id,
    replaced_by: by,
    expires_at: sooner ? old.expires_at : until,
    revoked_at: overlapMs === 0 ? until : null,
  });
  if (!done) throw new Failure("access_token_rotated");
}

async function tokenInForce(
  tx: Tx,
  { actor }: Administration,
  id: string,
): Promise<AccessTokenRow> {
  const row = await findAccessToken(tx, { org_id: actor.org_id, id });
  if (!row || isSignInRow(row)) throw new Failure("not_found");
  if (!isUnended(row, actor.now)) throw new Failure("access_token_ended");
  return row;
}

function requireWithin(
  permissions: readonly Permission[],
  scope: readonly Permission[] | null,
): void {
  const beyond = missing(permissions, scope ?? []);
  if (beyond.length === 0) return;
  throw invalid(`scope: the person does not hold ${beyond.join(", ")}`);
}

/**
 * Throws `person_holds_more` for an access token of a person stronger, or of oneself that opens
 * more than this call.
 */
function requireNoMore(
  permissions: readonly Permission[],
  actor: Actor,
  row: AccessTokenRow,
): void {
  const isOwn = row.user_id === actor.user_id;
  requireNotStronger(permissions, effectivePermissions(row.permissions, isOwn ? row.scope : null));
}

/**
 * When a new access token ends: as asked for, else as `otherwise` says, but no later than the
 * longest life allows. Throws for an asked end in the past or beyond that.
 */
function endOf(
  asked: string | null,
  { actor: { now }, longestMs }: Administration,
  otherwise: string | null = null,
): string | null {
  const latest = longestMs === null ? Infinity : now + longestMs;
  if (asked !== null && Date.parse(asked) <= now) throw invalid("expires_at: lies in the past");
  if (asked !== null && Date.parse(asked) > latest) {
    throw invalid(`expires_at: must be ${toTimestamp(latest)} or before`);
  }
  const end = asked ?? otherwise;
  if (end !== null && Date.parse(end) <= latest) return end;
  return latest === Infinity ? null : toTimestamp(latest);
}

function invalid(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
