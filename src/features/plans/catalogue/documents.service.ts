import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../../calls/principal.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import type { documentInput } from "./documents.contract.ts";
import { findDocument, type PortalDocument } from "./documents.store.ts";
import { addDocument, changeDocument, deleteDocument } from "./documents.transactions.ts";

type DocumentInput = z.output<typeof documentInput>;

/** One document. Throws `not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<PortalDocument> {
  const found = await findDocument(ctx.storage.reader, { org_id: ctx.principal.org_id, id });
  if (!found) throw new Failure("not_found");
  return found;
}

/** Adds a document and gives its id. */
export async function create(
  ctx: RequestContext,
  input: DocumentInput,
  idempotency: Idempotency,
): Promise<string> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await ctx.storage.commit(addDocument, {
    actor,
    document: { id: newId(actor.now), ...input },
    idempotency: idempotentCall(ctx.principal, actor.now, idempotency),
  });
}

/** Replaces a document. Throws `not_found`. */
export async function update(ctx: RequestContext, id: string, input: DocumentInput): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(changeDocument, { actor, document: { id, ...input } });
}

/** Deletes a document. Throws `not_found_for_deletion`. */
export async function remove(ctx: RequestContext, id: string): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(deleteDocument, { actor, id });
}
