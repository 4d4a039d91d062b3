import type { z } from "zod";
import type { ReceivedHeaders } from "../../calls/received.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import { findStateChange } from "../keys/credential-life.store.ts";
import type { Observation } from "../verification/knock.ts";
import { askedIn } from "../verification/verification.service.ts";
import type { question } from "../verification/verification.contract.ts";
import type { VerificationContext } from "../verification/verifier.ts";
import { callOf, type ObservedCall, receiptOf } from "./observed-call.ts";
import type { observed } from "./observe.contract.ts";
import type { WithObserved } from "./observed-calls.ts";

/** The context of what observes. */
export type ObservingContext = VerificationContext & WithObserved;

/** A gateway hears of a key within seconds, or within its cache's time. */
const HEARD_MS = 60_000;

/** What a call asks for is kept as far as something can have such a name. */
const LONGEST_NAME = 255;

/**
 * What would be decided about a call that an old gateway decides. It is counted as observed, unless
 * every plan of its key is switched: then it is decided. Throws `unavailable`.
 */
export async function observe(
  ctx: ObservingContext,
  body: z.output<typeof question>,
  deadline?: Deadline,
  headers?: ReceivedHeaders,
): Promise<z.output<typeof observed>> {
  const { presented, api_id, knock } = askedIn(body, headers);
  const { org_id } = ctx.principal;
  const observation: Observation = { of: undefined };
  const verdict = await ctx.verifier.check(org_id, presented, api_id, deadline, {
    ...knock,
    observation,
  });
  const { of } = observation;
  const decide = of?.decide ?? false;
  const told = verdict.valid ? { decide, valid: true, reason: null, retry_after: null } : {
    decide,
    valid: false,
    reason: verdict.reason,
    retry_after: verdict.retryAfterSeconds ?? null,
  };
  if (decide) return { ...told, receipt: "" };
  const call: ObservedCall = {
    key_id: of?.key_id ?? "",
    developer_id: of?.developer_id ?? "",
    plan_id: of?.plan_id ?? "",
    api_id: nameIn(api_id),
    door: nameIn(knock.door),
    verdict: verdict.valid ? "valid" : verdict.reason,
    at: ctx.clock.now(),
  };
  ctx.observed.asked(org_id, call);
  const isCompared = !await isUnheard(ctx, call);
  return { ...told, receipt: isCompared ? receiptOf(ctx, call) : "" };
}

/** Whether a key was ended or suspended so lately that the gateway may not have heard of it. */
async function isUnheard(
  { storage: { reader }, principal: { org_id } }: ObservingContext,
  { key_id, verdict, at }: ObservedCall,
): Promise<boolean> {
  if (verdict !== "revoked" && verdict !== "suspended") return false;
  // A store that is away says nothing, and holds no verdict up.
  const changed = await findStateChange(reader, { org_id, key_id }).catch(() => null);
  return typeof changed === "string" && at - Date.parse(changed) < HEARD_MS;
}

/** Counts that the gateway let such a call in; whether it was one of this desk. */
export function opened(ctx: ObservingContext, receipt: string): { counted: boolean } {
  const call = callOf(ctx, receipt, ctx.clock.now());
  if (call) ctx.observed.opened(ctx.principal.org_id, call);
  return { counted: call !== undefined };
}

// A text that no column takes names nothing.
function nameIn(text = ""): string {
  // deno-lint-ignore no-control-regex -- these are what is left out
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "").toWellFormed().slice(0, LONGEST_NAME);
}
