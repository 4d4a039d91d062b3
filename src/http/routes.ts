import type { RequestContext } from "../calls/context.ts";
import type { Method } from "../contract/endpoint.ts";
import { Answer } from "../kernel/answer.ts";
import { LONGEST_HEADER } from "../kernel/input-limits.ts";
import type { AnyCall } from "./call.ts";
import type { Operation } from "./operation.ts";

/** The part of an endpoint that the router has to know before its feature is loaded. */
export interface RouteHead<Feature extends string = string> {
  readonly feature: Feature;
  /** The endpoint's. */
  readonly id: string;
  /** The endpoint's own first, then its aliases. */
  readonly methods: readonly Method[];
  readonly path: string;
  readonly otherPaths?: readonly string[];
  readonly wholeTree?: true;
  /** The method that a POST may stand for. */
  readonly overridable?: Method;
}

/** An operation on the router. It is there at once when it has been called before. */
export interface Route<Ctx extends RequestContext = RequestContext> {
  readonly head: RouteHead;
  readonly operation: Operation<Ctx> | Promise<Operation<Ctx>>;
}

/** A page with the address of the next one as `Link` (RFC 8288), where there is a next one. */
export function withNextPage<T>(
  call: { readonly path: string; readonly query: Readonly<Record<string, unknown>> },
  page: T,
  next_cursor: string | null,
): Answer<T> {
  if (next_cursor === null) return new Answer(page);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...call.query, cursor: next_cursor })) {
    if (value !== undefined) query.set(name, String(value));
  }
  return new Answer(page, { link: `<${call.path}?${query}>; rel="next"` });
}

/**
 * The revisions that the call's `If-Match` names (RFC 9110, 13.1.1), without their quotes; null
 * where any will do. A weak tag matches nothing, since it may stand for another state; no more does
 * a header that is too long.
 */
export function ifMatchOf(call: Pick<AnyCall, "headers">): string[] | null {
  const header = call.headers.get("if-match");
  if (header === null) return null;
  if (header.length > LONGEST_HEADER) return [];
  if (header.trim() === "*") return null;
  const tags = header.split(",").map((tag) => /^\s*"([\x21\x23-\x7e]*)"\s*$/.exec(tag)?.[1]);
  return tags.filter((tag) => tag !== undefined);
}

/** The headers of a change besides its input: the revisions that it names, and its key. */
export function carriedBy(call: Pick<AnyCall, "headers" | "idempotency">) {
  return { ifMatch: ifMatchOf(call), idempotency: call.idempotency };
}

/**
 * Whether an `If-None-Match` header holds this tag, or is `*` (RFC 9110, 13.1.2): who asks has the
 * bytes already. One that is too long holds none.
 */
export function ifNoneMatchHas(header: string | null, tag: string): boolean {
  if (header === null || header.length > LONGEST_HEADER) return false;
  const tags = header.split(",").map((one) => one.trim().replace(/^W\//, ""));
  return tags.includes(tag) || tags.includes("*");
}

/** How the operations of each file are loaded, by its name. */
export type FeatureLoaders<
  Ctx extends RequestContext,
  Feature extends string = string,
> = Readonly<Record<Feature, () => Promise<readonly Operation<Ctx>[]>>>;

/** The routes of a table, each of which loads its file when it is first called. */
export function routesOf<Ctx extends RequestContext, Feature extends string>(
  table: readonly RouteHead<Feature>[],
  loaders: FeatureLoaders<Ctx, Feature>,
): Route<Ctx>[] {
  return table.map((head) => new LazyRoute(head, loaders[head.feature]));
}

class LazyRoute<Ctx extends RequestContext> implements Route<Ctx> {
  readonly head: RouteHead;
  readonly #feature: () => Promise<readonly Operation<Ctx>[]>;
  #operation: Operation<Ctx> | undefined;

  constructor(head: RouteHead, feature: () => Promise<readonly Operation<Ctx>[]>) {
    this.head = head;
    this.#feature = feature;
  }

  get operation(): Operation<Ctx> | Promise<Operation<Ctx>> {
    return this.#operation ?? this.#load();
  }

  /** Several calls at once wait for the same modules: the runtime evaluates each once. */
  async #load(): Promise<Operation<Ctx>> {
    const { feature, id } = this.head;
    const operation = (await this.#feature()).find((one) => one.id === id);
    if (!operation) throw new Error(`the feature ${feature} has no ${id}`);
    return this.#operation = operation;
  }
}
