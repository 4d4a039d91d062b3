import type { RequestContext } from "../../calls/context.ts";
import type { Source } from "../../kernel/walk.ts";
import { keyTerms, nameWords } from "./key-labels.ts";
import { findKeys, type KeyRow } from "./key-list.store.ts";
import * as store from "./key-search.store.ts";
import { wordFor } from "../developers/developer-words.ts";

/** A part of a search: typed as it is, and as words are kept. */
type Term = ReturnType<typeof keyTerms>[number];

/**
 * The ways to find a key, in this order; each gives the text by which the key is found, if it is.
 */
const ways: readonly {
  find: store.FindKeys;
  /** The query; undefined: no key can be found so. */
  asked: (term: Term) => string | undefined;
  /** The text by which a key is found; each key has one at the most. */
  foundBy: (asked: string, row: KeyRow, developer: readonly string[]) => string | undefined;
}[] = [
  {
    find: store.findByIds,
    asked: ({ word }) => /^[0-9a-f]+$/.test(word) ? word : undefined,
    foundBy: (asked, { key_id }) => key_id.startsWith(asked) ? "" : undefined,
  },
  {
    find: store.findByMasks,
    asked: ({ typed }) => typed,
    foundBy: (asked, { mask }) => mask.startsWith(asked) ? mask : undefined,
  },
  {
    find: store.findByMaskEnds,
    asked: ({ typed }) => {
      const end = typed.replace(/^…/, "");
      return [...end].length === 4 ? end : undefined;
    },
    foundBy: (asked, { mask }) => mask.slice(-4) === asked ? "" : undefined,
  },
  {
    find: store.findByWords,
    asked: ({ word }) => word,
    foundBy: (asked, { name }) => wordFor(nameWords(name), asked),
  },
  {
    find: store.findByDevelopers,
    asked: ({ word }) => word,
    foundBy: (asked, _, developer) => wordFor(developer, asked),
  },
  {
    find: store.findByFormerIds,
    asked: ({ word }) => /^[0-9a-f]+$/.test(word) ? word : undefined,
    foundBy: (asked, { imported_as }) =>
      imported_as !== null && imported_as.startsWith(asked) ? imported_as : undefined,
  },
];

/** A key that a search found. */
interface SearchedKey extends KeyRow {
  /** Whether it is found here, and by every part of the search: each is found once. */
  isFound: boolean;
}

/**
 * The keys that a search finds, way after way. It goes by the longest part of it. Undefined where
 * nothing is searched for but blanks.
 */
export function searchKeys(ctx: RequestContext, q: string): Source<SearchedKey> | undefined {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const terms = keyTerms(q);
  const longest = terms.reduce<Term | undefined>(
    (a, b) => a === undefined || b.word.length > a.word.length ? b : a,
    undefined,
  );
  if (!longest) return undefined;
  const asked = ways.map((way) => way.asked(longest));
  return async (place, limit) => {
    const at = Math.min(wayOf(place.sort), ways.length - 1);
    const [way, term] = [ways[at], asked[at]];
    const inner = { sort: place.sort.slice(1), id: place.id };
    const found = way && term !== undefined
      ? await way.find(reader, org_id, term, { place: inner, limit })
      : [];
    const last = found.at(-1);
    const next = last && found.length === limit
      ? outer(at, last)
      : at + 1 < ways.length
      ? outer(at + 1, { sort: "", id: "" })
      : null;
    const rows = await findKeys(
      reader,
      org_id,
      [...new Set(found.flatMap(({ key_id }) => key_id === "" ? [] : [key_id]))],
    );
    const owners = [...new Set([...rows.values()].map(({ developer_id }) => developer_id))];
    const words = await store.wordsOfDevelopers(reader, org_id, owners);
    return {
      rows: found.flatMap((one) => {
        const row = rows.get(one.key_id);
        if (!row) return [];
        const developer = words.get(row.developer_id) ?? [];
        const isHere = firstOf(longest, row, developer) === `${at}${one.sort}`;
        const isFound = isHere &&
          terms.every((term) => firstOf(term, row, developer) !== undefined);
        return [{ place: outer(at, one), row: { ...row, isFound } }];
      }),
      next,
      looked: Math.max(1, found.length),
    };
  };
}

/** The first way by which a part of a search finds a key, and by what; undefined: none does. */
function firstOf(term: Term, row: KeyRow, developer: readonly string[]): string | undefined {
  for (const [i, { asked, foundBy }] of ways.entries()) {
    const text = asked(term);
    const found = text === undefined ? undefined : foundBy(text, row, developer);
    if (found !== undefined) return `${i}${found}`;
  }
  return undefined;
}

/** Places of one way follow those of the ways before it. */
function outer(way: number, { sort, id }: { sort: string; id: string }) {
  return { sort: `${way}${sort}`, id };
}

function wayOf(sort: string): number {
  const way = Number(sort.slice(0, 1));
  return Number.isInteger(way) ? way : 0;
}
