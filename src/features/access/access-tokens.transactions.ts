import { effectivePermissions, missing, parsePermissions } from "../../calls/principal.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import type { Permission } from "../../contract/permissions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import {
  type AccessToken,
  type AccessTokenRow,
  isInForce,
  showAccessToken,
} from "./access-token.ts";
import { insertToken, revokeToken } from "./access.store.ts";
import { FIRST_TOKEN } from "./access.transactions.ts";
import { findAccessToken, markRotated } from "./people.store.ts";
import {
  activePerson,
  type Administration,
  beginAdministration,
  keepAdministered,
  requireHeld,
} from "./people.transactions.ts";
import { toWords } from "./person.ts";

/** An access token together with its value, which goes out once. */
export interface IssuedAccessToken extends AccessToken {
  credential: string;
}

/** An access token about to be made. */
export interface NewAccessToken {
  /** Its value, made before the transaction. */
  credential: string;
  name: string;
  expires_at: string | null;
  /** null: all that the person holds. */
  scope: Permission[] | null;
}

/** What issuing an access token takes. */
export interface IssueInput extends Administration {
  person_id: string;
  fresh: NewAccessToken;
  idempotency: IdempotentCall | null;
}

/** Issues an access token to a person. Throws what the endpoint lists. */
export const issueAccessToken = defineTransaction(
  "access.issue-access-token",
  async (tx, input: IssueInput): Promise<IssuedAccessToken> => {
    const { actor, person_id, fresh } = input;
    const held = await beginAdministration(tx, actor);
    return await once(tx, input.idempotency, async () => {
      const person = await activePerson(tx, actor.org_id, person_id);
      requireWithin(parsePermissions(person.permissions), fresh.scope);
      requireFuture(fresh.expires_at, actor.now);
      const row = newRow(input, person.permissions);
      requireHeld(held, effectivePermissions(row.permissions, row.scope));
      return await insert(tx, input, row, "access_token.created");
    });
  },
);

/** Revokes an access token, which ends its sessions too. */
export const revokeAccessToken = defineTransaction(
  "access.revoke-access-token",
  async (tx, input: Administration & { id: string }): Promise<AccessToken> => {
    const { actor, id } = input;
    await beginAdministration(tx, actor);
    const row = await tokenInForce(tx, input, id);
    const at = toTimestamp(actor.now);
    await keepAdministered(tx, actor, async () => {
      await revokeToken(tx, actor.org_id, id, at);
    });
    await recordChange(tx, actor, {
      action: "access_token.revoked",
      object_id: id,
      detail: { person_id: row.user_id },
      personal: { "/name": row.name },
    });
    return showAccessToken({ ...row, revoked_at: at }, actor.now);
  },
);

/** What replacing an access token takes. */
export interface RotateInput extends Administration {
  id: string;
  credential: string;
  overlapMs: number;
  /** null: the old one's. */
  expires_at: string | null;
  idempotency: IdempotentCall | null;
}

/** Lets a fresh access token of the same person and scope take over. Throws what the endpoint lists. */
export const rotateAccessToken = defineTransaction(
  "access.rotate-access-token",
  async (tx, input: RotateInput): Promise<IssuedAccessToken> => {
    const { actor, id } = input;
    const held = await beginAdministration(tx, actor);
    return await once(tx, input.idempotency, async () => {
      const old = await tokenInForce(tx, input, id);
      if (old.replaced_by !== null) throw new Failure("credential_rotated");
      // Whoever rotates gets to see an access token that opens all this.
      requireHeld(held, effectivePermissions(old.permissions, old.scope));
      requireFuture(input.expires_at, actor.now);
      const fresh: NewAccessToken = {
        credential: input.credential,
        // The first one's name is kept for what the server's start makes.
        name: old.name === FIRST_TOKEN ? `${FIRST_TOKEN}, rotated` : old.name,
        expires_at: input.expires_at ?? old.expires_at,
        scope: null,
      };
      const place = { actor, person_id: old.user_id, fresh };
      const row = { ...newRow(place, old.permissions), scope: old.scope };
      let issued: IssuedAccessToken | undefined;
      await keepAdministered(tx, actor, async () => {
        issued = await insert(tx, place, row, "access_token.created");
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
          ...{ person_id: old.user_id, replaced_by: row.id },
          overlap_seconds: input.overlapMs / 1000,
        },
        personal: { "/name": old.name },
      });
      if (!issued) throw new Error("the change above sets it");
      return issued;
    });
  },
);

function newRow(
  { actor, person_id, fresh }: Pick<Administration, "actor"> & {
    person_id: string;
    fresh: NewAccessToken;
  },
  permissions: string,
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
    permissions,
  };
}

async function insert(
  tx: Tx,
  { actor, fresh }: Pick<Administration, "actor"> & { fresh: NewAccessToken },
  row: AccessTokenRow,
  action: string,
): Promise<IssuedAccessToken> {
  const { id, user_id, name, hash, scope, date_created, expires_at, issued_by } = row;
  const times = { date_created, expires_at };
  const token = { org_id: actor.org_id, id, user_id, name, hash, scope, ...times, issued_by };
  if (!await insertToken(tx, token)) throw new Error("256 random bits came twice");
  const shown = showAccessToken(row, actor.now);
  const mark = issued_by === "" ? {} : { issued_by };
  const detail = { person_id: user_id, expires_at, scope: shown.scope, ...mark };
  const personal = { "/name": name };
  await recordChange(tx, actor, { action, object_id: id, detail, personal });
  return { ...shown, credential: fresh.credential };
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
  if (!done) throw new Failure("credential_rotated");
}

async function tokenInForce(
  tx: Tx,
  { actor, operatorHash }: Administration,
  id: string,
): Promise<AccessTokenRow> {
  const row = await findAccessToken(tx, actor.org_id, id);
  if (!row) throw new Failure("not_found");
  if (row.hash === operatorHash) throw new Failure("operator_credential");
  if (!isInForce(row, actor.now)) throw new Failure("credential_ended");
  return row;
}

function requireWithin(held: readonly Permission[], scope: readonly Permission[] | null): void {
  const beyond = missing(held, scope ?? []);
  if (beyond.length === 0) return;
  throw invalid(`scope: the person does not hold ${beyond.join(", ")}`);
}

function requireFuture(expires_at: string | null, now: number): void {
  if (expires_at === null || Date.parse(expires_at) > now) return;
  throw invalid("expires_at: lies in the past");
}

function invalid(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}

/** What src/transactions.ts lists. */
export const accessTokenTransactions = [issueAccessToken, revokeAccessToken, rotateAccessToken];
