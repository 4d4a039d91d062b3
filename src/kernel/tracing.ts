import { AsyncLocalStorage } from "node:async_hooks";
import type { Attributes, Context, Span, SpanContext, Tracer } from "@opentelemetry/api";

/** The used part of the package; loaded if traces are on. */
type Api = typeof import("@opentelemetry/api");

/**
 * The maker of spans while traces are on: the runtime sends them to the target of its `OTEL_`
 * settings.
 */
let active: { api: Api; tracer: Tracer; spans: AsyncLocalStorage<Span> } | undefined;

/** Thrown where the runtime would make spans of its own, which hold paths and queries. */
export class RuntimeTraces extends Error {}

/**
 * Begins to trace where the runtime's telemetry is on. Call it before anything is served; does
 * nothing else. Throws RuntimeTraces where the runtime itself traces: its spans name each URL as it
 * came.
 */
export async function startTracing(): Promise<void> {
  // as: where the package keeps what was registered with it; the runtime does so where its
  // telemetry is on.
  const registered = (globalThis as Record<symbol, unknown>)[Symbol.for("opentelemetry.js.api.1")];
  if (typeof registered !== "object" || registered === null) return;
  if ("trace" in registered) throw new RuntimeTraces();
  // as: the runtime's provider is one of the package's interface, which its own types leave open.
  const provider = Deno.telemetry.tracerProvider as { getTracer(name: string): Tracer };
  const tracer = provider.getTracer("keydesk");
  active = { api: await import("@opentelemetry/api"), tracer, spans: new AsyncLocalStorage() };
}

/** Whether spans are made. */
export function isTracing(): boolean {
  return active !== undefined;
}

/** The present span; undefined if there is none, or traces are off. */
export function currentSpan(): Span | undefined {
  return active?.spans.getStore();
}

/** The id of the trace to which the present work belongs: 32 hex. */
export function currentTraceId(): string | undefined {
  return currentSpan()?.spanContext().traceId;
}

/** The present work as the header `traceparent` tells others of it (W3C Trace Context). */
export function currentTraceparent(): string | undefined {
  const context = currentSpan()?.spanContext();
  if (!context) return undefined;
  const flags = context.traceFlags.toString(16).padStart(2, "0");
  return `00-${context.traceId}-${context.spanId}-${flags}`;
}

/** The attributes of a span: words and numbers of ours, never values of a caller. */
type SpanFacts = Readonly<Record<string, string | number>>;

/** How a span is made. */
interface SpanOptions {
  readonly kind?: "server" | "client";
  readonly facts?: SpanFacts;
  /** Its parent; absent: the present work, if any. */
  readonly parent?: Span | undefined;
  /** The header `traceparent` of the caller's work; an invalid one counts as absent. */
  readonly traceparent?: string | null;
}

/**
 * Does the work within a span, which ends with it; where traces are off it is just done. Errors of
 * the work are thrown on.
 */
export async function withSpan<T>(
  name: string,
  options: SpanOptions,
  work: () => T | Promise<T>,
): Promise<T> {
  if (!active) return await work();
  const { api, tracer, spans } = active;
  const kind = options.kind && KINDS[options.kind];
  const attributes = attributesOf(options.facts ?? {});
  const span = tracer.startSpan(
    name,
    { ...kind === undefined ? {} : { kind }, attributes },
    contextOf(api, options),
  );
  try {
    return await spans.run(span, work);
  } catch (error) {
    // Never the error's text.
    span.setStatus({ code: api.SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Whole numbers as such: of a number the runtime makes a double, by which no collector finds a
 * status code.
 */
function attributesOf(facts: SpanFacts): Attributes {
  const attributes = Object.entries(facts).map(([name, fact]) =>
    [name, Number.isInteger(fact) ? BigInt(fact) : fact] as const
  );
  // as: the package's types do not know what the runtime makes an integer of.
  return Object.fromEntries(attributes) as unknown as Attributes;
}

/** As the package numbers them. */
const KINDS = { server: 1, client: 2 } as const;

function contextOf(api: Api, { parent, traceparent }: SpanOptions): Context {
  const span = parent ?? currentSpan();
  if (span) return api.trace.setSpan(api.ROOT_CONTEXT, span);
  const remote = remoteOf(traceparent ?? null);
  return remote ? api.trace.setSpanContext(api.ROOT_CONTEXT, remote) : api.ROOT_CONTEXT;
}

function remoteOf(traceparent: string | null): SpanContext | undefined {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  return traceId === "" || /^0+$/.test(traceId) || /^0+$/.test(spanId)
    ? undefined
    : { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Version 00, and what later ones begin with. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Says of the call under way what it was: its pattern, never its path. */
export function describeCall(method: string, route: string, status: number, failure?: string) {
  const span = currentSpan();
  if (!span || !active) return;
  const named = METHODS.has(method) ? method : "_OTHER";
  span.updateName(`${named} ${route}`);
  span.setAttributes(attributesOf({
    "http.request.method": named,
    "http.route": route,
    "http.response.status_code": status,
    ...failure === undefined ? {} : { "error.type": failure },
  }));
  if (status >= 500) span.setStatus({ code: active.api.SpanStatusCode.ERROR });
}

const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "UPDATE",
  "OPTIONS",
  "PATCH",
]);
