import { searchTerms, wordsIn } from "../developers/developer-words.ts";

/**
 * The labels that hold one text each. A new label is here or beside `tags`, and so in every list of
 * them.
 */
const TEXTS = ["name", "environment", "note"] as const;
/** Every label; the columns that hold them have their names. */
export const LABELS = [...TEXTS, "tags"] as const;

type Text = typeof TEXTS[number];

/** The name and labels of a key; empty members: not set. `note` is for administrators alone. */
export type KeyLabels = Record<Text, string> & { tags: string[] };

/** Some of them; an absent one says nothing. */
export type SomeKeyLabels = { readonly [M in keyof KeyLabels]?: KeyLabels[M] | undefined };

/** The columns that hold them; null: no one said, `tags` is a JSON array. */
export type LabelColumns = Record<typeof LABELS[number], string | null>;

/** The columns of a key that no one has labelled. */
export const unlabelled: LabelColumns = { ...eachText(() => null), tags: null };

/** The labels that a key's columns hold. */
export function labelsOf(columns: LabelColumns): KeyLabels {
  return {
    ...eachText((label) => columns[label] ?? ""),
    // as: columnsOf writes exactly this.
    tags: columns.tags === null ? [] : JSON.parse(columns.tags) as string[],
  };
}

/** The columns of these labels; duplicate tags are left out. */
export function columnsOf(labels: SomeKeyLabels): LabelColumns {
  const own = [...new Set(labels.tags)];
  return {
    ...eachText((label) => labels[label] || null),
    tags: own.length === 0 ? null : JSON.stringify(own),
  };
}

/** The labels of which a call says something; undefined: of none. */
export function saidOf(call: SomeKeyLabels): SomeKeyLabels | undefined {
  const isSilent = LABELS.every((label) => call[label] === undefined);
  return isSilent ? undefined : { ...eachText((label) => call[label]), tags: call.tags };
}

/** A value for each label of one text. */
export function eachText<T>(of: (label: Text) => T): Record<Text, T> {
  // as: each has its value.
  return Object.fromEntries(TEXTS.map((label) => [label, of(label)])) as Record<Text, T>;
}

/** A key as people and the audit log call it: by its name, if it has one, and its mask. */
export function calledKey({ name, mask }: { name: string | null; mask: string }): string {
  return name === null || name === "" ? mask : `${name} (${mask})`;
}

/** Words of a name, at the most. */
const MOST_WORDS = 40;

/** The words by whose beginnings a key's name is found. */
export function nameWords(name: string | null): string[] {
  return name === null ? [] : wordsIn(name).slice(0, MOST_WORDS);
}

/** The search terms, each as it was typed and in the form of stored words. */
export function keyTerms(q: string): { typed: string; word: string }[] {
  const typed = q.trim().split(/\s+/).map((one) => one.replaceAll("...", "…"));
  return [...new Set(typed)].flatMap((one) => {
    const [word] = searchTerms(one);
    return word === undefined ? [] : [{ typed: one, word }];
  });
}
