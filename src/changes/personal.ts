/**
 * The personal values of an event's detail, by their JSON Pointers (RFC 6901), such as
 * `/before/name`.
 */
export type Personal = Readonly<Record<string, string>>;

type Members = Record<string, unknown>;

/** A reason that a person gave: people write about people. */
export function personalReason(reason: string | null): Personal | undefined {
  return reason === null ? undefined : { "/reason": reason };
}

/**
 * The personal members of a reason and of a message to a developer; undefined: neither was given.
 */
export function personalWords(
  { reason, message }: { reason: string | null; message: string | null },
): Personal | undefined {
  if (message === null) return personalReason(reason);
  return { ...personalReason(reason), "/message": message };
}

/**
 * A detail without the texts that hold an e-mail address, and these. In a list an empty text stays
 * in their place. A member whose name holds one goes whole, as JSON text where it is no text.
 */
export function apartFromPersonal(
  detail: Readonly<Members>,
): { detail: Readonly<Members>; personal: Personal } {
  const found: [string, string][] = [];
  const rest = without(detail, "", found);
  return { detail: rest, personal: Object.fromEntries(found) };
}

/** The detail as people read it: with every personal text at its place. */
export function withPersonal(detail: Readonly<Members>, personal: Personal): Members {
  const whole: Members = structuredClone(detail);
  for (const [pointer, text] of Object.entries(personal)) {
    const names = pointer.split("/").slice(1).map(fromPointer);
    const last = names.pop() ?? "";
    let at: unknown = whole;
    for (const name of names) at = memberOf(at, name);
    put(at, last, text);
  }
  return whole;
}

/**
 * As it is between other words too. Cheap on long texts: nothing in it goes back over what it has
 * seen.
 */
const EMAIL = /[^\s@]@[^\s@]/;

function without(members: Readonly<Members>, place: string, found: [string, string][]): Members {
  const rest: [string, unknown][] = [];
  for (const [name, value] of Object.entries(members)) {
    if (EMAIL.test(name)) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      found.push([`${place}/${toPointer(name)}`, text]);
      continue;
    }
    const kept = keptOf(value, `${place}/${toPointer(name)}`, found);
    if (kept !== undefined) rest.push([name, kept]);
  }
  // Made of entries: a member called __proto__ is a member like others here.
  return Object.fromEntries(rest);
}

/** The part of a value that may stay; undefined: none. */
function keptOf(value: unknown, place: string, found: [string, string][]): unknown {
  if (typeof value === "string") {
    if (!EMAIL.test(value)) return value;
    found.push([place, value]);
    return undefined;
  }
  if (Array.isArray(value)) {
    return value.map((one, i) => keptOf(one, `${place}/${i}`, found) ?? (one === null ? null : ""));
  }
  if (typeof value !== "object" || value === null) return value;
  // as: what is neither an array nor null has members.
  return without(value as Members, place, found);
}

function memberOf(parent: unknown, name: string): unknown {
  if (typeof parent !== "object" || parent === null) return undefined;
  if (Object.hasOwn(parent, name)) return Reflect.get(parent, name);
  const fresh = {};
  put(parent, name, fresh);
  return fresh;
}

function put(parent: unknown, name: string, value: unknown): void {
  if (typeof parent !== "object" || parent === null) return;
  // Defined and not set: "__proto__" would be understood otherwise.
  Object.defineProperty(parent, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function toPointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function fromPointer(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
