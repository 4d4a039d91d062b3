import type { z } from "zod";
import type { RequestContext } from "../calls/context.ts";
import {
  type BodySchema,
  defineEndpoint,
  type Endpoint,
  type ParsedBody,
  type PathParams,
} from "../contract/endpoint.ts";
import type { Answer, Pieces } from "../kernel/answer.ts";
import type { AnyCall, Call } from "./call.ts";

/**
 * One operation of the interface in one value: its endpoint as data, and the function that serves
 * its calls. `Ctx`: what that function needs of the server.
 */
export interface Operation<Ctx extends RequestContext = RequestContext> extends Endpoint {
  /** Serves a call that was read by the endpoint. Throws only what the endpoint lists. */
  readonly serve: (ctx: Ctx, call: AnyCall) => unknown;
}

/** An endpoint, typed by its path and schemas, with the function that serves it. */
interface Declared<
  Ctx extends RequestContext,
  Path extends string,
  Query extends z.ZodType,
  Body extends BodySchema,
  Output extends z.ZodType,
> extends Endpoint<Path, Query, Body, Output> {
  readonly serve: (
    ctx: Ctx,
    call: Call<PathParams<Path>, z.output<Query>, ParsedBody<Body>>,
  ) => Served<z.output<Output>> | Promise<Served<z.output<Output>>>;
}

type Served<Output> = Output | Answer<Output | string | Uint8Array | Pieces | null>;

/**
 * Declares an operation and keeps the exact types of its path and schemas. A function that needs
 * more of the server than every operation gets says so by the type of its `ctx`.
 */
export function operation<
  Path extends string,
  Query extends z.ZodType,
  Body extends BodySchema,
  Output extends z.ZodType,
  Ctx extends RequestContext = RequestContext,
>(
  { serve, ...endpoint }: Declared<Ctx, Path, Query, Body, Output>,
): Endpoint<Path, Query, Body, Output> & Pick<Operation<Ctx>, "serve"> {
  // as: `http/serve.ts` reads each call by this very endpoint before it hands it on.
  return { ...defineEndpoint(endpoint), serve: serve as Operation<Ctx>["serve"] };
}
