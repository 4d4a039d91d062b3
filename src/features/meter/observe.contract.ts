import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { exampleApi, exampleKey } from "../../contract/example-ids.ts";
import { refusals } from "../../contract/refusals.ts";
import { nullable } from "../../contract/v1.ts";
import { text } from "../../contract/values.ts";
import { question } from "../verification/verification.contract.ts";

/** What would be decided, and whether that counts. */
export const observed = z.strictObject({
  decide: z.boolean().describe(
    "True: every plan of the key is switched to be decided here, so a refusal has to be heeded. False: the gateway decides.",
  ),
  valid: z.boolean(),
  reason: nullable(z.enum(refusals)).describe("Null: it opens."),
  retry_after: nullable(z.int()).describe("Seconds, where they are known."),
  receipt: text.describe(
    "To be given back where the gateway let the call in, within ten minutes. Empty: there is nothing to compare.",
  ),
}).meta({ id: "ObservedVerdict" });

/** What an old gateway asks about a call that it decides by itself. */
export const observeKey = defineEndpoint({
  id: "observeKey",
  method: "POST",
  path: "/v1/keys/observe",
  tag: "Verification",
  summary: "What would be decided about this credential, where an old gateway still decides?",
  description:
    "For gateways that one moves away from. Decided as by `POST /v1/keys/verify`: a call that would open counts for the rate, the quota and the last use. It is counted as observed, and not as a use. Once every plan of a key is switched, the call counts as one of verify.",
  permission: ["verify"],
  waitsBriefly: true,
  headers: {
    "x-keydesk-door": {
      description: "The name of the gateway, which is counted by it; no verdict goes by it.",
    },
  },
  body: question,
  response: observed,
  errors: [],
  example: { key: exampleKey, api_id: exampleApi },
});

/** It let the call in. */
export const reportOpened = defineEndpoint({
  id: "reportOpened",
  method: "POST",
  path: "/v1/keys/observe/opened",
  tag: "Verification",
  summary: "Say that the gateway let an observed call in",
  description:
    "What was let in there and would have been refused here is a difference, which the meter names.",
  permission: ["verify"],
  waitsBriefly: true,
  body: z.strictObject({ receipt: z.string().min(1).max(8192) }).meta({ id: "OpenedCall" }),
  response: z.strictObject({
    counted: z.boolean().describe("False: the receipt is none of this desk, or too old."),
  }).meta({ id: "OpenedCallCounted" }),
  errors: [],
  example: { receipt: "1.bm8gcmVjZWlwdA==" },
});
