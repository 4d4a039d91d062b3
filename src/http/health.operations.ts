import { z } from "zod";
import { envelope, ok } from "../contract/envelope.ts";
import { Answer } from "../kernel/answer.ts";
import { version } from "../kernel/version.ts";
import { lastCommit } from "./health.contract.ts";
import { operation } from "./operation.ts";
import { checkReady, describeLastCommit, markOf } from "./readiness.ts";

const tag = "Operations";

/** The process is alive. */
export const healthz = operation({
  id: "healthz",
  method: "GET",
  path: "/healthz",
  tag,
  summary: "The process answers",
  description: "For a supervisor: a process that does not answer is to be started again.",
  permission: "public",
  response: envelope,
  errors: [],
  serve: () => Promise.resolve(ok("alive")),
});

/** The event loop turns: the same as /healthz, under the name that Kubernetes gives to it. */
export const livez = operation({
  ...healthz,
  id: "livez",
  path: "/livez",
  description:
    "For a liveness probe: 200 while the event loop turns. The store is not asked, so a process " +
    "whose database is away is not started again.",
  serve: () => Promise.resolve(ok("alive")),
});

/** The store answers too, and takes changes. */
export const readyz = operation({
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
      "The data to be sent to the node; absent: all.",
    ),
  }),
  response: envelope.extend({
    Writing: z.strictObject({ last_commit: lastCommit }),
    Store: z.string().optional().describe(
      "The id of the store, equal at each node: `keydesk doctor` recognises by it the server that answers. Absent while the store is unavailable.",
    ),
  }).meta({ id: "Readiness" }),
  errors: ["invalid_input"],
  async serve(ctx, { query }) {
    await checkReady(ctx, query.for ?? "everything");
    const Store = await markOf(ctx);
    return {
      ...ok("ready"),
      Writing: { last_commit: describeLastCommit(ctx) },
      ...Store === undefined ? {} : { Store },
    };
  },
});

/** Answers as /readyz does, in the words that monitors of the original know. */
export const hello = operation({
  id: "hello",
  method: "GET",
  path: "/hello",
  tag,
  summary: "The store answers, in the form of Tyk Gateway; 503 with `fail` when it does not",
  description: "For clients of the older interface.",
  permission: "public",
  response: z.strictObject({
    status: z.enum(["pass", "fail"]),
    version: z.string().meta({ description: "The major version alone." }),
    description: z.literal("Keydesk"),
  }).meta({ id: "Hello" }),
  errors: [],
  async serve(ctx) {
    const isReady = await checkReady(ctx, "everything").then(() => true, () => false);
    const [major = ""] = version.split(".");
    const body = { version: major, description: "Keydesk" } as const;
    return isReady
      ? new Answer({ status: "pass" as const, ...body })
      : new Answer({ status: "fail" as const, ...body }, {}, 503);
  },
});
