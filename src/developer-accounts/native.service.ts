import type { z } from "zod";
import { actorOf, type Idempotency, idempotentCall } from "../access/principal.ts";
import type { RequestContext } from "../context.ts";
import { PAGE_LIMIT } from "../contract/native.ts";
import type { KeysChoice } from "../credentials/end-keys.transactions.ts";
import { type Developer, developerRevision } from "../developers/developer.ts";
import {
  countsOf,
  type DeveloperCounts,
  findByWord,
  findListed,
  type ListedDeveloper,
  walkDevelopers,
} from "../developers/developer-list.store.ts";
import { developerWords, searchTerms, wordFor } from "../developers/developer-words.ts";
import { hasUnwordedOf } from "../developers/developer-words.store.ts";
import { indexDevelopers } from "../developers/developer-words.transactions.ts";
import { type Place, readCursor, writeCursor } from "../lib/cursor.ts";
import { Failure } from "../lib/failure.ts";
import { HeadedAnswer } from "../lib/headed-answer.ts";
import { newId } from "../lib/ids.ts";
import { NO_TIME } from "../lib/timestamps.ts";
import { newAccount } from "./account.ts";
import { createAccount, removeAccount } from "./developer-accounts.transactions.ts";
import type {
  deleteNativeDeveloper,
  developerDetail,
  listQuery,
  nativeDeveloper,
  nativeDeveloperList,
} from "./native.contract.ts";
import { changeInactive, editAccount } from "./native.transactions.ts";

type Detail = z.output<typeof developerDetail>;

/** Rows that one page looks at, at the most; what a search finds by one word may lack another. */
const WALKED_AT_MOST = 1000;
/** Chunks that a search takes into the index before it begins. */
const CHUNKS = 4;

/** A row and its place in the list. */
interface Placed {
  place: Place;
  row: ListedDeveloper;
  /** Whether the list shows the row here. */
  wanted: boolean;
}

/** A page of developers. Walks one index, however many there are. Throws `invalid_input` for a cursor of another list. */
export async function listNative(
  ctx: RequestContext,
  query: z.output<typeof listQuery>,
): Promise<z.output<typeof nativeDeveloperList>> {
  const { limit = PAGE_LIMIT, cursor } = query;
  const terms = query.q === undefined ? [] : searchTerms(query.q);
  const isComplete = terms.length === 0 || await indexWaiting(ctx);
  const { order, first, source } = sourceOf(ctx, query, terms);
  let place = cursor === undefined ? first : readCursor(cursor, order);
  const rows: ListedDeveloper[] = [];
  const page = async (next_cursor: string | null) => ({
    data: await shownOf(ctx, rows),
    next_cursor,
    ...isComplete ? {} : { incomplete: true as const },
  });
  for (let walked = 0; walked < WALKED_AT_MOST;) {
    const atOnce = limit < 21 && walked === 0 ? 21 : 101;
    const found = await source(place, atOnce);
    for (const { place: at, row, wanted } of found) {
      if (wanted && rows.length === limit) return await page(writeCursor(order, place));
      if (wanted) rows.push(row);
      place = at;
      walked++;
    }
    if (found.length < atOnce) return await page(null);
  }
  return await page(writeCursor(order, place));
}

/** One developer, with the entity tag. Throws `not_found`. */
export async function getNative(ctx: RequestContext, id: string): Promise<HeadedAnswer<Detail>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const row = await findListed(reader, org_id, id);
  if (!row) throw new Failure("not_found");
  const counts = (await countsOf(reader, org_id, [id])).get(id);
  const developer = documentOf(row);
  const revision = developerRevision(developer);
  const { subscriptions } = developer;
  return new HeadedAnswer({ ...show(row, counts), subscriptions, revision }, {
    etag: `"${revision}"`,
  });
}

/** Registers a developer and gives the id. Throws `invalid_input`, `email_taken`, `developer_exists`. */
export async function createNative(
  ctx: RequestContext,
  input: { id?: string | undefined; email: string; fields: Record<string, unknown> },
  idempotency: Idempotency,
): Promise<string> {
  const { principal } = ctx;
  const now = ctx.clock.now();
  const { id = newId(now), ...sent } = input;
  const identity = { id, org_id: principal.org_id };
  return await ctx.storage.commit(createAccount, {
    actor: actorOf(principal, now),
    developer: newAccount(sent, identity, { now, newPassword: false }),
    sent,
    password_hash: null,
    idempotency: idempotentCall(principal, now, idempotency),
  });
}

/** Replaces e-mail address and fields; see editAccount. */
export async function editNative(
  ctx: RequestContext,
  id: string,
  sent: { email: string; fields: Record<string, unknown> },
  ifMatch: string[] | null,
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(editAccount, { actor, id, ifMatch, ...sent });
}

/** Makes a developer inactive or active; see changeInactive. */
export async function setInactive(
  ctx: RequestContext,
  id: string,
  inactive: boolean,
  by: { ifMatch: string[] | null; idempotency: Idempotency },
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const idempotency = idempotentCall(ctx.principal, actor.now, by.idempotency);
  const { ifMatch } = by;
  await ctx.storage.commit(changeInactive, { actor, id, inactive, ifMatch, idempotency });
}

/** Deletes a developer; see removeAccount. */
export async function removeNative(
  ctx: RequestContext,
  id: string,
  keys: KeysChoice,
  ifMatch: string[] | null,
): Promise<z.output<typeof deleteNativeDeveloper.response>> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const removed = await ctx.storage.commit(removeAccount, { actor, id, keys, ifMatch });
  return { id, revoked_keys: removed.revoked, deleted_requests: removed.requests };
}

/** Brings what waits into the search. False where more waits than a call may take. */
async function indexWaiting(ctx: RequestContext): Promise<boolean> {
  const { storage, principal: { org_id } } = ctx;
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    if (!await hasUnwordedOf(storage.reader, org_id)) return true;
    await storage.commit(indexDevelopers, { from: org_id });
  }
  return !await hasUnwordedOf(storage.reader, org_id);
}

/** What a list walks: the words that begin with the longest term, or the developers in their order. */
function sourceOf(
  ctx: RequestContext,
  query: z.output<typeof listQuery>,
  terms: readonly string[],
): {
  order: string;
  first: Place;
  source: (place: Place, limit: number) => Promise<Placed[]>;
} {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const inactive = query.state === undefined ? undefined : query.state === "inactive";
  const [term, ...others] = [...terms].sort((a, b) => b.length - a.length);
  if (term === undefined) {
    const newestFirst = query.sort !== "oldest";
    return {
      order: `developers ${newestFirst ? "newest" : "oldest"}`,
      first: { sort: newestFirst ? "~" : "", id: "" },
      source: async (place, limit) => {
        const walk = { inactive, newestFirst };
        const rows = await walkDevelopers(reader, org_id, walk, { place, limit });
        return rows.map((row) => ({
          place: { sort: row.instant, id: row.id },
          row,
          wanted: true,
        }));
      },
    };
  }
  return {
    order: "developers found",
    first: { sort: term, id: "" },
    source: async (place, limit) => {
      const rows = await findByWord(reader, org_id, term, { place, limit });
      return rows.map(({ word, ...row }) => {
        const words = developerWords(documentOf(row));
        const wanted = wordFor(words, term) === word &&
          others.every((other) => wordFor(words, other) !== undefined) &&
          (inactive === undefined || (row.inactive === 1) === inactive);
        return { place: { sort: word, id: row.id }, row, wanted };
      });
    },
  };
}

async function shownOf(ctx: RequestContext, rows: readonly ListedDeveloper[]) {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const counts = await countsOf(reader, org_id, rows.map((row) => row.id));
  return rows.map((row) => show(row, counts.get(row.id)));
}

function show(
  row: ListedDeveloper,
  counts: DeveloperCounts | undefined,
): z.output<typeof nativeDeveloper> {
  const { id, email, inactive, fields, date_created, last_login_date } = documentOf(row);
  return {
    ...{ id, email, inactive, fields, date_created },
    last_login_date: last_login_date === NO_TIME ? null : last_login_date,
    has_password: row.has_password === 1,
    requests: counts?.requests ?? 0,
    keys: counts?.keys ?? 0,
  };
}

/** as: the developers' store writes exactly this. */
function documentOf(row: ListedDeveloper): Developer {
  return JSON.parse(row.document) as Developer;
}
