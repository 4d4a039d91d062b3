/** Rows of keyboards, as fingers walk them. */
const ROWS = ["1234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm"];
/** Characters of the longest part that a password may not be made of by repeating it. */
const LONGEST_PART = 4;
/** Characters that go on alike from here on are a run. */
const SHORTEST_RUN = 3;

/**
 * Whether a password can be said in a few words: one short part again and again ("aaaaaaaa",
 * "abcabcabc"), or nothing but runs of repeated or sequential characters ("abcd1234", "87654321",
 * "qwertyui"), with one character beside them at the most. In any case.
 */
export function isPredictable(password: string): boolean {
  const signs = [...password.toLowerCase()];
  for (let part = 1; part <= LONGEST_PART; part++) {
    if (signs.length >= 2 * part && signs.every((one, n) => one === signs[n % part])) return true;
  }
  return signs.length >= SHORTEST_RUN && besideRuns(signs) <= 1;
}

/** How many characters belong to no run. */
function besideRuns(signs: readonly string[]): number {
  let beside = 0;
  for (let from = 0; from < signs.length;) {
    const length = Math.max(...STEPS.map((goesOn) => runFrom(signs, from, goesOn)));
    const isRun = length >= SHORTEST_RUN;
    if (!isRun) beside++;
    from += isRun ? length : 1;
  }
  return beside;
}

type Step = (before: string, after: string) => boolean;

function runFrom(signs: readonly string[], from: number, goesOn: Step): number {
  let to = from + 1;
  while (to < signs.length && goesOn(signs[to - 1] ?? "", signs[to] ?? "")) to++;
  return to - from;
}

const byCode = (step: number): Step => (before, after) =>
  (after.codePointAt(0) ?? 0) - (before.codePointAt(0) ?? 0) === step;
const byRow = (row: string, step: number): Step => (before, after) => {
  const at = row.indexOf(before);
  return at >= 0 && row[at + step] === after;
};

const STEPS: readonly Step[] = [
  byCode(0),
  byCode(1),
  byCode(-1),
  ...ROWS.flatMap((row) => [byRow(row, 1), byRow(row, -1)]),
];
