import type { Endpoint, Method } from "../../src/contract/endpoint.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { endpoints } from "../../src/reference/registry.ts";
import type { SendInit } from "./desk.ts";

/** One way to call an endpoint: each of its methods by itself. */
export interface WalkedCall {
  readonly endpoint: Endpoint;
  readonly method: Method;
  /** For a test's message. */
  readonly name: string;
}

/**
 * Every endpoint of the registry under each of its methods, so that later endpoints are covered by
 * themselves.
 */
export const walkedCalls: readonly WalkedCall[] = endpoints.flatMap((endpoint) =>
  [endpoint.method, ...endpoint.aliases ?? []].map((method) => ({
    endpoint,
    method,
    name: `${method} ${endpoint.path}`,
  }))
);

/** The endpoints that ask for an access token. */
export const guardedCalls = walkedCalls.filter(({ endpoint }) =>
  typeof endpoint.permission !== "string"
);

/** The endpoints for developers who call for themselves; test/features/portal/my walks them. */
export const developersCalls = walkedCalls.filter(({ endpoint }) =>
  endpoint.permission === "developer"
);

/** The path with every parameter set to this id. */
export function pathWith(endpoint: Endpoint, id: string): string {
  return endpoint.path.replaceAll(/\{\w+\}/g, encodeURIComponent(id));
}

/** The same as answers tell it: with the SHA-256 of what may be a plain key. */
export function toldPathWith(endpoint: Endpoint, id: string): string {
  const keyId = /^[0-9a-f]{64}$/.test(id) ? id : sha256(id);
  const told = endpoint.path.replace(`{${endpoint.keyParameter}}`, keyId);
  return told.replaceAll(/\{\w+\}/g, encodeURIComponent(id));
}

/** A credential where this endpoint looks for its caller's. */
export function presenting({ credentialHeader }: Endpoint, credential: string): SendInit {
  return credentialHeader === undefined
    ? { credential }
    : { credential: null, headers: { [credentialHeader]: credential } };
}

/** A body that the endpoint accepts: its example, where it takes one. */
export function acceptedBody(endpoint: Endpoint): SendInit {
  if (endpoint.body === undefined || endpoint.body === "ignored") return {};
  if (endpoint.example === undefined) throw new Error(`${endpoint.id} has a body and no example`);
  if (endpoint.bodyEncoding !== "form") return { body: endpoint.example };
  // as: the schemas of forms hold texts alone.
  const form = new URLSearchParams(endpoint.example as Record<string, string>);
  return {
    body: form.toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  };
}
