import type { ReceivedRequest } from "../calls/received.ts";
import type { RouteHead } from "./routes.ts";

/** Says which method a POST stands for, for clients behind boxes that let no other method pass. */
const HEADER = "x-http-method-override";
/** Where it means something. Elsewhere it may be a visitor's own, which a gateway passes on with its question. */
const HEEDED_BELOW = "/api/";

/**
 * The method by which a request is routed, out of `X-HTTP-Method-Override` where it has that header below `/api/`.
 * Undefined: the header asks for what it can't, with another value, method or path than one of these endpoints says.
 * Such a call must be refused, so that nobody believes to have called what they did not. `declaredOf` gives a path as
 * it is declared.
 */
export function overriddenMethods(
  heads: readonly RouteHead[],
  declaredOf: (path: string) => string | undefined,
): (request: ReceivedRequest, path: string) => string | undefined {
  const overridable = new Map(
    heads.flatMap(({ path, overridable: method }) => method ? [[path, method] as const] : []),
  );
  return ({ method, headers }, path) => {
    if (!path.startsWith(HEEDED_BELOW)) return method;
    const wanted = headers.get(HEADER);
    if (wanted === null) return method;
    const allowed = overridable.get(declaredOf(path) ?? "");
    return method === "POST" && wanted === allowed ? wanted : undefined;
  };
}
