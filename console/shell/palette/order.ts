/** The subject of a row, in the order of the groups. */
export const kinds = {
  screen: "Go to",
  action: "Do",
  view: "Views",
  developer: "Developers",
  key: "Keys",
  request: "Key requests",
  api: "APIs",
  plan: "Plans",
  certificate: "Certificates",
  person: "People",
  more: "More",
} as const;
export type Kind = keyof typeof kinds;

/** A row: something that is opened, or done. */
export interface Item {
  readonly kind: Kind;
  /** The id of the thing; of a screen its path, of an action its name. */
  readonly id: string;
  readonly title: string;
  readonly detail?: string | undefined;
  /** The path, below `/console`. */
  readonly href: string;
  /** The dialog that opens there, and the key that it is about. */
  readonly act?: string;
  readonly about?: string;
  /** For what a screen or an action is found besides its title. */
  readonly words?: string;
  /** The keys that do the same. */
  readonly keys?: string;
  readonly isBad?: boolean;
  /** The title is what may be shown of a key, and no name. */
  readonly isMask?: boolean;
}

/** Rows under a heading. */
export interface Group {
  readonly title: string;
  readonly items: readonly Item[];
}

/** Rows of a group. */
const MOST = 3;

/**
 * How well a row's title fits: 4 the same, 3 begins so, 2 a word of it does, 1 holds it; 0 not at
 * all.
 */
export function fitOf({ title, words = "" }: Item, text: string): number {
  const [name, asked] = [title.toLowerCase(), text.toLowerCase()];
  if (name === asked) return 4;
  if (name.startsWith(asked)) return 3;
  const all = `${name} ${words.toLowerCase()}`;
  if (all.split(/[\s@._-]+/).some((_, at, parts) => parts.slice(at).join(" ").startsWith(asked))) {
    return 2;
  }
  return all.includes(asked) ? 1 : 0;
}

/**
 * Rows in groups: what has exactly this id, what fits best, then three of each kind. Of those that
 * fit alike, the one that stands first here is the best, so that what comes later takes its place
 * only where it fits better.
 */
export function arrange(items: readonly Item[], text: string): Group[] {
  const exact = items.filter(({ id, kind }) => kind !== "more" && id === text.toLowerCase());
  const rest = items.filter((item) => !exact.includes(item));
  const fits = rest.filter(({ kind }) => kind !== "more").map((item) => fitOf(item, text));
  const most = Math.max(0, ...fits);
  const best = exact.length > 0 || most < 2 ? [] : rest.slice(fits.indexOf(most)).slice(0, 1);
  // as: the object's own keys.
  const groups = (Object.keys(kinds) as Kind[]).map((kind) => ({
    title: kinds[kind],
    items: rest.filter((item) => item.kind === kind && !best.includes(item)).slice(0, MOST),
  }));
  return [
    { title: "Exactly this id", items: exact },
    { title: "Best match", items: best },
    ...groups,
  ]
    .filter(({ items }) => items.length > 0);
}
