import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Peer } from "../abuse/client-addresses.ts";
import type { Authenticator } from "../access/authenticate.ts";
import type { Sessions } from "../access/sessions.ts";
import { may, type Principal } from "../access/principal.ts";
import type { RequestContext, ServiceContext } from "../context.ts";
import type { BodySchema, Endpoint, Method, ParsedBody, PathParams } from "../contract/endpoint.ts";
import { Failure } from "../lib/failure.ts";
import { type FailureCode, failureCodes } from "../lib/failure-codes.ts";
import type { HeaderAnswer } from "../lib/header-answer.ts";
import type { HeadedAnswer, WrittenBytes, WrittenText } from "../lib/headed-answer.ts";
import { isId } from "../lib/ids.ts";
import { JsonStream, type JsonText, TextStream } from "../lib/json-text.ts";
import type { AccessLog } from "./access-log.ts";
import { successResponse } from "./answer.ts";
import type { BodyReader } from "./body-reader.ts";
import { isOAuthPath, takesSessions } from "../contract/envelope.ts";
import { asFailure, failureResponse } from "./failure-response.ts";
import { parseFormBody } from "./form-body.ts";
import { parseJsonBody } from "./json-body.ts";
import { requireCsrfToken } from "./own-page.ts";
import { requestIdOf } from "./request-id.ts";
import { sessionSecretOf } from "./session-cookie.ts";
import type { UnderWay } from "./under-way.ts";
import { describeIssues } from "./validation.ts";

/** One call of an endpoint, parsed by its contract. */
export interface Call<Params, Query, Body> {
  readonly method: string;
  /** The path as received, without the query. */
  readonly path: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The body's bytes; empty where the endpoint takes none. */
  readonly rawBody: Uint8Array;
  readonly headers: Headers;
  /** Who is connected; `ctx.clientAddresses.of(call)` says whose address counts. */
  readonly peer: Peer | undefined;
}

/** A call of any endpoint. */
export type AnyCall = Call<unknown, unknown, unknown>;

/** An endpoint together with the function that serves it. */
export interface Binding {
  readonly endpoint: Endpoint;
  handle(ctx: RequestContext, call: AnyCall): unknown;
}

/** What `mount` needs of the server around it. */
export interface MountContext {
  readonly service: ServiceContext;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly bodies: BodyReader;
  readonly underWay: UnderWay;
  readonly log: AccessLog;
  /** True: every answer is checked against its schema and its headers before it leaves; for tests. */
  readonly checkAnswers: boolean;
}

/** Binds an endpoint to the function that serves it, with the types of its contract. */
export function bind<
  Path extends string,
  Query extends z.ZodType,
  Body extends BodySchema,
  Output extends z.ZodType,
>(
  endpoint: Endpoint<Path, Query, Body, Output>,
  handler: (
    ctx: RequestContext,
    call: Call<PathParams<Path>, z.output<Query>, ParsedBody<Body>>,
  ) => Answer<z.output<Output>> | Promise<Answer<z.output<Output>>>,
): Binding {
  // as: `serve` parses each call with this very endpoint's schemas before it hands it on.
  return { endpoint, handle: handler as Binding["handle"] };
}

type Answer<Output> =
  | Output
  | JsonText
  | JsonStream
  | TextStream
  | HeaderAnswer
  | HeadedAnswer<Output | JsonText | WrittenText | WrittenBytes>;

/** Puts the endpoints on the router; every other method of their paths answers 405, OPTIONS with `Allow`. */
export function mount(app: Hono, bindings: readonly Binding[], context: MountContext): void {
  const methods = new Map<string, string[]>();
  for (const { endpoint } of bindings) {
    if (endpoint.wholeTree) continue;
    const path = routePath(endpoint);
    methods.set(path, [...methods.get(path) ?? [], ...methodsOf(endpoint)]);
  }
  for (const [path, own] of methods) {
    // `/certs/details` is no `/certs/{id}`, whatever the method.
    const others = methodsOfPatterns(bindings, path).filter((method) => !own.includes(method));
    const allow = allowOf(own);
    if (others.length > 0) app.on(others, path, (c) => answerOtherMethod(c, path, allow, context));
  }
  for (const binding of bindings) {
    const { endpoint } = binding;
    const answer = (c: Context) => serve(binding, c, context);
    if (endpoint.wholeTree) app.all(`${routePath(endpoint)}/*`, answer);
    else app.on(methodsOf(endpoint), routePath(endpoint), answer);
  }
  // A router of its own: a second handler on the same paths would cost every request its way past it.
  const others = new Hono({ strict: false });
  // The first that fits answers: paths without parameters come before those that they would fit too.
  const plainFirst = [...methods].sort(([a], [b]) =>
    Number(a.includes(":")) - Number(b.includes(":"))
  );
  for (const [path, own] of plainFirst) {
    const allow = allowOf(own);
    others.all(path, (c) => answerOtherMethod(c, path, allow, context));
  }
  others.notFound((c) => answerUnknownPath(c, context));
  app.notFound((c) => others.fetch(c.req.raw));
}

function routePath(endpoint: Endpoint): string {
  return endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function methodsOf(endpoint: Endpoint): Method[] {
  return [endpoint.method, ...endpoint.aliases ?? []];
}

function allowOf(methods: readonly string[]): string {
  return [...methods, ...methods.includes("GET") ? ["HEAD"] : [], "OPTIONS"].join(", ");
}

/** The methods of those paths with parameters that `path`, which has none, would match too. */
function methodsOfPatterns(bindings: readonly Binding[], path: string): Method[] {
  if (path.includes(":")) return [];
  return bindings.filter(({ endpoint }) =>
    endpoint.path.includes("{") &&
    new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path)
  ).flatMap(({ endpoint }) => methodsOf(endpoint));
}

/** What is known at once is not waited for: each turn of the event loop's queue costs the fastest endpoints dearly. */
async function serve(binding: Binding, c: Context, context: MountContext): Promise<Response> {
  const started = performance.now();
  const request = c.req.raw;
  const requestId = requestIdOf(request);
  const { endpoint } = binding;
  context.underWay.begin();
  let principal = ANONYMOUS;
  let response: Response;
  let failure: Failure | undefined;
  try {
    if (endpoint.permission !== "public") {
      const caller = findCaller(endpoint, c, context);
      principal = admit(endpoint, caller instanceof Promise ? await caller : caller, c, context);
    }
    const read = readCall(endpoint, c, context.bodies);
    const call = read instanceof Promise ? await read : read;
    const answer = binding.handle({ ...context.service, principal }, call);
    const output = answer instanceof Promise ? await answer : answer;
    if (context.checkAnswers) await checkAnswer(endpoint, output);
    response = successResponse(lasting(output, context.underWay), requestId, request.method);
  } catch (error) {
    failure = asFailure(error);
    response = failureResponse(failure, { requestId, path: pathOf(request.url) });
  }
  // RFC 6749, 5.1 and 5.2.
  if (isOAuthPath(endpoint.path)) response.headers.set("pragma", "no-cache");
  const { method } = request;
  context.log.request(
    method,
    endpoint.path,
    response.status,
    started,
    requestId,
    principal.user_id,
    failure,
  );
  context.underWay.end();
  return response;
}

/** An output that is made while it is sent keeps its request under way. */
function lasting(output: unknown, underWay: UnderWay): unknown {
  if (output instanceof JsonStream) return new JsonStream(underWay.until(output.pieces));
  if (!(output instanceof TextStream)) return output;
  const { pieces, contentType, fileName } = output;
  return new TextStream(underWay.until(pieces), contentType, fileName);
}

/** Who calls an endpoint that is open to everybody. */
const ANONYMOUS: Principal = { org_id: "", user_id: "", token_id: "", permissions: [] };

function findCaller(
  endpoint: Endpoint,
  c: Context,
  context: MountContext,
): Principal | undefined | Promise<Principal | undefined> {
  const header = credentialOf(endpoint, c.req.raw.headers);
  return header === null && takesSessions(endpoint)
    ? principalOfSession(c.req.raw, context)
    : context.authenticator.authenticate(header);
}

function credentialOf(endpoint: Endpoint, headers: Headers): string | null {
  return headers.get(endpoint.credentialHeader ?? "authorization");
}

/** The caller, if this endpoint is open to them. Throws what the others are told. */
function admit(
  endpoint: Endpoint,
  principal: Principal | undefined,
  c: Context,
  { authenticator, service }: MountContext,
): Principal {
  if (!principal) {
    const { headers } = c.req.raw;
    const address = service.clientAddresses.of({ headers, peer: c.env });
    throw authenticator.refusal(credentialOf(endpoint, headers), address);
  }
  const { permission } = endpoint;
  if (permission !== "public" && !permission.some((one) => may(principal, one))) {
    throw new Failure("access_denied");
  }
  return principal;
}

/** By the cookie. A change by it must come from our own page. */
async function principalOfSession(
  { headers, method }: Request,
  { sessions, service }: MountContext,
): Promise<Principal | undefined> {
  const principal = await sessions.authenticate(sessionSecretOf(headers));
  if (principal?.session && method !== "GET" && method !== "HEAD") {
    requireCsrfToken(headers, principal.session.csrf_token, service.settings.publicUrl);
  }
  return principal;
}

function readCall(endpoint: Endpoint, c: Context, bodies: BodyReader): AnyCall | Promise<AnyCall> {
  const request = c.req.raw;
  const params = endpoint.path.includes("{") ? c.req.param() : NO_PARAMS;
  for (const name in params) {
    // What can't be an id names nothing, which is all that a caller may learn of it.
    if (!isId(params[name] ?? "")) throw new Failure(notFoundCode(endpoint));
  }
  const query = endpoint.query ? parseWith(endpoint.query, c.req.query()) : undefined;
  const { method, headers } = request;
  const head = { method, path: pathOf(request.url), params, query, headers, peer: c.env };
  return endpoint.body
    ? withBody(endpoint, request, head, bodies)
    : { ...head, body: undefined, rawBody: NO_BODY };
}

async function withBody(
  endpoint: Endpoint,
  request: Request,
  head: Omit<AnyCall, "body" | "rawBody">,
  bodies: BodyReader,
): Promise<AnyCall> {
  const rawBody = await bodies.read(request);
  const parsed = parseBody(endpoint, rawBody, head.headers);
  return { ...head, body: parsed instanceof Promise ? await parsed : parsed, rawBody };
}

const NO_PARAMS: Record<string, string> = {};
const NO_BODY = new Uint8Array();

function parseBody(endpoint: Endpoint, bytes: Uint8Array, headers: Headers): unknown {
  if (endpoint.body === undefined || endpoint.body === "ignored") return undefined;
  if (endpoint.body === "bytes") return { bytes, contentType: headers.get("content-type") ?? "" };
  if (endpoint.bodyOptional && bytes.length === 0) return parseWith(endpoint.body, {});
  if (endpoint.bodyEncoding === "form") {
    return parseWith(endpoint.body, parseFormBody(bytes, headers.get("content-type") ?? ""));
  }
  const value = parseJsonBody(bytes);
  return value instanceof Promise ? value : parseWith(endpoint.body, value);
}

/** How this endpoint says that there is nothing of that id. */
function notFoundCode(endpoint: Endpoint): FailureCode {
  return endpoint.errors.find((code) => failureCodes[code].status === 404) ?? "not_found";
}

function parseWith(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = describeIssues(result.error.issues);
  throw new Failure("invalid_input", { message: details[0] ?? "", details });
}

/** The path of a URL as received, without the query. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

function answerOtherMethod(
  c: Context,
  path: string,
  allow: string,
  context: MountContext,
): Response {
  const started = performance.now();
  const requestId = requestIdOf(c.req.raw);
  const response = c.req.method === "OPTIONS"
    ? successResponse({ Status: "OK", Message: allow, Meta: null }, requestId, "OPTIONS")
    : failureResponse(new Failure("method_not_allowed"), { requestId, path: c.req.path });
  response.headers.set("allow", allow);
  context.log.request(c.req.method, path, response.status, started, requestId);
  return response;
}

function answerUnknownPath(c: Context, context: MountContext): Response {
  const started = performance.now();
  const requestId = requestIdOf(c.req.raw);
  const response = failureResponse(new Failure("unknown_path"), { requestId, path: c.req.path });
  context.log.request(c.req.method, "-", response.status, started, requestId);
  return response;
}

async function checkAnswer(endpoint: Endpoint, output: unknown): Promise<void> {
  const { answerValue, untoldHeaders } = await import("./check-answer.ts");
  const value = answerValue(output);
  if (value !== undefined) endpoint.response.parse(value);
  const untold = untoldHeaders(endpoint, output);
  if (untold.length > 0) throw new Error(`${endpoint.id} does not tell of ${untold.join(", ")}`);
}
