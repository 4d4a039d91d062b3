import { isDeepStrictEqual } from "node:util";
import { type IdempotentCall, once } from "../../../changes/idempotent-answers.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { missing, parsePermissions } from "../../../calls/principal.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { permissionsOfRole } from "../granted.transactions.ts";
import type { Permission } from "../../../contract/permissions.ts";
import { beginWithOperator } from "../operator.transactions.ts";
import { type Administration, requirePermissions } from "../people.transactions.ts";
import { endOne } from "../end-session.transactions.ts";
import {
  countDeveloperIdentitiesAt,
  removeDeveloperIdentitiesAt,
} from "../../developers/developer-identities.store.ts";
import { developerSessionsBegunAt } from "../../developers/sessions-of-identities.store.ts";
import { endSessionOf } from "../../developers/end-session.transactions.ts";
import { domainsOf } from "../sign-in-rules.store.ts";
import {
  MOST_PROVIDERS,
  openedProvider,
  type Provider,
  providerPlace,
  type ProviderTerms,
  providerText,
} from "./identity-provider.ts";
import { clearProviderProblem, removeProviderState } from "./provider-states.store.ts";
import { removeGrantsAt } from "./provider-grants.store.ts";
import {
  countIdentitiesAt,
  findProvider,
  insertProvider,
  peopleAt,
  providersOf,
  removeIdentitiesAt,
  removeProvider,
  sessionsBegunAt,
  updateProvider,
} from "./identity.store.ts";

/**
 * Adds an identity provider. Throws `permission_not_held` for groups that would give what the
 * caller does not hold, `domain_not_listed`, `too_many_providers`.
 */
export const addProvider = defineTransaction(
  "identity.add-provider",
  async (
    tx,
    input: Administration & {
      id: string;
      terms: ProviderTerms;
      idempotency: IdempotentCall | null;
    },
  ): Promise<Provider> => {
    const { actor, id, terms } = input;
    const { org_id } = actor;
    const permissions = await beginWithOperator(tx, actor);
    return await once(tx, input.idempotency, async () => {
      requireAudience(terms);
      requirePermissions(permissions, await given(tx, org_id, terms));
      await requireListed(tx, org_id, terms);
      if ((await providersOf(tx, { org_id })).length >= MOST_PROVIDERS) {
        throw new Failure("too_many_providers");
      }
      const at = toTimestamp(actor.now);
      const times = { created_at: at, updated_at: at };
      const sealed = tx.sealer.seal(providerPlace(org_id, id), providerText(terms));
      await insertProvider(tx, { org_id, id, terms: sealed, ...times });
      await recordChange(tx, actor, {
        action: "identity_provider.created",
        object_id: id,
        detail: loggedOf(terms),
      });
      // The answer may be kept for its repeats, and goes out without the secret in any case.
      const { client_secret } = terms;
      const secret = client_secret === null ? null : "";
      const view = { ...terms, client_secret: secret, client_key: null };
      return { org_id, id, ...times, terms: view };
    });
  },
);

/** The changeable settings of a provider; without a secret the sealed one stays. */
type ChangedTerms = Omit<ProviderTerms, "for" | "issuer" | "client_secret"> & {
  issuer?: string | undefined;
  client_secret?: string | null | undefined;
};

/**
 * Sets what is set of a provider. The caller could make its accounts anybody's of its groups, and
 * so must have all permissions that they give, and gave, and that its people have. Throws
 * `not_found`, `person_holds_more`, `provider_has_accounts`, and what addProvider throws of that.
 */
export const changeProvider = defineTransaction(
  "identity.change-provider",
  async (
    tx,
    input: Administration & { id: string; terms: ChangedTerms },
  ): Promise<Provider> => {
    const { actor, id } = input;
    const { org_id } = actor;
    const permissions = await beginWithOperator(tx, actor);
    const row = await findProvider(tx, { org_id, id });
    const before = row && openedProvider(tx.sealer, row);
    if (!row || !before) throw new Failure("not_found");
    const { client_secret = before.terms.client_secret, ...rest } = input.terms;
    const { for: audience } = before.terms;
    const { issuer = before.terms.issuer } = rest;
    if (issuer !== before.terms.issuer && await hasAccounts(tx, { org_id, provider_id: id })) {
      throw new Failure("provider_has_accounts");
    }
    const isSealed = input.terms.client_secret === undefined && client_secret !== null;
    if (issuer !== before.terms.issuer && isSealed) throw refused(ANEW);
    // A key that its provider knows stays, as long as the client proves itself by it.
    const client_key = rest.client_key && (before.terms.client_key ?? rest.client_key);
    const terms: ProviderTerms = { ...rest, client_secret, client_key, for: audience, issuer };
    requireAudience(terms);
    const after = await given(tx, org_id, terms);
    requirePermissions(permissions, [...await given(tx, org_id, before.terms, "known"), ...after]);
    requireNoStronger(permissions, await peopleAt(tx, { org_id, provider_id: id }));
    await requireListed(tx, org_id, terms);
    // A name of this state: what was read of the provider before it is gone by no more.
    const updated_at = toTimestamp(Math.max(actor.now, Date.parse(row.updated_at) + 1));
    const sealed = tx.sealer.seal(providerPlace(org_id, id), providerText(terms));
    await updateProvider(tx, { org_id, id, terms: sealed, updated_at });
    if (asksOtherwise(before.terms, terms)) await clearProviderProblem(tx, { org_id, id });
    await recordChange(tx, actor, {
      action: "identity_provider.updated",
      object_id: id,
      detail: { before: loggedOf(before.terms), after: loggedOf(terms) },
    });
    return { org_id, id, created_at: row.created_at, updated_at, terms };
  },
);

/** Whether what is asked of a provider, or made of its answer, is another thing. */
function asksOtherwise(before: ProviderTerms, after: ProviderTerms): boolean {
  const asked = ({ name: _, preset: __, domains: ___, ...terms }: ProviderTerms) => terms;
  return !isDeepStrictEqual(asked(before), asked(after));
}

/** Whether accounts are linked: they belong to the issuer that they were made at. */
async function hasAccounts(tx: Tx, at: { org_id: string; provider_id: string }): Promise<boolean> {
  return await countIdentitiesAt(tx, at) + await countDeveloperIdentitiesAt(tx, at) > 0;
}

const REMOVED = "its identity provider was removed";

/** People that the audit log names of a provider that was removed, at the most. */
const MOST_NAMED = 1000;

/**
 * Removes a provider with the links of its accounts, and ends the sessions that began with them.
 * Throws `not_found`, `person_holds_more`.
 */
export const takeAwayProvider = defineTransaction(
  "identity.remove-provider",
  async (tx, input: Administration & { id: string }): Promise<null> => {
    const { actor, id } = input;
    const { org_id } = actor;
    const at = { org_id, provider_id: id };
    const permissions = await beginWithOperator(tx, actor);
    if (!await removeProvider(tx, { org_id, id })) throw new Failure("not_found");
    const people = await peopleAt(tx, at);
    requireNoStronger(permissions, people);
    for (const session of await sessionsBegunAt(tx, at)) {
      await endOne(tx, actor, session.id, { reason: REMOVED });
    }
    await removeIdentitiesAt(tx, at);
    const developers = await countDeveloperIdentitiesAt(tx, at);
    for (const session of await developerSessionsBegunAt(tx, at)) {
      await endSessionOf(tx, actor, session.developer_id, session.id, REMOVED);
    }
    await removeDeveloperIdentitiesAt(tx, at);
    await removeGrantsAt(tx, at);
    await removeProviderState(tx, { org_id, id });
    await recordChange(tx, actor, {
      action: "identity_provider.deleted",
      object_id: id,
      detail: {
        people: people.length,
        developers,
        person_ids: people.map((one) => one.id).sort().slice(0, MOST_NAMED),
      },
    });
    return null;
  },
  { withoutRoom: true },
);

/**
 * Requires that the provider's people have no more permissions than the caller: anyone who sets a
 * provider, or removes it, controls its people.
 */
function requireNoStronger(
  permissions: readonly Permission[],
  people: readonly { permissions: string; deactivated_at: string | null }[],
): void {
  const active = people.filter((one) => one.deactivated_at === null);
  const words = new Set(active.map((one) => one.permissions));
  const theirs = [...words].flatMap((one) => parsePermissions(one));
  const beyond = [...new Set(missing(permissions, theirs))];
  if (beyond.length === 0) return;
  throw new Failure("person_holds_more", {
    message: `A person who signs in by it has more permissions than you: ${beyond.join(", ")}.`,
  });
}

/**
 * All that its groups give now. Throws `unknown_role`, where `known` does not leave such roles out:
 * they give nothing.
 */
async function given(
  tx: Tx,
  org_id: string,
  { groups }: ProviderTerms,
  which: "all" | "known" = "all",
): Promise<Permission[]> {
  const found = new Set(groups.flatMap(({ permissions }) => permissions));
  for (const { role } of groups) {
    if (role === undefined) continue;
    const theirs = await permissionsOfRole(tx, org_id, role);
    if (!theirs && which === "all") throw new Failure("unknown_role");
    for (const one of theirs ?? []) found.add(one);
  }
  return [...found];
}

const ANEW = "client_secret: needed, since another issuer takes it anew";

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}

/** Throws `invalid_input` where one for developers would add people, or give by groups. */
function requireAudience({ for: audience, groups, creates_people }: ProviderTerms): void {
  if (audience === "people" || (groups.length === 0 && !creates_people)) return;
  throw refused("groups and creates_people: a provider for developers has none");
}

/** Throws `domain_not_listed`. Developers' domains are those of others. */
async function requireListed(
  tx: Tx,
  org_id: string,
  { for: audience, domains }: ProviderTerms,
): Promise<void> {
  if (audience === "developers") return;
  const listed = await domainsOf(tx, { org_id });
  if (!domains.every((one) => listed.includes(one))) throw new Failure("domain_not_listed");
}

/** The audit log's data: all but the secret, and of the key its name. */
function loggedOf(
  { client_secret, client_key, ...terms }: ProviderTerms,
): Readonly<Record<string, unknown>> {
  const key = client_key === null ? {} : { client_key_id: client_key.kid };
  return { ...terms, has_secret: client_secret !== null, ...key };
}
