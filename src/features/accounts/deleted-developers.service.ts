import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import type { Page } from "../../contract/paging.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { byId, walk } from "../../kernel/walk.ts";
import { endingOf, undoUntil } from "../keys/ending.ts";
import { withBrake } from "../keys/revoke-brake.service.ts";
import { type DeletedRow, openDeleted } from "./deleted-developer.ts";
import { deletionsBelow } from "./deleted-developers.store.ts";
import type { deletedDeveloper } from "./deleted-developers.contract.ts";
import { type Removal, removeAccount } from "./remove-account.transactions.ts";
import { restoreAccount } from "./restore-account.transactions.ts";

type Deleted = z.output<typeof deletedDeveloper>;

/** Deletes a developer, so that they can be brought back for a while; see removeAccount. */
export async function removeDeveloper(
  ctx: RequestContext,
  wanted: Pick<Removal, "id" | "keys" | "ifMatch" | "mayEnd">,
): Promise<{ revoked: number; requests: number; undo_until: string }> {
  const { principal, settings, storage } = ctx;
  const actor = actorOf(principal, ctx.clock.now());
  const { at_most } = endingOf(principal, settings, actor.now);
  const undo_until = undoUntil(actor.now);
  const input = { ...wanted, actor, deletion: newId(actor.now), undo_until, at_most };
  const removed = await withBrake(
    storage,
    { actor, at_most },
    () => storage.commit(removeAccount, input),
  );
  return { ...removed, undo_until };
}

/** Brings back a developer who was deleted; see restoreAccount. */
export async function restoreDeveloper(
  ctx: RequestContext,
  id: string,
  deletion: string | undefined,
  idempotency: Idempotency,
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const call = idempotentCall(ctx.principal, actor.now, idempotency);
  const input = { actor, id, deletion: deletion ?? null, idempotency: call };
  await ctx.storage.commit(restoreAccount, input);
}

/**
 * Developers who can be brought back, the latest deletion first. Throws `invalid_input` for a
 * cursor of another list.
 */
export async function listDeleted(
  { storage: { reader }, sealer, clock, principal: { org_id } }: RequestContext,
  page: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<Deleted>> {
  const now = toTimestamp(clock.now());
  const { rows, next_cursor } = await walk<DeletedRow>({
    ...byId<DeletedRow>("deleted", (below, limit) => deletionsBelow(reader, org_id, below, limit)),
    wanted: ({ kept, expires_at }) => kept !== null && expires_at > now,
  }, page);
  const data = rows.flatMap((row) => {
    const opened = openDeleted(sealer, org_id, row, now);
    return opened ? [show(row, opened.developer)] : [];
  });
  return { data, next_cursor };
}

function show(row: DeletedRow, { email, fields }: Pick<Deleted, "email" | "fields">): Deleted {
  const { developer_id, deleted_at, deleted_by, keys, expires_at } = row;
  return {
    deletion: row.id,
    id: developer_id,
    email,
    fields,
    deleted_at,
    deleted_by,
    keys,
    until: expires_at,
  };
}
