import { searchTerms, wordsIn } from "../developers/developer-words.ts";

/** What people call a key, and where and under what they file it; empty members: nobody said. */
export interface KeyLabels {
  name: string;
  environment: string;
  /** For administrators alone. */
  note: string;
  tags: string[];
}

/** Some of them; an absent one says nothing. */
export type SomeKeyLabels = { readonly [M in keyof KeyLabels]?: KeyLabels[M] | undefined };

/** The columns that hold them; null: nobody said, `tags` is a JSON array. */
export interface LabelColumns {
  name: string | null;
  environment: string | null;
  note: string | null;
  tags: string | null;
}

/** The columns of a key that nobody has labelled. */
export const unlabelled: LabelColumns = { name: null, environment: null, note: null, tags: null };

/** The labels that a key's columns hold. */
export function labelsOf({ name, environment, note, tags }: LabelColumns): KeyLabels {
  return {
    ...{ name: name ?? "", environment: environment ?? "", note: note ?? "" },
    // as: columnsOf writes exactly this.
    tags: tags === null ? [] : JSON.parse(tags) as string[],
  };
}

/** What the columns hold for these labels; each tag stands there once. */
export function columnsOf({ name, environment, note, tags }: SomeKeyLabels): LabelColumns {
  const own = [...new Set(tags)];
  return {
    ...{ name: name || null, environment: environment || null, note: note || null },
    tags: own.length === 0 ? null : JSON.stringify(own),
  };
}

/** The labels of which a call says something; undefined: of none. */
export function saidOf(call: SomeKeyLabels): SomeKeyLabels | undefined {
  const { name, environment, note, tags } = call;
  const isSilent = [name, environment, note, tags].every((one) => one === undefined);
  return isSilent ? undefined : { name, environment, note, tags };
}

/** A key as people and the trail call it: by its name, if it has one, and its mask. */
export function calledKey({ name, mask }: { name: string | null; mask: string }): string {
  return name === null || name === "" ? mask : `${name} (${mask})`;
}

/** Words of a name, at the most. */
const MOST_WORDS = 40;

/** The words by whose beginnings a key's name is found. */
export function nameWords(name: string | null): string[] {
  return name === null ? [] : wordsIn(name).slice(0, MOST_WORDS);
}

/** What is searched for, each as it was typed and as words are kept. */
export function keyTerms(q: string): { typed: string; word: string }[] {
  const typed = q.trim().split(/\s+/).map((one) => one.replaceAll("...", "…"));
  return [...new Set(typed)].flatMap((one) => {
    const [word] = searchTerms(one);
    return word === undefined ? [] : [{ typed: one, word }];
  });
}
