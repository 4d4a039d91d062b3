import type { ServiceContext } from "../../calls/context.ts";
import type { Outbound, OutboundAnswer } from "../../kernel/outbound/outbound.ts";
import { isProviderUrl } from "../../kernel/provider-url.ts";
import type { Provider } from "./identity-provider.ts";

/** How long one call to a provider may last, in milliseconds. A sign-in makes three at the most. */
export const CALL_MS = 5000;

/** So much of an answer is read; nothing that a provider has to say is as long. */
const MOST_BYTES = 256 * 1024;

/** What a provider says of itself, as far as we go by it. */
export interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
  readonly [name: string]: unknown;
}

/**
 * Thrown where a provider gave no answer, may not be called, or says nothing of use about itself.
 * The message is fit to be shown to an administrator.
 */
export class ProviderAway extends Error {}

/** The way to a provider: the one way out, by which no answer is long, slow or redirected. */
export async function callProvider(
  outbound: Outbound,
  url: string,
  init: { method?: string; headers?: Readonly<Record<string, string>>; body?: string } = {},
): Promise<OutboundAnswer> {
  let answer: OutboundAnswer;
  try {
    answer = await outbound.send({
      url,
      method: init.method ?? "GET",
      headers: { accept: "application/json", ...init.headers },
      ...init.body === undefined ? {} : { body: init.body },
      timeoutMs: CALL_MS,
      keptBytes: MOST_BYTES,
    });
  } catch (error) {
    throw new ProviderAway(error instanceof Error ? error.message : "no answer", { cause: error });
  }
  if (new TextEncoder().encode(answer.body).byteLength >= MOST_BYTES) {
    throw new ProviderAway(`an answer of more than ${MOST_BYTES / 1024} KiB`);
  }
  // Below 200 there is no answer, and from 500 on none that says anything.
  if (answer.status < 200 || answer.status >= 500) {
    throw new ProviderAway(`status ${answer.status}`);
  }
  return answer;
}

/** A JSON object that a provider answers. Throws ProviderAway for anything else. */
export async function readProvider(
  outbound: Outbound,
  url: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await callProvider(outbound, url);
  if (status !== 200) throw new ProviderAway(`status ${status}`);
  try {
    const read: unknown = JSON.parse(body);
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return { ...read };
  } catch {
    // It is told below.
  }
  throw new ProviderAway("an answer that is no JSON object");
}

/** For how long what a provider says of itself is gone by, and for how long that it was away. */
const KEPT_MS = 60_000;
const AWAY_KEPT_MS = 5000;

/** What is kept of providers, of each desk by its way out; a stranger makes few calls by that. */
const kept = new WeakMap<Outbound, Map<string, { until: number; metadata: Promise<Metadata> }>>();

/** So many providers are kept. */
const MOST_KEPT = 200;

/**
 * What a provider says of itself, at most a minute old. Calls at one time are one. Throws
 * ProviderAway.
 */
export async function metadataOf(
  { outbound }: Pick<ServiceContext, "outbound">,
  { org_id, id, updated_at, terms }: Provider,
): Promise<Metadata> {
  const all = kept.get(outbound) ?? new Map();
  kept.set(outbound, all);
  const key = `${org_id} ${id} ${updated_at}`;
  const known = all.get(key);
  if (known && known.until > performance.now()) return await known.metadata;
  const entry = { until: Infinity, metadata: readMetadata(outbound, terms.issuer) };
  if (all.size >= MOST_KEPT) all.clear();
  all.set(key, entry);
  try {
    const metadata = await entry.metadata;
    entry.until = performance.now() + KEPT_MS;
    return metadata;
  } catch (error) {
    entry.until = performance.now() + AWAY_KEPT_MS;
    throw error;
  }
}

/** What the provider of an issuer says of itself now. Throws ProviderAway. */
export async function readMetadata(outbound: Outbound, issuer: string): Promise<Metadata> {
  const place = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const read = await readProvider(outbound, place);
  // Another issuer's accounts are others', whatever they are called.
  if (read.issuer !== issuer) {
    throw new ProviderAway("it calls itself by another issuer: write it exactly as it does");
  }
  const url = (name: string): string => {
    const value = read[name];
    if (typeof value === "string" && isProviderUrl(value)) return value;
    throw new ProviderAway(`it names no ${name}`);
  };
  return {
    ...read,
    issuer,
    authorization_endpoint: url("authorization_endpoint"),
    token_endpoint: url("token_endpoint"),
    jwks_uri: url("jwks_uri"),
  };
}
