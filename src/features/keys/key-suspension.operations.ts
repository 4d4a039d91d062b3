import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { LONGEST_MINUTES } from "../../contract/key-suspension.ts";
import { operation } from "../../http/operation.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { key, reason, stateBody } from "./keys.contract.ts";
import { callOf, change, changed, changeKey } from "./keys.service.ts";
import { MINUTE_MS } from "./timed-suspension.ts";

/** The key opens nothing until it is resumed. */
export const suspendKey = operation({
  id: "suspendKey",
  method: "POST",
  path: "/v1/keys/{key_id}/suspend",
  tag: "Keys",
  withinScope: true,
  summary: "Suspend a key: it is invalid until it is resumed",
  description:
    "Verification refuses it within a second. With `minutes` it is resumed automatically, within a minute after them: denied calls meanwhile show that it is still needed.",
  permission: ["approve"],
  withinTemporaryAccess: true,
  body: z.object({
    reason,
    minutes: z.int().min(1).max(LONGEST_MINUTES).optional().meta({
      description: "For how long, up to a day; absent: until a person resumes it.",
    }),
  }).meta({ id: "KeySuspensionInput" }),
  idempotent: true,
  response: key,
  errors: [...bodyErrors, "not_found", "key_revoked", "key_suspended"],
  example: { reason: "Unusual traffic, asked the developer" },
  async serve(ctx, { params: { key_id }, body: { reason, minutes }, idempotency }) {
    if (minutes === undefined) return await change(ctx, key_id, "suspend", reason, idempotency);
    const call = callOf(ctx, key_id, idempotency);
    // By the clock of those who resume it.
    const resume_at = toTimestamp(await ctx.storeClock.now() + minutes * MINUTE_MS);
    await changeKey(ctx, { ...call, change: "suspend", reason, resume_at });
    return await changed(ctx, key_id);
  },
});

/** A suspended key opens again. */
export const resumeKey = operation({
  id: "resumeKey",
  method: "POST",
  path: "/v1/keys/{key_id}/resume",
  tag: "Keys",
  withinScope: true,
  summary: "Resume a suspended key",
  description: "Verification lets it pass again within a second. A revoked key can't be resumed.",
  permission: ["approve"],
  withinTemporaryAccess: true,
  body: stateBody,
  idempotent: true,
  response: key,
  errors: [...bodyErrors, "not_found", "key_revoked", "key_not_suspended"],
  example: { reason: "The developer answered" },
  serve(ctx, call) {
    const { params, body } = call;
    return change(ctx, params.key_id, "resume", body.reason, call.idempotency);
  },
});
