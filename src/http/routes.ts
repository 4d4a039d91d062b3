import type { z } from "zod";
import type { RequestContext } from "../calls/context.ts";
import type { BodySchema, Endpoint, Method, ParsedBody, PathParams } from "../contract/endpoint.ts";
import type { Answer, Pieces } from "../kernel/answer.ts";
import type { AnyCall, Call } from "./call.ts";

/** An endpoint together with the function that serves it; `Ctx`: what that function needs of the desk. */
export interface Binding<Ctx extends RequestContext = RequestContext> {
  readonly endpoint: Endpoint;
  readonly handle: (ctx: Ctx, call: AnyCall) => unknown;
}

/** What the router has to know of an endpoint before its feature is loaded. */
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

/** An endpoint on the router. `binding` is there at once when it has been called before. */
export interface Route<Ctx extends RequestContext = RequestContext> {
  readonly head: RouteHead;
  readonly binding: Binding<Ctx> | Promise<Binding<Ctx>>;
}

/** `bind` for a feature whose functions need more of the desk than every feature gets. */
export function bindFor<Ctx extends RequestContext>() {
  /** Binds an endpoint to the function that serves it, with the types of its contract. */
  return function bind<
    Path extends string,
    Query extends z.ZodType,
    Body extends BodySchema,
    Output extends z.ZodType,
  >(
    endpoint: Endpoint<Path, Query, Body, Output>,
    handler: (
      ctx: Ctx,
      call: Call<PathParams<Path>, z.output<Query>, ParsedBody<Body>>,
    ) => Served<z.output<Output>> | Promise<Served<z.output<Output>>>,
  ): Binding<Ctx> {
    // as: `serve` parses each call with this very endpoint's schemas before it hands it on.
    return { endpoint, handle: handler as Binding<Ctx>["handle"] };
  };
}

/** Binds an endpoint to the function that serves it, with the types of its contract. */
export const bind = bindFor<RequestContext>();

type Served<Output> = Output | Answer<Output | string | Uint8Array | Pieces | null>;
