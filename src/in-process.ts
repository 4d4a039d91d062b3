import type { ReceivedRequest } from "../packages/http-listener/request.ts";
import { Origin } from "./calls/origin.ts";
import type { ServerCall } from "./open-server.ts";
import { features } from "./endpoints.ts";
import { AccessLog } from "./http/access-log.ts";
import { createApp } from "./http/app.ts";
import { BodyReader } from "./http/body-reader.ts";
import { routesOf } from "./http/routes.ts";
import { UnderWay } from "./http/under-way.ts";
import type { Log } from "./kernel/log.ts";
import { routeTable } from "./route-table.ts";

const BODY = { bytes: 1024 * 1024, timeoutMs: 30_000 };

/** The whole interface without a listener, for one caller whom no one asks for an access token. */
export function interfaceFor(
  ctx: ServerCall,
  log: Log,
): (request: ReceivedRequest) => Promise<Response> {
  return createApp(routesOf<ServerCall, keyof typeof features>(routeTable, features), {
    contextOf: (principal) => ({ ...ctx, principal }),
    findCaller: () => ctx.principal,
    originOf: (ids, { request }) =>
      new Origin(ids, undefined, request.headers, ctx.clientAddresses),
    notes: ctx.notes,
    bodies: new BodyReader(BODY),
    underWay: new UnderWay(),
    log: new AccessLog(log),
  }, { corsOrigins: [], methodOverride: false, https: false });
}
