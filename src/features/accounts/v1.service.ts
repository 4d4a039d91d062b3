import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { cursorCover } from "../../calls/cursor-cover.ts";
import { Answer } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
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
import { tagsIn } from "../developers/developer-tags.ts";
import { developerWords, searchTerms, wordFor } from "../developers/developer-words.ts";
import { type Developer, developerRevision } from "../developers/developer.ts";
import { emailProofOf, isOfAnother, isProved, toProof } from "../developers/email-proof.ts";
import { findEmailProof } from "../developers/email-proof.store.ts";
import { indexWaiting } from "../developers/search-developers.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { countSuspendedWith } from "../keys/end-keys.store.ts";
import type { developerDetail, listQuery, v1Developer } from "./v1.contract.ts";
import { developersWithin, type ListedWithin, seenDeveloper } from "./within-scope.service.ts";
import { actorOf, may } from "../../calls/principal.ts";
import { newId } from "../../kernel/ids.ts";
import { endingOf, undoUntil } from "../keys/ending.ts";
import { withRevokeLimit } from "../keys/revoke-limit.service.ts";
import { type Removal, removeAccount } from "./remove-account.transactions.ts";
import type { HandOver } from "./hand-over.transactions.ts";

type Detail = z.output<typeof developerDetail>;

/** The rows of such a page; `isComplete` false: a search may lack the newest. */
export async function findDeveloperRows(ctx: RequestContext, query: z.output<typeof listQuery>) {
  const [term, ...others] = query.q === undefined ? [] : searchTerms(query.q);
  const isComplete = term === undefined || await indexWaiting(ctx);
  const page = term === undefined
    ? await walk(await seenOf(ctx, allDevelopers(ctx, query)), query)
    : await walk(await seenOf(ctx, developersFound(ctx, query, [term, ...others])), query);
  return { ...page, isComplete };
}

/** Developers that a page looks at for a person with a scope: of each, requests are read. */
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
  // Keys outside the scope are not published, nor does this person resume them.
  if (within) {
    const none = { suspended_keys: 0, has_former_keys: false, confirmation_asks: false };
    const etag = `"${revision}"`;
    return new Answer({ ...serialize(row, counts), ...none, subscriptions, revision }, { etag });
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
  return new Answer({ ...serialize(row, counts), ...more }, { etag: `"${revision}"` });
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

export function serialize(
  row: ListedDeveloper,
  counts: Pick<DeveloperCounts, "requests" | "keys"> | undefined,
): z.output<typeof v1Developer> {
  const { id, email, inactive, fields, date_created, last_login_date } = documentOf(row);
  return {
    id,
    email,
    ...toProof(row, () => email),
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
  const removed = await withRevokeLimit(
    storage,
    { actor, at_most },
    () => storage.commit(removeAccount, input),
  );
  return { ...removed, undo_until };
}

/**
 * How the caller hands an account over. Throws `access_denied` where they may not do that to keys.
 */
export function handingOf(
  { principal, settings }: RequestContext,
  said: Omit<HandOver, "ending">,
  now: number,
): HandOver {
  const { keys = "keep" } = said;
  if (keys !== "keep" && !may(principal, "revoke")) throw new Failure("access_denied");
  return { ...said, ending: endingOf(principal, settings, now) };
}
