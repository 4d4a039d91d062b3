import type { z } from "zod";
import { actorOf, type Idempotency, idempotentCall } from "../../../calls/principal.ts";
import type { StateChange } from "../../keys/key.ts";
import { changeByOwner, mintOf, rotate as rotateKey } from "../../keys/keys.service.ts";
import { keepByOwner } from "../../hygiene/unused/keep.transactions.ts";
import type { mySecret } from "./keys.contract.ts";
import { type MyKey, own, serialize } from "./keys.service.ts";
import { openWaitingKey } from "./my.transactions.ts";
import { type MyContext, ownerOf } from "./own.ts";

type Secret = z.output<typeof mySecret>;

/** Hands the caller a key of theirs that waits; see openWaitingKey. */
export async function open(ctx: MyContext, key_id: string, call: Idempotency): Promise<Secret> {
  await own(ctx, key_id);
  const { developer_id } = ownerOf(ctx);
  const isFreshOwn = ctx.principal.developer?.isFreshOwn === true;
  const input = { ...mintOf(ctx, "answer", call), key_id, developer_id, isFreshOwn };
  const { handed: _, policy_id: __, ...view } = await ctx.storage.commit(openWaitingKey, input);
  return view;
}

/** Replaces a key of the caller's; see rotateKey. */
export async function rotate(
  ctx: MyContext,
  key_id: string,
  overlap_seconds: number,
  call: Idempotency,
): Promise<Secret> {
  await own(ctx, key_id);
  const { developer_id } = ownerOf(ctx);
  const { one_time_link: _, policy_id: __, ...view } = await rotateKey(
    ctx,
    key_id,
    { overlap_seconds, deliver: "answer" },
    call,
    developer_id,
  );
  return view;
}

/** Suspends, resumes or ends a key of the caller's, and gives it as it is then. */
export async function change(
  ctx: MyContext,
  key_id: string,
  what: StateChange,
  call: Idempotency,
): Promise<MyKey> {
  await own(ctx, key_id);
  await changeByOwner(ctx, ownerOf(ctx).developer_id, key_id, what, call);
  return await serialize(ctx, await own(ctx, key_id));
}

/** Says that a key of the caller's is needed, and gives it as it is then; see keepByOwner. */
export async function keep(ctx: MyContext, key_id: string, call: Idempotency): Promise<MyKey> {
  await own(ctx, key_id);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { developer_id: owner } = ownerOf(ctx);
  const idempotency = idempotentCall(ctx.principal, actor.now, call);
  await ctx.storage.commit(keepByOwner, { actor, key_id, owner, idempotency });
  return await serialize(ctx, await own(ctx, key_id));
}
