import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import { deliver } from "../../contract/one-time-link.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { exampleKey } from "../../contract/example-ids.ts";
import { detailOf } from "../../contract/filters.ts";
import { replacedLabels, someKeyLabels } from "../../contract/labels.ts";
import { keyFilters } from "../../contract/list-filters.ts";
import { attachment, entityTag, ifMatch, nextPageLink } from "../../contract/v1.ts";
import { bom, id, text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { ifMatchOf, withNextPage } from "../../http/routes.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { type Columns, csvFile, marked } from "../../kernel/csv.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { oneRow, rowsOf } from "../../storage/touched-rows.ts";
import { knowsGateways } from "./at-gateways.ts";
import { anyChosenIdsOf } from "./chosen-keys.store.ts";
import { chosenEnd, replacement } from "./issued-keys.contract.ts";
import { keptKey } from "./kept-key.ts";
import { changePlans } from "./key-life.transactions.ts";
import { findKey } from "./key-list.store.ts";
import { sentEnd, turnsAt } from "./key.ts";
import { key, listQuery, nullable, reason, rotateKeyInput, stateBody } from "./keys.contract.ts";
import * as service from "./keys.service.ts";
import { callOf, changed } from "./keys.service.ts";
import { eachText } from "./key-labels.ts";
import { changeLabels } from "./label-key.transactions.ts";
import { listKeys as listKeysOf } from "./list-keys.service.ts";
import { hasMurmurKeys } from "./murmur.store.ts";
import { murmurIdsOf } from "./murmur.ts";
import { restoreKey as restoreKeyChange } from "./restore-key.transactions.ts";
import { type Key, seesNotes, serializeOne } from "./show-key.ts";
import { seenKey } from "./within-scope.service.ts";

/** A page of keys. `next_cursor` null: there are no more. */
const keyList = z.strictObject({
  data: z.array(key),
  next_cursor: nullable(text),
  incomplete: z.literal(true).optional().meta({
    description: "There only where developers wait whom `q` does not know yet. Ask again.",
  }),
}).meta({ id: "KeyList" });

/** The labels in use. */
const labelsInUse = z.strictObject({
  environments: z.array(text),
  tags: z.array(text),
}).meta({ id: "KeyLabelsInUse" });

const tag = "Keys";

const seen = { tag, withinScope: true } as const;

/** The filters of an export. */
const exportQuery = listQuery.omit({ limit: true, cursor: true }).extend({ bom });

/** Keys of the organisation, newest first. */
export const listKeys = operation({
  id: "listKeys",
  method: "GET",
  path: "/v1/keys",
  ...seen,
  summary: "List keys, newest first; a page may hold fewer than `limit` and still have a next one",
  description:
    "By cursor, with filters by state, plan, developer, environment and tag, and a search. Of a key only its id and a mask are shown, never the key.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  query: listQuery,
  answerHeaders: nextPageLink,
  response: keyList,
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await listKeysOf(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** All keys that match, as a file. */
export const exportKeys = operation({
  id: "exportKeys",
  isExport: true,
  method: "GET",
  path: "/v1/keys/export",
  ...seen,
  summary: "Export all keys that match as CSV; never the key itself",
  description: "Streamed, with the filters of the list. The export is logged first.",
  permission: ["portal:read"],
  query: exportQuery,
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["text/csv"] },
  errors: ["invalid_input"],
  serve: async (ctx, { query: { bom, ...query } }) => marked(await exportKeysNow(ctx, query), bom),
});

/** Lists the labels of the organisation's keys. */
export const listKeyLabels = operation({
  id: "listKeyLabels",
  method: "GET",
  path: "/v1/keys/labels",
  ...seen,
  summary: "List the environments and tags that keys have, to choose from",
  description: "The first hundred of each, in the order of their letters.",
  permission: ["portal:read"],
  response: labelsInUse,
  errors: [],
  serve: (ctx) => service.labels(ctx),
});

/** One key by its id. */
export const getKey = operation({
  id: "getKey",
  method: "GET",
  path: "/v1/keys/{key_id}",
  ...seen,
  summary: "Read one key by its id, the SHA-256 of the key, with its ETag",
  description: "State, plans, developer, labels, end and last use; never the key itself.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  answerHeaders: entityTag,
  response: key,
  errors: ["not_found"],
  serve(ctx, { params: { key_id } }) {
    const { principal } = ctx;
    // Nothing of it is kept for others.
    if (principal.covers) return changedAnswer(ctx, key_id);
    // The states at gateways change at each moment.
    const any = knowsGateways(ctx, principal.org_id);
    if (any instanceof Promise) {
      return any.then((is) => is ? changedAnswer(ctx, key_id) : keptAnswer(ctx, key_id));
    }
    return any ? changedAnswer(ctx, key_id) : keptAnswer(ctx, key_id);
  },
});

/** One key by itself; in a body, so that it is in no URL. */
export const findKeyEndpoint = operation({
  id: "findKey",
  method: "POST",
  path: "/v1/keys/find",
  ...seen,
  summary: "Find a key by the plain key, user name or client_id",
  description: "It is in the body, so that no log holds it. Imported keys are found too.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  body: z.object({ key: z.string().min(1).max(4096) }).meta({ id: "FindKeyInput" }),
  response: key,
  errors: [...bodyErrors, "not_found"],
  example: { key: exampleKey },
  async serve(ctx, { body: { key: plain } }) {
    const { storage: { reader }, principal } = ctx;
    const { org_id } = principal;
    const ids = [sha256(plain)];
    if (await hasMurmurKeys(reader, { org_id })) ids.push(...await murmurIdsOf(plain));
    ids.push(...await anyChosenIdsOf(reader, org_id, plain));
    for (const key_id of ids) {
      const row = await findKey(reader, { org_id, key_id });
      if (row && principal.covers) return await changed(ctx, key_id);
      // A SHA-256 can't have the length of a murmur hash, so this is the hash of the key and not
      // the key of another.
      if (row) return await serializeOne(ctx, row, toTimestamp(ctx.clock.now()));
    }
    throw new Failure("not_found");
  },
});

/** The key opens nothing any more. */
export const revokeKey = operation({
  id: "revokeKey",
  method: "POST",
  path: "/v1/keys/{key_id}/revoke",
  ...seen,
  summary: "Revoke a key",
  description:
    "Verification refuses it within a second. With `approve` it is for good. With `revoke` alone, a caller with `approve` can restore the key for 7 days, which `undo` says; and the access tokens of one person revoke no more than 50 keys an hour (a setting), then 429 with `Retry-After`.",
  permission: ["revoke"],
  withinTemporaryAccess: true,
  body: stateBody,
  idempotent: true,
  response: key,
  errors: [...bodyErrors, "not_found", "key_revoked", "too_many_revoked"],
  example: { reason: "Found in a public repository" },
  serve(ctx, call) {
    const { params, body } = call;
    return service.change(ctx, params.key_id, "revoke", body.reason, call.idempotency);
  },
});

/** The key opens again what it did. */
export const restoreKey = operation({
  id: "restoreKey",
  method: "POST",
  path: "/v1/keys/{key_id}/restore",
  ...seen,
  summary: "Bring back a key that was revoked without `approve`, for 7 days",
  description:
    "It is active or suspended as before, and in its developer's maps again; a subscription that another key has taken stays with that one. A key that was revoked with its developer is restored with them.",
  permission: ["approve"],
  body: stateBody,
  idempotent: true,
  response: key,
  errors: [...bodyErrors, "not_found", "key_revoked", "key_not_revoked", "developer_deleted"],
  example: { reason: "Ended by mistake" },
  async serve(ctx, { params: { key_id }, body: { reason }, idempotency }) {
    const { owner: _, ...call } = callOf(ctx, key_id, idempotency);
    await ctx.storage.commit(restoreKeyChange, { ...call, reason });
    return await changed(ctx, key_id);
  },
});

/** A fresh key takes over. */
export const rotateKeyEndpoint = operation({
  id: "rotateKey",
  method: "POST",
  path: "/v1/keys/{key_id}/rotate",
  ...seen,
  summary: "Replace a key by a fresh one, shown once; the old one lives on for the overlap",
  description:
    "Both are valid for the same plans until the overlap is over, and their quotas are one count. The granted expiry stays: a rotation begins the life of each key anew, and no access. With `Idempotency-Key` a repeat gets the first answer again.",
  permission: ["approve"],
  body: rotateKeyInput,
  idempotent: true,
  response: replacement,
  errors: [
    ...bodyErrors,
    "not_found",
    "key_revoked",
    "key_suspended",
    "key_expired",
    "key_rotated",
    "key_damaged",
    "unknown_plan",
  ],
  example: { overlap_seconds: 86400 },
  serve(ctx, call) {
    const { params, body } = call;
    return service.rotate(ctx, params.key_id, body, call.idempotency);
  },
});

/** Without a request. */
export const issueKeyEndpoint = operation({
  id: "issueKey",
  method: "POST",
  path: "/v1/developers/{id}/keys",
  tag,
  summary: "Issue a key to a developer without a key request, shown once",
  description: "With `Idempotency-Key` a repeat gets the first answer again.",
  permission: ["approve"],
  body: z.object({
    plans: z.array(id).min(1).max(100),
    deliver,
    expires_at: chosenEnd,
    reason: reason.optional().meta({ description: "Why, for the audit log: `key.issued`." }),
    ...someKeyLabels,
  }).meta({ id: "IssueKeyInput" }),
  idempotent: true,
  response: replacement,
  errors: [
    ...bodyErrors,
    "not_found",
    "unknown_plan",
    "keyless_plan",
    "filed_by_you",
    "mixed_auth_types",
  ],
  example: { plans: ["5f1a2b3c4d5e6f7081920002"] },
  serve(ctx, call) {
    const { params, body } = call;
    const references = ctx.settings.references === "strict" ? "strict" : "known";
    return service.issue(ctx, params.id, body, references, call.idempotency);
  },
});

const keyPlansInput = z.object({
  plans: z.array(id).min(1).max(100),
  expires_at: timestamp.optional().meta({
    description: "When the key expires, in the future, as chosen; absent: see above.",
  }),
}).meta({ id: "KeyPlansInput" });

/** The key's plans. */
export const setKeyPlans = operation({
  id: "setKeyPlans",
  method: "PUT",
  path: "/v1/keys/{key_id}/plans",
  ...seen,
  summary: "Give a key these plans instead of its own",
  description:
    "The key itself stays the same; the change takes effect within a second. Its expiry follows its plans, from now on, unless a person chose it or it is over.",
  permission: ["approve"],
  body: keyPlansInput,
  response: key,
  errors: [
    ...bodyErrors,
    "not_found",
    "key_revoked",
    "unknown_plan",
    "keyless_plan",
    "filed_by_you",
    "mixed_auth_types",
    "wrong_auth_type",
  ],
  example: { plans: ["5f1a2b3c4d5e6f7081920002"] },
  async serve(ctx, { params: { key_id }, body: { plans, expires_at: end } }) {
    const { references } = ctx.settings;
    const expires_at = sentEnd(end);
    const input = {
      ...callOf(ctx, key_id, null),
      plans: [...new Set(plans)],
      references,
      ...expires_at === null ? {} : { expires_at },
    };
    await ctx.storage.commit(changePlans, input);
    return await changed(ctx, key_id);
  },
});

/** Sets the name and labels of a key. */
export const setKeyLabels = operation({
  id: "setKeyLabels",
  method: "PUT",
  path: "/v1/keys/{key_id}/labels",
  ...seen,
  summary: "Set a key's name, environment, note and tags",
  description:
    "All four are replaced; an absent one is emptied. `If-Match` refuses the change if the key has changed since it was read. The APIs for which it is valid stay.",
  permission: ["approve"],
  headers: ifMatch,
  // A misspelt member would empty what it meant.
  body: z.strictObject({
    ...replacedLabels,
  }).meta({ id: "KeyLabelsInput" }),
  answerHeaders: entityTag,
  response: key,
  errors: [...bodyErrors, "not_found", "precondition_failed"],
  example: { name: "Checkout, live", environment: "production", tags: ["payments"] },
  async serve(ctx, call) {
    const { params: { key_id }, body: labels } = call;
    const { actor } = callOf(ctx, key_id, null);
    const ifMatch = ifMatchOf(call);
    await ctx.storage.commit(changeLabels, { actor, key_id, ifMatch, labels });
    const key = await changed(ctx, key_id);
    return new Answer(key, { etag: `"${key.revision}"` });
  },
});

/**
 * All keys that match, as a CSV file; of each its id and mask, never the key. Throws
 * `invalid_input` as the list does.
 */
async function exportKeysNow(
  ctx: RequestContext,
  query: Omit<z.output<typeof exportQuery>, "bom">,
): Promise<Answer<Pieces>> {
  const file = await csvFile(
    "keys.csv",
    columns,
    (cursor) => listKeysOf(ctx, { ...query, cursor, limit: 100 }),
  );
  await recordExport(ctx, "keys", detailOf(keyFilters, query));
  return file;
}

const columns: Columns<Key> = {
  key_id: ({ key_id }) => key_id,
  mask: ({ mask }) => mask,
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  plans: ({ plans }) => plans.join("; "),
  developer_id: ({ developer_id }) => developer_id,
  developer_email: ({ developer_email }) => developer_email,
  key_request_id: ({ key_request_id }) => key_request_id,
  request_id: ({ request_id }) => request_id,
  created: ({ created }) => created,
  expires_at: ({ expires_at }) => expires_at,
  last_used_at: ({ last_used_at }) => last_used_at,
  state_changed_at: ({ state_changed_at }) => state_changed_at,
  reason: ({ reason }) => reason,
  replaced_by: ({ replaced_by }) => replaced_by,
  use_before: ({ use_before }) => use_before,
  leaked: ({ leaked }) => leaked !== null,
  denied: ({ denied }) => denied,
  ...eachText((label) => (key: Key) => key[label]),
  tags: ({ tags }) => tags.join("; "),
};

/** The cached answer, while none of its parts have changed. */
function keptAnswer(
  ctx: RequestContext,
  key_id: string,
): Answer<string> | Promise<Answer<string>> {
  const { principal } = ctx;
  // An id may be any text: behind one of these words it never reads as the other.
  const name = seesNotes(principal) ? "key-with-note" : "key-without-note";
  return keptKey(ctx, `${name} ${key_id}`, async () => {
    const { org_id } = principal;
    const row = await seenKey(ctx, key_id);
    const now = toTimestamp(ctx.clock.now());
    const view = await serializeOne(ctx, row, now);
    const parts = [
      ...oneRow("credentials", org_id, key_id),
      ...oneRow("credential_uses", org_id, key_id),
      ...oneRow("developers", org_id, row.developer_id),
      ...rowsOf("leaks", org_id),
      ...rowsOf("ended_keys", org_id),
      ...rowsOf("gateways", org_id),
      // Whether its plans grant anything.
      ...rowsOf("plans", org_id),
      ...rowsOf("plan_ids", org_id),
    ];
    return {
      text: JSON.stringify(view),
      headers: { etag: `"${view.revision}"` },
      parts,
      turnsAt: turnsAt(row, now),
    };
  });
}

/** The answer with its ETag. */
async function changedAnswer(ctx: RequestContext, key_id: string): Promise<Answer<string>> {
  const key = await changed(ctx, key_id);
  return new Answer(JSON.stringify(key), { etag: `"${key.revision}"` });
}
