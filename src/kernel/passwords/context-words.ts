/** Characters that a word has at least to be looked for. */
const LEAST_WORD = 4;
/** Letters and digits that a password has at least beside such words. */
const LEAST_BESIDE = 6;

/** The words that every attacker guesses. */
const OWN = ["keydesk"];

/**
 * Whether a password consists of words of its context (the product, the organisation, its owner)
 * and fewer than six other letters and digits.
 */
export function isOfContext(password: string, texts: readonly string[]): boolean {
  const whole = password.toLowerCase();
  const words = [...OWN, ...texts.flatMap(wordsIn)].sort((a, b) => b.length - a.length);
  const rest = words.reduce((left, word) => left.replaceAll(word, ""), whole);
  if (rest === whole) return false;
  return (rest.match(/[\p{L}\p{N}]/gu) ?? []).length < LEAST_BESIDE;
}

/** The words of a name or an address, and those together; the end of an address says nothing. */
function wordsIn(text: string): string[] {
  const words = text.toLowerCase().normalize("NFC").split(/[^\p{L}\p{N}]+/u);
  const all = text.includes("@") ? words.slice(0, -1) : [...words, words.join("")];
  return all.filter((word) => [...word].length >= LEAST_WORD);
}
