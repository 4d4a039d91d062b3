import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import { keptAnswer } from "../../changes/idempotent-answers.ts";
import { pageCount } from "../../contract/envelope.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { timeGiven } from "../../kernel/timestamps.ts";
import { gatheredLookup } from "../../storage/gathered-lookups.ts";
import { countedPage } from "../../storage/list-counts.ts";
import { oneRow, type Part, rowsOf } from "../../storage/touched-rows.ts";
import { findPlanOfApi } from "../plans/catalogue/catalogue.store.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { credentialExists } from "../keys/credentials.store.ts";
import { withHashedNames } from "../keys/hashed-names.ts";
import { newEmailLinks } from "../developers/email-proof.ts";
import { settleSsoKeys } from "../developers/sso-keys.service.ts";
import { draft, initially, type KeyRequestInput } from "./draft-key-request.ts";
import {
  findAllShown,
  findShown,
  firstPage,
  type ListView,
  listViews,
  NEWEST,
  pageAt,
  pageOfRequests,
  requestsAfter,
  type ShownRow,
} from "./key-requests.store.ts";
import {
  type Created,
  type CreateInput,
  createTransaction,
  removeTransaction,
  updateTransaction,
} from "./key-requests.transactions.ts";
import type { References } from "../plans/plan.ts";
import { refuseTooLarge, withinLimits } from "./request-limits.ts";
import { revisions } from "./revision.ts";
import { asDeclined } from "./stored-request.ts";
import { opensSecrets, type Seen, show, tagged } from "./show-older.service.ts";
import { getWithin, listWithin } from "./within-scope.service.ts";
import { requiredFields } from "../plans/catalogue/catalogue-entry.ts";
import { newAttempt } from "../keys/credential.ts";
import type { Reveal } from "../keys/issue-credential.transactions.ts";
import { approveTransaction, type AtGateways } from "./approve.transactions.ts";
import { isStep, stepsMissing } from "./steps.transactions.ts";

/** What a list is asked for; `p` below 1 or absent: everything. */
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

/** Specification 4.2: a page of a list, or all of it as a stream whose memory stays flat. */
export function list(
  ctx: CatalogueContext,
  query: ListQuery,
): Answer<string> | Promise<Answer<string | Pieces>> {
  const view = viewOf(query);
  if (ctx.principal.covers) return listWithin(ctx, view, query.p ?? 0);
  return query.p !== undefined && query.p >= 1
    ? cached(ctx, `list ${view} ${query.p}`, listed, (seen) => page(ctx, view, query.p ?? 1, seen))
    : everything(ctx, view);
}

/** Specification 4.3, with its entity tag. Throws `not_found`, also of a declined one if hidden. */
export function get(
  ctx: CatalogueContext,
  id: string,
): Answer<string> | Promise<Answer<string>> {
  if (ctx.principal.covers) return getWithin(ctx, id);
  return cached(ctx, `request ${id}`, tagged, async (seen) => {
    const { reader } = ctx.storage;
    const { org_id } = ctx.principal;
    const row = reader.dialect === "postgres"
      ? await findTogether(reader, org_id, id)
      : await findShown(reader, { org_id, id });
    const isDeclined = row?.state === "declined";
    if (!row || (isDeclined && !ctx.settings.showsDeclined)) throw new Failure("not_found");
    const parts = [
      ...oneRow("key_requests", org_id, id),
      ...oneRow("developers", org_id, row.by_user),
      ...rowsOf("catalogues", org_id),
    ];
    const revisionOf = await revisions();
    const shown = isDeclined ? asDeclined(row) : row;
    return { text: revisionOf(row) + await show(ctx, shown, seen), parts };
  });
}

const findTogether = gatheredLookup(findAllShown, (row) => row.id);

/**
 * Specification 4.4. Gives the new id, or that of the equal request that waits already, or of the
 * call that this one repeats.
 */
export async function create(
  ctx: CatalogueContext,
  input: KeyRequestInput,
  idempotency: Idempotency = null,
): Promise<string> {
  const { references } = ctx.settings;
  return (await ask(ctx, input, references, idempotency)).id;
}

/**
 * The same by these rules, with whether it waited already. `add`: the transaction that adds it,
 * where more belongs to it than the request.
 */
export async function ask(
  ctx: CatalogueContext,
  input: KeyRequestInput,
  references: References,
  idempotency: Idempotency,
  add = (made: CreateInput): Promise<Created> => ctx.storage.commit(createTransaction, made),
): Promise<Created> {
  const now = ctx.clock.now();
  const call = idempotentCall(ctx.principal, now, idempotency);
  // Before anything is asked that may have changed since: what the catalogue wants, and the plan of
  // an API.
  const kept = await keptAnswer<Created>(ctx.storage, ctx.sealer, call);
  if (kept) return kept;
  const identity = { org_id: ctx.principal.org_id, id: newId(now) };
  const prepared = await withStoredKeys(ctx, input);
  if (input.portal_developer?.sso_key) await settleSsoKeys(ctx);
  const drafted = draft(prepared, identity, initially(now), await planOfApi(ctx, input));
  await refuseMissingFields(ctx, drafted.plans, input.fields ?? {});
  const { pendingLimits, requestBytes } = ctx.settings;
  refuseTooLarge(drafted, requestBytes);
  return await withinLimits((careful) =>
    add({
      actor: actorOf(ctx.principal, now),
      references,
      draft: drafted,
      limits: { ...pendingLimits, careful },
      emailLinks: newEmailLinks(now),
      idempotency: call,
    })
  );
}

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
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(removeTransaction, { actor, id });
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

/** A text, and what in the store it was made of. */
interface MadeText {
  readonly text: string;
  readonly parts: readonly Part[];
}

/** An answer as it is kept. */
interface KeptAnswer extends Seen {
  readonly answer: Answer<string>;
  readonly length: number;
}

/**
 * The answer under this name, of a text and what the caller may see; at once, from memory, while
 * nothing that it was made of has changed.
 */
function cached(
  ctx: CatalogueContext,
  name: string,
  answerOf: (text: string, secrets: number) => Answer<string>,
  make: (seen: Seen) => Promise<MadeText>,
): Answer<string> | Promise<Answer<string>> {
  const full = `${ctx.principal.org_id} ${opensSecrets(ctx)} ${name}`;
  const kept = ctx.readCache.get<KeptAnswer>(full, ctx.storage.changes, async () => {
    const seen = { secrets: 0 };
    const { text, parts } = await make(seen);
    const answer = answerOf(text, seen.secrets);
    return { answer: { ...seen, answer, length: text.length }, parts };
  });
  return kept instanceof Promise ? kept.then((made) => handedOut(ctx, made)) : handedOut(ctx, kept);
}

/** The answer, of whose secrets the trail tells: from memory, too. */
function handedOut({ notes, principal }: CatalogueContext, kept: KeptAnswer): Answer<string> {
  notes.secretsRead(principal, "key_request", kept.secrets);
  return kept.answer;
}

/** A list as an answer, with whether a secret stands in it. */
function listed(text: string, secrets: number): Answer<string> {
  return new Answer(text, {}, 200, false, secrets === 0);
}

async function page(
  ctx: CatalogueContext,
  view: ListView,
  p: number,
  seen: Seen,
): Promise<MadeText> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
  const at = { counter: listViews[view], db: reader, org_id, offset: (p - 1) * pageSize };
  const { rows, total } = await countedPage(at, {
    first: () => firstPage(reader, org_id, view, pageSize),
    at: (offset) => pageAt(reader, org_id, view, offset, pageSize),
    from: (position) => pageOfRequests(reader, org_id, view, position, pageSize),
  });
  const shown = await showAll(ctx, rows, seen);
  const parts = [
    ...rowsOf("key_requests", org_id),
    ...rows.flatMap(({ by_user }) => oneRow("developers", org_id, by_user)),
    ...rowsOf("catalogues", org_id),
  ];
  return { text: `{"Data":[${shown.join(",")}],"Pages":${pageCount(total, pageSize)}}`, parts };
}

async function everything(ctx: CatalogueContext, view: ListView): Promise<Answer<string | Pieces>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const first = await requestsAfter(reader, org_id, view, NEWEST, FIRST_ROWS);
  if (first.length === 0) return new Answer(`{"Data":[],"Pages":0}`);
  if (first.length === FIRST_ROWS) return new Answer(pieces(ctx, view, first));
  const { texts, secrets } = await showNoted(ctx, first);
  return listed(`{"Data":[${texts.join(",")}],"Pages":1}`, secrets);
}

/**
 * Keyset chunks, each a statement of its own: no snapshot stays open while a slow client reads.
 * Their size follows that of the rows, so that a reader who stalls holds about one piece of text,
 * however large rows are.
 */
async function* pieces(ctx: CatalogueContext, view: ListView, first: ShownRow[]) {
  let rows = first;
  let limit = FIRST_ROWS;
  let before = `{"Data":[`;
  while (true) {
    const last = rows.at(-1);
    if (!last) break;
    const piece = (await showNoted(ctx, rows)).texts.join(",");
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
async function showNoted(
  ctx: CatalogueContext,
  rows: readonly ShownRow[],
): Promise<Seen & { texts: string[] }> {
  const seen = { secrets: 0 };
  const texts = await showAll(ctx, rows, seen);
  ctx.notes.secretsRead(ctx.principal, "key_request", seen.secrets);
  return { texts, ...seen };
}

async function showAll(
  ctx: CatalogueContext,
  rows: readonly ShownRow[],
  seen: Seen,
): Promise<string[]> {
  const texts: string[] = [];
  for (const row of rows) texts.push(await show(ctx, row, seen));
  return texts;
}

/** The plan that a legacy `for_api` alone stands for. */
async function planOfApi(
  ctx: CatalogueContext,
  input: KeyRequestInput,
): Promise<string | undefined> {
  const named = input.for_plan || input.apply_policies?.length || input.catalogue_entry?.policy_id;
  if (named || !input.for_api) return undefined;
  return await findPlanOfApi(ctx.storage.reader, {
    org_id: ctx.principal.org_id,
    api_id: input.for_api,
  });
}

/** The input without a plain key: neither as its `key` nor in the maps of its developer. */
async function withStoredKeys(
  ctx: CatalogueContext,
  input: KeyRequestInput,
): Promise<KeyRequestInput> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const prepared = await withStoredKey(ctx, input);
  const { portal_developer } = prepared;
  if (!portal_developer) return prepared;
  return {
    ...prepared,
    portal_developer: await withHashedNames(reader, org_id, portal_developer),
  };
}

/** A `key` in the form of a key id may be somebody's plain key; then its hash is kept. */
async function withStoredKey(
  ctx: CatalogueContext,
  input: KeyRequestInput,
): Promise<KeyRequestInput> {
  if (!input.key) return input;
  const hashed = sha256(input.key);
  const isPlainKey = await credentialExists(ctx.storage.reader, {
    org_id: ctx.principal.org_id,
    key_id: hashed,
  });
  return isPlainKey ? { ...input, key: hashed } : input;
}

/**
 * Throws `invalid_input` that names every field which the live catalogue or configuration requires
 * for one of these plans and which is missing or empty.
 */
async function refuseMissingFields(
  ctx: CatalogueContext,
  plans: readonly string[],
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const { storage, principal: { org_id }, settings: { references } } = ctx;
  const configs = await ctx.liveCatalogue.configsOf(storage, org_id, plans);
  const required = new Set(
    configs.flatMap((config) => config ? requiredFields(config, references === "strict") : []),
  );
  const details = [...required]
    .filter((name) => !Object.hasOwn(fields, name) || fields[name]?.trim() === "")
    .map((name) => `fields.${name}: required for this plan`);
  const [message] = details;
  if (message !== undefined) throw new Failure("invalid_input", { message, details });
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
  // The step is kept: whoever reads a key out of this answer must be told that there is none.
  if (isStep(approved)) throw stepsMissing(approved);
  return approved;
}
