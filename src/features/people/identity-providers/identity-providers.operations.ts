import { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { idempotentCall } from "../../../calls/principal.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { line, nameText } from "../../../contract/labels.ts";
import { domain } from "../../../contract/mail-domain.ts";
import { permissions } from "../../../contract/permissions.ts";
import { providerPresets } from "../../../contract/provider-presets.ts";
import { nullable } from "../../../contract/v1.ts";
import { text, timestamp } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { isProviderUrl } from "../../../kernel/provider-url.ts";
import { countDeveloperIdentitiesAt } from "../../developers/developer-identities.store.ts";
import { pagesUrl } from "../pages-url.ts";
import { isGrant, NO_GRANT, permissionsInput, roleInput } from "../people.contract.ts";
import { administrationOf } from "../people.service.ts";
import {
  type ClientKey,
  openedProvider,
  type Provider,
  type ProviderTerms,
} from "./identity-provider.ts";
import {
  clientAuthentications,
  groupForms,
  identityProviderCheck,
  logoutScopes,
  providerFor,
  responseModes,
} from "./identity-providers.contract.ts";
import {
  addProvider,
  changeProvider,
  takeAwayProvider,
} from "./identity-providers.transactions.ts";
import { countIdentitiesAt, findProvider, providersOf } from "./identity.store.ts";
import { checkProvider } from "./provider-check.service.ts";
import { isProblem, notifyOfProvider } from "./provider-states.service.ts";
import { findProviderState } from "./provider-states.store.ts";
import { logoutPath, returnPath } from "./return-address.ts";

const tag = "Sign-in";

/** A word as OAuth has them: no blanks, nothing that is not ASCII. */
const word = z.string().max(255).regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, {
  error: "expected a word of ASCII",
});

const issuer = z.string().trim().max(500).refine(
  (given) => isProviderUrl(given) && new URL(given).search === "",
  { error: "expected an https URL such as https://login.example.org" },
);

/** The newer settings; each has a default, so that older calls set the same as before. */
const newerMembers = {
  preset: z.enum(providerPresets).default("generic").meta({
    description:
      "The kind of provider. It changes nothing by itself: consoles fill forms by it, and say what to set at the provider.",
  }),
  client_auth: z.enum(clientAuthentications).default("auto").meta({
    description:
      "How Keydesk authenticates. `auto`: `client_secret_basic` if the provider takes it, else `client_secret_post`, by a secret; else PKCE alone. `client_secret_basic` is encoded as RFC 6749, 2.3.1 says; `client_secret_basic_unencoded` is for providers that decode nothing. `private_key_jwt`: by a key that Keydesk makes; another value deletes it. `tls_client_auth`: by the certificate of KEYDESK_PROVIDER_CLIENT_FILE.",
  }),
  pushed_requests: z.boolean().default(false).meta({
    description:
      "True: requests are pushed (RFC 9126), as they are in any case where the provider says that it requires it.",
  }),
  response_mode: z.enum(responseModes).default("query").meta({
    description: "`form_post`: the provider has the browser post its answer.",
  }),
  asks_consent: z.boolean().default(false).meta({
    description:
      "True: the provider is requested to ask for consent at each sign-in (`prompt=consent`), which some demand before they give a refresh token.",
  }),
  groups_path: z.array(line(255).min(1)).max(10).default([]).meta({
    description:
      "The members that lead from the claim to the groups, such as `roles` within `realm_access`; none: the claim itself.",
  }),
  groups_form: z.enum(groupForms).default("list").meta({
    description:
      "`list`: texts, or one text. `separated`: one text, with `groups_separator` between groups. `objects`: a list of objects with `name`. `keys`: an object whose keys are the groups. Another form gives nothing.",
  }),
  groups_separator: z.string().min(1).max(10).default(","),
  groups_drop_slash: z.boolean().default(false).meta({
    description: "True: a slash at the beginning of a group is no part of its name.",
  }),
  logout_ends: z.enum(logoutScopes).default("added").meta({
    description:
      "The sessions that a logout at the provider ends. `named`: the session that it names, or all of the account if it names none. `added`: all sessions of the account if the provider added the person, else as `named`. `all`: all sessions of the account.",
  }),
  recheck_minutes: z.int().min(5).max(1440).default(60).meta({
    description:
      "After how many minutes the provider is asked again whether an account is still good, if it gave a refresh token. If it says no the session is ended; if it fails, or is unavailable, nothing changes.",
  }),
  session_minutes: z.int().min(5).max(10080).nullable().default(null).meta({
    description:
      "How long a session lasts at the most if the provider gave no refresh token; null: 7 days, in which an account that is disabled at the provider stays signed in.",
  }),
};

const setMembers = {
  name: nameText(60).min(1).meta({ description: "The text of its button." }),
  client_id: line(255).min(1),
  domains: z.array(domain).max(20).meta({
    description:
      "The addresses that are offered this provider. For people: those of the organisation. For developers: any; none: it is offered to all.",
  }),
  scopes: z.array(word).max(20).default(["profile", "email"]).meta({
    description: "The scopes that are requested beside `openid`.",
  }),
  groups_claim: line(255).min(1).default("groups").meta({
    description:
      "The claim that names a person's groups, of the ID token, or where that has none of the UserInfo endpoint.",
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
        "Permissions of the people of a group: the role of their first group that has one, else the permissions of all of their groups. You can grant only permissions that you have.",
    }),
  creates_people: z.boolean().default(false).meta({
    description:
      "True: a member of one of the groups is added at their first sign-in, and follows their groups at each later one.",
  }),
  acr_values: z.array(word).max(20).default([]).meta({
    description: "One of these makes a sign-in fresh, where any is named.",
  }),
  amr_values: z.array(word).max(20).default([]).meta({
    description: "One of these in `amr` makes a sign-in fresh, if any is named.",
  }),
  ...newerMembers,
};

const secret = z.string().max(1024).nullable();

const audience = z.enum(providerFor).meta({
  description:
    "The people whom it signs in: people to the console, or developers to their pages. It never changes, and does not work for the other kind.",
});

const own = z.strictObject({
  id: text,
  for: audience,
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
  preset: z.enum(providerPresets),
  client_auth: z.enum(clientAuthentications),
  pushed_requests: z.boolean(),
  response_mode: z.enum(responseModes),
  asks_consent: z.boolean(),
  groups_path: z.array(text),
  groups_form: z.enum(groupForms),
  groups_separator: text,
  groups_drop_slash: z.boolean(),
  logout_ends: z.enum(logoutScopes),
  recheck_minutes: z.int(),
  session_minutes: nullable(z.int()),
  jwks_address: nullable(text).meta({
    description:
      "The address at which the provider reads the public key of `private_key_jwt`; null: no setting gives it, or the client has none.",
  }),
  last_refused: nullable(z.strictObject({
    at: timestamp,
    reason: text,
    by: nullable(z.enum(["provider", "browser"])).meta({
      description:
        "`provider`: it said so to this server. `browser`: the browser that came back said so, which proves nothing; it takes no place of what the provider said within a day. Null: it was changed, or worked when it was tried, since then.",
    }),
  })).meta({ description: "When and why a sign-in by it was last refused; null: none was." }),
  problem: nullable(z.strictObject({ since: timestamp, reason: text })).meta({
    description:
      "Faults that do not prevent signing in. It is cleared by the next success, by a test that works, by a change of its settings, and 7 days after it was last seen.",
  }),
  gives_refresh_tokens: nullable(z.boolean()).meta({
    description:
      "Whether it gave one at the last sign-in; null: there was none. Without one, an account that is disabled at the provider stays signed in until its session expires.",
  }),
  people: z.int().meta({ description: "How many accounts of it are linked." }),
  return_address: nullable(text).meta({
    description:
      "The redirect URI at the provider; null: no setting gives the address of the console, or of the developer's pages.",
  }),
  logout_address: nullable(text).meta({
    description: "The back-channel logout URI at the provider; null: as above.",
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
export const listIdentityProviders = operation({
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
  async serve(ctx) {
    const { storage: { reader }, sealer, principal: { org_id } } = ctx;
    const data: View[] = [];
    for (const row of await providersOf(reader, { org_id })) {
      const opened = openedProvider(sealer, row);
      if (opened) data.push(await serialize(ctx, opened));
    }
    return { data };
  },
});

/** One of them. */
export const getIdentityProvider = operation({
  id: "getIdentityProvider",
  method: "GET",
  path: "/v1/identity-providers/{id}",
  tag,
  summary: "Read an identity provider",
  description: "Never its secret.",
  permission: ["admin:read"],
  response: identityProvider,
  errors: ["not_found"],
  serve: async (ctx, { params: { id } }) => await serialize(ctx, await opened(ctx, id)),
});

/** One more. */
export const createIdentityProvider = operation({
  id: "createIdentityProvider",
  method: "POST",
  path: "/v1/identity-providers",
  tag,
  summary: "Add an identity provider, by which people or developers sign in (OpenID Connect)",
  description:
    "By the code flow with PKCE, state and nonce. KEYDESK_OUTBOUND has to name its hosts. Accounts are linked by issuer and subject, never by an e-mail address.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({
    for: audience.default("people"),
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
  async serve(ctx, { body: terms, idempotency }) {
    requireCalled(ctx, terms.issuer);
    const administration = administrationOf(ctx);
    const { now } = administration.actor;
    const client_key = await keyFor(terms, now);
    const bare = { ...terms, client_secret: terms.client_secret || null, client_key };
    const input = { ...administration, id: newId(now), terms: bare };
    const call = idempotentCall(ctx.principal, now, idempotency);
    return await serialize(
      ctx,
      await ctx.storage.commit(addProvider, { ...input, idempotency: call }),
    );
  },
});

/** Another way. */
export const replaceIdentityProvider = operation({
  id: "replaceIdentityProvider",
  method: "PUT",
  path: "/v1/identity-providers/{id}",
  tag,
  summary: "Set what is set of an identity provider",
  description:
    "Without `client_secret` the sealed one stays; an empty one deletes it. Without `issuer` that stays, too; another one needs the secret anew, and is 409 `provider_has_accounts` while an account is linked. The caller must have all permissions that its groups give, and gave before, and all permissions of people who sign in by it.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({
    issuer: issuer.optional(),
    ...setMembers,
    client_secret: secret.optional(),
  })
    .meta({ id: "IdentityProviderChange" }),
  response: identityProvider,
  errors: [
    ...bodyErrors,
    "not_found",
    "domain_not_listed",
    "permission_not_held",
    "unknown_role",
    "person_holds_more",
    "provider_has_accounts",
    "provider_uncalled",
    "managed_by_file",
  ],
  example,
  async serve(ctx, { params: { id }, body: terms }) {
    if (terms.issuer !== undefined) requireCalled(ctx, terms.issuer);
    // An empty one takes it away: a member that is null counts as absent.
    const { client_secret } = terms;
    const meant = client_secret === "" ? { ...terms, client_secret: null } : terms;
    const administration = administrationOf(ctx);
    // Kept where the client has none yet.
    const client_key = await keyFor(terms, administration.actor.now);
    const input = { ...administration, id, terms: { ...meant, client_key } };
    return await serialize(ctx, await ctx.storage.commit(changeProvider, input));
  },
});

/** One less. */
export const deleteIdentityProvider = operation({
  id: "deleteIdentityProvider",
  method: "DELETE",
  path: "/v1/identity-providers/{id}",
  tag,
  summary: "Remove an identity provider: sign-in by it is no longer possible",
  description:
    "Its people, or developers, stay, and their accounts there are unlinked. Sessions that began with it are revoked.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true) }).meta({ id: "IdentityProviderRemoved" }),
  errors: ["not_found", "person_holds_more", "managed_by_file"],
  async serve(ctx, { params }) {
    await ctx.storage.commit(takeAwayProvider, { ...administrationOf(ctx), id: params.id });
    return { removed: true as const };
  },
});

/** Whether it answers, and takes what is set. */
export const checkIdentityProvider = operation({
  id: "checkIdentityProvider",
  method: "POST",
  path: "/v1/identity-providers/{id}/check",
  tag,
  summary: "Try an identity provider: what it says of itself, its hosts, its keys, and the client",
  description:
    "It signs no account in, and changes nothing but this: if all works, `problem` is null from then on. The client is tried with an invalid code: a provider that knows the client refuses the code, and one that does not refuses the client.",
  permission: ["admin"],
  response: identityProviderCheck,
  errors: ["not_found"],
  async serve(ctx, { params: { id } }) {
    const provider = await opened(ctx, id);
    const { return_address } = await addressesOf(ctx, provider);
    const checked = await checkProvider(ctx, provider, return_address ?? "http://localhost/");
    // A caller who may set a provider may report its state, and so may one who tries it.
    if (checked.works) await notifyOfProvider(ctx, provider, { works: true });
    return checked;
  },
});

/** The path at which a client's provider reads its key. */
const jwksPath = (id: string) => `/v1/session/provider/${id}/jwks`;

type View = z.output<typeof identityProvider>;

async function opened(
  { storage: { reader }, sealer, principal: { org_id } }: RequestContext,
  id: string,
): Promise<Provider> {
  const row = await findProvider(reader, { org_id, id });
  const provider = row && openedProvider(sealer, row);
  if (!provider) throw new Failure("not_found");
  return provider;
}

/** Throws `provider_uncalled`. */
function requireCalled({ outbound }: RequestContext, issuer: string): void {
  const missing = outbound.missing(issuer);
  if (missing === undefined) return;
  throw new Failure("provider_uncalled", {
    message: `This identity provider can't be called: KEYDESK_OUTBOUND does not name ${missing}.`,
  });
}

async function keyFor({ client_auth }: Pick<ProviderTerms, "client_auth">, now: number) {
  return client_auth === "private_key_jwt" ? await newClientKey(now) : null;
}

/** The addresses to tell a provider; null: no setting says by which name browsers come. */
async function addressesOf(
  { storage: { reader }, settings }: RequestContext,
  { org_id, id, terms }: Provider,
) {
  const audience = terms.for;
  const at = audience === "people" ? settings.publicUrl : await pagesUrl(reader, org_id, settings);
  const base = at || undefined;
  return {
    return_address: base === undefined ? null : base + returnPath(id, audience),
    logout_address: base === undefined ? null : base + logoutPath(id, audience),
    jwks_address: base === undefined || terms.client_auth !== "private_key_jwt"
      ? null
      : base + jwksPath(id),
  };
}

async function serialize(ctx: RequestContext, provider: Provider): Promise<View> {
  const { storage: { reader } } = ctx;
  const { org_id, id, created_at, updated_at, terms: { client_secret, client_key: _, ...terms } } =
    provider;
  const count = terms.for === "people" ? countIdentitiesAt : countDeveloperIdentitiesAt;
  const state = await findProviderState(reader, { org_id, id });
  return {
    id,
    ...terms,
    groups: terms.groups.map((one) => ({ ...one, role: one.role ?? null })),
    has_secret: client_secret !== null,
    people: await count(reader, { org_id, provider_id: id }),
    ...await addressesOf(ctx, provider),
    last_refused: state?.refused && state.refused_at
      ? {
        at: state.refused_at,
        reason: state.refused,
        by: state.refused_by === "provider" || state.refused_by === "browser"
          ? state.refused_by
          : null,
      }
      : null,
    problem: state?.problem && state.problem_since && isProblem(state, ctx.clock.now())
      ? { since: state.problem_since, reason: state.problem }
      : null,
    gives_refresh_tokens: state?.refreshes ? state.refreshes === "yes" : null,
    date_created: created_at,
    date_updated: updated_at,
  };
}

/** A fresh private key by which a client proves itself: RSA of 2048 bits, for RS256. */
async function newClientKey(now: number): Promise<ClientKey> {
  const { privateKey } = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    },
    true,
    ["sign"],
  );
  const { kty = "", n = "", e = "", d = "", p = "", q = "", dp = "", dq = "", qi = "" } =
    await crypto.subtle.exportKey("jwk", privateKey);
  return { kty, n, e, d, p, q, dp, dq, qi, kid: newId(now) };
}
