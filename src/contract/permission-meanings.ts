import type { Permission } from "./permissions.ts";

/** The effect of each permission, behind "may". */
export const meanings: Readonly<Record<Permission, string>> = {
  "portal:read": "read key requests and keys",
  "portal:write": "file, change and delete requests and developers, and read",
  "certs:read": "read certificates, never their private keys",
  "certs:write": "add and delete certificates, and read",
  "plans": "change plans, catalogue, configuration, and who approves",
  "approve": "approve requests; issue, change, revoke and import keys",
  "revoke": "end keys and nothing else; approve includes it",
  "act:developer": "sign developers in at a portal, by nonces of an identity broker",
  "verify": "ask whether a key may pass, as gateways do",
  "gateways:map": "fetch the maps of gateways",
  "secrets": "read jwt_secret, nonce, sso_key and OAuth secrets in answers",
  "audit": "read the audit log",
  "metrics": "read the metrics of `/metrics`",
  "config": "read and compare what files declare; each change takes its own permission",
  "admin:read": "read people, settings, channels and deliveries",
  "admin": "administer people, their access tokens and settings",
  "operator": "list and make organisations, and set the mail server",
};

/** The permissions that open something to people with a scope; all others their scope closes. */
export const withinScope: readonly Permission[] = [
  "portal:read",
  "portal:write",
  "approve",
  "revoke",
];
