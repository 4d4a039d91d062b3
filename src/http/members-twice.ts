/** How many names are listed; more than these are the same mistake. */
const MOST = 100;

/**
 * The names of members that stand twice in one object of a JSON text, where a parser takes the last
 * and says nothing. The text has been parsed before, so that nothing of its form is looked at.
 */
export function membersTwice(text: string): string[] {
  const twice: string[] = [];
  /** The names of each object that is open; undefined: an array. */
  const open: (Set<string> | undefined)[] = [];
  let names: Set<string> | undefined;
  let isName = false;
  for (let at = 0; at < text.length && twice.length < MOST; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfText(text, at);
        if (names && isName) {
          const name = nameIn(text, at, end);
          if (names.has(name)) twice.push(name);
          else names.add(name);
        }
        isName = false;
        at = end;
        break;
      }
      case COMMA:
        isName = names !== undefined;
        break;
      case BRACE:
      case BRACKET:
        open.push(names);
        isName = text.charCodeAt(at) === BRACE;
        names = isName ? new Set() : undefined;
        break;
      case BRACE_END:
      case BRACKET_END:
        names = open.pop();
    }
  }
  return twice;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The end of the text that begins at `start`: its closing quote, which no backslash escapes. */
function endOfText(text: string, start: number): number {
  let end = start;
  let backslashes: number;
  do {
    end = text.indexOf('"', end + 1);
    backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
  } while (backslashes % 2 === 1);
  return end;
}

/** The common form of two names that are written in different ways. */
function nameIn(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end);
  return name.includes("\\") ? JSON.parse(text.slice(start, end + 1)) : name;
}
