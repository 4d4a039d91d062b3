/**
 * Identity providers as they were recorded or read: what their tokens and endpoints say by default,
 * for one person in the group `desk` who has the same name at all of them.
 */
import { presetTerms, type ProviderPreset } from "../../src/contract/provider-presets.ts";
import { CLIENT, type Lies } from "./identity-provider.ts";

/** One of them. */
export interface Traits {
  preset: ProviderPreset;
  /** The group as it is called there. */
  group: string;
  lies: Lies;
  /** Claims of the ID token beside those that every one has. */
  claims: Record<string, unknown>;
}

const PROFILE = { name: "Grace", email: "grace@example.org", email_verified: true };
const SUB = "grace-there";

/** By their names. */
export const TRAITS: Readonly<Record<string, Traits>> = {
  "Keycloak, full path": {
    preset: "keycloak",
    group: "desk",
    lies: { refreshes: true },
    claims: {
      sub: SUB,
      sid: "sid-1",
      azp: CLIENT.client_id,
      typ: "ID",
      acr: "1",
      ...PROFILE,
      groups: ["/desk", "/desk/leads"],
    },
  },
  "Dex": {
    preset: "dex",
    group: "desk",
    lies: {
      metadata: {
        scopes_supported: ["openid", "email", "groups", "profile", "offline_access"],
        claims_supported: ["iss", "sub", "aud", "iat", "exp", "email", "email_verified", "name"],
      },
    },
    claims: { sub: SUB, at_hash: "x", c_hash: undefined, ...PROFILE, groups: ["desk"] },
  },
  "Authelia": {
    preset: "authelia",
    group: "desk",
    lies: { userInfo: { ...PROFILE, groups: ["desk", "dev"] } },
    claims: { sub: SUB, aud: [CLIENT.client_id], azp: CLIENT.client_id, amr: ["pwd"] },
  },
  "Okta": {
    preset: "okta",
    group: "desk",
    lies: { userInfo: { ...PROFILE, groups: ["Everyone", "desk"] } },
    claims: { sub: SUB },
  },
  "oidc-provider": {
    preset: "generic",
    group: "desk",
    lies: { userInfo: { ...PROFILE, groups: ["desk"] } },
    claims: { sub: SUB },
  },
  "Zitadel": {
    preset: "zitadel",
    group: "desk",
    lies: {
      userInfo: {
        ...PROFILE,
        "urn:zitadel:iam:org:project:roles": { desk: { "1": "example.org" }, dev: {} },
      },
    },
    claims: { sub: SUB, aud: [CLIENT.client_id, "project-1"], azp: CLIENT.client_id, amr: ["pwd"] },
  },
  "Cognito": {
    preset: "cognito",
    group: "desk",
    lies: { refreshes: true },
    claims: { sub: SUB, ...PROFILE, "cognito:groups": ["desk"], token_use: "id" },
  },
  "Auth0": {
    preset: "auth0",
    group: "desk",
    lies: {},
    claims: { sub: SUB, sid: "s", ...PROFILE, "https://desk.example.org/groups": ["desk"] },
  },
  "Entra": {
    preset: "entra",
    group: "8e0c7d2e-0000-4000-8000-000000000001",
    lies: { refreshes: true },
    claims: { sub: SUB, name: "Grace", groups: ["8e0c7d2e-0000-4000-8000-000000000001"] },
  },
};

/** What a form that was filled by a preset sets. */
export function termsOf({ preset, group }: Traits): Record<string, unknown> {
  const { scopes, groups_claim, groups_form, groups_drop_slash = false } = presetTerms[preset];
  const { logout_ends = "added", recheck_minutes = 60 } = presetTerms[preset];
  return {
    preset,
    scopes,
    groups_claim,
    groups_form,
    groups_drop_slash,
    logout_ends,
    recheck_minutes,
    groups: [{ group, permissions: ["portal:read"] }],
  };
}
