import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { type Page, pageOf } from "../../contract/paging.ts";
import { entityTag, nextPageLink, pageQuery } from "../../contract/v1.ts";
import { freeForm, id, text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { byId, walk } from "../../kernel/walk.ts";
import { type DeletedRow, openDeleted } from "./deleted-developer.ts";
import { deletionsBelow } from "./deleted-developers.store.ts";
import { restoreAccount } from "./restore-account.transactions.ts";
import { developerDetail } from "./v1.contract.ts";
import * as service from "./v1.service.ts";

const tag = "Developers";

/** A developer who was deleted and can be brought back. */
const deletedDeveloper = z.strictObject({
  deletion: text.meta({ description: "Which deletion: an id may be deleted, taken and deleted." }),
  id: text,
  email: text,
  fields: freeForm,
  deleted_at: timestamp,
  deleted_by: text.meta({ description: "The person whose access token deleted them." }),
  keys: z.int().meta({ description: "Keys that were shut with them, and come back too." }),
  until: timestamp.meta({
    description: "Then they are forgotten, and their keys revoked for good.",
  }),
}).meta({ id: "DeletedDeveloper" });

/** Developers who can be brought back. */
export const listDeletedDevelopers = operation({
  id: "listDeletedDevelopers",
  method: "GET",
  path: "/v1/developers/deleted",
  tag,
  summary: "List deleted developers who can be brought back, the latest first",
  description: "For 7 days from their deletion.",
  permission: ["approve", "admin:read"],
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(deletedDeveloper).meta({ id: "DeletedDeveloperList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await listDeleted(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** The developer, maps and keys. */
export const restoreDeveloper = operation({
  id: "restoreDeveloper",
  method: "POST",
  path: "/v1/developers/{id}/restore",
  tag,
  summary: "Bring back a deleted developer with their keys, for 7 days",
  description:
    "With password, maps and the keys that were revoked with them; their undecided requests and their counted calls are gone. `deletion` says which one if developers of this id were deleted several times. 409 if another developer has the id, the e-mail address or the sso_key now.",
  permission: ["approve"],
  body: z.object({ deletion: id.optional() }).meta({ id: "RestoreDeveloperInput" }),
  idempotent: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "several_deletions", "developer_taken"],
  example: {},
  async serve(ctx, { params, body, idempotency }) {
    await restoreDeveloperNow(ctx, params.id, body.deletion, idempotency);
    return await service.getV1(ctx, params.id);
  },
});

type Deleted = z.output<typeof deletedDeveloper>;

/** Brings back a developer who was deleted; see restoreAccount. */
async function restoreDeveloperNow(
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
async function listDeleted(
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
    return opened ? [serialize(row, opened.developer)] : [];
  });
  return { data, next_cursor };
}

function serialize(row: DeletedRow, { email, fields }: Pick<Deleted, "email" | "fields">): Deleted {
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
