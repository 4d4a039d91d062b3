import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { cursorCover } from "../../calls/cursor-cover.ts";
import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import { recordExport } from "../../calls/record-export.ts";
import { toldOf } from "../../contract/filters.ts";
import { developerFilters } from "../../contract/list-filters.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { type Columns, csvFile } from "../../kernel/csv.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { NO_TIME } from "../../kernel/timestamps.ts";
import { source, walk, type WalkedList } from "../../kernel/walk.ts";
import {
  countsOf,
  type DeveloperCounts,
  developersByEmail,
  findByWord,
  findListed,
  type ListedDeveloper,
  taggedDevelopers,
  walkDevelopers,
} from "../developers/developer-list.store.ts";
import { tagsInUse } from "../developers/developer-tags.store.ts";
import { tagsIn } from "../developers/developer-tags.ts";
import { requireNameable } from "../developers/developer-names.ts";
import { developerWords, searchTerms, wordFor } from "../developers/developer-words.ts";
import { type Developer, developerRevision } from "../developers/developer.ts";
import {
  emailProofOf,
  isOfAnother,
  isProved,
  newEmailLinks,
  shownProof,
} from "../developers/email-proof.ts";
import { findEmailProof } from "../developers/email-proof.store.ts";
import { indexWaiting } from "../developers/search-developers.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { countSuspendedWith } from "../keys/end-keys.store.ts";
import type { KeysChoice } from "../keys/end-keys.transactions.ts";
import { endingOf } from "../keys/ending.ts";
import { withBrake } from "../keys/revoke-brake.service.ts";
import { newAccount } from "./account.ts";
import {
  deactivateAccount,
  type KeysOfActive,
  reactivateAccount,
} from "./deactivate.transactions.ts";
import { removeDeveloper } from "./deleted-developers.service.ts";
import type { KeysOfInactive } from "./keys-with-developer.transactions.ts";
import { createAccount } from "./developer-accounts.transactions.ts";
import type {
  deleteNativeDeveloper,
  developerDetail,
  exportQuery,
  listQuery,
  v1Developer,
  v1DeveloperList,
} from "./v1.contract.ts";
import { changeTags } from "./tag-developer.transactions.ts";
import { developersWithin, type ListedWithin, seenDeveloper } from "./within-scope.service.ts";

type Detail = z.output<typeof developerDetail>;

/**
 * A page of developers. Walks one index, however many there are; the caller's scope leaves out
 * rows. Throws `invalid_input` for a cursor of another list.
 */
export async function listV1(
  ctx: RequestContext,
  query: z.output<typeof listQuery>,
): Promise<z.output<typeof v1DeveloperList>> {
  const { rows, next_cursor, isComplete } = await findDeveloperRows(ctx, query);
  return {
    data: await shownOf(ctx, rows),
    next_cursor,
    ...isComplete ? {} : { incomplete: true as const },
  };
}

/** The rows of such a page; `isComplete` false: a search may lack the newest. */
export async function findDeveloperRows(ctx: RequestContext, query: z.output<typeof listQuery>) {
  const [term, ...others] = query.q === undefined ? [] : searchTerms(query.q);
  const isComplete = term === undefined || await indexWaiting(ctx);
  const page = term === undefined
    ? await walk(await seenOf(ctx, allDevelopers(ctx, query)), query)
    : await walk(await seenOf(ctx, developersFound(ctx, query, [term, ...others])), query);
  return { ...page, isComplete };
}

/** Developers that a page looks at for somebody with a scope: of each, requests are read. */
const MOST_LOOKED = 300;

/** A list as the caller sees it. */
async function seenOf<Row extends ListedDeveloper>(
  ctx: RequestContext,
  list: WalkedList<Row>,
): Promise<WalkedList<ListedWithin<Row>>> {
  const coverage = await coverageOfCaller(ctx.storage.reader, ctx.principal);
  if (!coverage) return list;
  const sources = list.sources.map((one) => developersWithin(ctx, coverage, one));
  return { ...list, sources, cover: cursorCover(ctx), mostLooked: MOST_LOOKED };
}

/** One developer, with the entity tag; within a scope what is of it. Throws `not_found`. */
export async function getV1(ctx: RequestContext, id: string): Promise<Answer<Detail>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const row = await findListed(reader, { org_id, id });
  if (!row) throw new Failure("not_found");
  const within = await seenDeveloper(ctx, row.document);
  const counts = within?.counts ?? (await countsOf(reader, org_id, [id])).get(id);
  const developer = within?.developer ?? documentOf(row);
  const revision = developerRevision(developer, row.tags);
  const { subscriptions } = developer;
  // Whether they have keys besides is not told, nor are they resumed by whoever has a scope.
  if (within) {
    const none = { suspended_keys: 0, has_former_keys: false, confirmation_asks: false };
    const etag = `"${revision}"`;
    return new Answer({ ...show(row, counts), ...none, subscriptions, revision }, { etag });
  }
  const suspended_keys = await countSuspendedWith(reader, org_id, id);
  const proof = await findEmailProof(reader, { org_id, id });
  const { state, cause } = emailProofOf(proof, developer.email);
  const more = {
    suspended_keys,
    has_former_keys: isOfAnother(proof),
    confirmation_asks: !isProved({ state }) && cause === "changed",
    subscriptions,
    revision,
  };
  return new Answer({ ...show(row, counts), ...more }, { etag: `"${revision}"` });
}

/**
 * Registers a developer and gives the id. Throws `invalid_input`, `email_taken`,
 * `developer_exists`.
 */
export async function createV1(
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

/** Files a developer under these tags; see changeTags. */
export async function setTags(
  ctx: RequestContext,
  id: string,
  tags: readonly string[],
  ifMatch: string[] | null,
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(changeTags, { actor, id, ifMatch, tags });
}

/** The tags that developers of the caller's organisation have. */
export async function tags({ storage: { reader }, principal: { org_id } }: RequestContext) {
  return { tags: await tagsInUse(reader, { org_id }) };
}

/**
 * Makes a developer inactive; see deactivateAccount. More than keeping keys takes `revoke`, else
 * `access_denied`.
 */
export async function deactivate(
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
  await withBrake(storage, { actor, at_most }, () => storage.commit(deactivateAccount, input));
}

/** Makes a developer active; see reactivateAccount. `access_denied`: resuming takes `approve`. */
export async function reactivate(
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

/**
 * Deletes a developer; see removeAccount. Whoever may end no keys must say that they are kept,
 * where there are any: else throws `access_denied`.
 */
export async function removeV1(
  ctx: RequestContext,
  id: string,
  keys: KeysChoice,
  ifMatch: string[] | null,
): Promise<z.output<typeof deleteNativeDeveloper.response>> {
  const mayEnd = may(ctx.principal, "revoke");
  const removed = await removeDeveloper(ctx, { id, keys, ifMatch, mayEnd });
  const { revoked: revoked_keys, requests: deleted_requests, undo_until } = removed;
  return { id, revoked_keys, deleted_requests, undo_until };
}

function allDevelopers(
  ctx: RequestContext,
  query: z.output<typeof listQuery>,
): WalkedList<ListedDeveloper> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const inactive = inactiveOf(query);
  if (query.sort === "email") return developersInOrder(ctx, query);
  const newestFirst = query.sort !== "oldest";
  const { tag } = query;
  if (tag !== undefined) {
    const tagged = source(
      (place, limit) => taggedDevelopers(reader, org_id, { tag, newestFirst }, { place, limit }),
      (row) => ({ sort: row.listed_at, id: row.id }),
    );
    return {
      order: `developers tagged ${newestFirst ? "newest" : "oldest"}`,
      first: { sort: newestFirst ? "~" : "", id: "" },
      sources: [tagged],
      wanted: (row) => isWanted(query, row),
    };
  }
  const developers = source(
    (place, limit) => walkDevelopers(reader, org_id, { inactive, newestFirst }, { place, limit }),
    (row: ListedDeveloper) => ({ sort: row.instant, id: row.id }),
  );
  return {
    order: `developers ${newestFirst ? "newest" : "oldest"}`,
    first: { sort: newestFirst ? "~" : "", id: "" },
    sources: [developers],
  };
}

/** By e-mail address: the merge of those who are active and those who are not. */
function developersInOrder(
  ctx: RequestContext,
  query: z.output<typeof listQuery>,
): WalkedList<ListedDeveloper> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const descending = query.direction === "desc";
  const asked = inactiveOf(query);
  const states = asked === undefined ? [false, true] : [asked];
  return {
    order: `developers email ${descending ? "desc" : "asc"}`,
    first: { sort: descending ? LAST : "", id: "" },
    ascending: !descending,
    sources: states.map((inactive) =>
      source(
        (place, limit) =>
          developersByEmail(reader, org_id, { inactive, descending }, { place, limit }),
        (row) => ({ sort: row.email_key, id: row.id }),
      )
    ),
    wanted: (row) => isWanted(query, row),
  };
}

/** After every text. */
const LAST = "\u{10ffff}";

/** Walks the words that begin with the longest term. */
function developersFound(
  ctx: RequestContext,
  query: z.output<typeof listQuery>,
  terms: readonly [string, ...string[]],
): WalkedList<ListedDeveloper & { word: string }> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const longest = terms.reduce((a, b) => b.length > a.length ? b : a);
  return {
    order: "developers found",
    first: { sort: longest, id: "" },
    sources: [source(
      (place, limit) => findByWord(reader, org_id, longest, { place, limit }),
      ({ word, id }) => ({ sort: word, id }),
    )],
    wanted: (row) => {
      const words = developerWords({ ...documentOf(row), tags: tagsIn(row) });
      return wordFor(words, longest) === row.word &&
        terms.every((term) => wordFor(words, term) !== undefined) && isWanted(query, row);
    },
  };
}

/** Whether a developer is in the state, and has the tag, that are asked for. */
function isWanted(query: z.output<typeof listQuery>, row: ListedDeveloper): boolean {
  const inactive = inactiveOf(query);
  return (inactive === undefined || (row.inactive === 1) === inactive) &&
    (query.tag === undefined || tagsIn(row).includes(query.tag));
}

function inactiveOf({ state }: z.output<typeof listQuery>): boolean | undefined {
  return state === undefined ? undefined : state === "inactive";
}

async function shownOf(ctx: RequestContext, rows: readonly ListedWithin<ListedDeveloper>[]) {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const others = rows.filter((row) => row.counts === undefined).map((row) => row.id);
  const counts = await countsOf(reader, org_id, others);
  return rows.map((row) => show(row, row.counts ?? counts.get(row.id)));
}

function show(
  row: ListedDeveloper,
  counts: Pick<DeveloperCounts, "requests" | "keys"> | undefined,
): z.output<typeof v1Developer> {
  const { id, email, inactive, fields, date_created, last_login_date } = documentOf(row);
  return {
    id,
    email,
    ...shownProof(row, () => email),
    inactive,
    fields,
    date_created,
    last_login_date: last_login_date === NO_TIME ? null : last_login_date,
    has_password: row.has_password === 1,
    tags: tagsIn(row),
    requests: counts?.requests ?? 0,
    keys: counts?.keys ?? 0,
  };
}

/** as: the developers' store writes exactly this. */
function documentOf(row: ListedDeveloper): Developer {
  return JSON.parse(row.document) as Developer;
}

/**
 * All developers that match, as a CSV file; none of their secrets. Throws `invalid_input` as the
 * list does.
 */
export async function exportDevelopers(
  ctx: RequestContext,
  query: Omit<z.output<typeof exportQuery>, "bom">,
): Promise<Answer<Pieces>> {
  const file = await csvFile(
    "developers.csv",
    columns,
    (cursor) => listV1(ctx, { ...query, cursor, limit: 100 }),
  );
  await recordExport(ctx, "developers", toldOf(developerFilters, query));
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
