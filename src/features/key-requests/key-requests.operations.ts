import { z } from "zod";
import { changeBy } from "../../calls/change-by.ts";
import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import { envelope, ok, pageCount, pageNumber } from "../../contract/envelope.ts";
import { provisionedHeader, waitQuery } from "../../contract/provisioned.ts";
import { entityTag, ifMatch } from "../../contract/v1.ts";
import { operation } from "../../http/operation.ts";
import { ifMatchOf } from "../../http/routes.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { timeGiven } from "../../kernel/timestamps.ts";
import { gatheredLookup } from "../../storage/gathered-lookups.ts";
import { countedPage } from "../../storage/list-counts.ts";
import { oneRow, type Part, rowsOf } from "../../storage/touched-rows.ts";
import { newEmailLinks } from "../developers/email-proof.ts";
import { settleSsoKeys } from "../developers/sso-keys.service.ts";
import { newAttempt } from "../keys/key-kinds.ts";
import { approval } from "../keys/issued-keys.contract.ts";
import type { Reveal } from "../keys/issue-key.transactions.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { approveTransaction, type AtGateways } from "./approve.transactions.ts";
import { ownErrors } from "./decision.contract.ts";
import { draft, initially, type KeyRequestInput } from "./draft-key-request.ts";
import { draftErrors, keyRequest, keyRequestInput } from "./key-requests.contract.ts";
import { fullKeyRequest } from "./key-requests.example.ts";
import * as service from "./key-requests.service.ts";
import { planOfApi, withStoredKeys } from "./key-requests.service.ts";
import {
  findRequestRow,
  findRequestRows,
  firstPage,
  type ListView,
  listViews,
  NEWEST,
  pageAt,
  pageOfRequests,
  type RequestRow,
  requestsAfter,
} from "./key-requests.store.ts";
import { removeTransaction, updateTransaction } from "./key-requests.transactions.ts";
import { withProvisioned } from "./provisioned-answer.ts";
import { refuseTooLarge, withinLimits } from "./request-limits.ts";
import { revisions } from "./revision.ts";
import { opensSecrets, type Seen, tagged, toJson } from "./show-older.service.ts";
import { isStep, stepsMissing } from "./steps.transactions.ts";
import { asDeclined } from "./stored-request.ts";
import { getWithin, listWithin } from "./within-scope.service.ts";

/** Specification 2.8. */
export const keyRequestList = z.strictObject({
  Data: z.array(keyRequest),
  Pages: z.int(),
}).meta({ id: "ClassicKeyRequestList" });

const flag = (meaning: string) =>
  z.enum(["true", "false"], { error: "expected true or false" })
    .transform((value) => value === "true").optional().meta({ description: meaning });

const tag = "Key requests (classic)";

/** Specification 4.2. */
export const listClassicKeyRequests = operation({
  id: "listClassicKeyRequests",
  method: "GET",
  path: "/api/portal/requests",
  tag,
  summary: "List key requests, newest first",
  description:
    "Without `p` all of them are sent as a stream; with `p` from 1 on, that page. Declined ones are left out unless `declined=true`.",
  permission: ["portal:read"],
  withinScope: true,
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
    approved: flag("Only requests with this value of `approved`."),
    declined: flag("true: the declined requests, which no other list shows."),
  }),
  answersSecrets: "to those who may",
  response: keyRequestList,
  errors: ["invalid_input"],
  serve(ctx: CatalogueContext, { query }) {
    const view = viewOf(query);
    if (ctx.principal.covers) return listWithin(ctx, view, query.p ?? 0);
    return query.p !== undefined && query.p >= 1
      ? cached(
        ctx,
        `list ${view} ${query.p}`,
        (seen) => page(ctx, view, query.p ?? 1, seen),
      )
      : everything(ctx, view);
  },
});

/**
 * Specification 4.3. The entity tag is what a conditional approval goes by; the text is the
 * specification's.
 */
export const getClassicKeyRequest = operation({
  id: "getClassicKeyRequest",
  method: "GET",
  path: "/api/portal/requests/{id}",
  tag,
  summary: "Read one key request, with its ETag",
  description:
    "The request with its developer and catalogue entries as they are now. A declined one is not found.",
  permission: ["portal:read"],
  withinScope: true,
  answerHeaders: entityTag,
  answersSecrets: "to those who may",
  response: keyRequest,
  errors: ["not_found"],
  serve(ctx: CatalogueContext, { params: { id } }) {
    if (ctx.principal.covers) return getWithin(ctx, id);
    return cached(ctx, `request ${id}`, async (seen) => {
      const { reader } = ctx.storage;
      const { org_id } = ctx.principal;
      const row = reader.dialect === "postgres"
        ? await findTogether(reader, org_id, id)
        : await findRequestRow(reader, { org_id, id });
      const isDeclined = row?.state === "declined";
      if (!row || (isDeclined && !ctx.settings.includesDeclined)) throw new Failure("not_found");
      const parts = [
        ...oneRow("key_requests", org_id, id),
        ...oneRow("developers", org_id, row.by_user),
        ...rowsOf("catalogues", org_id),
      ];
      const revisionOf = await revisions();
      const text = await toJson(ctx, isDeclined ? asDeclined(row) : row, seen);
      return { answer: tagged(text, revisionOf(row)), parts };
    });
  },
});

/** Specification 4.4. */
export const createClassicKeyRequest = operation({
  id: "createClassicKeyRequest",
  method: "POST",
  path: "/api/portal/requests",
  tag,
  summary: "Create a key request",
  description:
    "A developer, by `by_user`, asks for a plan, by `for_plan`. The message of the answer is the request's id. Nothing is issued: approving does that.",
  permission: ["portal:write"],
  body: keyRequestInput,
  idempotent: true,
  response: envelope,
  errors: draftErrors,
  example: fullKeyRequest,
  serve: async (ctx: CatalogueContext, { body, idempotency }) =>
    ok(await service.create(ctx, body, idempotency)),
});

/** Specification 4.5; PUT does the same. */
export const updateKeyRequest = operation({
  id: "updateKeyRequest",
  method: "UPDATE",
  aliases: ["PUT"],
  overridable: true,
  path: "/api/portal/requests/{id}",
  tag,
  summary: "Replace a key request",
  description:
    "Replaces the whole request; members that are left out fall back to their defaults, except `version` and `date_created`. Once a key was issued, plan, developer and `key` stay as they are.",
  permission: ["portal:write"],
  body: keyRequestInput,
  response: envelope,
  errors: [...draftErrors, "not_found", "already_issued"],
  example: fullKeyRequest,
  async serve(ctx: CatalogueContext, { params, body }) {
    await update(ctx, params.id, body);
    return ok(params.id);
  },
});

/** Specification 4.6. */
export const deleteKeyRequest = operation({
  id: "deleteKeyRequest",
  method: "DELETE",
  path: "/api/portal/requests/{id}",
  tag,
  summary: "Delete a key request; a credential already issued lives on",
  description: "Works in any state. To end a key, revoke it.",
  permission: ["portal:write"],
  response: envelope,
  errors: ["not_found_for_deletion"],
  async serve(ctx: CatalogueContext, { params }) {
    await remove(ctx, params.id);
    return ok("Data deleted");
  },
});

/** Specification 4.7. */
export const approveClassicKeyRequest = operation({
  id: "approveClassicKeyRequest",
  method: "PUT",
  path: "/api/portal/requests/approve/{id}",
  tag,
  summary: "Approve a key request once and receive its credential",
  // portal:write is enough where every plan of the request is approved automatically; the service
  // decides.
  description:
    "Issues the key in the plan's form and gives it in the answer, the only time that it is shown. Exactly one approval of a request succeeds; a body is ignored. With `Idempotency-Key` a repeat gets the first answer again.",
  permission: ["approve", "portal:write"],
  withinScope: true,
  query: z.object(waitQuery),
  body: "ignored",
  headers: ifMatch,
  answerHeaders: provisionedHeader,
  idempotent: true,
  response: approval,
  errors: [
    "invalid_input",
    "not_found",
    "already_processed",
    ...ownErrors,
    "not_among_approvers",
    "steps_missing",
    "keyless_plan",
    "mixed_auth_types",
    "unknown_key",
    "precondition_failed",
    "body_too_large",
    "body_timeout",
  ],
  async serve(ctx: CatalogueContext, call) {
    const of = await approve(ctx, call.params.id, call.idempotency, ifMatchOf(call));
    const { at_gateways, ...reveal } = of;
    return await withProvisioned(ctx, call, reveal, at_gateways);
  },
});

/** The query of a list; `p` below 1 or absent: everything. */
interface ListQuery {
  p?: number | undefined;
  approved?: boolean | undefined;
  declined?: boolean | undefined;
}

/**
 * While everything is streamed: rows read first, rows read at the most, and about how much text one
 * piece holds.
 */
const FIRST_ROWS = 16;

const MOST_ROWS = 64;

const PIECE_LENGTH = 64 * 1024;

const findTogether = gatheredLookup(findRequestRows, (row) => row.id);

/** Specification 4.5. Throws `not_found` and `already_issued` besides what create throws. */
export async function update(
  ctx: CatalogueContext,
  id: string,
  input: KeyRequestInput,
): Promise<void> {
  const now = ctx.clock.now();
  const prepared = await withStoredKeys(ctx, input);
  if (input.portal_developer?.sso_key) await settleSsoKeys(ctx);
  const identity = { org_id: ctx.principal.org_id, id };
  const drafted = draft(prepared, identity, initially(now), await planOfApi(ctx, input));
  const { references, pendingLimits, requestBytes } = ctx.settings;
  refuseTooLarge(drafted, requestBytes);
  await withinLimits((careful) =>
    ctx.storage.commit(updateTransaction, {
      actor: actorOf(ctx.principal, now),
      references,
      draft: drafted,
      limits: { ...pendingLimits, careful },
      emailLinks: newEmailLinks(now),
      absent: {
        date_created: timeGiven(input.date_created) === undefined,
        version: input.version === undefined,
      },
    })
  );
}

/** Specification 4.6. Throws `not_found_for_deletion`. */
export async function remove(ctx: CatalogueContext, id: string): Promise<void> {
  await changeBy(ctx, removeTransaction, { id });
}

function viewOf(query: ListQuery): ListView {
  if (query.declined) {
    if (query.approved === undefined) return "declined";
    const message = "declined: can't be combined with approved";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  if (query.approved === undefined) return "all";
  return query.approved ? "approved" : "unapproved";
}

/** An answer, and what in the store it was made of. */
interface MadeAnswer {
  readonly answer: Answer<string>;
  readonly parts: readonly Part[];
}

/** An answer as it is kept. */
interface KeptAnswer extends Seen {
  readonly answer: Answer<string>;
  readonly length: number;
}

/**
 * The answer under this name, as the caller may see it; at once, from memory, while nothing that it
 * was made of has changed.
 */
function cached(
  ctx: CatalogueContext,
  name: string,
  make: (seen: Seen) => Promise<MadeAnswer>,
): Answer<string> | Promise<Answer<string>> {
  const full = `${ctx.principal.org_id} ${opensSecrets(ctx)} ${name}`;
  const kept = ctx.readCache.get<KeptAnswer>(full, ctx.storage.changes, async () => {
    const seen = { secrets: 0 };
    const { answer, parts } = await make(seen);
    return { answer: { answer, secrets: seen.secrets, length: answer.body.length }, parts };
  });
  return kept instanceof Promise ? kept.then((made) => handedOut(ctx, made)) : handedOut(ctx, kept);
}

/** The answer, of whose secrets the audit log tells: from memory, too. */
function handedOut({ notes, principal }: CatalogueContext, kept: KeptAnswer): Answer<string> {
  notes.secretsRead(principal, "key_request", kept.secrets);
  return kept.answer;
}

/** A list as an answer, with whether a secret is in it. */
function listed(text: string, secrets: number): Answer<string> {
  return new Answer(text, {}, 200, false, secrets === 0);
}

async function page(
  ctx: CatalogueContext,
  view: ListView,
  p: number,
  seen: Seen,
): Promise<MadeAnswer> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
  const at = { counter: listViews[view], db: reader, org_id, offset: (p - 1) * pageSize };
  const { rows, total } = await countedPage(at, {
    first: () => firstPage(reader, org_id, view, pageSize),
    at: (offset) => pageAt(reader, org_id, view, offset, pageSize),
    from: (position) => pageOfRequests(reader, org_id, view, position, pageSize),
  });
  const texts = await serializeAll(ctx, rows, seen);
  const parts = [
    ...rowsOf("key_requests", org_id),
    ...rows.flatMap(({ by_user }) => oneRow("developers", org_id, by_user)),
    ...rowsOf("catalogues", org_id),
  ];
  const text = `{"Data":[${texts.join(",")}],"Pages":${pageCount(total, pageSize)}}`;
  return { answer: listed(text, seen.secrets), parts };
}

async function everything(ctx: CatalogueContext, view: ListView): Promise<Answer<string | Pieces>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const first = await requestsAfter(reader, org_id, view, NEWEST, FIRST_ROWS);
  if (first.length === 0) return new Answer(`{"Data":[],"Pages":0}`);
  if (first.length === FIRST_ROWS) return new Answer(pieces(ctx, view, first));
  const { texts, secrets } = await serializeNoted(ctx, first);
  return listed(`{"Data":[${texts.join(",")}],"Pages":1}`, secrets);
}

/**
 * Keyset chunks, each a statement of its own: no snapshot stays open while a slow client reads.
 * Their size follows that of the rows, so that a reader who stalls holds about one piece of text,
 * however large rows are.
 */
async function* pieces(ctx: CatalogueContext, view: ListView, first: RequestRow[]) {
  let rows = first;
  let limit = FIRST_ROWS;
  let before = `{"Data":[`;
  while (true) {
    const last = rows.at(-1);
    if (!last) break;
    const piece = (await serializeNoted(ctx, rows)).texts.join(",");
    yield before + piece;
    before = ",";
    if (rows.length < limit) break;
    limit = rowsInPiece(piece.length / rows.length);
    rows = await requestsAfter(ctx.storage.reader, ctx.principal.org_id, view, last, limit);
  }
  yield `],"Pages":1}`;
}

/** A power of two, so that few statements are needed. */
function rowsInPiece(rowLength: number): number {
  let rows = MOST_ROWS;
  while (rows > 1 && rows * rowLength > PIECE_LENGTH) rows /= 2;
  return rows;
}

/** Rows that are handed out at once, and how many of them show a secret. */
async function serializeNoted(
  ctx: CatalogueContext,
  rows: readonly RequestRow[],
): Promise<Seen & { texts: string[] }> {
  const seen = { secrets: 0 };
  const texts = await serializeAll(ctx, rows, seen);
  ctx.notes.secretsRead(ctx.principal, "key_request", seen.secrets);
  return { texts, ...seen };
}

async function serializeAll(
  ctx: CatalogueContext,
  rows: readonly RequestRow[],
  seen: Seen,
): Promise<string[]> {
  const texts: string[] = [];
  for (const row of rows) texts.push(await toJson(ctx, row, seen));
  return texts;
}

/**
 * Specification 4.7: the credential, once, and the key that gateways are to have. `idempotency` and
 * `ifMatch`: the call's headers.
 */
export async function approve(
  ctx: CatalogueContext,
  id: string,
  idempotency: Idempotency,
  ifMatch: string[] | null = null,
): Promise<Reveal & AtGateways> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const call = idempotentCall(ctx.principal, actor.now, idempotency);
  const approved = await ctx.storage.commit(approveTransaction, {
    actor,
    id,
    attempt: newAttempt(ctx.settings.keyFormat),
    by: { kind: may(ctx.principal, "approve") ? "approver" : "automatic" },
    ifMatch,
    reason: null,
    idempotency: call,
  }).catch((error) => {
    if (!(error instanceof Failure) || error.code !== "step_given") throw error;
    // Its clients know 400 for what has no key yet.
    throw new Failure("steps_missing", { message: error.message });
  });
  // The step is kept: a client that reads a key out of this answer must learn that there is none.
  if (isStep(approved)) throw stepsMissing(approved);
  return approved;
}
