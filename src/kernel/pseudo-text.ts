/** A language for tests: letters that no language has, longer, from right to left. */
export const PSEUDO = "qps-plocm";

/** A text in such letters, so that one outside of the catalogues is seen; ICU's syntax stays. */
export function pseudoText(text: string): string {
  return `⟦${accented(text)}⟧`;
}

/** Within braces of an odd depth stands ICU's syntax, which stays. */
function accented(text: string): string {
  let depth = 0;
  return [...text].map((letter) => {
    if (letter === "{") depth++;
    if (letter === "}") depth--;
    const at = depth % 2 === 0 ? LETTERS.indexOf(letter) : -1;
    return at === -1 ? letter : ACCENTED[at] ?? letter;
  }).join("");
}

const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const ACCENTED = [..."áƀćđéƒǧĥíĵķļɱńóþɋŕšťúṽŵẋýžÁßĆĐÉƑǦĤÍĴĶĻṀŃÓÞǪŔŠŤÚṼŴẊÝŽ"];
