import type { z } from "zod";
import { actorOf } from "../../../calls/principal.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newAttempt } from "../../keys/key-kinds.ts";
import { stateOf } from "../../keys/key.ts";
import { plansOf } from "../../keys/show-key.ts";
import type { myApi } from "./apis.contract.ts";
import { offeredPlan } from "./offer.ts";
import { type MyContext, ownerOf, theirsOf } from "./own.ts";
import { newestLiveKeys } from "./own-standing.store.ts";
import { isPageKey, pageKeyName } from "../../keys/page-key.ts";
import { makePageKey, type PageKey } from "./page-key.transactions.ts";

type Api = z.output<typeof myApi>;

/** The key that a key for an API's page is made out of, and the plan. */
interface Basis {
  readonly key_id: string;
  readonly plan: { readonly id: string; readonly name: string };
}

/**
 * The key and the plan that a key for an API's page is made out of: of the plans that the caller
 * has a plain key for, that with the lowest rate. Undefined: there is none.
 */
export async function basisOf(ctx: MyContext, api: Api): Promise<Basis | undefined> {
  const theirs = await theirsOf(ctx);
  const now = toTimestamp(ctx.clock.now());
  const keys = (await newestLiveKeys(ctx.storage.reader, ownerOf(ctx))).filter((key) =>
    key.kind === "token" && key.state === "active" && key.replaced_by === null &&
    stateOf(key, now) === "active" && theirs.isKey(key.key_id) && !isPageKey(key)
  );
  const slowest = api.plans.filter(({ way }) => way !== "without_key")
    .toSorted((a, b) => pace(a) - pace(b));
  for (const { id, name } of slowest) {
    const { ids } = await offeredPlan(ctx, id);
    const key = keys.find((one) => plansOf(one).some((plan) => ids.includes(plan)));
    const plan = key && plansOf(key).find((one) => ids.includes(one));
    if (key && plan !== undefined) return { key_id: key.key_id, plan: { id: plan, name } };
  }
}

/** Makes a key for an API's page; see makePageKey. Throws `not_found` without a basis. */
export async function keyForPage(ctx: MyContext, api: Api): Promise<PageKey> {
  const basis = await basisOf(ctx, api);
  if (!basis) throw new Failure("not_found");
  return await ctx.storage.commit(makePageKey, {
    actor: actorOf(ctx.principal, ctx.clock.now()),
    attempt: newAttempt(ctx.settings.keyFormat),
    developer_id: ownerOf(ctx).developer_id,
    key_id: basis.key_id,
    plan: basis.plan.id,
    name: pageKeyName(api.name),
  });
}

/** Calls a second; of a plan without a limit the most. */
function pace({ rate, per }: Api["plans"][number]): number {
  return rate > 0 && per > 0 ? rate / per : Infinity;
}
