import type { ServiceContext } from "../../../calls/context.ts";
import type { Outbound, OutboundAnswer } from "../../../kernel/outbound/outbound.ts";
import { isProviderUrl } from "../../../kernel/provider-url.ts";
import type { Provider } from "./identity-provider.ts";

/** How long one call to a provider may last, in milliseconds. A sign-in makes four at the most. */
export const CALL_MS = 5000;

/** So much of an answer is read; nothing that a provider has to say is as long. */
const MOST_BYTES = 256 * 1024;

/** The used part of a provider's metadata. */
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

/** Thrown where a provider calls itself by another issuer. */
export class OtherIssuer extends ProviderAway {
  readonly issuer: string | undefined;

  constructor(issuer: unknown) {
    const isUrl = typeof issuer === "string" && issuer.length <= 500 && isProviderUrl(issuer);
    super("it calls itself by another issuer: write it exactly as it does");
    this.issuer = isUrl ? issuer : undefined;
  }
}

/** The way to a provider: the one way out, by which no answer is long, slow or redirected. */
export async function callProvider(
  outbound: Outbound,
  url: string,
  init: {
    method?: string;
    headers?: Readonly<Record<string, string>>;
    body?: string;
    presentsCertificate?: boolean;
  } = {},
): Promise<OutboundAnswer> {
  let answer: OutboundAnswer;
  try {
    answer = await outbound.send({
      url,
      method: init.method ?? "GET",
      headers: { accept: "application/json", ...init.headers },
      ...init.body === undefined ? {} : { body: init.body },
      presentsCertificate: init.presentsCertificate ?? false,
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
    // It is reported below.
  }
  throw new ProviderAway("an answer that is no JSON object");
}

/** For how long what a provider says of itself is gone by, and for how long that it was away. */
const KEPT_MS = 60_000;
const AWAY_KEPT_MS = 5000;

/**
 * For so long its keys are cached when they end sessions; and how often they are read for a missing
 * one.
 */
const KEYS_KEPT_MS = 5000;
const NEW_KEYS_MS = 1000;

type Answer = Readonly<Record<string, unknown>>;

interface Kept<T> {
  since: number;
  until: number;
  answer: Promise<T>;
}

/**
 * The cache of providers, of each server by its outbound client; it limits the calls that strangers
 * cause.
 */
type AllKept<T> = WeakMap<Outbound, Map<string, Kept<T>>>;

const metadataKept: AllKept<Metadata> = new WeakMap();
const keysKept: AllKept<Answer> = new WeakMap();

/** So many providers are kept. */
const MOST_KEPT = 200;

/**
 * The metadata of a provider, at most a minute old. Calls at one time are one. Throws ProviderAway.
 */
export async function metadataOf(
  { outbound }: Pick<ServiceContext, "outbound">,
  provider: Provider,
): Promise<Metadata> {
  const read = () => readMetadata(outbound, provider.terms.issuer);
  return await shared(metadataKept, outbound, provider, { forMs: KEPT_MS }, read);
}

/**
 * Its keys, at most five seconds old, or one where `kid` is not among them. Calls at one time are
 * one. Throws ProviderAway.
 */
export async function keysOf(
  { outbound }: Pick<ServiceContext, "outbound">,
  provider: Provider,
  jwks_uri: string,
  kid: string | undefined,
): Promise<Answer> {
  const read = () => readProvider(outbound, jwks_uri);
  const known = await shared(keysKept, outbound, provider, { forMs: KEYS_KEPT_MS }, read);
  const all: unknown[] = Array.isArray(known.keys) ? known.keys : [];
  const isThere = all.some((one) =>
    typeof one === "object" && one !== null && "kid" in one && one.kid === kid
  );
  if (kid === undefined || isThere) return known;
  const times = { forMs: KEYS_KEPT_MS, youngerMs: NEW_KEYS_MS };
  return await shared(keysKept, outbound, provider, times, read);
}

async function shared<T>(
  kept: AllKept<T>,
  outbound: Outbound,
  { org_id, id, updated_at }: Provider,
  { forMs, youngerMs = Infinity }: { forMs: number; youngerMs?: number },
  read: () => Promise<T>,
): Promise<T> {
  const all = kept.get(outbound) ?? new Map<string, Kept<T>>();
  kept.set(outbound, all);
  const key = `${org_id} ${id} ${updated_at}`;
  const known = all.get(key);
  const now = performance.now();
  if (known && known.until > now && known.since + youngerMs > now) return await known.answer;
  const entry: Kept<T> = { since: Infinity, until: Infinity, answer: read() };
  if (all.size >= MOST_KEPT) all.clear();
  all.set(key, entry);
  const ends = (ms: number) => {
    entry.since = performance.now();
    entry.until = entry.since + ms;
  };
  try {
    const answer = await entry.answer;
    ends(forMs);
    return answer;
  } catch (error) {
    ends(AWAY_KEPT_MS);
    throw error;
  }
}

/** Errands to one provider under way at once, in this process: each is four calls at the most. */
export const MOST_ERRANDS = 50;

const errands = new WeakMap<Outbound, Map<string, number>>();

/** Runs an errand to a provider. Throws ProviderAway where too many are under way. */
export async function onErrand<T>(
  { outbound }: Pick<ServiceContext, "outbound">,
  { id }: Provider,
  work: () => Promise<T>,
): Promise<T> {
  const all = errands.get(outbound) ?? new Map<string, number>();
  errands.set(outbound, all);
  const others = all.get(id) ?? 0;
  if (others >= MOST_ERRANDS) throw new ProviderAway("too many calls to it are under way");
  all.set(id, others + 1);
  try {
    return await work();
  } finally {
    const left = (all.get(id) ?? 1) - 1;
    if (left > 0) all.set(id, left);
    else all.delete(id);
  }
}

/** Reads the metadata of an issuer's provider now. Throws ProviderAway. */
export async function readMetadata(outbound: Outbound, issuer: string): Promise<Metadata> {
  const place = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const read = await readProvider(outbound, place);
  // Another issuer's accounts are others', whatever they are called.
  if (read.issuer !== issuer) throw new OtherIssuer(read.issuer);
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
