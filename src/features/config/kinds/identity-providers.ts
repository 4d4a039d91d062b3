import { z } from "zod";
import { openedProvider } from "../../people/identity-providers/identity-provider.ts";
import {
  createIdentityProvider,
  deleteIdentityProvider,
  replaceIdentityProvider,
} from "../../people/identity-providers/identity-providers.operations.ts";
import { providersOf } from "../../people/identity-providers/identity.store.ts";
import {
  domainsOf,
  findSecondFactorRule,
  findTokensRule,
} from "../../people/sign-in-rules.store.ts";
import { putSignInRules } from "../../sign-in/sign-in-rules.operations.ts";
import { type At, type Kind, type Members, type Present, shapeOf } from "../kind.ts";

/**
 * Identity providers. Accounts are linked to issuer and client: another one is another provider.
 */
export const identityProviders: Kind = {
  name: "identity_providers",
  permission: "admin",
  noun: "identity provider",
  schema: z.strictObject(shapeOf(createIdentityProvider)),
  needs: ["issuer", "client_id"],
  sets: ["domains"],
  secrets: ["client_secret"],
  maySame: true,
  keyOf: ({ for: audience = "people", issuer, client_id }) =>
    `${String(audience)} ${String(issuer)} ${String(client_id)}`,
  async read({ ctx: { storage: { reader }, sealer, principal: { org_id } }, names }) {
    return (await providersOf(reader, { org_id })).flatMap((row): Present[] => {
      const provider = openedProvider(sealer, row);
      if (!provider) return [];
      const { client_secret, client_key: _, groups, domains, ...terms } = provider.terms;
      const members = {
        ...terms,
        domains: domains.toSorted(),
        groups: groups.map(({ group, permissions, role }) =>
          role ? { group, permissions: [], role: names.roles.nameOf(role) } : { group, permissions }
        ),
      };
      const { for: audience, issuer, client_id } = terms;
      const key = `${audience} ${issuer} ${client_id}`;
      return [{ id: row.id, key, members, secrets: { client_secret: client_secret ?? "" } }];
    });
  },
  create: ({ names }, _, after) => [
    { operation: createIdentityProvider, body: bodyOf(names, after) },
  ],
  change: ({ names }, { present: { id }, after }) => {
    const { for: _, ...body } = bodyOf(names, after);
    return [{ operation: replaceIdentityProvider, params: { id }, body }];
  },
  remove: (_, { id }) => [{ operation: deleteIdentityProvider, params: { id } }],
};

function bodyOf(names: At["names"], { groups, ...members }: Members): Members {
  if (!Array.isArray(groups)) return members;
  return {
    ...members,
    groups: groups.map(({ role, ...group }: Members) =>
      role === undefined ? group : { ...group, role: names.roles.idOf(String(role)) }
    ),
  };
}

/** How people sign in. */
export const signIn: Kind = {
  name: "sign_in",
  permission: "admin",
  noun: "sign-in rules",
  single: true,
  schema: z.strictObject(shapeOf(putSignInRules)).omit({ signed_approvals: true }),
  sets: ["domains"],
  keyOf: () => "",
  async read({ ctx: { storage: { reader }, principal: { org_id } } }) {
    const members = {
      tokens: await findTokensRule(reader, { org_id }) !== 0,
      domains: (await domainsOf(reader, { org_id })).toSorted(),
      second_factor: await findSecondFactorRule(reader, { org_id }) === 1,
    };
    return [{ id: org_id, key: "", members }];
  },
  change: (_, { after }) => [{ operation: putSignInRules, body: after }],
};
