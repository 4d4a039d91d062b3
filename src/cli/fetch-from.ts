import { fetchProblem } from "../kernel/fetch-problem.ts";
import { OperatorError } from "./operator-error.ts";

/**
 * `fetch` for a server of ours. No redirect is followed, since the access token would go along.
 * Throws OperatorError where the server is not reached, or where something else answers in its
 * place.
 */
export async function fetchFrom(request: Request): Promise<Response> {
  const { origin } = new URL(request.url);
  const response = await reached(request);
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    const to = URL.parse(response.headers.get("location") ?? "", request.url)?.origin;
    throw new OperatorError(
      `${origin} answers with a redirect${to && to !== origin ? ` to ${to}` : ""}, not as Keydesk`,
    );
  }
  // Files that commands take are of comma-separated values.
  if (response.ok && !/[/+]json\b|^text\/csv\b/.test(response.headers.get("content-type") ?? "")) {
    await response.body?.cancel();
    throw new OperatorError(`${origin} does not answer as Keydesk: expected JSON`);
  }
  return response;
}

/**
 * The response, whatever its status. Throws OperatorError, with the reason, if the connection
 * fails.
 */
export async function reached(request: Request): Promise<Response> {
  try {
    return await fetch(request, { redirect: "manual" });
  } catch (error) {
    const { origin } = new URL(request.url);
    if (error instanceof DOMException && error.name === "TimeoutError") {
      throw new OperatorError(`can't reach ${origin}: no answer in time`, { cause: error });
    }
    if (!(error instanceof TypeError) && !(error instanceof Deno.errors.NotCapable)) throw error;
    throw new OperatorError(`can't reach ${origin}: ${fetchProblem(error)}`, { cause: error });
  }
}
