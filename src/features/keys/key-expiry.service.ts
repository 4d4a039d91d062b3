import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { endingPlans, endInstead, endWithPlans } from "./granted-end.transactions.ts";
import type { getKeyExpiry } from "./key-expiry.contract.ts";
import { plansOf } from "./show-key.ts";
import { seenKey } from "./within-scope.service.ts";

const MOST_PLANS = 100;

/**
 * When a key ends, and when it would after a rotation or with other plans. Throws `not_found` and
 * `invalid_input` for more than 100 plans, and `access_denied` for plans outside of the caller's
 * scope.
 */
export async function keyExpiry(
  ctx: RequestContext,
  key_id: string,
  sent: string | undefined,
): Promise<z.output<typeof getKeyExpiry.response>> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const row = await seenKey(ctx, key_id);
  const now = clock.now();
  const wanted = sent?.split(",").map((id) => id.trim()).filter((id) => id !== "");
  if (wanted && wanted.length > MOST_PLANS) {
    const message = `plans: expected at most ${MOST_PLANS}`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
  const coverage = await coverageOfCaller(reader, ctx.principal);
  // As changing them is refused: of plans outside of a scope nothing is told.
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
}
