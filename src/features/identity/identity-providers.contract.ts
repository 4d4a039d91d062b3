import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { line, nameText } from "../../contract/labels.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { permissions } from "../../contract/permissions.ts";
import { isGrant, NO_GRANT, permissionsInput, roleInput } from "../access/people.contract.ts";
import { domain } from "../../contract/mail-domain.ts";
import { isProviderUrl } from "../../kernel/provider-url.ts";

const tag = "Sign-in";

/** A word as OAuth has them: no blanks, nothing that is not ASCII. */
const word = z.string().max(255).regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, {
  error: "expected a word of ASCII",
});

const issuer = z.string().trim().max(500).refine(
  (given) => isProviderUrl(given) && new URL(given).search === "",
  { error: "expected an https URL such as https://login.example.org" },
);

const setMembers = {
  name: nameText(60).min(1).meta({ description: "What its button says." }),
  client_id: line(255).min(1),
  domains: z.array(domain).max(20).meta({
    description:
      "Whose addresses are offered this provider. For people: of the organisation's own. For developers: anybody's; none: everybody is offered it.",
  }),
  scopes: z.array(word).max(20).default(["profile", "email"]).meta({
    description: "What is asked for beside `openid`.",
  }),
  groups_claim: line(255).min(1).default("groups").meta({
    description: "The claim of the ID token that names a person's groups.",
  }),
  groups: z.array(
    z.object({
      group: line(255).min(1),
      permissions: permissionsInput.optional(),
      role: roleInput.optional().meta({
        description: "The id of a role, in the place of `permissions`: these are absent, or none.",
      }),
    }).refine(isGrant, NO_GRANT).refine(
      ({ permissions = [], role }) => role === undefined || permissions.length === 0,
      { error: "expected permissions or a role, and not both" },
    )
      .transform(({ group, permissions = [], role }) => ({
        group,
        permissions,
        ...role ? { role } : {},
      })),
  )
    .max(100).default([]).meta({
      description:
        "What the people of a group may do: the role of the first of theirs that has one, else the permissions of all of theirs. Nobody gives by it what they do not hold themselves.",
    }),
  creates_people: z.boolean().default(false).meta({
    description:
      "True: whoever is in one of the groups is added at their first sign-in, and follows their groups at each later one.",
  }),
  acr_values: z.array(word).max(20).default([]).meta({
    description: "One of these makes a sign-in fresh, where any is named.",
  }),
  amr_values: z.array(word).max(20).default([]).meta({ description: "The same of `amr`." }),
};

const secret = z.string().max(1024).nullable();

/** Whom an identity provider signs in. */
export const providerFor = ["people", "developers"] as const;

const whom = z.enum(providerFor).meta({
  description:
    "Whom it signs in: people to the console, or developers to their pages. It never changes, and opens nothing of the other.",
});

const own = z.strictObject({
  id: text,
  for: whom,
  issuer: text,
  name: text,
  client_id: text,
  has_secret: z.boolean().meta({ description: "The secret itself is sealed and never shown." }),
  domains: z.array(text),
  scopes: z.array(text),
  groups_claim: text,
  groups: z.array(z.strictObject({
    group: text,
    permissions: z.array(z.enum(permissions)),
    role: nullable(text).meta({ description: "The id of its role; null: it has permissions." }),
  })),
  creates_people: z.boolean(),
  acr_values: z.array(text),
  amr_values: z.array(text),
  people: z.int().meta({ description: "How many accounts there are linked here." }),
  return_address: nullable(text).meta({
    description:
      "What the provider is told as redirect URI; null: no setting says where the console is, or the developer's pages.",
  }),
  logout_address: nullable(text).meta({
    description: "What the provider is told as back-channel logout URI; null: as above.",
  }),
  date_created: timestamp,
  date_updated: timestamp,
});

/** An identity provider as an administrator sees it. */
export const identityProvider = own.meta({ id: "IdentityProvider" });

const example = {
  name: "Veldhaven Transit",
  client_id: "keydesk-console",
  domains: [],
  groups: [{ group: "platform", permissions: ["portal:read" as const] }],
  creates_people: true,
};

/** All of them. */
export const listIdentityProviders = defineEndpoint({
  id: "listIdentityProviders",
  method: "GET",
  path: "/v1/identity-providers",
  tag,
  summary: "List the identity providers of the organisation, the oldest first; at most 10",
  description: "One whose sealing key is lost is not among them.",
  permission: ["admin:read"],
  response: z.strictObject({ data: z.array(identityProvider) }).meta({
    id: "IdentityProviderList",
  }),
  errors: [],
});

/** One of them. */
export const getIdentityProvider = defineEndpoint({
  id: "getIdentityProvider",
  method: "GET",
  path: "/v1/identity-providers/{id}",
  tag,
  summary: "Read an identity provider",
  description: "Never its secret.",
  permission: ["admin:read"],
  response: identityProvider,
  errors: ["not_found"],
});

/** One more. */
export const createIdentityProvider = defineEndpoint({
  id: "createIdentityProvider",
  method: "POST",
  path: "/v1/identity-providers",
  tag,
  summary: "Add an identity provider, by which people or developers sign in (OpenID Connect)",
  description:
    "By the code flow with PKCE, state and nonce. KEYDESK_OUTBOUND has to name its hosts. The issuer never changes, since accounts belong to it. Accounts are linked by issuer and subject, never by an e-mail address.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({
    for: whom.default("people"),
    issuer,
    ...setMembers,
    client_secret: secret.default(null),
  })
    .meta({ id: "IdentityProviderInput" }),
  idempotent: true,
  response: identityProvider,
  errors: [
    ...bodyErrors,
    "domain_not_listed",
    "permission_not_held",
    "unknown_role",
    "provider_uncalled",
    "too_many_providers",
  ],
  example: { issuer: "http://localhost:4000", ...example },
});

/** Another way. */
export const replaceIdentityProvider = defineEndpoint({
  id: "replaceIdentityProvider",
  method: "PUT",
  path: "/v1/identity-providers/{id}",
  tag,
  summary: "Set what is set of an identity provider",
  description:
    "Without `client_secret` the one that is sealed stays; an empty one takes it away. Whoever sets it holds all that its groups give, and gave before, and all that people hold who sign in by it.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({ ...setMembers, client_secret: secret.optional() })
    .meta({ id: "IdentityProviderChange" }),
  response: identityProvider,
  errors: [
    ...bodyErrors,
    "not_found",
    "domain_not_listed",
    "permission_not_held",
    "unknown_role",
    "person_holds_more",
  ],
  example,
});

/** One less. */
export const deleteIdentityProvider = defineEndpoint({
  id: "deleteIdentityProvider",
  method: "DELETE",
  path: "/v1/identity-providers/{id}",
  tag,
  summary: "Remove an identity provider: nobody signs in by it any more",
  description:
    "Its people, or developers, stay, and their accounts there are linked no more. Sessions that began with it end.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true) }).meta({ id: "IdentityProviderRemoved" }),
  errors: ["not_found", "person_holds_more"],
});

/** Whether it answers. */
export const checkIdentityProvider = defineEndpoint({
  id: "checkIdentityProvider",
  method: "POST",
  path: "/v1/identity-providers/{id}/check",
  tag,
  summary: "Ask an identity provider what it says of itself, and for its keys",
  description: "Changes nothing, and signs nobody in.",
  permission: ["admin"],
  response: z.strictObject({
    works: z.boolean(),
    problem: nullable(text).meta({ description: "What is in the way; null: nothing." }),
    algorithms: z.array(text).meta({ description: "How it signs." }),
    keys: z.int().meta({ description: "How many keys it shows." }),
  }).meta({ id: "IdentityProviderCheck" }),
  errors: ["not_found"],
});
