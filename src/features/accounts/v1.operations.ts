import { z } from "zod";
import { changeBy } from "../../calls/change-by.ts";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import { recordExport } from "../../calls/record-export.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { detailOf } from "../../contract/filters.ts";
import { tags } from "../../contract/labels.ts";
import { developerFilters } from "../../contract/list-filters.ts";
import { pageOf } from "../../contract/paging.ts";
import { attachment, entityTag, ifMatch, nextPageLink } from "../../contract/v1.ts";
import { bom, freeForm, id, text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { carriedBy, ifMatchOf, withNextPage } from "../../http/routes.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { type Columns, csvFile, marked } from "../../kernel/csv.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { countsOf, type ListedDeveloper } from "../developers/developer-list.store.ts";
import { requireNameable } from "../developers/developer-names.ts";
import { tagsInUse } from "../developers/developer-tags.store.ts";
import { newEmailLinks } from "../developers/email-proof.ts";
import { endingOf } from "../keys/ending.ts";
import { withRevokeLimit } from "../keys/revoke-limit.service.ts";
import { newAccount } from "./account.ts";
import {
  deactivateAccount,
  type KeysOfActive,
  reactivateAccount,
} from "./deactivate.transactions.ts";
import { findDeveloperRows, getV1, handingOf, removeDeveloper, serialize } from "./v1.service.ts";
import { createAccount } from "./developer-accounts.transactions.ts";
import type { KeysOfInactive } from "./keys-with-developer.transactions.ts";
import { changeTags } from "./tag-developer.transactions.ts";
import { developerDetail, handOverMembers, listQuery, v1Developer } from "./v1.contract.ts";
import { editAccount } from "./v1.transactions.ts";
import type { ListedWithin } from "./within-scope.service.ts";

const tag = "Developers";

/** A page of developers. */
export const v1DeveloperList = z.strictObject({
  ...pageOf(v1Developer).shape,
  incomplete: z.literal(true).optional().meta({
    description: "There only where a search may lack what was registered or changed just now.",
  }),
}).meta({ id: "DeveloperList" });

/** The filters of an export. */
const exportQuery = listQuery.omit({ limit: true, cursor: true }).extend({ bom });

const email = z.string().max(320);

/** Developers by cursor. */
export const listDevelopers = operation({
  id: "listDevelopers",
  method: "GET",
  path: "/v1/developers",
  tag,
  summary: "List and search developers with the number of their requests and keys",
  description: "By cursor, newest first, with a search by the beginnings of words.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  query: listQuery,
  answerHeaders: nextPageLink,
  response: v1DeveloperList,
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await listV1(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** All developers that match, as a file. */
export const exportDevelopers = operation({
  id: "exportDevelopers",
  isExport: true,
  method: "GET",
  path: "/v1/developers/export",
  tag,
  summary: "Export all developers that match as CSV; none of their secrets",
  description: "Streamed, with the filters of the list. The export is logged first.",
  permission: ["portal:read"],
  withinScope: true,
  query: exportQuery,
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["text/csv"] },
  errors: ["invalid_input"],
  serve: async (ctx, { query: { bom, ...query } }) =>
    marked(await exportDevelopersNow(ctx, query), bom),
});

/** One developer. */
export const getDeveloper = operation({
  id: "getDeveloper",
  method: "GET",
  path: "/v1/developers/{id}",
  tag,
  summary: "Read one developer, with its ETag",
  description: "With the number of their requests and keys, and the revision for `If-Match`.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: ["not_found"],
  serve: (ctx, { params }) => getV1(ctx, params.id),
});

/** A further developer. */
export const createDeveloper = operation({
  id: "createDeveloper",
  method: "POST",
  path: "/v1/developers",
  tag,
  summary: "Register a developer",
  description: "The answer is the developer as kept, with the `ETag` for later changes.",
  permission: ["portal:write"],
  body: z.object({ id: id.optional(), email, fields: freeForm.default({}) })
    .meta({ id: "CreateDeveloperInput" }),
  idempotent: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "email_taken", "developer_exists", "not_found"],
  example: { email: "grace@example.org", fields: { name: "Grace", company: "Example" } },
  async serve(ctx, call) {
    const id = await createV1(ctx, call.body, call.idempotency);
    return await getV1(ctx, id);
  },
});

const editDeveloperInput = z.object({
  email,
  fields: freeForm.default({}),
  ...handOverMembers,
})
  .meta({ id: "EditDeveloperInput" });

/** E-mail address and fields. */
export const editDeveloper = operation({
  id: "editDeveloper",
  method: "PUT",
  path: "/v1/developers/{id}",
  tag,
  summary: "Replace a developer's e-mail address and fields; everything else stays",
  description:
    "`If-Match` refuses the change where the developer has changed since they were read. With another address `account` says whose the account is.",
  permission: ["portal:write"],
  body: editDeveloperInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "email_taken", "precondition_failed", "too_many_revoked"],
  example: {
    email: "grace@example.org",
    fields: { name: "Grace", company: "Example" },
    account: "same_person",
  },
  async serve(ctx, call) {
    const { id } = call.params;
    await editV1(ctx, id, call.body, ifMatchOf(call));
    return await getV1(ctx, id);
  },
});

/** The tags of a developer. */
export const setDeveloperTags = operation({
  id: "setDeveloperTags",
  method: "PUT",
  path: "/v1/developers/{id}/tags",
  tag,
  summary: "Set what a developer is filed under",
  description:
    "In place of the tags they had; an empty list takes them away. `If-Match` refuses the change where the developer has changed since they were read.",
  permission: ["portal:write"],
  body: z.object({ tags }).meta({ id: "DeveloperTagsInput" }),
  headers: ifMatch,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "precondition_failed"],
  example: { tags: ["partners"] },
  async serve(ctx, call) {
    const { id } = call.params;
    await changeBy(ctx, changeTags, { id, ifMatch: ifMatchOf(call), tags: call.body.tags });
    return await getV1(ctx, id);
  },
});

/** To choose from. */
export const listDeveloperTags = operation({
  id: "listDeveloperTags",
  method: "GET",
  path: "/v1/developer-tags",
  tag,
  summary: "List the tags that developers have, to choose from",
  description: "The first hundred, in the order of their bytes.",
  permission: ["portal:read"],
  response: z.strictObject({ tags: z.array(text) }).meta({ id: "DeveloperTagsInUse" }),
  errors: [],
  serve: async ({ storage: { reader }, principal: { org_id } }) => ({
    tags: await tagsInUse(reader, { org_id }),
  }),
});

/** No sign-in any more. */
export const deactivateDeveloper = operation({
  id: "deactivateDeveloper",
  method: "POST",
  path: "/v1/developers/{id}/deactivate",
  tag,
  summary: "Let a developer sign in to the portal no more, and say what becomes of their keys",
  description:
    "`keys` has to be said: `keep` lets them live on, `suspend` suspends those that are active, `revoke` revokes all, for good with `approve` and for 7 days to undo without it; suspended keys count for the limit of an hour like revoked ones. More than `keep` needs the permission `revoke`. Open one-time links of their keys are withdrawn in any case, and their sessions and tokens at the developer's pages end for good.",
  permission: ["portal:write"],
  body: z.object({
    keys: z.enum(["keep", "suspend", "revoke"], {
      error: "expected keep, suspend or revoke: what becomes of the developer's keys",
    }),
  }).meta({ id: "DeactivateDeveloperInput" }),
  // Without one it is refused by what it lacks.
  bodyOptional: true,
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "precondition_failed", "too_many_revoked"],
  example: { keys: "suspend" },
  async serve(ctx, call) {
    const { id } = call.params;
    await deactivate(ctx, id, call.body.keys, carriedBy(call));
    return await getV1(ctx, id);
  },
});

/** Sign-in again. */
export const reactivateDeveloper = operation({
  id: "reactivateDeveloper",
  method: "POST",
  path: "/v1/developers/{id}/reactivate",
  tag,
  summary: "Let a developer sign in to the portal again",
  description:
    "The opposite of deactivating; earlier sessions and tokens stay revoked. `keys: resume` resumes the keys that were suspended with the developer, which needs `approve`; else they stay suspended, and `suspended_keys` says how many.",
  permission: ["portal:write"],
  body: z.object({
    keys: z.enum(["keep", "resume"], { error: "expected keep or resume" }).optional().meta({
      description: "The change to the keys that were suspended with the developer; absent: keep.",
    }),
  }).meta({ id: "ReactivateDeveloperInput" }),
  bodyOptional: true,
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "precondition_failed"],
  example: { keys: "resume" },
  async serve(ctx, call) {
    const { id } = call.params;
    await reactivate(ctx, id, call.body.keys ?? "keep", carriedBy(call));
    return await getV1(ctx, id);
  },
});

const developerDeleted = z.strictObject({
  id: text,
  revoked_keys: z.int(),
  deleted_requests: z.int(),
  undo_until: timestamp.meta({
    description: "Until when a caller with `approve` can restore developer and keys.",
  }),
}).meta({ id: "DeveloperDeleted" });

/** The developer, undecided requests, and keys as chosen. */
export const deleteDeveloper = operation({
  id: "deleteDeveloper",
  method: "DELETE",
  path: "/v1/developers/{id}",
  tag,
  summary: "Delete a developer with their undecided requests, and revoke or keep their keys",
  description:
    "The query says what is done with the keys; `revoke` needs the permission `revoke` if there are any. Developer and keys stop working at once, and a caller with `approve` can restore both for 7 days. Without `approve` the access tokens of one person revoke no more than 50 keys an hour (a setting); their first deletion within an hour may be of a developer with more. `If-Match` refuses the change if it has changed since it was read.",
  permission: ["portal:write"],
  query: z.object({
    keys: z.enum(["revoke", "keep"], { error: "expected revoke or keep" })
      .meta({ description: "The change to the developer's keys; required." }),
  }),
  headers: ifMatch,
  response: developerDeleted,
  errors: [
    "not_found_for_deletion",
    "invalid_input",
    "precondition_failed",
    "too_many_revoked",
  ],
  async serve(ctx, call) {
    const { params: { id }, query: { keys } } = call;
    const ifMatch = ifMatchOf(call);
    const mayEnd = may(ctx.principal, "revoke");
    const removed = await removeDeveloper(ctx, { id, keys, ifMatch, mayEnd });
    const { revoked: revoked_keys, requests: deleted_requests, undo_until } = removed;
    return { id, revoked_keys, deleted_requests, undo_until };
  },
});

/**
 * Replaces e-mail address and fields; see editAccount. Of a successor more than keeping keys takes
 * `revoke`, else `access_denied`.
 */
async function editV1(
  ctx: RequestContext,
  id: string,
  { account, predecessor_keys: keys, ...sent }: z.output<NonNullable<typeof editDeveloperInput>>,
  ifMatch: string[] | null,
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const emailLinks = newEmailLinks(actor.now);
  const handing = handingOf(ctx, { account, keys }, actor.now);
  const input = { actor, id, ifMatch, emailLinks, handing, ...sent };
  const { at_most } = handing.ending;
  await withRevokeLimit(
    ctx.storage,
    { actor, at_most },
    () => ctx.storage.commit(editAccount, input),
  );
}

/**
 * A page of developers. Walks one index, however many there are; the caller's scope leaves out
 * rows. Throws `invalid_input` for a cursor of another list.
 */
async function listV1(
  ctx: RequestContext,
  query: z.output<typeof listQuery>,
): Promise<z.output<typeof v1DeveloperList>> {
  const { rows, next_cursor, isComplete } = await findDeveloperRows(ctx, query);
  return {
    data: await viewsOf(ctx, rows),
    next_cursor,
    ...isComplete ? {} : { incomplete: true as const },
  };
}

/**
 * Registers a developer and gives the id. Throws `invalid_input`, `email_taken`,
 * `developer_exists`.
 */
async function createV1(
  ctx: RequestContext,
  input: { id?: string | undefined; email: string; fields: Record<string, unknown> },
  idempotency: Idempotency,
): Promise<string> {
  const { principal } = ctx;
  const now = ctx.clock.now();
  const { id = newId(now), ...sent } = input;
  requireNameable(sent.fields);
  const identity = { id, org_id: principal.org_id };
  return await ctx.storage.commit(createAccount, {
    actor: actorOf(principal, now),
    developer: newAccount(sent, identity, { now, newPassword: false }),
    sent,
    password_hash: null,
    emailLinks: newEmailLinks(now),
    idempotency: idempotentCall(principal, now, idempotency),
  });
}

/**
 * Makes a developer inactive; see deactivateAccount. More than keeping keys takes `revoke`, else
 * `access_denied`.
 */
async function deactivate(
  ctx: RequestContext,
  id: string,
  keys: KeysOfInactive,
  by: { ifMatch: string[] | null; idempotency: Idempotency },
): Promise<void> {
  const { principal, settings, storage } = ctx;
  if (keys !== "keep" && !may(principal, "revoke")) throw new Failure("access_denied");
  const call = changeOf(ctx, id, by);
  const { actor } = call;
  const ending = endingOf(principal, settings, actor.now);
  const { at_most } = ending;
  const input = { ...call, keys, ending };
  await withRevokeLimit(
    storage,
    { actor, at_most },
    () => storage.commit(deactivateAccount, input),
  );
}

/** Makes a developer active; see reactivateAccount. `access_denied`: resuming takes `approve`. */
async function reactivate(
  ctx: RequestContext,
  id: string,
  keys: KeysOfActive,
  by: { ifMatch: string[] | null; idempotency: Idempotency },
): Promise<void> {
  if (keys !== "keep" && !may(ctx.principal, "approve")) throw new Failure("access_denied");
  await ctx.storage.commit(reactivateAccount, { ...changeOf(ctx, id, by), keys });
}

function changeOf(
  { principal, clock }: RequestContext,
  id: string,
  { ifMatch, idempotency }: { ifMatch: string[] | null; idempotency: Idempotency },
) {
  const actor = actorOf(principal, clock.now());
  return { actor, id, ifMatch, idempotency: idempotentCall(principal, actor.now, idempotency) };
}

async function viewsOf(ctx: RequestContext, rows: readonly ListedWithin<ListedDeveloper>[]) {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const others = rows.filter((row) => row.counts === undefined).map((row) => row.id);
  const counts = await countsOf(reader, org_id, others);
  return rows.map((row) => serialize(row, row.counts ?? counts.get(row.id)));
}

/**
 * All developers that match, as a CSV file; none of their secrets. Throws `invalid_input` as the
 * list does.
 */
async function exportDevelopersNow(
  ctx: RequestContext,
  query: Omit<z.output<typeof exportQuery>, "bom">,
): Promise<Answer<Pieces>> {
  const file = await csvFile(
    "developers.csv",
    columns,
    (cursor) => listV1(ctx, { ...query, cursor, limit: 100 }),
  );
  await recordExport(ctx, "developers", detailOf(developerFilters, query));
  return file;
}

const columns: Columns<z.output<typeof v1Developer>> = {
  id: ({ id }) => id,
  email: ({ email }) => email,
  inactive: ({ inactive }) => inactive,
  date_created: ({ date_created }) => date_created,
  last_login_date: ({ last_login_date }) => last_login_date,
  has_password: ({ has_password }) => has_password,
  tags: ({ tags }) => tags.join("; "),
  requests: ({ requests }) => requests,
  keys: ({ keys }) => keys,
  fields: ({ fields }) => JSON.stringify(fields),
};
