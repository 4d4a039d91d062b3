import { z } from "zod";
import { exampleApi, exampleKey } from "../../../contract/example-ids.ts";
import { denialReasons } from "../../../contract/denied-calls.ts";
import { nullable } from "../../../contract/v1.ts";
import { text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { findStateChange } from "../../keys/key-life.store.ts";
import type { ShadowCheck } from "../../verification/call-origin.ts";
import { question } from "../../verification/verification.contract.ts";
import { askedIn } from "../../verification/verification.service.ts";
import type { VerificationContext } from "../../verification/verifier.ts";
import { callOf, receiptOf, type ShadowCall } from "./shadow-call.ts";
import type { WithShadowCalls } from "./shadow-calls.ts";

/** The result for an observed call, and whether it counts. */
const shadowResult = z.strictObject({
  decide: z.boolean().describe(
    "True: every plan of the key is switched to be decided in Keydesk, so its denial must be followed. False: the gateway decides.",
  ),
  valid: z.boolean(),
  reason: nullable(z.enum(denialReasons)).describe("Null: it is allowed."),
  retry_after: nullable(z.int()).describe("Seconds, where they are known."),
  receipt: text.describe(
    "To be sent back if the gateway allowed the call, within ten minutes. Empty: there is nothing to compare.",
  ),
}).meta({ id: "ShadowResult" });

/** The question of an old gateway about a call that it decides by itself. */
export const verifyKeyInShadow = operation({
  id: "verifyKeyInShadow",
  method: "POST",
  path: "/v1/keys/shadow",
  tag: "Verification",
  summary: "Read what Keydesk would decide about a key, while the old gateway still decides",
  description:
    "For gateways that are being replaced. Decided as by `POST /v1/keys/verify`: a call that would be allowed counts for the rate, the quota and the last use. It is counted as in shadow mode, and not as a use. Once every plan of a key is switched, the call counts as one of verify.",
  permission: ["verify"],
  waitsBriefly: true,
  headers: {
    "x-keydesk-gateway": {
      description: "The name of the gateway, for the counts; it does not affect the decision.",
    },
  },
  body: question,
  response: shadowResult,
  errors: [],
  example: { key: exampleKey, api_id: exampleApi },
  async serve(ctx: ShadowContext, { body, deadline, headers }) {
    const { presented, api_id, origin } = askedIn(body, headers);
    const { org_id } = ctx.principal;
    const shadow: ShadowCheck = { of: undefined };
    const result = await ctx.verifier.check(org_id, presented, api_id, deadline, {
      ...origin,
      shadow,
    });
    const { of } = shadow;
    const decide = of?.decide ?? false;
    const answer = result.valid ? { decide, valid: true, reason: null, retry_after: null } : {
      decide,
      valid: false,
      reason: result.reason,
      retry_after: result.retryAfterSeconds ?? null,
    };
    if (decide) return { ...answer, receipt: "" };
    const call: ShadowCall = {
      key_id: of?.key_id ?? "",
      developer_id: of?.developer_id ?? "",
      plan_id: of?.plan_id ?? "",
      api_id: nameIn(api_id),
      door: nameIn(origin.gateway),
      verdict: result.valid ? "valid" : result.reason,
      at: ctx.clock.now(),
    };
    ctx.shadowCalls.asked(org_id, call);
    const isCompared = !await isUnheard(ctx, call);
    return { ...answer, receipt: isCompared ? receiptOf(ctx, call) : "" };
  },
});

/** Reports an allowed call. */
export const reportAllowedCall = operation({
  id: "reportAllowedCall",
  method: "POST",
  path: "/v1/keys/shadow/allowed",
  tag: "Verification",
  summary: "Report that the gateway allowed a call of shadow mode",
  description:
    "A call that the gateway allowed and Keydesk would have denied is a difference in the migration report.",
  permission: ["verify"],
  waitsBriefly: true,
  body: z.strictObject({ receipt: z.string().min(1).max(8192) }).meta({ id: "AllowedCall" }),
  response: z.strictObject({
    counted: z.boolean().describe("False: the receipt is not of this server, or too old."),
  }).meta({ id: "AllowedCallCounted" }),
  errors: [],
  example: { receipt: "1.bm8gcmVjZWlwdA==" },
  serve(ctx: ShadowContext, { body: { receipt } }) {
    const call = callOf(ctx, receipt, ctx.clock.now());
    if (call) ctx.shadowCalls.opened(ctx.principal.org_id, call);
    return { counted: call !== undefined };
  },
});

/** The context of what observes. */
type ShadowContext = VerificationContext & WithShadowCalls;

/** A gateway hears of a key within seconds, or within its cache's time. */
const HEARD_MS = 60_000;

/** The API and path of a call are kept if they are not longer than any real name. */
const LONGEST_NAME = 255;

/** Whether a key was ended or suspended so lately that the gateway may not have heard of it. */
async function isUnheard(
  { storage: { reader }, principal: { org_id } }: ShadowContext,
  { key_id, verdict: result, at }: ShadowCall,
): Promise<boolean> {
  if (result !== "revoked" && result !== "suspended") return false;
  // A store that is away says nothing, and holds no verdict up.
  const changed = await findStateChange(reader, { org_id, key_id }).catch(() => null);
  return typeof changed === "string" && at - Date.parse(changed) < HEARD_MS;
}

// A text that no column takes names nothing.
function nameIn(text = ""): string {
  // deno-lint-ignore no-control-regex -- these are what is left out
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "").toWellFormed().slice(0, LONGEST_NAME);
}
