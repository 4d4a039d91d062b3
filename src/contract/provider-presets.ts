/** Identity providers whose traits are known. Pure data: the console fills its form by it. */
export const providerPresets = [
  "generic",
  "keycloak",
  "entra",
  "okta",
  "google",
  "auth0",
  "authelia",
  "dex",
  "zitadel",
  "cognito",
] as const;

/** One of them. */
export type ProviderPreset = typeof providerPresets[number];

/** By what a form is filled for a provider. Whatever is absent stays as it is by default. */
export interface PresetTerms {
  readonly name: string;
  /** Such as its issuers are. */
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly groups_claim: string;
  readonly groups_form: "list" | "separated" | "objects" | "keys";
  readonly groups_drop_slash?: boolean;
  readonly logout_ends?: "added" | "all";
  readonly recheck_minutes?: number;
  /**
   * The steps at the provider, word for word. `{return_address}` and `{logout_address}` are those
   * of its card.
   */
  readonly setup: readonly string[];
}

const USUAL = ["profile", "email"];

/** All of them. */
export const presetTerms: Readonly<Record<ProviderPreset, PresetTerms>> = {
  generic: {
    name: "Another provider",
    issuer: "https://login.example.org",
    scopes: USUAL,
    groups_claim: "groups",
    groups_form: "list",
    setup: [
      "Grant authorization_code, response type code, PKCE with S256. Redirect URI: {return_address}",
      "Back-channel logout URI, if there is such a field: {logout_address}",
      "A claim with the person's groups, in the ID token or at the UserInfo endpoint.",
      "A refresh token, where it gives one: often by the scope offline_access.",
    ],
  },
  keycloak: {
    name: "Keycloak",
    issuer: "https://login.example.org/realms/example",
    scopes: USUAL,
    groups_claim: "groups",
    groups_form: "list",
    groups_drop_slash: true,
    logout_ends: "all",
    // Below "SSO Session Idle", which is 30 minutes unless set: its refresh tokens end with that.
    recheck_minutes: 20,
    setup: [
      "Clients, Create client: OpenID Connect; Client authentication on; Standard flow. Valid redirect URIs: {return_address}",
      "The client, Client scopes, <client id>-dedicated, Configure a new mapper, Group Membership: Name groups, Token Claim Name groups, Add to ID token on.",
      "The client, Settings, Logout settings: Front channel logout off; Backchannel logout URL: {logout_address}; Backchannel logout session required on.",
      "Roles in the place of groups: claim realm_access, path roles; mapper User Realm Role of the scope roles, Add to ID token on.",
    ],
  },
  entra: {
    name: "Microsoft Entra ID",
    issuer: "https://login.microsoftonline.com/<tenant id>/v2.0",
    scopes: [...USUAL, "offline_access"],
    groups_claim: "groups",
    groups_form: "list",
    setup: [
      "App registrations, New registration: Web, Redirect URI: {return_address}",
      "Certificates & secrets, New client secret: the secret is its Value, not its Secret ID.",
      "Token configuration, Add groups claim: Groups assigned to the application, ID: Group ID. Name groups in Keydesk by their object ids. A claim of all groups is left out for people of more than 200.",
      "Enterprise applications, Users and groups: assign the groups.",
    ],
  },
  okta: {
    name: "Okta",
    issuer: "https://example.okta.com",
    scopes: [...USUAL, "groups", "offline_access"],
    groups_claim: "groups",
    groups_form: "list",
    setup: [
      "Applications, Create App Integration: OIDC, Web Application; Grant type Authorization Code and Refresh Token. Sign-in redirect URIs: {return_address}",
      "Sign On, OpenID Connect ID Token, Groups claim type Filter: groups, Matches regex, .*",
    ],
  },
  google: {
    name: "Google",
    issuer: "https://accounts.google.com",
    scopes: USUAL,
    groups_claim: "groups",
    groups_form: "list",
    setup: [
      "APIs & Services, Credentials, Create credentials, OAuth client ID: Web application. Authorized redirect URIs: {return_address}",
      "Google names no groups: invite people in Keydesk, and they link their account. It gives no refresh token: set how long a session lasts at the most.",
    ],
  },
  auth0: {
    name: "Auth0",
    issuer: "https://example.eu.auth0.com/",
    scopes: [...USUAL, "offline_access"],
    groups_claim: "https://desk.example.org/groups",
    groups_form: "list",
    setup: [
      "Applications, Create Application: Regular Web Application. Allowed Callback URLs: {return_address}",
      "Advanced Settings, Grant Types: Authorization Code and Refresh Token. The issuer has a slash at its end.",
      'Actions, Library, Build Custom, Login / Post Login: api.idToken.setCustomClaim("https://desk.example.org/groups", event.authorization?.roles ?? []). The name of the claim is a URL of your own.',
      "Back-Channel Logout URI, where the plan has it: {logout_address}",
    ],
  },
  authelia: {
    name: "Authelia",
    issuer: "https://auth.example.org",
    scopes: [...USUAL, "groups", "offline_access"],
    groups_claim: "groups",
    groups_form: "list",
    setup: [
      "identity_providers, oidc, clients: client_id, client_secret (its hash), redirect_uris: {return_address}",
      "scopes: openid, profile, email, groups, offline_access; grant_types: authorization_code, refresh_token; token_endpoint_auth_method: client_secret_basic.",
      "Groups come from the UserInfo endpoint. There is no back-channel logout.",
    ],
  },
  dex: {
    name: "Dex",
    issuer: "https://dex.example.org",
    scopes: [...USUAL, "groups", "offline_access"],
    groups_claim: "groups",
    groups_form: "list",
    setup: [
      "staticClients: id, secret, name, redirectURIs: {return_address}",
      "A connector that names groups. There is no logout: sessions end in Keydesk.",
    ],
  },
  zitadel: {
    name: "Zitadel",
    issuer: "https://example.zitadel.cloud",
    scopes: [...USUAL, "offline_access"],
    groups_claim: "urn:zitadel:iam:org:project:roles",
    groups_form: "keys",
    setup: [
      "The project, General: Assert Roles on Authentication. Roles: those that are named in Keydesk as groups.",
      "Applications, New: Web, CODE, Basic; Grant types Authorization Code and Refresh Token. Redirect URIs: {return_address}",
      "Back-channel logout URI: {logout_address}",
    ],
  },
  cognito: {
    name: "Amazon Cognito",
    issuer: "https://cognito-idp.<region>.amazonaws.com/<user pool id>",
    scopes: USUAL,
    groups_claim: "cognito:groups",
    groups_form: "list",
    setup: [
      "App clients, Create: Traditional web application with a client secret. Allowed callback URLs: {return_address}",
      "Grant types: Authorization code grant; scopes: openid, profile, email. Tokens come from the host of the user pool's domain. There is no back-channel logout.",
    ],
  },
};
