import { missing } from "../../../calls/principal.ts";
import type { Actor } from "../../../changes/audit.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { signInHash } from "../access-token.ts";
import {
  type IdentityLink,
  identityPlace,
  openedLink,
  requireUnmanaged,
} from "../identity-link.ts";
import { lockOrganisation } from "../organisations.store.ts";
import { spendChallenge } from "../passkeys.store.ts";
import { requireSession } from "../passkeys.transactions.ts";
import { findPerson, insertUser, updatePerson } from "../people.store.ts";
import { type Granted, permissionsOfRole } from "../granted.transactions.ts";
import {
  activePerson,
  endTemporaryAccessesOf,
  grantDetail,
  keepAdministered,
} from "../people.transactions.ts";
import { endInvitation } from "../person-invitations.transactions.ts";
import { type PersonRow, toWords } from "../person.ts";
import { openSession, type SignedIn, type SignInInput } from "../sessions.transactions.ts";
import { ensureSignInRow } from "../sign-in-row.ts";
import {
  grantOfGroups,
  identityHandle,
  providerOf,
  type ProviderTerms,
} from "./identity-provider.ts";
import {
  findIdentityByHandle,
  findProvider,
  insertIdentity,
  useIdentity,
} from "./identity.store.ts";
import { boundOf, keepGrant } from "./keep-grant.transactions.ts";
import type { ProvedAccount } from "./provider-answer.ts";

/** Longest name of a person. */
const LONGEST_NAME = 100;

interface SigningIn extends Omit<SignInInput, "presented"> {
  account: ProvedAccount;
  /** The ids of a person and a link that may have to be added, made before the transaction. */
  ids: { person: string; identity: string };
  /** As an Administration has them. */
  longestMs: number | null;
  passkeyHost: string;
}

/**
 * Makes a session for anyone who has the account that was proved; who was added by the provider, or
 * is now, may do what their groups give. Undefined: that is nothing, which is kept, and no one is
 * in. Throws `not_authorised` for what came back before, `identity_unknown`, `last_administrator`,
 * `groups_incomplete`.
 */
export const signInByProvider = defineTransaction(
  "identity.sign-in",
  async (tx, input: SigningIn): Promise<SignedIn | null> => {
    const { account, now } = input;
    const { org_id, provider_id, spent } = account;
    await lockOrganisation(tx, { org_id });
    const terms = await termsOf(tx, org_id, provider_id);
    if (!await spendChallenge(tx, { org_id, ...spent })) throw new Failure("not_authorised");
    const link = await linkOf(tx, account) ?? await added(tx, input, terms);
    if (!link) return null;
    const person = await findPerson(tx, { org_id, id: link.user_id });
    if (!person || person.deactivated_at !== null || person.suspended_at !== null) {
      throw new Failure("not_authorised");
    }
    if (link.managed && !await followGroups(tx, input, terms, person)) return null;
    const at = toTimestamp(now);
    if (!await useIdentity(tx, { org_id, id: link.id, at })) throw new Failure("not_authorised");
    await ensureSignInRow(tx, { org_id, user_id: link.user_id, now });
    const { provider_session, proved_at } = account;
    const { actor: _, ...signedIn } = await openSession(tx, input, {
      hash: signInHash(link.user_id),
      opener: "provider",
      detail: { identity_provider_id: provider_id, identity_id: link.id },
      provider: { identity_id: link.id, provider_session, proved_at },
      boundMs: boundOf(terms, account),
    });
    const { user_id: owner_id, expires_at } = signedIn;
    const session = { id: input.session.id, identity_id: link.id, owner_id, expires_at, now };
    await keepGrant(tx, terms, account, session);
    return signedIn;
  },
  { withoutRoom: true },
);

async function termsOf(tx: Tx, org_id: string, id: string): Promise<ProviderTerms> {
  const row = await findProvider(tx, { org_id, id });
  const provider = providerOf(tx.sealer, row, "people");
  if (!provider) throw new Failure("not_authorised");
  return provider.terms;
}

type Found = IdentityLink & { id: string };

/**
 * The owner of an account; undefined: none. Throws `not_authorised` for a link that was changed.
 */
async function linkOf(tx: Tx, account: ProvedAccount): Promise<Found | undefined> {
  const { org_id, provider_id, subject } = account;
  const handle = identityHandle(org_id, provider_id, subject);
  const row = await findIdentityByHandle(tx, { handle });
  if (!row) return undefined;
  const link = openedLink(tx.sealer, row);
  if (link?.provider_id !== provider_id || link.subject !== subject) {
    throw new Failure("not_authorised");
  }
  return { ...link, id: row.id };
}

/** Throws `groups_incomplete` where the provider named some alone: no change by half a list. */
function allGroups({ groups }: Pick<ProvedAccount, "groups">): string[] {
  if (groups !== null) return groups;
  throw new Failure("groups_incomplete");
}

/** Adds anyone who is in a group that gives something; undefined: they are in none. */
async function added(
  tx: Tx,
  { account, ids, now, call }: SigningIn,
  terms: ProviderTerms,
): Promise<Found | undefined> {
  if (!terms.creates_people) throw new Failure("identity_unknown");
  const { org_id, provider_id, email } = account;
  const { permissions, role } = await grantNow(tx, org_id, terms, allGroups(account));
  if (permissions.length === 0) return undefined;
  const id = ids.person;
  const actor = { org_id, user_id: id, token_id: "", now, call };
  const name = [...account.name].slice(0, LONGEST_NAME).join("");
  const date_created = toTimestamp(now);
  const words = toWords(permissions);
  await insertUser(tx, { org_id, id, name, permissions: words, date_created, email, role });
  await recordChange(tx, actor, {
    action: "person.created",
    object_id: id,
    detail: {
      ...grantDetail({ permissions: words, role, covers: null }),
      identity_provider_id: provider_id,
    },
    personal: { "/name": name, ...email === null ? {} : { "/email": email } },
  });
  return await linkTo(tx, actor, account, { id: ids.identity, user_id: id, managed: true });
}

/** The present grant of a person's groups; none if their role was deleted. */
async function grantNow(
  tx: Tx,
  org_id: string,
  terms: ProviderTerms,
  named: readonly string[],
): Promise<Granted> {
  const { permissions, role } = grantOfGroups(terms, named);
  if (role === null) return { permissions, role };
  const given = await permissionsOfRole(tx, org_id, role);
  return given ? { permissions: given, role } : { permissions: [], role: null };
}

/** Links an account to a person. Throws `identity_taken`. */
async function linkTo(
  tx: Tx,
  actor: Actor,
  { org_id, provider_id, subject }: ProvedAccount,
  { id, user_id, managed }: { id: string; user_id: string; managed: boolean },
): Promise<Found> {
  const link: IdentityLink = { user_id, provider_id, subject, managed };
  const isNew = await insertIdentity(tx, {
    org_id,
    id,
    user_id,
    provider_id,
    handle: identityHandle(org_id, provider_id, subject),
    link: tx.sealer.seal(identityPlace(org_id, id), JSON.stringify(link)),
    created_at: toTimestamp(actor.now),
  });
  if (!isNew) throw new Failure("identity_taken");
  await recordChange(tx, actor, {
    action: "identity.created",
    object_id: id,
    detail: { person_id: user_id, identity_provider_id: provider_id },
  });
  return { ...link, id };
}

/** By what a person's groups are followed. */
type Following =
  & Pick<SigningIn, "now" | "call" | "longestMs" | "passkeyHost">
  & { account: Pick<ProvedAccount, "org_id" | "provider_id" | "groups"> };

/** Gives a person what their groups give now, no more and no less. False: that is nothing. */
export async function followGroups(
  tx: Tx,
  { account, now, call, longestMs, passkeyHost }: Following,
  terms: ProviderTerms,
  person: PersonRow,
): Promise<boolean> {
  const { org_id } = account;
  const { id, name, email, covers } = person;
  const granted = await grantNow(tx, org_id, terms, allGroups(account));
  const permissions = toWords(granted.permissions);
  const { role } = granted;
  if (permissions === person.permissions && role === person.role) return permissions !== "";
  const actor = { org_id, user_id: id, token_id: "", now, call };
  await keepAdministered(
    tx,
    { actor, longestMs, passkeyHost },
    async () => void await updatePerson(tx, { org_id, id, name, permissions, email, role, covers }),
  );
  const before = grantDetail(person);
  const after = grantDetail({ permissions, role, covers });
  // A link is for what it was made for: who has an older one is not known.
  if (missing(before.permissions, after.permissions).length > 0) await endInvitation(tx, actor, id);
  if (missing(after.permissions, before.permissions).length > 0) {
    await endTemporaryAccessesOf(tx, actor, id);
  }
  await recordChange(tx, actor, {
    action: "person.updated",
    object_id: id,
    detail: { ...after, before, after, identity_provider_id: account.provider_id },
    personal: { "/name": name },
  });
  return permissions !== "";
}

/**
 * Links an account to the caller. Throws `not_authorised` also where their session or what it is on
 * has ended at this very moment, `added_by_provider`, `identity_taken`.
 */
export const addIdentity = defineTransaction(
  "identity.link",
  async (
    tx,
    input: { actor: Actor; session_id: string; id: string; account: ProvedAccount },
  ): Promise<{ created_at: string }> => {
    const { actor, session_id, id, account } = input;
    const { org_id, user_id, now } = actor;
    await lockOrganisation(tx, { org_id });
    await activePerson(tx, org_id, user_id);
    await requireSession(tx, actor, session_id);
    await requireUnmanaged(tx, tx.sealer, { org_id, user_id });
    await termsOf(tx, org_id, account.provider_id);
    if (account.org_id !== org_id || !await spendChallenge(tx, { org_id, ...account.spent })) {
      throw new Failure("not_authorised");
    }
    await linkTo(tx, actor, account, { id, user_id, managed: false });
    await ensureSignInRow(tx, { org_id, user_id, now });
    return { created_at: toTimestamp(now) };
  },
  { withoutRoom: true },
);
