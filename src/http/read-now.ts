import { Answer } from "../kernel/answer.ts";
import type { ReadNow } from "./as-read.ts";
import type { AnyCall } from "./call.ts";
import { knownNamesOf } from "./known-names.ts";
import type { Binding } from "./routes.ts";

/** What the GET of a thing answers at this moment to whoever makes `call`, another one of its path. */
export async function readNow<Ctx>(
  { endpoint, handle }: { endpoint: Binding["endpoint"]; handle(ctx: Ctx, call: AnyCall): unknown },
  ctx: Ctx,
  call: Pick<AnyCall, "path" | "params" | "peer" | "patience">,
): Promise<ReadNow> {
  const output = await handle(ctx, {
    ...call,
    method: "GET",
    query: endpoint.query?.parse({}),
    body: undefined,
    rawBody: new Uint8Array(),
    // Without the call's own: they are those of another method.
    headers: new Headers(),
    idempotency: null,
  });
  const body = output instanceof Answer ? output.body : output;
  return {
    value: typeof body === "string" ? JSON.parse(body) : body,
    names: knownNamesOf(endpoint.response),
    etag: output instanceof Answer ? output.headers.etag : undefined,
  };
}
