import { z } from "zod";
import { defineEndpoint } from "../contract/endpoint.ts";
import { envelope } from "../contract/envelope.ts";

const tag = "Operations";

/** The process is alive. */
export const healthz = defineEndpoint({
  id: "healthz",
  method: "GET",
  path: "/healthz",
  tag,
  summary: "The process answers",
  description: "For a supervisor: a process that does not answer is to be started again.",
  permission: "public",
  response: envelope,
  errors: [],
});

/** The event loop turns: the same as /healthz, under the name that Kubernetes gives to it. */
export const livez = defineEndpoint({
  ...healthz,
  id: "livez",
  path: "/livez",
  description:
    "For a liveness probe: 200 while the event loop turns. The store is not asked, so a process " +
    "whose database is away is not started again.",
});

/** What became of the last change. */
export const lastCommit = z.strictObject({
  outcome: z.enum(["kept", "failed"]),
  reason: z.string().nullable().describe("The engine's code where it failed: `SQLITE_FULL`."),
  age_seconds: z.int(),
}).nullable().describe("Null: nothing was written since the start.");

/** What became of the last change, and what the store's log says. */
export const writing = z.strictObject({
  last_commit: lastCommit,
  log_bytes: z.int().nullable().describe(
    "What SQLite's write-ahead log takes on the disk; null on PostgreSQL.",
  ),
  checkpoint_age_seconds: z.int().nullable().describe(
    "Since SQLite last took over changes from its log into the database; null on PostgreSQL.",
  ),
}).meta({ id: "Writing" });

/** The store answers too, and takes changes. */
export const readyz = defineEndpoint({
  id: "readyz",
  method: "GET",
  path: "/readyz",
  tag,
  summary: "The store answers and takes changes; 503 when it does not",
  description:
    "For a load balancer: calls are sent to a node that answers 200. `for=verify` is for " +
    "gateways' calls alone: it stays 200 while verification and reads answer, though changes fail. " +
    "A 503 says in `Errors` what is wrong and since when.",
  permission: "public",
  query: z.object({
    for: z.enum(["verify"]).optional().describe(
      "What is to be sent to the node; absent: everything.",
    ),
  }),
  response: envelope.extend({
    Writing: z.strictObject({ last_commit: lastCommit }),
    Store: z.string().optional().describe(
      "Stands for the store, the same at each node: `keydesk doctor` tells by it whose desk answers. " +
        "Absent while the store is away.",
    ),
  }).meta({ id: "Readiness" }),
  errors: ["invalid_input"],
});
