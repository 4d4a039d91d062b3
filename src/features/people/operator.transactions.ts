import { parsePermissions } from "../../calls/principal.ts";
import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { type Permission, permissions } from "../../contract/permissions.ts";
import type { CertsAnswer } from "../../contract/certs-answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { hadTokenNamed, insertToken, revokeToken } from "./access-tokens.store.ts";
import { grantedBy } from "./granted.transactions.ts";
import {
  findFirstOrganisation,
  insertOrganisation,
  lockFirstStart,
  lockOrganisation,
} from "./organisations.store.ts";
import { insertUser } from "./people.store.ts";
import { beginAdministration, changeSuspension } from "./people.transactions.ts";
import { type Person, toWords } from "./person.ts";

/** The name of the access token that the first start makes, or that KEYDESK_ADMIN_TOKEN gives. */
export const FIRST_TOKEN = "administrator";

/** The actor without a user: the first start, and the command line on the server's machine. */
export function operator(org_id: string, now: number): Actor {
  return { org_id, user_id: "operator", token_id: "", now };
}

/** Whether it is they: anyone who calls over the wire presents something, or is a developer. */
export function isOperator(
  { user_id, token_id }: Pick<Actor, "user_id" | "token_id">,
): boolean {
  return user_id === "operator" && token_id === "";
}

/**
 * `beginAdministration`, also of the operator, who has no access token and holds everything: gives
 * what the caller holds at this moment.
 */
export async function beginWithOperator(tx: Tx, actor: Actor): Promise<readonly Permission[]> {
  if (!isOperator(actor)) return await beginAdministration(tx, actor);
  await lockOrganisation(tx, { org_id: actor.org_id });
  return permissions;
}

/**
 * Makes sure that there is an organisation with an administrator: where there is none yet, one
 * whose access token has this hash, which does not end by itself; its id is `id` where one is
 * given. Run at every start and safe to run twice at once. `theirs` tells whether the first start's
 * access token is, or was, the one of this hash.
 */
export const ensureAdministrator = defineTransaction(
  "access.ensure-administrator",
  async (tx, input: { hash: string; now: number; id?: string }) => {
    const { hash, now } = input;
    const date_created = toTimestamp(now);
    await lockFirstStart(tx);
    const known = await findFirstOrganisation(tx);
    if (known) {
      const theirs = await hadTokenNamed(tx, { org_id: known.id, name: FIRST_TOKEN, hash });
      return { org_id: known.id, theirs };
    }
    const org_id = input.id ?? newId(now);
    await insertOrganisation(tx, { id: org_id, name: "Default", date_created });
    const inserted = await insertTokenForNewUser(tx, {
      org_id,
      name: FIRST_TOKEN,
      hash,
      permissions: toWords(permissions),
      expires_at: null,
      now,
    });
    if (!inserted) throw new Error("an empty store knows no access token");
    const created = { action: "access_token.created", object_id: inserted };
    await recordChange(tx, operator(org_id, now), created);
    return { org_id, theirs: true };
  },
  { withoutRoom: true },
);

/**
 * Adds a user with one access token. `permissions` are words separated by blanks; where `role` is
 * the id of a role, they are its own. Throws `unknown_role`.
 */
export const createToken = defineTransaction(
  "access.create-token",
  async (
    tx,
    input: {
      actor: Actor;
      name: string;
      hash: string;
      permissions: string;
      role?: string | undefined;
      expires_at: string | null;
      /** Networks, as `networksOf` gives them; null or absent: it opens from everywhere. */
      addresses?: string[] | null;
      /** How lists of certificates read to it; absent: as the setting says. */
      certs_answer?: CertsAnswer | undefined;
    },
  ) => {
    const { actor, role, ...rest } = input;
    const granted = role === undefined ? undefined : await grantedBy(tx, actor.org_id, { role });
    const token = { ...rest, ...granted && { permissions: toWords(granted.permissions), role } };
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
      detail: {
        permissions: parsePermissions(words),
        ...role === undefined ? {} : { role },
        expires_at,
        issued_by: actor.user_id,
        deliver: "answer",
      },
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
  { withoutRoom: true },
);

async function insertTokenForNewUser(
  tx: Tx,
  token: {
    org_id: string;
    name: string;
    hash: string;
    permissions: string;
    role?: string | undefined;
    expires_at: string | null;
    issued_by?: string;
    addresses?: string[] | null;
    certs_answer?: CertsAnswer | undefined;
    now: number;
  },
): Promise<string | undefined> {
  const { org_id, name, hash, expires_at, now } = token;
  const addresses = token.addresses?.join(" ") ?? null;
  const date_created = toTimestamp(now);
  const id = newId(now);
  const user_id = newId(now);
  const { issued_by = "" } = token;
  const place = { org_id, id, user_id };
  const { certs_answer = null } = token;
  const limits = { expires_at, issued_by, addresses, certs_answer };
  const row = { ...place, name, hash, date_created, ...limits };
  if (!await insertToken(tx, row)) return undefined;
  const { permissions: words, role = null } = token;
  await insertUser(tx, { org_id, id: user_id, name, permissions: words, role, date_created });
  return id;
}

/** Suspends for the operator of the server, who can always make another administrator. */
export const suspendByOperator = defineTransaction(
  "access.suspend-by-operator",
  async (tx, input: { actor: Actor; id: string; suspended: boolean }): Promise<Person> => {
    await lockOrganisation(tx, { org_id: input.actor.org_id });
    return await changeSuspension(tx, input.actor, input.id, input.suspended);
  },
  { withoutRoom: true },
);
