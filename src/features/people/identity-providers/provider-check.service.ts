import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import type { Provider } from "./identity-provider.ts";
import type { identityProviderCheck } from "./identity-providers.contract.ts";
import { ALGORITHMS } from "./logout-token.ts";
import {
  type Metadata,
  OtherIssuer,
  ProviderAway,
  readMetadata,
  readProvider,
} from "./provider-calls.ts";
import { clientOf, methodOf, NO_CERTIFICATE } from "./provider-client.ts";
import { quoted, reasonOf } from "./provider-refusal.ts";

type Checked = z.output<typeof identityProviderCheck>;

const DISCOVERY = "/.well-known/openid-configuration";

/** Parents of a path that are tried for what the provider calls itself. */
const MOST_PARENTS = 4;

/**
 * Checks for problems of sign-ins by a provider. `redirect`: the address to which a browser would
 * come back. It only asks, and keeps nothing.
 */
export async function checkProvider(
  ctx: RequestContext,
  provider: Provider,
  redirect: string,
): Promise<Checked> {
  const { outbound } = ctx;
  const { issuer } = provider.terms;
  let metadata: Metadata;
  try {
    metadata = await readMetadata(outbound, issuer);
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error;
    const known = error instanceof OtherIssuer ? error.issuer : await otherName(ctx, issuer);
    const missing = outbound.missing(issuer);
    const called = known === undefined ? "" : `: it calls itself ${known}`;
    return answerOf([`${error.message}${called}`], {
      outbound: missing ?? null,
      issuer: known ?? null,
    });
  }
  const hosts = hostsOf(metadata).flatMap((url) => outbound.missing(url) ?? []);
  const missing = [...new Set(hosts)];
  const said = checkMetadata(ctx, provider, metadata);
  const algorithms = listOf(metadata.id_token_signing_alg_values_supported) ?? ["RS256"];
  const problems = missing.map((host) =>
    `it is called at ${host}, which KEYDESK_OUTBOUND does not name`
  );
  const isCalled = outbound.missing(metadata.token_endpoint) === undefined;
  const client: { problem?: string; note?: string } = isCalled && said.problems.length === 0
    ? await clientProblem(ctx, provider, metadata, redirect)
    : {};
  const keys = await keysProblem(ctx, metadata);
  problems.push(...said.problems);
  if (keys.problem !== undefined) problems.push(keys.problem);
  if (client.problem !== undefined) problems.push(client.problem);
  return answerOf(problems, {
    notes: client.note === undefined ? said.notes : [...said.notes, client.note],
    outbound: missing.length === 0 ? null : missing.join(","),
    algorithms: algorithms.slice(0, 20),
    keys: keys.count,
  });
}

function answerOf(problems: string[], more: Partial<Checked>): Checked {
  return {
    works: problems.length === 0,
    problem: problems[0] ?? null,
    problems,
    notes: [],
    outbound: null,
    issuer: null,
    algorithms: [],
    keys: 0,
    ...more,
  };
}

/**
 * The issuer name that a provider has at a parent of the path, or at the address of its own
 * document.
 */
async function otherName({ outbound }: RequestContext, issuer: string) {
  const tried = [];
  let left = issuer.replace(/\/$/, "");
  if (left.endsWith(DISCOVERY)) tried.push(left.slice(0, -DISCOVERY.length));
  while (tried.length < MOST_PARENTS && new URL(left).pathname.length > 1) {
    left = left.slice(0, left.lastIndexOf("/"));
    if (!tried.includes(left)) tried.push(left);
  }
  for (const one of tried) {
    try {
      return (await readMetadata(outbound, one)).issuer;
    } catch (error) {
      if (error instanceof OtherIssuer && error.issuer !== undefined) return error.issuer;
      if (!(error instanceof ProviderAway)) throw error;
    }
  }
  return undefined;
}

function hostsOf(metadata: Metadata): string[] {
  const { token_endpoint, jwks_uri, userinfo_endpoint } = metadata;
  const { pushed_authorization_request_endpoint: pushed } = metadata;
  return [token_endpoint, jwks_uri, userinfo_endpoint, pushed]
    .filter((one): one is string => typeof one === "string");
}

function listOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

/** Compares a provider's metadata with the settings. */
function checkMetadata(
  { outbound }: RequestContext,
  { terms }: Provider,
  metadata: Metadata,
): { problems: string[]; notes: string[] } {
  const problems: string[] = [];
  const notes: string[] = [];
  const said = (name: string) => listOf(metadata[name]);
  const method = methodOf(terms, metadata);
  const methods = said("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"];
  if (!methods.includes(method)) {
    const words = `it takes ${methods.join(", ")}, and this client proves itself by ${method}`;
    // Many accept what they do not list: a forbidden grant is reported at the client there.
    (method === "none" ? notes : problems).push(words);
  }
  if (method.startsWith("client_secret_") && terms.client_secret === null) {
    problems.push(`no secret is set, by which ${method} proves the client`);
  }
  if (method === "tls_client_auth" && !outbound.hasClientCertificate) problems.push(NO_CERTIFICATE);
  const signs = said("token_endpoint_auth_signing_alg_values_supported");
  if (method === "private_key_jwt" && signs && !signs.includes("RS256")) {
    problems.push("it takes no assertion that is signed by RS256");
  }
  const pushes = metadata.require_pushed_authorization_requests === true || terms.pushed_requests;
  if (pushes && typeof metadata.pushed_authorization_request_endpoint !== "string") {
    problems.push("requests are to be pushed, and it names no address for that");
  }
  const algorithms = said("id_token_signing_alg_values_supported") ?? ["RS256"];
  if (!algorithms.some((one) => ALGORITHMS.includes(one))) {
    problems.push(`it signs by ${algorithms.join(", ")}, none of which is taken`);
  }
  const modes = said("response_modes_supported") ?? ["query", "fragment"];
  if (!modes.includes(terms.response_mode)) {
    problems.push(`it does not offer the response mode ${terms.response_mode}`);
  }
  notes.push(...notesOf(terms, metadata));
  return { problems, notes };
}

function notesOf(terms: Provider["terms"], metadata: Metadata): string[] {
  const said = (name: string) => listOf(metadata[name]);
  const notes: string[] = [];
  const scopes = said("scopes_supported");
  for (const scope of terms.scopes) {
    if (scopes && !scopes.includes(scope)) {
      notes.push(`it does not offer the scope ${quoted(scope)}, which is set`);
    }
  }
  const givesGroups = terms.for === "people" && terms.groups.length > 0;
  if (givesGroups && scopes?.includes("groups") && !terms.scopes.includes("groups")) {
    notes.push('it offers the scope "groups", which is not set');
  }
  const claims = said("claims_supported");
  if (givesGroups && claims && !claims.includes(terms.groups_claim)) {
    notes.push(
      `it does not name the claim ${quoted(terms.groups_claim)} among those that it gives`,
    );
  }
  const challenges = said("code_challenge_methods_supported");
  if (challenges && !challenges.includes("S256")) notes.push("it does not offer PKCE with S256");
  const grants = said("grant_types_supported");
  if (grants && !grants.includes("refresh_token")) {
    notes.push(
      "it gives no refresh tokens: a person who is disabled there stays signed in until their session ends",
    );
  }
  return notes;
}

async function keysProblem(
  { outbound }: RequestContext,
  { jwks_uri }: Metadata,
): Promise<{ count: number; problem?: string }> {
  if (outbound.missing(jwks_uri) !== undefined) return { count: 0 };
  try {
    const { keys } = await readProvider(outbound, jwks_uri);
    const count = Array.isArray(keys) ? keys.length : 0;
    return count === 0 ? { count, problem: "it shows no keys" } : { count };
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error;
    return { count: 0, problem: `its keys: ${error.message}` };
  }
}

/**
 * Whether it knows the client: it is authenticated before a code is looked at (RFC 6749, 4.1.3), so
 * that one that is none tells.
 */
async function clientProblem(
  ctx: RequestContext,
  provider: Provider,
  metadata: Metadata,
  redirect_uri: string,
): Promise<{ problem?: string; note?: string }> {
  try {
    const { client, config } = await clientOf(ctx, provider, metadata, ctx.clock.now());
    await client.genericGrantRequest(config, "authorization_code", {
      code: "keydesk-tries-the-client",
      redirect_uri,
      code_verifier: client.randomPKCECodeVerifier(),
    });
    return { note: "the token endpoint takes a code that is none" };
  } catch (error) {
    // as: an answer of the endpoint has it, whatever was thrown.
    const { error: code } = error as { error?: unknown };
    if (code === "invalid_grant" || code === "invalid_request") return {};
    const reason = `the token endpoint: ${reasonOf(error)}`;
    return code === "invalid_client" || code === "unauthorized_client" || code === undefined
      ? { problem: reason }
      : { note: reason };
  }
}
