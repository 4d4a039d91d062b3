import type { ReceivedHeaders } from "../../../packages/http-listener/request.ts";
import type { z } from "zod";
import { denialStatus } from "../../contract/denied-calls.ts";
import { Answer } from "../../kernel/answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { readAddress } from "../../kernel/networks.ts";
import { headerText } from "../../kernel/header-text.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import type { Peer } from "../../../packages/http-listener/request.ts";
import type { CallOrigin } from "./call-origin.ts";
import { type Presented, presentedIn } from "./presented.ts";
import type { Remaining } from "./rate.ts";
import type { question } from "./verification.contract.ts";
import { statedIn } from "./gateways/stated-gateway.ts";
import type { Accepted, CallResult, Refused } from "./result.ts";
import type { VerificationContext } from "./verifier.ts";

/**
 * Decides about the question, with the result as JSON. Throws `unavailable` if it can't be decided.
 */
export function verifyKey(
  ctx: VerificationContext,
  body: z.output<typeof question>,
  deadline?: Deadline,
  headers?: ReceivedHeaders,
): Answer<string> | Promise<Answer<string>> {
  const { presented, api_id, origin } = askedIn(body, headers);
  const { org_id } = ctx.principal;
  const result = ctx.verifier.check(org_id, presented, api_id, deadline, origin);
  return result instanceof Promise ? result.then(textOf) : textOf(result);
}

/** The question in a body. */
export function askedIn(
  { key, username, password, api_id, api, address }: z.output<typeof question>,
  headers?: ReceivedHeaders,
): { presented: Presented; api_id: string | undefined; origin: CallOrigin } {
  return {
    presented: key === undefined
      ? { name: username ?? "", password: password ?? "" }
      : { name: key, password: undefined },
    api_id: api_id ?? api,
    // The connected client is the gateway, and tells nothing of the visitor.
    origin: {
      gateway: statedIn(headers),
      network: () => "",
      address: () => address === undefined ? undefined : readAddress(address),
    },
  };
}

/** How a proxy forwards a visitor's call. */
interface ForwardedCall {
  readonly query: {
    readonly api?: string | undefined;
    /** The API's id, as in the body. */
    readonly api_id?: string | undefined;
    /** The headers that may carry the visitor's credential. */
    readonly header?: readonly string[] | undefined;
  };
  readonly headers: ReceivedHeaders;
  readonly peer?: Peer | undefined;
  readonly deadline?: Deadline | undefined;
}

/** Decides for a proxy: the visitor's credential in a header, the result in status and headers. */
export function forwardAuth(
  ctx: VerificationContext,
  call: ForwardedCall,
): Answer<null> | Promise<Answer<null>> {
  const presented = presentedIn(credentialOf(ctx, call));
  if (!presented) return NO_CREDENTIAL;
  const { principal: { org_id }, clientAddresses } = ctx;
  const origin: CallOrigin = {
    gateway: statedIn(call.headers),
    address: () => clientAddresses.ofVisitor({ peer: call.peer, headers: call.headers }),
    network: () => clientAddresses.networkBehind({ peer: call.peer, headers: call.headers }),
  };
  const result = ctx.verifier.check(org_id, presented, apiOf(call), call.deadline, origin);
  return result instanceof Promise ? result.then(headerAnswerOf) : headerAnswerOf(result);
}

/**
 * The first of the headers that is there and not blank: a wrong credential in it is not made good
 * by another header.
 */
function credentialOf(ctx: VerificationContext, { query, headers }: ForwardedCall): string | null {
  if (query.header === undefined) return headers.get(ctx.settings.forwardAuthHeader);
  for (const name of query.header) {
    const value = headers.get(name);
    if (value !== null && value.trim() !== "") return value;
  }
  return null;
}

/**
 * The query is empty wherever it may be the visitor's: below the endpoint's own path, and beside
 * the header.
 */
function apiOf({ query, headers }: ForwardedCall): string | undefined {
  return query.api ?? query.api_id ?? (headers.get("x-keydesk-api") || undefined);
}

function textOf(result: CallResult): Answer<string> {
  return new Answer(result.valid ? acceptedText(result) : refusedText(result));
}

function acceptedText({ key, expiresAt, rate, quota }: Accepted): string {
  const { key_id, facts, grants } = key;
  return `{"valid":true,"key_id":"${key_id}","mask":${JSON.stringify(facts.mask)}` +
    `,"kind":"${facts.kind}","plans":${grants.plansJson},"tags":${grants.tagsJson}` +
    `,"developer_id":${JSON.stringify(facts.developer_id)}` +
    `,"developer_email":${JSON.stringify(facts.developer_email)}` +
    `,"developer_email_verified":${facts.email_verified}` +
    `,"expires_at":${expiresAt === Infinity ? "null" : `"${toTimestamp(expiresAt)}"`}` +
    `,"rate":${limitText(rate)},"quota":${limitText(quota)}}`;
}

function limitText(left: Remaining | null): string {
  if (left === null) return "null";
  return `{"limit":${left.limit},"remaining":${left.remaining},"reset":${left.reset}}`;
}

function refusedText({ reason, retryAfterSeconds }: Refused): string {
  const retry = retryAfterSeconds === undefined ? "" : `,"retry_after":${retryAfterSeconds}`;
  return `{"valid":false,"reason":"${reason}"${retry}}`;
}

function headerAnswerOf(result: CallResult): Answer<null> {
  return result.valid ? new Answer(null, headersOf(result)) : refusal(result);
}

function headersOf({ key, expiresAt, rate, quota }: Accepted): Record<string, string> {
  const { facts } = key;
  const headers: Record<string, string> = {
    "x-keydesk-key-id": key.key_id,
    "x-keydesk-kind": facts.kind,
    "x-keydesk-developer": headerText(facts.developer_id),
    "x-keydesk-plans": key.grants.plansHeader,
  };
  if (facts.developer_email !== "") {
    headers["x-keydesk-developer-email"] = headerText(facts.developer_email);
    headers["x-keydesk-developer-email-verified"] = String(facts.email_verified);
  }
  if (expiresAt !== Infinity) headers["x-keydesk-expires-at"] = toTimestamp(expiresAt);
  if (rate !== null) {
    headers["x-keydesk-rate-limit"] = String(rate.limit);
    headers["x-keydesk-rate-remaining"] = String(rate.remaining);
    headers["x-keydesk-rate-reset"] = String(rate.reset);
  }
  if (quota !== null) {
    headers["x-keydesk-quota-limit"] = String(quota.limit);
    headers["x-keydesk-quota-remaining"] = String(quota.remaining);
    if (quota.reset !== null) headers["x-keydesk-quota-reset"] = String(quota.reset);
  }
  return headers;
}

/** RFC 6750, 3: nothing is said of an error where no credential came. */
const NO_CREDENTIAL = new Answer(null, { "www-authenticate": "Bearer" }, 401);

function refusal({ reason, retryAfterSeconds }: Refused): Answer<null> {
  const status = denialStatus[reason];
  return new Answer(null, {
    "x-keydesk-reason": reason,
    ...status === 401 ? { "www-authenticate": 'Bearer error="invalid_token"' } : {},
    ...retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) },
  }, status);
}
