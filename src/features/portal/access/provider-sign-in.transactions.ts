import type { ActingCall, Actor } from "../../../changes/audit.ts";
import { recordAlone } from "../../../changes/record-change.ts";
import { developerActor } from "../../../calls/principal.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { lockOrganisation } from "../../people/organisations.store.ts";
import { spendChallenge } from "../../people/passkeys.store.ts";
import { findPasswordOf } from "../../developers/developer-accounts.store.ts";
import {
  developerIdentitiesOf,
  findDeveloperIdentity,
  insertDeveloperIdentity,
  removeDeveloperIdentity,
  useDeveloperIdentity,
} from "../../developers/developer-identities.store.ts";
import {
  developerSessionsAtProvider,
  developerSessionsOfIdentity,
} from "../../developers/sessions-of-identities.store.ts";
import {
  developerIdentityPlace,
  type DeveloperIdentityRow,
  MOST_DEVELOPER_IDENTITIES,
  openedDeveloperLink,
} from "../../developers/developer-identity.ts";
import { namesOfDeveloper } from "../../developers/developer-names.ts";
import type { Developer } from "../../developers/developer.ts";
import { lockDeveloper } from "../../developers/developers.store.ts";
import { findEmailProof } from "../../developers/email-proof.store.ts";
import { emailProofOf, isProved } from "../../developers/email-proof.ts";
import { endSessionOf } from "../../developers/end-session.transactions.ts";
import { identityHandle, providerOf } from "../../people/identity-providers/identity-provider.ts";
import { findProvider } from "../../people/identity-providers/identity.store.ts";
import { boundOf, keepGrant } from "../../people/identity-providers/keep-grant.transactions.ts";
import type { ProvedLogout } from "../../people/identity-providers/logout-token.ts";
import type { ProvedAccount } from "../../people/identity-providers/provider-answer.ts";
import { pagesOf } from "./developer-pages.ts";
import { developerSessionsOf } from "./developer-sessions.store.ts";
import {
  type NewDeveloperSession,
  type OpenedSession,
  openSession,
} from "./open-session.transactions.ts";
import type { PendingAccount } from "./pending-account.ts";

/**
 * Makes a session for the developer who has the account that was proved. Null: it is no one's yet,
 * and what came back is used up. Throws `not_authorised` for what came back before.
 */
export const signInByDevelopersProvider = defineTransaction(
  "developer-access.sign-in-by-provider",
  async (
    tx,
    input: { account: ProvedAccount; session: NewDeveloperSession },
  ): Promise<OpenedSession | null> => {
    const { account, session } = input;
    const { org_id, provider_session, proved_at: seen_at, spent } = account;
    await lockOrganisation(tx, { org_id });
    const terms = await termsOf(tx, account);
    if (!terms) throw new Failure("not_authorised");
    if (!await spendChallenge(tx, { org_id, ...spent })) throw new Failure("not_authorised");
    const row = await findDeveloperIdentity(tx, { handle: handleOf(account) });
    if (!row) return null;
    const developer = await lockDeveloper(tx, org_id, linkedTo(tx, row, account));
    if (!developer || developer.inactive) throw new Failure("not_authorised");
    const { id } = row;
    const at = toTimestamp(session.now);
    if (!await useDeveloperIdentity(tx, { org_id, id, at })) throw new Failure("not_authorised");
    const opened = await openSession(tx, org_id, developer, {
      opened_by: "provider",
      opens: "all",
      token_id: "",
      proved_at: null,
      provider: { identity_id: id, provider_session, seen_at },
      boundMs: boundOf(terms, account),
    }, session);
    const { expires_at } = opened;
    const kept = { id: session.id, identity_id: id, owner_id: developer.id, expires_at };
    await keepGrant(tx, terms, account, { ...kept, now: session.now });
    return opened;
  },
);

function handleOf({ org_id, provider_id, subject }: PendingAccount): string {
  return identityHandle(org_id, provider_id, subject);
}

/** The developer of an account. Throws `not_authorised` for a link that was changed. */
function linkedTo(tx: Tx, row: DeveloperIdentityRow, account: PendingAccount): string {
  const link = openedDeveloperLink(tx.sealer, row);
  const { provider_id, subject } = account;
  if (link?.provider_id !== provider_id || link.subject !== subject) {
    throw new Failure("not_authorised");
  }
  return link.developer_id;
}

/** Throws `not_authorised` where the provider is gone, or signs in no developers. */
async function requireProvider(tx: Tx, account: PendingAccount): Promise<void> {
  if (!await hasProvider(tx, account)) throw new Failure("not_authorised");
}

async function hasProvider(tx: Tx, account: PendingAccount): Promise<boolean> {
  return await termsOf(tx, account) !== undefined;
}

async function termsOf(tx: Tx, { org_id, provider_id: id }: PendingAccount) {
  return providerOf(tx.sealer, await findProvider(tx, { org_id, id }), "developers")?.terms;
}

/**
 * Links the account that came with a mailed code to whom the code signs up or in; where it is a
 * person's by now, or they have as many as one may have, not.
 */
export async function linkAtSignUp(
  tx: Tx,
  developer: Developer,
  { account, id, now, call }: {
    account: PendingAccount;
    id: string;
    now: number;
    call?: ActingCall | undefined;
  },
): Promise<void> {
  if (!await hasProvider(tx, account)) return;
  const { org_id } = account;
  const own = await developerIdentitiesOf(tx, { org_id, developer_id: developer.id });
  if (own.length >= MOST_DEVELOPER_IDENTITIES) return;
  const actor = { org_id, user_id: developerActor(developer.id), token_id: "", now, call };
  await linkTo(tx, actor, developer, account, id);
}

/** Links an account to a developer. False where it is taken already. */
async function linkTo(
  tx: Tx,
  actor: Actor,
  developer: Developer,
  account: PendingAccount,
  id: string,
): Promise<boolean> {
  const { org_id, provider_id, subject } = account;
  const developer_id = developer.id;
  const link = JSON.stringify({ developer_id, provider_id, subject });
  const isNew = await insertDeveloperIdentity(tx, {
    org_id,
    id,
    developer_id,
    provider_id,
    handle: handleOf(account),
    link: tx.sealer.seal(developerIdentityPlace(org_id, id), link),
    created_at: toTimestamp(actor.now),
  });
  if (!isNew) return false;
  await recordAlone(tx, actor, {
    action: "identity.created",
    object_id: id,
    detail: { developer_id, identity_provider_id: provider_id },
    names: namesOfDeveloper(developer),
  });
  return true;
}

/** The input of a developer's change of an own account. */
interface OfAccount {
  actor: Actor;
  developer_id: string;
  /** The session in which they do so. */
  session_id: string;
  /** The account's. */
  id: string;
}

/**
 * Links an account to the developer who calls. Throws `not_authorised` also where their session has
 * ended at this very moment, `identity_taken`, `too_many_identities`.
 */
export const linkDevelopersAccount = defineTransaction(
  "developer-access.link-account",
  async (
    tx,
    input: OfAccount & { account: ProvedAccount },
  ): Promise<null> => {
    const { actor, developer_id, session_id, id, account } = input;
    const { org_id } = actor;
    await lockOrganisation(tx, { org_id });
    await requireProvider(tx, account);
    const isOurs = account.org_id === org_id;
    if (!isOurs || !await spendChallenge(tx, { org_id, ...account.spent })) {
      throw new Failure("not_authorised");
    }
    const developer = await lockDeveloper(tx, org_id, developer_id);
    const sessions = await developerSessionsOf(tx, { org_id, developer_id });
    const isIn = sessions.some((one) => one.id === session_id && one.opens === "all");
    if (!developer || developer.inactive || !isIn) throw new Failure("not_authorised");
    const own = await developerIdentitiesOf(tx, { org_id, developer_id });
    if (own.length >= MOST_DEVELOPER_IDENTITIES) throw new Failure("too_many_identities");
    if (!await linkTo(tx, actor, developer, account, id)) throw new Failure("identity_taken");
    return null;
  },
);

/**
 * Unlinks an account of the developer who calls, and ends their sessions that began with it, but
 * the one that calls. `mailsCodes`: codes reach them. Throws `not_found`, and `last_way_in` where
 * they could not come back.
 */
export const unlinkDevelopersAccount = defineTransaction(
  "developer-access.unlink-account",
  async (
    tx,
    input: OfAccount & { mailsCodes: boolean },
  ): Promise<null> => {
    const { actor, developer_id, session_id, id, mailsCodes } = input;
    const { org_id } = actor;
    await lockOrganisation(tx, { org_id });
    const developer = await lockDeveloper(tx, org_id, developer_id);
    if (!developer) throw new Failure("not_found");
    const own = await developerIdentitiesOf(tx, { org_id, developer_id });
    if (!await removeDeveloperIdentity(tx, { org_id, developer_id, id })) {
      throw new Failure("not_found");
    }
    const isLast = !await isReached(tx, org_id, developer, mailsCodes) &&
      !await hasOther(tx, own.filter((one) => one.id !== id));
    if (isLast) throw new Failure("last_way_in");
    for (
      const row of await developerSessionsOfIdentity(tx, { org_id, developer_id, identity_id: id })
    ) {
      if (row.id === session_id) continue;
      await endSessionOf(tx, actor, developer_id, row.id, "its account was unlinked");
    }
    await recordAlone(tx, actor, {
      action: "identity.deleted",
      object_id: id,
      detail: { developer_id },
      names: namesOfDeveloper(developer),
    });
    return null;
  },
  { withoutRoom: true },
);

/** Whether a code or a password still lets a developer in. */
async function isReached(
  tx: Tx,
  org_id: string,
  { id, email }: Developer,
  mailsCodes: boolean,
): Promise<boolean> {
  const proof = emailProofOf(await findEmailProof(tx, { org_id, id }), email);
  if (mailsCodes && email.trim() !== "" && isProved(proof)) return true;
  const { passwords } = await pagesOf(tx, org_id);
  const password = await findPasswordOf(tx, { org_id, id });
  return passwords && Boolean(password?.password_hash) && isProved(proof);
}

/** Whether another account does, at a provider that is there. */
async function hasOther(tx: Tx, others: readonly DeveloperIdentityRow[]): Promise<boolean> {
  for (const row of others) {
    const link = openedDeveloperLink(tx.sealer, row);
    if (link && await hasProvider(tx, { ...link, org_id: row.org_id })) return true;
  }
  return false;
}

/**
 * Ends the developers' sessions that a provider ends, and tells how many those were. Throws
 * `logout_refused` where it said so before.
 */
export const endDevelopersByLogout = defineTransaction(
  "developer-access.end-by-provider",
  async (
    tx,
    input: { logout: ProvedLogout; now: number; call?: ActingCall | undefined },
  ): Promise<number> => {
    const { logout: { org_id, handle, provider_session, ends, spent }, now, call } = input;
    if (!await spendChallenge(tx, { org_id, ...spent })) throw new Failure("logout_refused");
    const named = provider_session === null
      ? []
      : (await developerSessionsAtProvider(tx, { provider_session }))
        .filter((row) => row.org_id === org_id);
    const identity = handle === null ? undefined : await findDeveloperIdentity(tx, { handle });
    const ending: { id: string; developer_id: string }[] = handle === null
      ? named
      : named.filter((row) => row.identity_id === identity?.id);
    const [first] = named;
    const owner = identity
      ? { id: identity.id, developer_id: identity.developer_id }
      : handle === null && ends === "all" && first?.identity_id
      ? { id: first.identity_id, developer_id: first.developer_id }
      : undefined;
    if (owner) {
      const { id: identity_id, developer_id } = owner;
      // None begins meanwhile that would be left over.
      await lockDeveloper(tx, org_id, developer_id);
      // All of the account; with a session's name also those that have none.
      const own = await developerSessionsOfIdentity(tx, { org_id, developer_id, identity_id });
      const isWhole = provider_session === null || ends === "all";
      ending.push(...own.filter((row) => isWhole || row.provider_session === null));
    }
    let ended = 0;
    for (const { id, developer_id } of ending) {
      const actor = { org_id, user_id: developerActor(developer_id), token_id: "", now, call };
      const reason = "ended by the identity provider";
      if (await endSessionOf(tx, actor, developer_id, id, reason)) ended++;
    }
    return ended;
  },
  { withoutRoom: true },
);
