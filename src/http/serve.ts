import type { RequestContext } from "../calls/context.ts";
import type { Origin } from "../calls/origin.ts";
import { ANONYMOUS, may, type Principal } from "../calls/principal.ts";
import type { ReceivedRequest } from "../../packages/http-listener/request.ts";
import { requestTimeoutMs } from "../calls/request-timeout.ts";
import type { AuditLogNotes } from "../calls/audit-notes.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { isOAuthPath, isV1Path } from "../contract/envelope.ts";
import { Answer, isPieces } from "../kernel/answer.ts";
import { Deadline } from "../kernel/deadline.ts";
import { failureCodes } from "../kernel/failure-codes.ts";
import { presentPath } from "../contract/former-names.ts";
import { Failure } from "../kernel/failure.ts";
import { LONGEST_PUBLIC_BODY } from "../kernel/input-limits.ts";
import type { AccessLog } from "./access-log.ts";
import { plainResponse, successResponse } from "./answer.ts";
import type { BodyReader } from "./body-reader.ts";
import { type AnyCall, type Asked, readCall } from "./call.ts";
import { asFailure, failureResponse } from "./failure-response.ts";
import { type RequestIds, requestIdsOf } from "./request-id.ts";
import { type Found, pathOf, withoutKey } from "./router.ts";
import type { Operation } from "./operation.ts";
import type { Route } from "./routes.ts";
import type { UnderWay } from "./under-way.ts";
import { knownNamesOf, type UnknownNotes } from "./unknown-names.ts";
import type { ReadNow, Unlisted } from "./unlisted.ts";
import { unknownPage } from "./unknown-page.ts";

/** The server's part that serving needs. */
export interface ServingContext<Ctx extends RequestContext = RequestContext> {
  /**
   * The context of an endpoint's function, with the caller; `deadline`: until when the call waits
   * for the store.
   */
  contextOf(principal: Principal, deadline: Deadline | undefined): Ctx;
  /**
   * Finds the caller of an endpoint that is not open to everybody. Throws the error for any caller.
   */
  findCaller(endpoint: Endpoint, asked: Asked, origin: Origin): Principal | Promise<Principal>;
  /** The origin of a call. */
  originOf(ids: RequestIds, asked: Asked): Origin;
  readonly bodies: BodyReader;
  readonly underWay: UnderWay;
  /**
   * How long a call waits for the store in all, in milliseconds; absent: as long as the store
   * takes.
   */
  readonly patienceMs?: number | undefined;
  /**
   * The limit for reads that are no exports, prompt answers counted: a list may make many queries.
   * Absent: they cost nothing.
   */
  readonly readingMs?: number | undefined;
  /**
   * How long endpoints that wait briefly wait for the store, in milliseconds; absent: like all
   * others.
   */
  readonly briefWaitMs?: number;
  readonly log: AccessLog;
  /** Hears of calls that are refused to a person known, and of lists that go out whole. */
  readonly notes: AuditLogNotes;
  /**
   * Given where names that an endpoint does not list are dropped: notes them. Absent: they are
   * refused.
   */
  readonly unknownNotes?: UnknownNotes | undefined;
  /** Looks at every answer before it leaves, and throws where its contract is broken; for tests. */
  readonly checkAnswer?: ((endpoint: Endpoint, output: unknown) => Promise<void>) | undefined;
}

/** The server of a path: answers the request, and writes its line of the log. */
export type Serve = (asked: Asked) => Promise<Response>;

/**
 * Serves one call from request to response and log line. `pattern`: the declared path by which the
 * endpoint was found. `own`: the GET of the same path, if the members that it shows may be sent
 * back.
 *
 * Values that are known at once are not awaited: each turn of the event loop's queue costs the
 * fastest endpoints dearly.
 */
export async function serve<Ctx extends RequestContext>(
  route: Route<Ctx>,
  pattern: string,
  asked: Asked,
  context: ServingContext<Ctx>,
  own?: Route<Ctx>,
): Promise<Response> {
  const started = performance.now();
  const { request } = asked;
  const ids = requestIdsOf(request);
  context.underWay.begin(route.head.id);
  const origin = context.originOf(ids, asked);
  let principal = ANONYMOUS;
  let response: Response;
  let failure: Failure | undefined;
  let keyParameter: string | undefined;
  try {
    const known = route.operation;
    const endpoint = known instanceof Promise ? await known : known;
    keyParameter = endpoint.keyParameter;
    const deadline = deadlineOf(endpoint, request, context);
    // The caller's credential may be in the body.
    const presented = endpoint.clientAuthentication
      ? { ...asked, rawBody: await context.bodies.read(request, LONGEST_PUBLIC_BODY) }
      : asked;
    if (endpoint.permission !== "public") {
      const caller = context.findCaller(endpoint, presented, origin);
      const found = caller instanceof Promise ? await within(deadline, caller) : caller;
      principal = { ...permissionsAt(endpoint, found), origin };
      admit(endpoint, principal);
    } else {
      principal = { ...ANONYMOUS, origin };
    }
    const { unknownNotes } = context;
    const unlisted: Unlisted | undefined = unknownNotes
      ? { note: (names) => unknownNotes.add(request.method, pattern, names, principal) }
      : own && { readNow: () => readOwn(own, presented, principal, context) };
    const read = readCall(endpoint, presented, context.bodies, deadline, unlisted);
    const call = read instanceof Promise ? await read : read;
    const answer = endpoint.serve(context.contextOf(principal, deadline), call);
    const output = answer instanceof Promise ? await handled(endpoint, deadline, answer) : answer;
    deadline?.lift();
    if (context.checkAnswer) await context.checkAnswer(endpoint, output);
    if (isWholeList(output)) context.notes.listStreamed(principal, route.head.path);
    const answered = successResponse(
      output,
      ids.id,
      request,
      mayCompress(endpoint, request.method, principal, output),
      (pieces) => context.underWay.until(pieces, route.head.id),
    );
    response = answered instanceof Promise ? await answered : answered;
  } catch (error) {
    failure = asFailure(error);
    if (principal.org_id !== "" && isRefused(failure)) {
      const { method } = request;
      context.notes.refusedCall(principal, { method, path: route.head.path, code: failure.code });
    }
    const received = pathOf(request.url);
    const view = keyParameter === undefined
      ? received
      : withoutKey(received, pattern, keyParameter);
    response = failureResponse(failure, { ids, path: view });
  }
  // RFC 6749, 5.1 and 5.2.
  if (isOAuthPath(pattern)) response.headers.set("pragma", "no-cache");
  const { method } = request;
  context.log.request(
    method,
    pattern,
    response.status,
    started,
    ids,
    principal,
    failure,
  );
  context.underWay.end(route.head.id);
  return response;
}

/** The present answer of a path's GET to a caller; undefined if they may not read it. */
async function readOwn<Ctx extends RequestContext>(
  own: Route<Ctx>,
  { request, params, peer }: Asked,
  principal: Principal,
  context: ServingContext<Ctx>,
) {
  const operation = await own.operation;
  // Temporary access to the change may not include the reading.
  if (principal.temporaryAccess && !operation.withinTemporaryAccess) return undefined;
  if (refusalOf(operation, principal) !== undefined) return undefined;
  const call = { path: pathOf(request.url), params, peer, deadline: undefined };
  return await readNow(operation, context.contextOf(principal, undefined), call);
}

/** Until when a call waits for the store; undefined: as long as the store takes. */
function deadlineOf(
  { waitsBriefly, method, isExport }: Endpoint,
  { headers }: ReceivedRequest,
  { patienceMs = Infinity, readingMs = Infinity, briefWaitMs = Infinity }: Pick<
    ServingContext,
    "patienceMs" | "readingMs" | "briefWaitMs"
  >,
): Deadline | undefined {
  const ms = waitsBriefly ? Math.min(briefWaitMs, patienceMs) : patienceMs;
  const callersMs = requestTimeoutMs(headers);
  if (ms === Infinity && callersMs === Infinity) return undefined;
  return new Deadline(ms, callersMs, method === "GET" && !isExport ? readingMs : Infinity);
}

function within<T>(deadline: Deadline | undefined, promise: Promise<T>): Promise<T> {
  return deadline === undefined ? promise : deadline.waitFor(promise);
}

/**
 * A call that waits briefly does nothing else; others wait for more than the store, such as a
 * receiver of messages.
 */
function handled<T>(
  { waitsBriefly }: Endpoint,
  deadline: Deadline | undefined,
  answer: Promise<T>,
): Promise<T> {
  if (deadline === undefined) return answer;
  return waitsBriefly ? deadline.waitFor(answer) : deadline.limit(answer);
}

/** True where the caller may not do this. A caller who only has to sign in afresh may. */
function isRefused({ code }: Failure): boolean {
  return failureCodes[code].status === 403 && code !== "fresh_sign_in_required";
}

/**
 * Whether an answer may be compressed: what is read, without a secret in it. If a secret is beside
 * text that others may choose, the length would tell whether they are alike (BREACH). Keys and
 * access tokens are answers to changes. An answer whose endpoint shows secrets to its caller holds
 * some unless it says that it holds none.
 */
function mayCompress(
  { answersSecrets }: Endpoint,
  method: string,
  principal: Principal,
  output: unknown,
): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  if (answersSecrets === undefined) return true;
  return answersSecrets === "to those who may" &&
    (!may(principal, "secrets") || (output instanceof Answer && output.holdsNoSecret));
}

/** True for a list without pages; what goes out as a file is in the audit log already. */
function isWholeList(output: unknown): boolean {
  return output instanceof Answer &&
    (output.isWholeList ||
      isPieces(output.body) && output.headers["content-disposition"] === undefined);
}

/** The caller with what they hold at an endpoint: by temporary access more where it says so. */
function permissionsAt({ withinTemporaryAccess }: Endpoint, principal: Principal): Principal {
  const { temporaryAccess } = principal;
  return temporaryAccess && withinTemporaryAccess
    ? { ...principal, permissions: temporaryAccess.permissions }
    : principal;
}

/** Throws `access_denied` unless the endpoint is open to the caller; `fresh_sign_in_required`. */
function admit(endpoint: Endpoint, principal: Principal): void {
  const code = refusalOf(endpoint, principal);
  if (code === undefined) return;
  const { covers, ...everywhere } = principal;
  const isByScope = covers !== undefined && refusalOf(endpoint, everywhere) !== code;
  // Scripts of the older interface know its words.
  throw new Failure(code, isByScope && isV1Path(endpoint.path) ? { message: BY_SCOPE } : {});
}

const BY_SCOPE =
  "access denied: your scope closes this, because it concerns more than the plans that you see.";

/** Why an endpoint is closed to a caller; undefined: it is open. */
function refusalOf(endpoint: Endpoint, principal: Principal) {
  const { permission, permissionBesides, needsFreshSignIn } = endpoint;
  if (permission === "developer") return refusalOfDeveloper(endpoint, principal);
  if (permission !== "public" && !permission.some((one) => may(principal, one))) {
    return "access_denied";
  }
  if (permissionBesides && !may(principal, permissionBesides)) return "access_denied";
  if (principal.covers && !endpoint.withinScope) return "access_denied";
  const isClosed = !endpoint.withinTemporaryAccess && endpoint.method !== "GET" ||
    endpoint.isExport;
  if (principal.temporaryAccess && isClosed) return "access_denied";
  return needsFreshSignIn && principal.session && !principal.session.isFresh
    ? "fresh_sign_in_required"
    : undefined;
}

/** Why an endpoint is closed to a developer who calls for themselves. */
function refusalOfDeveloper({ method, developerNeeds }: Endpoint, { developer }: Principal) {
  if (!developer) return "access_denied";
  switch (developerNeeds) {
    case undefined:
      return method === "GET" || developer.mayChange ? undefined : "access_denied";
    case "looking":
      return undefined;
    case "all":
      if (!developer.mayChange) return "access_denied";
      return developer.opensAll ? undefined : "code_required";
    case "own session":
      if (developer.by === "token") return "access_denied";
      return developer.isFreshOwn ? undefined : "fresh_sign_in_required";
  }
}

/** A method that a path does not take: 405, OPTIONS 200, both with `Allow`. */
export function answerOtherMethod(
  request: ReceivedRequest,
  path: string,
  { path: declared, allow }: Found<unknown>,
  log: AccessLog,
): Response {
  // A former path may look like one of today's, such as a key's.
  if (presentPath(path) !== undefined) return answerUnknownPath(request, path, log);
  const started = performance.now();
  const ids = requestIdsOf(request);
  const response = request.method === "OPTIONS"
    ? plainResponse({ Status: "OK", Message: allow, Meta: null }, ids.id, "OPTIONS")
    : failureResponse(new Failure("method_not_allowed"), { ids, path });
  response.headers.set("allow", allow);
  log.request(request.method, declared, response.status, started, ids);
  return response;
}

/** A path that leads nowhere: 404, which names the present path of a former one. */
export function answerUnknownPath(
  request: ReceivedRequest,
  path: string,
  log: AccessLog,
): Response {
  const present = presentPath(path);
  const message = present && `There is nothing at this path; it is ${present} since 0.9.0.`;
  const failure = new Failure("unknown_path", message === undefined ? {} : { message });
  return answerNowhere(failure, request, path, log);
}

/** A header for another method that this call can't have: 400. */
export function answerRefusedOverride(
  request: ReceivedRequest,
  path: string,
  log: AccessLog,
): Response {
  const message = "X-HTTP-Method-Override: only UPDATE, of a POST to one key request";
  const refused = new Failure("invalid_input", { message, details: [message] });
  return answerNowhere(refused, request, path, log);
}

/**
 * Answers bytes that are no request, or one that can't be answered: `error` says which. The
 * connection ends with the answer.
 */
export function answerNoRequest(error: unknown, log: AccessLog): Response {
  const started = performance.now();
  const request_id = crypto.randomUUID();
  const ids = { request_id, caller_request_id: "", id: request_id };
  const failure = asFailure(error);
  const response = failureResponse(failure, { ids, path: "-" });
  log.request("-", "-", response.status, started, ids, undefined, failure);
  return response;
}

function answerNowhere(
  failure: Failure,
  request: ReceivedRequest,
  path: string,
  log: AccessLog,
): Response {
  const started = performance.now();
  const ids = requestIdsOf(request);
  const page = failure.code === "unknown_path" ? unknownPage(request, path, ids.id) : undefined;
  const response = page ?? failureResponse(failure, { ids, path });
  log.request(request.method, "-", response.status, started, ids);
  return response;
}

/** The present answer of the path's GET to the caller of `call`, another method of its path. */
async function readNow<Ctx extends RequestContext>(
  { query, response, serve }: Operation<Ctx>,
  ctx: Ctx,
  call: Pick<AnyCall, "path" | "params" | "peer" | "deadline">,
): Promise<ReadNow> {
  const output = await serve(ctx, {
    ...call,
    method: "GET",
    query: query?.parse({}),
    body: undefined,
    rawBody: new Uint8Array(),
    // Without the call's own: they are those of another method.
    headers: new Headers(),
    idempotency: null,
  });
  const body = output instanceof Answer ? output.body : output;
  return {
    value: typeof body === "string" ? JSON.parse(body) : body,
    names: knownNamesOf(response),
    etag: output instanceof Answer ? output.headers.etag : undefined,
  };
}
