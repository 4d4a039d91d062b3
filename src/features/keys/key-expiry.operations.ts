import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { endingPlans, endInstead, endWithPlans } from "./granted-end.transactions.ts";
import { changeExpiry } from "./key-life.transactions.ts";
import { sentEnd } from "./key.ts";
import { key } from "./keys.contract.ts";
import { callOf, changed } from "./keys.service.ts";
import { plansOf } from "./show-key.ts";
import { seenKey } from "./within-scope.service.ts";

const getKeyExpiryResponse = z.strictObject({
  expires_at: nullable(timestamp).meta({ description: "null: it does not end by itself." }),
  is_chosen: z.boolean().meta({
    description: "A person chose it, so it follows no plan.",
  }),
  after_rotation: nullable(timestamp).meta({
    description: "Of a fresh key that took its place now.",
  }),
  with_plans: nullable(timestamp).meta({
    description: "With `plans`, from now on; without `plans` as it is.",
  }),
}).meta({ id: "KeyExpiry" });

/** When the key ends, and when it would. */
export const getKeyExpiry = operation({
  id: "getKeyExpiry",
  method: "GET",
  path: "/v1/keys/{key_id}/expiry",
  tag: "Keys",
  withinScope: true,
  summary: "Read when a key expires, and when it would after a rotation or with other plans",
  description: "Before a decision that may move the end.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  query: z.object({
    plans: text.max(4096).optional().meta({
      description: "Ids of plans, with commas between them: those that it would be given.",
    }),
  }),
  response: getKeyExpiryResponse,
  errors: ["invalid_input", "not_found"],
  async serve(ctx, { params: { key_id }, query: { plans: sent } }) {
    const { storage: { reader }, principal: { org_id }, clock } = ctx;
    const row = await seenKey(ctx, key_id);
    const now = clock.now();
    const wanted = sent?.split(",").map((id) => id.trim()).filter((id) => id !== "");
    if (wanted && wanted.length > MOST_PLANS) {
      const message = `plans: expected at most ${MOST_PLANS}`;
      throw new Failure("invalid_input", { message, details: [message] });
    }
    const coverage = await coverageOfCaller(reader, ctx.principal);
    // Changing them is refused too: plans outside of a scope are not published.
    if (wanted && coverage && !coverage.holds(wanted)) throw new Failure("access_denied");
    const own = plansOf(row);
    const of = async (plans: readonly string[]) => ({
      org_id,
      developer_id: row.developer_id,
      plans: await endingPlans(reader, org_id, plans),
      now,
    });
    return {
      expires_at: row.expires_at,
      is_chosen: row.end_chosen_at !== null,
      after_rotation: await endInstead(reader, await of(own), row),
      with_plans: wanted
        ? endWithPlans(await of(wanted), { ...row, plans: own }, wanted)
        : row.expires_at,
    };
  },
});

/** When the key ends. */
export const setKeyExpiry = operation({
  id: "setKeyExpiry",
  method: "PUT",
  path: "/v1/keys/{key_id}/expiry",
  tag: "Keys",
  withinScope: true,
  summary: "Set when a key expires; null or absent: never",
  description: "The end lies in the future; to end a key at once, revoke it.",
  permission: ["approve"],
  // A member that is null reaches no schema: it counts as absent everywhere. So a misspelt one must
  // be refused here, or it would make the key live for ever.
  body: z.strictObject({ expires_at: timestamp.optional() }, {
    error: ({ code }) =>
      code === "unrecognized_keys" ? "expected expires_at and no other member" : undefined,
  }).meta({ id: "KeyExpiryInput" }),
  response: key,
  errors: [...bodyErrors, "not_found", "key_revoked", "key_rotated"],
  example: { expires_at: "2036-01-31T09:00:00Z" },
  async serve(ctx, { params: { key_id }, body: { expires_at: end } }) {
    const expires_at = sentEnd(end);
    if (expires_at !== null && expires_at <= toTimestamp(ctx.clock.now())) {
      const message = "expires_at: expected a time to come; revoke the key to end it now";
      throw new Failure("invalid_input", { message, details: [message] });
    }
    await ctx.storage.commit(changeExpiry, { ...callOf(ctx, key_id, null), expires_at });
    return await changed(ctx, key_id);
  },
});

const MOST_PLANS = 100;
