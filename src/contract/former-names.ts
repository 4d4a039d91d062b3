import table from "./former-names.json" with { type: "json" };

/**
 * The sorts of names that releases before 0.9.0 spelled otherwise. `paths`: patterns of `/v1`;
 * `mails`: placeholders and fixed words; `objects`: the first half of an action or a topic;
 * `actions`: one whole action or topic; `commands`: their words after `keydesk`; `options`: an
 * option behind its command; `screens`: paths of the console.
 */
export type NameSort = keyof typeof table;

/** The table itself: each former name with the present one. Former names are no aliases. */
export const formerNames: Readonly<Record<NameSort, Readonly<Record<string, string>>>> = table;

/** The present name of what `name` called before 0.9.0; undefined where it is no former name. */
export function presentName(sort: NameSort, name: string): string | undefined {
  const names = formerNames[sort];
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

/** The present pattern of a former path of `/v1`, by a called path without its query. */
export function presentPath(path: string): string | undefined {
  const parts = path.split("/", MOST_PARTS + 1);
  if (parts.length > MOST_PARTS) return undefined;
  const pattern = Object.keys(formerNames.paths).find((one) => {
    const own = one.split("/");
    return own.length === parts.length &&
      own.every((part, i) => part === parts[i] || part.startsWith("{"));
  });
  return pattern && formerNames.paths[pattern];
}

/** No former path has more parts. */
const MOST_PARTS = 10;

/**
 * The present name of an action or a topic. Rows keep the names under which they were written,
 * since hashes cover them, so code writes those too: only answers, messages and queries use the
 * present name.
 */
export function presentAction(stored: string): string {
  const whole = presentName("actions", stored);
  if (whole !== undefined) return whole;
  const dot = stored.indexOf(".");
  return dot < 0 ? presentObject(stored) : presentObject(stored.slice(0, dot)) + stored.slice(dot);
}

/** The present name of an action's object. */
export function presentObject(stored: string): string {
  return presentName("objects", stored) ?? stored;
}

/** The names under which rows may have an action that outside the store is called `present`. */
export function storedActions(present: string): string[] {
  const dot = present.indexOf(".");
  if (dot < 0) return [present];
  const written = storedObjects(present.slice(0, dot)).map((one) => one + present.slice(dot));
  return [...written, ...formersOf("actions", present)].filter((one) =>
    presentAction(one) === present
  );
}

/** The stored names of an action's object. */
export function storedObjects(present: string): string[] {
  return [present, ...formersOf("objects", present)].filter((one) =>
    presentObject(one) === present
  );
}

function formersOf(sort: NameSort, present: string): string[] {
  return Object.entries(formerNames[sort]).flatMap(([former, now]) =>
    now === present ? [former] : []
  );
}
