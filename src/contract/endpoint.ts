import type { z } from "zod";
import { type FailureCode, failureCodes } from "../kernel/failure-codes.ts";
import type { Chapter } from "./chapters.ts";
import { isV1Path } from "./envelope.ts";
import type { Permission, PermissionRule } from "./permissions.ts";

/** The methods of the interface; `UPDATE` is its own token. */
export type Method = "GET" | "POST" | "PUT" | "DELETE" | "UPDATE";

/** How a request body is read: as JSON (or a form), as it came, or read to its end and ignored. */
export type BodySchema = z.ZodType | "bytes" | "ignored";

/** A body as it came. */
export interface RawBody {
  bytes: Uint8Array;
  /** The Content-Type header; empty when the request has none. */
  contentType: string;
  /** Aborted where the client leaves before its answer, from the first call on. */
  gone?: (() => AbortSignal) | undefined;
}

/** A header of a request that an endpoint reads. */
interface RequestHeader {
  readonly description: string;
  readonly example?: string;
  /** The bounds of its value, as in JSON Schema. */
  readonly bounds?: Readonly<{ minLength?: number; maxLength?: number; pattern?: string }>;
}

/** One endpoint as data. Routes, validation, types, documents and client come of it. */
export interface Endpoint<
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends BodySchema = BodySchema,
  Output extends z.ZodType = z.ZodType,
> {
  /** Unique, camel case: the operation id. */
  readonly id: string;
  readonly method: Method;
  /** Other methods that do the same on the same path. */
  readonly aliases?: readonly Method[];
  /**
   * True: a POST with `X-HTTP-Method-Override` may stand for `method`, where the server is set to
   * heed that header.
   */
  readonly overridable?: true;
  /** Path with `{name}` parameters; each is an id. */
  readonly path: Path;
  /**
   * Further paths that lead here, out of the same parameters or fewer; a handler looks at none that
   * they lack. One of them may have the `keyParameter` besides, or parts that the handler reads of
   * the path itself.
   */
  readonly otherPaths?: readonly string[];
  /**
   * The parameter that may be a plain key or an sso_key, of any form and length. Its SHA-256
   * replaces it wherever the path is logged, and the endpoint's other parameters are no ids to look
   * up.
   */
  readonly keyParameter?: string;
  /**
   * Every method, OPTIONS too, and every path below this one are the same endpoint. Below it, also
   * with no more than a slash at its end, the query is not the endpoint's; `header` may say the
   * same there.
   */
  readonly wholeTree?: { readonly header: string };
  readonly tag: Chapter;
  readonly summary: string;
  /** The description beyond the summary, in sentences. */
  readonly description: string;
  /** Deny by default: an endpoint without a rule does not compile. */
  readonly permission: PermissionRule;
  /** A second permission that the caller must have. */
  readonly permissionBesides?: Permission;
  /**
   * True: open to people with a scope too. The things that it reads or changes are within theirs,
   * and all else answers as if it were not there; or it is their own. Deny by default: any other
   * endpoint is closed to them.
   */
  readonly withinScope?: true;
  /**
   * True: open to what a person holds by temporary access, too. Deny by default: at any other
   * endpoint that holds nothing, and a session that has one changes nothing there.
   */
  readonly withinTemporaryAccess?: true;
  /**
   * True: whatever matches goes out as a file. A session with temporary access gets none, whatever
   * its person holds: their other sessions do.
   */
  readonly isExport?: true;
  /**
   * The header that carries the caller's access token where `Authorization` is another person's;
   * lower case.
   */
  readonly credentialHeader?: string;
  /**
   * True: the caller may also present the access token as an OAuth client presents its secret (RFC
   * 6749, 2.3.1): after `Basic`, or as `client_secret` in the form, which is read before anybody is
   * known.
   */
  readonly clientAuthentication?: true;
  /**
   * True: a browser's session opens it only within five minutes of its sign-in, else
   * `fresh_sign_in_required`, which `defineEndpoint` adds. Access tokens that are presented
   * themselves are not concerned.
   */
  readonly needsFreshSignIn?: true;
  /**
   * The authentication that a developer who calls for themselves needs besides signing in, if it is
   * more than the method requires (GET: none, all else: no read-only token). `looking`: none,
   * though it changes something. `all`: if a portal's back end opened the session, a code that was
   * mailed to the developer. `own session`: a session that no back end opened and that began just
   * now; no token.
   */
  readonly developerNeeds?: "looking" | "all" | "own session";
  /**
   * True: a call waits for the store no longer than verification may go without it
   * (`KEYDESK_VERIFY_MAX_STALE_MS`), for its caller and its answer together; then it is
   * `unavailable`.
   */
  readonly waitsBriefly?: true;
  readonly query?: Query;
  readonly body?: Body;
  /** True: no body at all is the same as `{}`. */
  readonly bodyOptional?: true;
  /**
   * True: members of the body that its schema leaves free or, being loose, does not list are kept
   * as they came, `null` among them.
   */
  readonly keepsUnknown?: true;
  /**
   * Members of the body that older clients send and that mean nothing here: they are dropped,
   * whatever they say.
   */
  readonly droppedMembers?: readonly string[];
  /**
   * Members that the GET of the same path shows in another form than they are set in. Left out they
   * stay, and so they do where they are sent back as they were read.
   */
  readonly answeredOtherwise?: readonly string[];
  /**
   * True: another program than one of this interface's clients calls, and what it sends besides is
   * not looked at.
   */
  readonly fromOthers?: true;
  /** `form`: a body with a schema comes as application/x-www-form-urlencoded instead of JSON. */
  readonly bodyEncoding?: "form";
  /** Request headers that mean something to this endpoint, by lower-case name. */
  readonly headers?: Readonly<Record<string, RequestHeader>>;
  /**
   * True: the endpoint takes `Idempotency-Key`. Its header and failures are added by
   * `defineEndpoint`, the call has `idempotency`, and the transaction runs within `once`. A `bytes`
   * body is compared by its service (`comparedBy`).
   */
  readonly idempotent?: true;
  readonly response: Output;
  /**
   * Whether reads show secrets: always, or to callers with the permission `secrets`. An answer with
   * a secret is never compressed. Answers to changes are not either, so they need no mark.
   */
  readonly answersSecrets?: "always" | "to those who may";
  /** The status of a success where it is not 200: what was asked for is done after the answer. */
  readonly status?: 202;
  /** Bytes of the body where more than the usual may be sent. */
  readonly longestBody?: number;
  /** Members of each object and list of the body where more than the usual 1,000 may be sent. */
  readonly mostMembers?: number;
  /** Content types of the answer and of a `bytes` body that are not JSON, for the reference. */
  readonly contentTypes?: {
    readonly response?: readonly string[];
    readonly body?: readonly string[];
  };
  /**
   * Headers of a success beyond those that every answer has, by lower-case name. An undefined one
   * is not sent.
   */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Verdicts that are no failures of the call, mostly without a body, and what they say. */
  readonly refusals?: Readonly<Partial<Record<304 | 401 | 403 | 409 | 422 | 429, string>>>;
  /** Headers of those verdicts, as above. */
  readonly refusalHeaders?: Readonly<Record<string, string>>;
  /** The failures beyond those that every endpoint has. */
  readonly errors: readonly FailureCode[];
  /** An example of the body, shown in the reference and sent by a test. */
  readonly example?: unknown;
}

/**
 * Declares an endpoint and keeps the exact types of its path and schemas. Adds what `idempotent`
 * represents, and the failures of what nothing lists.
 */
export function defineEndpoint<
  Path extends string,
  Query extends z.ZodType,
  Body extends BodySchema,
  Output extends z.ZodType,
>(endpoint: Endpoint<Path, Query, Body, Output>): Endpoint<Path, Query, Body, Output> {
  const { idempotent, needsFreshSignIn, developerNeeds, headers, errors } = endpoint;
  return {
    ...endpoint,
    ...idempotent ? { headers: { ...headers, ...idempotencyKey } } : {},
    errors: [
      ...errors,
      ...unlistedErrors(endpoint).filter((code) => !errors.includes(code)),
      ...unfoundErrors(endpoint),
      ...idempotent ? ["idempotency_key_invalid", "idempotency_key_reused"] as const : [],
      ...needsFreshSignIn || developerNeeds === "own session"
        ? ["fresh_sign_in_required"] as const
        : [],
      ...developerNeeds === "all" ? ["code_required"] as const : [],
    ],
  };
}

/**
 * Whether names that an endpoint doesn't list are refused: everywhere under `/v1` but where others
 * than its clients say what is sent.
 */
export function refusesUnlisted(
  { path, fromOthers }: Pick<Endpoint, "path" | "fromOthers">,
): boolean {
  return isV1Path(path) && fromOthers === undefined;
}

/** Whether what a call brings is looked at although the endpoint takes no body. */
export function looksAtStrayBody(
  endpoint: Pick<Endpoint, "path" | "fromOthers" | "method" | "body" | "wholeTree">,
): boolean {
  const { method, body, wholeTree } = endpoint;
  return body === undefined && method !== "GET" && !wholeTree && refusesUnlisted(endpoint);
}

/** An invalid id, such as a text with a NUL, finds nothing: 404 even without a look-up. */
function unfoundErrors(
  { path, keyParameter, permission, errors }: Endpoint,
): readonly FailureCode[] {
  const saysSo = errors.some((code) => failureCodes[code].status === 404);
  if (saysSo) return [];
  // The developer's pages may be off.
  if (permission === "developer") return ["not_found"];
  return path.includes("{") && keyParameter === undefined ? ["not_found"] : [];
}

function unlistedErrors(endpoint: Endpoint): readonly FailureCode[] {
  if (!refusesUnlisted(endpoint)) return [];
  return looksAtStrayBody(endpoint)
    ? ["invalid_input", "body_too_large", "body_timeout"]
    : ["invalid_input"];
}

const idempotencyKey = {
  "idempotency-key": {
    description:
      "16 to 255 characters; a repeat within 24 hours gets the first answer again, and does nothing.",
    bounds: { minLength: 16, maxLength: 255, pattern: "^[ -~]*$" },
  },
};

/** The path parameters of `/a/{x}/{y}`: `{ x: string; y: string }`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name | keyof PathParams<Rest>]: string }
  : Record<never, string>;

/** The parsed body of an endpoint; undefined where it has none or ignores it. */
export type ParsedBody<Body extends BodySchema> = Body extends z.ZodType ? z.output<Body>
  : Body extends "bytes" ? RawBody
  : undefined;

/** The failures that every endpoint can have, besides its own. */
export const commonErrors: readonly FailureCode[] = [
  "not_authorised",
  "access_denied",
  "too_many_requests",
  "method_not_allowed",
  "unavailable",
  "store_damaged",
  "internal",
];

/** The failures of what leaves rows in the audit log, where that has a stream. */
export const streamErrors: readonly FailureCode[] = [
  "audit_stream_unavailable",
  "audit_stream_behind",
];

/** The failures that come with a body that is parsed. */
export const bodyErrors: readonly FailureCode[] = [
  "malformed_body",
  "invalid_input",
  "body_too_large",
  "body_timeout",
];
