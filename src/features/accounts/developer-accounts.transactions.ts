import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { withdrawOneTimeLinksOf } from "../keys/one-time-links/withdraw-one-time-links.transactions.ts";
import { keyExists } from "../keys/keys.store.ts";
import { findOwnKeys } from "../keys/end-keys.store.ts";
import { keepFormerKeysApart } from "../keys/former-keys.transactions.ts";
import { withHashedNames } from "../keys/hashed-names.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import {
  emailTaken,
  replaceDeveloper,
  replacePasswordHash,
  setPasswordHash,
  ssoKeyTaken,
} from "../developers/developer-accounts.store.ts";
import { type Developer, ssoKeyHash } from "../developers/developer.ts";
import { noteChangedEmail } from "../developers/email-change.transactions.ts";
import { addressKey, type NewEmailLinks } from "../developers/email-proof.ts";
import { endAccessOf } from "../developers/end-session.transactions.ts";
import {
  developerExists,
  insertDeveloper,
  lockDeveloper,
  updateDeveloper,
} from "../developers/developers.store.ts";
import { findSsoKeyOwner } from "../developers/sso-keys.store.ts";
import {
  type AccountInput,
  type KnownKeys,
  namedKeys,
  replacedAccount,
  withSentMaps,
} from "./account.ts";
import { DEACTIVATED } from "./deactivate.transactions.ts";

/**
 * A new developer; gives the id, of the first call where this one repeats it. Sent maps are for
 * display: what names a key that exists is left out of them.
 */
export const createAccount = defineTransaction(
  "developer-accounts.create",
  async (
    tx,
    input: {
      actor: Actor;
      developer: Developer;
      sent: AccountInput;
      password_hash: string | null;
      emailLinks: NewEmailLinks;
      idempotency?: IdempotentCall | null;
    },
  ): Promise<string> => {
    const { actor, developer, sent, password_hash, emailLinks, idempotency = null } = input;
    const { org_id } = actor;
    const { id } = developer;
    return await once(tx, idempotency, async () => {
      if (!await insertDeveloper(tx, org_id, await settledMaps(tx, org_id, developer, sent))) {
        throw await whyNotNew(tx, org_id, developer);
      }
      if (password_hash !== null) await setPasswordHash(tx, { org_id, id, password_hash });
      const names = namesOfDeveloper(developer);
      await recordChange(tx, actor, { action: "developer.created", object_id: id, names });
      await keepFormerKeysApart(tx, actor, developer, emailLinks);
      return id;
    });
  },
);

/**
 * Replaces a developer; see replacedAccount for what stays. A developer who becomes inactive keeps
 * their keys, and not their open one-time links. Sessions and tokens end with another address,
 * password or state.
 */
export const replaceAccount = defineTransaction(
  "developer-accounts.replace",
  async (
    tx,
    input: {
      actor: Actor;
      id: string;
      sent: AccountInput;
      seesSecrets: boolean;
      password_hash: string | null;
      emailLinks: NewEmailLinks;
    },
  ) => {
    const { actor, id, sent, seesSecrets, password_hash, emailLinks } = input;
    const { org_id, now } = actor;
    const before = await lockDeveloper(tx, org_id, id);
    if (!before) throw new Failure("not_found");
    const newPassword = password_hash !== null;
    const after = replacedAccount(before, sent, { now, seesSecrets, newPassword });
    await replaceDeveloper(tx, org_id, before, await settledMaps(tx, org_id, after, sent));
    // Their keys live on here: only `/v1` asks what becomes of them.
    if (after.inactive && !before.inactive) {
      await withdrawOneTimeLinksOf(tx, actor, id, DEACTIVATED);
    }
    if (newPassword) await setPasswordHash(tx, { org_id, id, password_hash });
    const why = whyAccessEnds(before, after, newPassword);
    const ended = why === undefined ? {} : await endAccessOf(tx, actor, id, why);
    const detail = { ...newPassword ? { password: "changed" } : {}, ...ended };
    const names = namesOfDeveloper(after);
    await recordChange(tx, actor, { action: "developer.updated", object_id: id, detail, names });
    await noteChangedEmail(tx, actor, before, after, emailLinks);
  },
);

const NEW_PASSWORD = "a portal set another password";
const NEW_ADDRESS = "a portal set another e-mail address";

/**
 * Why a developer's sessions and tokens end with a replacement; undefined: they do not. It cannot
 * say whose the account is with another address, so anyone who has it signs in anew.
 */
function whyAccessEnds(before: Developer, after: Developer, newPassword: boolean) {
  if (after.inactive !== before.inactive) return DEACTIVATED;
  const isOther = addressKey(after.email) !== addressKey(before.email);
  if (isOther && before.email.trim() !== "") return NEW_ADDRESS;
  return newPassword ? NEW_PASSWORD : undefined;
}

/**
 * Sets a developer's password, and ends their sessions and tokens. Throws `unknown_developer`.
 */
export const changePassword = defineTransaction(
  "developer-accounts.password",
  async (tx, input: { actor: Actor; id: string; password_hash: string }) => {
    const { actor, id, password_hash } = input;
    const { org_id, now } = actor;
    const before = await lockDeveloper(tx, org_id, id);
    if (!before) throw new Failure("unknown_developer");
    await updateDeveloper(tx, org_id, { ...before, password_updated: toTimestamp(now) });
    await setPasswordHash(tx, { org_id, id, password_hash });
    const detail = { ...await endAccessOf(tx, actor, id, NEW_PASSWORD) };
    await recordChange(tx, actor, { action: "developer.password_changed", object_id: id, detail });
  },
);

/**
 * Notes that a developer signed in, and replaces the hash of their password where it is still
 * `rehashed.from`. False where they were deleted or made inactive meanwhile.
 */
export const noteSignIn = defineTransaction(
  "developer-accounts.sign-in",
  async (
    tx,
    input: { actor: Actor; id: string; rehashed?: { from: string; to: string } | null },
  ): Promise<boolean> => {
    const { actor: { org_id, now }, id, rehashed = null } = input;
    const developer = await lockDeveloper(tx, org_id, id);
    if (!developer || developer.inactive) return false;
    if (rehashed) {
      const own_password = sha256(rehashed.to);
      await replacePasswordHash(tx, { org_id, id, ...rehashed, own_password });
    }
    await updateDeveloper(tx, org_id, { ...developer, last_login_date: toTimestamp(now) });
    return true;
  },
);

/** Which of the developer's names another has. */
async function whyNotNew(tx: Tx, org_id: string, { id, sso_key }: Developer): Promise<Failure> {
  if (await developerExists(tx, { org_id, id })) return new Failure("developer_exists");
  const holder = sso_key !== "" &&
    await findSsoKeyOwner(tx, { org_id, hash: ssoKeyHash(sso_key) });
  return holder ? ssoKeyTaken() : emailTaken();
}

/**
 * The developer with the maps that were sent; see withSentMaps. A plain key among them is kept as
 * its hash.
 */
async function settledMaps(
  tx: Tx,
  org_id: string,
  full: Developer,
  sent: AccountInput,
): Promise<Developer> {
  // Refused before anything is looked up.
  namedKeys(sent);
  const hashed = await withHashedNames(tx, org_id, sent);
  return withSentMaps(full, hashed, await knownKeys(tx, org_id, full.id, hashed));
}

/**
 * The owners of the keys that the sent maps name; the developer's own are all of theirs, named or
 * not.
 */
async function knownKeys(
  tx: Tx,
  org_id: string,
  id: string,
  sent: AccountInput,
): Promise<KnownKeys> {
  const named = namedKeys(sent);
  if (!sent.keys && !sent.subscriptions && !sent.oauth_clients) {
    return { own: new Set(), others: new Set() };
  }
  const own = new Set(await findOwnKeys(tx, { org_id, developer_id: id }));
  const others = new Set<string>();
  for (const key of named) {
    if (!own.has(key) && await keyExists(tx, { org_id, key_id: key })) others.add(key);
  }
  return { own, others };
}
