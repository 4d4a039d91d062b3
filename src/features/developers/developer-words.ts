import { type Developer, emailKey } from "./developer.ts";

/** The searched parts of a developer. */
type Searched = Pick<Developer, "id" | "email" | "fields"> & { tags: readonly string[] };

/** Words of a developer, and their characters, at the most. */
const MOST_WORDS = 40;
const LONGEST_WORD = 64;
/**
 * Characters of all its texts together in which words are looked for: the time that bringing a run
 * of accents into order takes grows with its square.
 */
const LOOKED_AT = 4096;

/**
 * The words by whose beginnings a developer is found, in lower case: id and e-mail address whole,
 * its domain, and those of the address, of the texts in `fields` and of their tags, each as it is
 * and divided at whatever is no letter or digit.
 */
export function developerWords({ id, email, fields, tags }: Searched): string[] {
  const address = emailKey(email);
  const whole = [id, address, address.slice(address.indexOf("@") + 1)];
  const texts = Object.values(fields).flat().filter((value) => typeof value === "string");
  let left = LOOKED_AT;
  const pieces = [address, ...texts, ...tags].flatMap((text) => {
    const looked = text.slice(0, left);
    left = Math.max(0, left - text.length);
    return piecesOf(looked);
  });
  const words = [...whole.map(plain), ...pieces].map(cut).filter((word) => word !== "");
  return [...new Set(words)].slice(0, MOST_WORDS);
}

/** The words of a text of at most some hundred characters, as developers' are kept. */
export function wordsIn(text: string): string[] {
  return [...new Set(piecesOf(text).map(cut).filter((word) => word !== ""))];
}

/** The words of a text, each as it is and divided at whatever is no letter or digit. */
function piecesOf(text: string): string[] {
  const spaced = plain(text).split(" ");
  return [...spaced, ...spaced.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u))];
}

/** The search terms: each must be the beginning of a word. */
export function searchTerms(q: string): string[] {
  return [...new Set(plain(q).split(" ").map(cut))].filter((term) => term !== "");
}

/**
 * The word that a developer is found by for a term: one, so that a list shows them once; undefined:
 * by none.
 */
export function wordFor(words: readonly string[], term: string): string | undefined {
  return words.filter((word) => word.startsWith(term)).sort()[0];
}

/** One blank between words; no control characters, which an index could not hold. */
function plain(text: string): string {
  // deno-lint-ignore no-control-regex -- taking them out is the point
  return text.normalize("NFC").toLowerCase().toWellFormed().replaceAll(/[\s\u0000-\u001f]+/g, " ")
    .trim();
}

function cut(word: string): string {
  return [...word].slice(0, LONGEST_WORD).join("");
}
