import type { Method } from "../../../src/contract/endpoint.ts";
import { signed } from "../leaks.ts";
import type { Stage } from "./stage.ts";
import { asDeveloper, makeOwn } from "./as-developer.ts";
import { nameable } from "./nameable.ts";
import { states } from "./states.ts";

/**
 * An operation's example as the document has it: a request, whose ids stand for things that must be
 * there.
 */
export interface Example {
  operationId: string;
  method: Method;
  path: string;
  headers: Record<string, string>;
  /** The body as it is sent; null: none. */
  body: string | null;
}

/**
 * Makes what an example names and needs, and gives it with the real ids in the places of its own.
 */
export async function prepared(stage: Stage, example: Example): Promise<Example> {
  const text = JSON.stringify(example);
  const isDevelopers = /^\/v1\/my(\/|$)/.test(example.path);
  if (isDevelopers) await makeOwn(stage, text);
  // Only the whole body can be signed.
  const sign = example.operationId === "reportPartnerLeaks" ? signed : () => ({});
  for (const { named, make } of nameable(stage)) {
    if (text.includes(named) && !stage.real.has(named)) stage.real.set(named, await make());
  }
  const own = isDevelopers ? await asDeveloper(stage, example) : {};
  const state = states[example.operationId];
  const more = await state?.(stage) ?? {};
  let filled = text;
  for (const [named, real] of stage.real) filled = filled.replaceAll(named, real);
  const ready: Example = JSON.parse(filled);
  return { ...ready, headers: { ...ready.headers, ...own, ...more, ...sign(ready.body ?? "") } };
}

/** Sends an example that is ready, with the credential that its operation asks for. */
export async function sent(
  { desk, admin }: Stage,
  { method, path, headers, body }: Example,
  security: Record<string, unknown>[],
): Promise<Response> {
  const scheme = Object.keys(security[0] ?? {})[0];
  const credential = scheme === undefined || headers.cookie ? null : admin;
  // A credential in a header of its own, where Authorization is somebody else's.
  const isOwn = scheme !== undefined && !["credential", "developer"].includes(scheme);
  const own = isOwn ? { [scheme]: admin } : {};
  return await desk.send(method, encodeURI(path), {
    credential,
    body,
    headers: { ...headers, ...own },
  });
}
