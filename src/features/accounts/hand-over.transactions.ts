import type { Actor } from "../../changes/audit.ts";
import { recordAlone, recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { NO_TIME } from "../../kernel/timestamps.ts";
import type { Tx } from "../../storage/storage.ts";
import { clearPassword, replaceDeveloper } from "../developers/developer-accounts.store.ts";
import { removeDeveloperIdentity } from "../developers/developer-identities.store.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import { identityIdsOf } from "../developers/developer-sign-ins.store.ts";
import type { Developer } from "../developers/developer.ts";
import type { EmailOwner } from "../developers/email-change.transactions.ts";
import { endAccessOf } from "../developers/end-session.transactions.ts";
import { withdrawOneTimeLinksOf } from "../keys/one-time-links/withdraw-one-time-links.transactions.ts";
import type { Ending } from "../keys/ending.ts";
import {
  endTaken,
  type KeysOfInactive,
  takeKeys,
  withoutTaken,
} from "./keys-with-developer.transactions.ts";

/**
 * The owner of an account after its address changes, and the action on its keys for a successor.
 */
export interface HandOver {
  account?: EmailOwner | undefined;
  keys?: KeysOfInactive | undefined;
  ending: Ending;
}

/** Why access, links and keys end with an account that another person has. */
const HANDED = "the account went to a successor";

/**
 * The action on the keys of an account that goes to a successor; undefined: it is the same
 * person's. Throws `invalid_input` if it is required and missing.
 */
export function keysOfSuccessor(
  { account, keys }: HandOver,
  isAsked: boolean,
): KeysOfInactive | undefined {
  if (account === undefined && isAsked) {
    refuse("account: expected same_person or successor: whose the account is with this address");
  }
  if (account === "successor" && keys === undefined) {
    refuse(
      "predecessor_keys: expected keep, suspend or revoke: what becomes of the predecessor's keys",
    );
  }
  if (account !== "successor" && keys !== undefined) {
    refuse("predecessor_keys: is said of a successor alone");
  }
  return account === "successor" ? keys : undefined;
}

/**
 * Gives the account of a developer, whom this transaction has locked, to the present owner of its
 * address: the previous sessions, tokens, password and linked accounts end, as does the sign-in by
 * an identity broker; open links are withdrawn, and the keys get the chosen state. The previous
 * address is notified. Throws `too_many_revoked`. To be called last, as endKeys.
 */
export async function handOver(
  tx: Tx,
  actor: Actor,
  before: Developer,
  { keys, ending }: { keys: KeysOfInactive; ending: Ending },
): Promise<void> {
  const { org_id } = actor;
  const { id } = before;
  const taken = await takeKeys(tx, actor, id, { keys, ending });
  const left = withoutTaken(before, taken);
  const after = { ...left, sso_key: "", nonce: "", password_updated: NO_TIME };
  await replaceDeveloper(tx, org_id, before, after);
  await clearPassword(tx, { org_id, id });
  const access = await endAccessOf(tx, actor, id, HANDED);
  const accounts = await unlinkAccounts(tx, actor, before);
  const claims = await withdrawOneTimeLinksOf(tx, actor, id, HANDED);
  await recordChange(tx, actor, {
    action: "developer.handed_over",
    object_id: id,
    detail: { keys, claims, ...access, accounts },
    names: namesOfDeveloper(before),
  });
  await endTaken(tx, actor, before, taken, { reason: HANDED, ending });
}

/** Gives how many there were. */
async function unlinkAccounts(tx: Tx, actor: Actor, developer: Developer): Promise<number> {
  const of = { org_id: actor.org_id, developer_id: developer.id };
  let unlinked = 0;
  for (const id of await identityIdsOf(tx, of)) {
    if (!await removeDeveloperIdentity(tx, { ...of, id })) continue;
    unlinked++;
    await recordAlone(tx, actor, {
      action: "identity.deleted",
      object_id: id,
      detail: { developer_id: developer.id, reason: HANDED },
      names: namesOfDeveloper(developer),
    });
  }
  return unlinked;
}

function refuse(message: string): never {
  throw new Failure("invalid_input", { message, details: [message] });
}
