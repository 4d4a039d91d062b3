import type { z } from "zod";
import { actorOf } from "../../../calls/principal.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { plansAtTyk } from "../../../changes/provisioned.store.ts";
import { newAttempt } from "../../keys/key-kinds.ts";
import { issueTokenTo } from "../../keys/oauth-token.service.ts";
import { stateOf } from "../../keys/key.ts";
import { plansOf } from "../../keys/show-key.ts";
import type { myApi } from "./apis.contract.ts";
import { offeredPlan } from "./offer.ts";
import { type MyContext, ownerOf, theirsOf } from "./own.ts";
import { newestLiveKeys } from "./own-standing.store.ts";
import { isPageKey, pageKeyName } from "../../keys/page-key.ts";
import { makePageKey } from "./page-key.transactions.ts";

type Api = z.output<typeof myApi>;

/** The key that a key for an API's page is made out of, and the plan. */
export interface Basis {
  /** `gateway_token`: tokens of this OAuth client come from a gateway, which no page can ask. */
  readonly state: "usable" | "suspended" | "gateway_token";
  readonly key_id: string;
  readonly plan: { readonly id: string; readonly name: string };
}

/** The value of a header that a page sends. */
export interface PageKey {
  /** Of a plain key: it stands in the organisation's header. */
  readonly isPlain: boolean;
  readonly value: string;
  readonly expires_at: string;
}

/**
 * The key and the plan that a key for an API's page is made out of: of the plans that the caller
 * has a usable key for, that with the lowest rate. Without one, a key that can't be used and why;
 * undefined: there is none.
 */
export async function basisOf(ctx: MyContext, api: Api): Promise<Basis | undefined> {
  const theirs = await theirsOf(ctx);
  const now = toTimestamp(ctx.clock.now());
  const keys = (await newestLiveKeys(ctx.storage.reader, ownerOf(ctx))).filter((key) =>
    key.replaced_by === null && stateOf(key, now) !== "expired" && theirs.isKey(key.key_id) &&
    !isPageKey(key)
  );
  const slowest = api.plans.filter(({ way }) => way !== "without_key")
    .toSorted((a, b) => pace(a) - pace(b));
  let unusable: Basis | undefined;
  for (const { id, name } of slowest) {
    const { ids } = await offeredPlan(ctx, id);
    // Active keys come first.
    const key = keys.find((one) => plansOf(one).some((plan) => ids.includes(plan)));
    const plan = key && plansOf(key).find((one) => ids.includes(one));
    if (!key || plan === undefined) continue;
    const state = key.state === "suspended"
      ? "suspended"
      : key.kind === "oauth" && await isAtTyk(ctx, ids)
      ? "gateway_token"
      : "usable";
    const basis: Basis = { state, key_id: key.key_id, plan: { id: plan, name } };
    if (state === "usable") return basis;
    unusable ??= basis;
  }
  return unusable;
}

/** Makes a key for an API's page; see makePageKey. Throws `not_found` without a usable basis. */
export async function keyForPage(ctx: MyContext, api: Api): Promise<PageKey> {
  const basis = await basisOf(ctx, api);
  if (basis?.state !== "usable") throw new Failure("not_found");
  const { org_id, developer_id } = ownerOf(ctx);
  const { kind, key_id, RawKey, Password, expires_at } = await ctx.storage.commit(makePageKey, {
    actor: actorOf(ctx.principal, ctx.clock.now()),
    attempt: newAttempt(ctx.settings.keyFormat),
    developer_id,
    key_id: basis.key_id,
    plan: basis.plan.id,
    name: pageKeyName(api.name),
  });
  switch (kind) {
    case "token":
      return { isPlain: true, value: RawKey, expires_at };
    case "basic":
      // A name and a password of ours are letters and digits.
      return { isPlain: false, value: `Basic ${btoa(`${RawKey}:${Password}`)}`, expires_at };
    case "oauth": {
      const client = { org_id, key_id, client_id: RawKey };
      const { access_token, ends } = await issueTokenTo(ctx, client);
      return { isPlain: false, value: `Bearer ${access_token}`, expires_at: toTimestamp(ends) };
    }
  }
}

/** Whether a Tyk Gateway gives the OAuth clients of a plan their tokens. */
async function isAtTyk(ctx: MyContext, plan: readonly string[]): Promise<boolean> {
  const each = await plansAtTyk(ctx.storage.reader, { org_id: ownerOf(ctx).org_id });
  return each.some(({ plans }) => {
    // as: insertGateway is given exactly this.
    const named = plans === null ? plan : JSON.parse(plans) as string[];
    return plan.some((id) => named.includes(id));
  });
}

/** Calls a second; of a plan without a limit the most. */
function pace({ rate, per }: Api["plans"][number]): number {
  return rate > 0 && per > 0 ? rate / per : Infinity;
}
