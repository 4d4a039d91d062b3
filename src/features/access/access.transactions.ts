import { parsePermissions } from "../../calls/principal.ts";
import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { permissions } from "../../contract/permissions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import {
  findFirstOrganisation,
  findTokenByHash,
  insertOrganisation,
  insertToken,
  insertUser,
  lockFirstStart,
  reviveOwner,
  reviveToken,
  revokeOthersNamed,
  revokeToken,
} from "./access.store.ts";

/** The name of the access token that the first start makes, or that KEYDESK_ADMIN_TOKEN gives. */
export const FIRST_TOKEN = "administrator";

/** Who acts where no user does: the first start, and the command line on the server's own machine. */
export function operator(org_id: string, now: number): Actor {
  return { org_id, user_id: "operator", token_id: "", now };
}

/**
 * Makes sure that there is an organisation with an administrator whose access token has this hash. Run at every
 * start and safe to run twice at once; another administrator access token from an earlier start ends. With
 * `onlyFirst` it does nothing where an organisation is there already. `inForce` tells whether the access token
 * is the administrator's now.
 */
export const ensureAdministrator = defineTransaction(
  "access.ensure-administrator",
  async (tx, input: { hash: string; now: number; onlyFirst: boolean }) => {
    const date_created = toTimestamp(input.now);
    await lockFirstStart(tx);
    const known = await findFirstOrganisation(tx);
    if (known && input.onlyFirst) {
      return { org_id: known.id, inForce: await findTokenByHash(tx, input.hash) !== undefined };
    }
    const org_id = known?.id ?? newId(input.now);
    if (!known) await insertOrganisation(tx, { id: org_id, name: "Default", date_created });
    const inserted = await insertTokenForNewUser(tx, {
      org_id,
      name: FIRST_TOKEN,
      hash: input.hash,
      permissions: permissions.join(" "),
      expires_at: null,
      now: input.now,
    });
    if (inserted) {
      const created = { action: "access_token.created", object_id: inserted };
      await recordChange(tx, operator(org_id, input.now), created);
    } else {
      await reviveToken(tx, org_id, input.hash);
      await reviveOwner(tx, { org_id, hash: input.hash, permissions: permissions.join(" ") });
    }
    const others = { org_id, name: FIRST_TOKEN, hash: input.hash, at: date_created };
    await revokeOthersNamed(tx, others);
    return { org_id, inForce: true };
  },
);

/** Adds a user with one access token. `permissions` are words separated by blanks. */
export const createToken = defineTransaction(
  "access.create-token",
  async (
    tx,
    input: {
      actor: Actor;
      name: string;
      hash: string;
      permissions: string;
      expires_at: string | null;
    },
  ) => {
    const { actor, ...token } = input;
    if (token.name === FIRST_TOKEN) {
      throw new Failure("invalid_input", {
        message: `name: "${FIRST_TOKEN}" is kept for the first one`,
      });
    }
    const id = await insertTokenForNewUser(tx, {
      ...token,
      org_id: actor.org_id,
      issued_by: actor.user_id,
      now: actor.now,
    });
    if (!id) throw new Failure("invalid_input", { message: "This access token exists already." });
    const { name, permissions: words, expires_at } = token;
    await recordChange(tx, actor, {
      action: "access_token.created",
      object_id: id,
      detail: { permissions: parsePermissions(words), expires_at, issued_by: actor.user_id },
      personal: { "/name": name },
    });
    return { id };
  },
);

/** Ends an access token; every node refuses it within a second. */
export const endToken = defineTransaction(
  "access.revoke-token",
  async (tx, input: { actor: Actor; id: string }) => {
    const { actor, id } = input;
    if (!await revokeToken(tx, actor.org_id, id, toTimestamp(actor.now))) {
      throw new Failure("not_found", { message: "There is no such access token in force." });
    }
    await recordChange(tx, actor, { action: "access_token.revoked", object_id: id });
  },
);

/** What src/transactions.ts lists of this area. */
export const bootstrapTransactions = [ensureAdministrator, createToken, endToken];

async function insertTokenForNewUser(
  tx: Tx,
  token: {
    org_id: string;
    name: string;
    hash: string;
    permissions: string;
    expires_at: string | null;
    issued_by?: string;
    now: number;
  },
): Promise<string | undefined> {
  const { org_id, name, hash, expires_at, now } = token;
  const date_created = toTimestamp(now);
  const id = newId(now);
  const user_id = newId(now);
  const { issued_by = "" } = token;
  const row = { org_id, id, user_id, name, hash, date_created, expires_at, issued_by };
  if (!await insertToken(tx, row)) {
    return undefined;
  }
  await insertUser(tx, { org_id, id: user_id, name, permissions: token.permissions, date_created });
  return id;
}
