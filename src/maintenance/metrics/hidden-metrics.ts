import { z } from "zod";
import type { Origin } from "../../calls/origin.ts";
import { may, type Principal } from "../../calls/principal.ts";
import { defineEndpoint, type Endpoint } from "../../contract/endpoint.ts";
import type { AccessLog } from "../../http/access-log.ts";
import type { Asked } from "../../http/call.ts";
import { type RequestIds, requestIdsOf } from "../../http/request-id.ts";
import { METRICS_PATH, type Watch } from "./watch.ts";

/**
 * The endpoint by which its caller is found. It is in no table of routes: for callers without the
 * permission the path does not exist, in each method.
 */
const metrics = defineEndpoint({
  id: "metrics",
  method: "GET",
  path: METRICS_PATH,
  tag: "Operations",
  summary: "The figures of the process that answers",
  description: "",
  permission: ["metrics"],
  response: z.never(),
  errors: [],
});

/** Finds out who calls, as for any endpoint. Throws where that is no one. */
type FindCaller = (
  endpoint: Endpoint,
  asked: Asked,
  origin: Origin,
) => Principal | Promise<Principal>;

/**
 * The answer to a scrape on the main port, by an access token of the operator's organisation with
 * `metrics`; undefined for every other request, whoever sends it: then the path is as unknown as
 * any that leads nowhere. Figures are of the whole server, so nothing in another organisation opens
 * them.
 */
export async function answerScrape(
  asked: Asked,
  { operators, watch, findCaller, originOf, log }: {
    /** The id of the operator's organisation, which is the first one. */
    operators: string;
    watch: Watch;
    findCaller: FindCaller;
    originOf(ids: RequestIds, asked: Asked): Origin;
    log: AccessLog;
  },
): Promise<Response | undefined> {
  const started = performance.now();
  const { request, path } = asked;
  if (path !== METRICS_PATH || !["GET", "HEAD"].includes(request.method)) return undefined;
  // A browser's session is no scraper.
  if (!request.headers.has("authorization")) return undefined;
  const ids = requestIdsOf(request);
  let principal: Principal;
  try {
    principal = await findCaller(metrics, asked, originOf(ids, asked));
  } catch {
    return undefined;
  }
  const isOpen = principal.org_id === operators && principal.covers === undefined;
  if (!isOpen || !may(principal, "metrics")) return undefined;
  const response = await watch.answer(request);
  response.headers.set("x-request-id", ids.id);
  log.request(request.method, METRICS_PATH, response.status, started, ids, principal);
  return response;
}
