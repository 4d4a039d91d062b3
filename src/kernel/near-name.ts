/** The most names that are suggested for one that begins them. */
const FEW = 3;

/**
 * Which of `names` `name` was probably meant to be: the few that begin with it and go on with an
 * underscore, as where a unit was left out; else the near one, if there is one.
 */
export function nearNames(name: string, names: readonly string[]): string[] {
  const longer = names.filter((other) => other.startsWith(`${name}_`));
  if (longer.length > 0 && longer.length <= FEW) return longer;
  const near = nearName(name, names);
  return near === undefined ? [] : [near];
}

/**
 * The near names on the wire: one that differs only by case and dashes (`API` and `api`); if none
 * is near, the few that have a word in common with it (`plan_id` and `plan`). Long names cost no
 * more than short ones: none is near them.
 */
export function meantNames(name: string, names: readonly string[]): string[] {
  if (name.length > LONGEST_MEANT) return [];
  const plain = plainOf(name);
  const same = names.filter((other) => plainOf(other) === plain);
  if (same.length > 0) return same;
  const near = nearNames(plain, names);
  if (near.length > 0) return near;
  const words = wordsIn(plain);
  const alike = names.filter((other) => wordsIn(other).some((word) => words.includes(word)));
  return alike.length <= FEW ? alike : [];
}

/** No name of ours has half as many characters. */
const LONGEST_MEANT = 64;

function plainOf(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").replaceAll("-", "_").toLowerCase();
}

/** The words of a name that say something. */
function wordsIn(name: string): string[] {
  return name.split("_").filter((word) => word.length > 2);
}

/**
 * The one of `names` that `name` was probably meant to be: a third of its letters may be wrong,
 * missing, too many or swapped with the next one. Undefined where none is near.
 */
function nearName(name: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.floor(Math.max(name.length, 3) / 3) + 1;
  for (const other of names) {
    if (Math.abs(other.length - name.length) >= least) continue;
    const mistakes = mistakesBetween(name, other);
    if (mistakes < least) [best, least] = [other, mistakes];
  }
  return best;
}

/**
 * The optimal string alignment distance: as Levenshtein's, with two letters swapped as one mistake.
 */
function mistakesBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const least = Math.min(
        at(last, j - 1) + (same ? 0 : 1),
        at(last, j) + 1,
        at(row, j - 1) + 1,
      );
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(swapped ? Math.min(least, at(beforeLast, j - 2) + 1) : least);
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
