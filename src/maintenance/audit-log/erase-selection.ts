import {
  CLIENT_ADDRESS,
  personalValues,
  type StoredEvent,
  WHOLE_DETAIL,
} from "../../changes/audit-content.ts";

/**
 * The selection to erase: at least one of both, and if both are given only rows that meet both.
 */
export interface Selection {
  /** A person's e-mail address, id or name, or a client's address. */
  person?: string | undefined;
  /** An id: rows before it. The owner of the rows does not matter. */
  before?: string | undefined;
}

/**
 * The names of a row's personal values that are to go. Of a person: the values of each row that is
 * about this id or says the text in one of them, and the client's address where the id acted or the
 * address is the text.
 */
export function namesToErase(row: StoredEvent, { person }: Selection): string[] {
  const values = personalValues(row);
  const names = Object.keys(values);
  if (person === undefined) return names;
  const isAbout = row.object_id === person ||
    names.some((name) =>
      name === WHOLE_DETAIL
        ? textsIn(JSON.parse(row.detail)).some((text) => says(text, person))
        : name !== CLIENT_ADDRESS && says(values[name] ?? "", person)
    );
  const isTheirs = row.actor === person || row.client_address === person;
  return names.filter((name) => name === CLIENT_ADDRESS ? isTheirs : isAbout);
}

/**
 * Whether a row holds the text anywhere that is no id: in its detail, a value, or the name of one
 * that was erased.
 */
export function stillHolds(row: StoredEvent, person: string): boolean {
  const sought = person.toLowerCase();
  const { detail, personal, erased, client_address } = row;
  const texts = [detail, personal, erased].flatMap((json) => textsIn(JSON.parse(json)));
  return [...texts, client_address].some((text) => text.toLowerCase().includes(sought));
}

/**
 * Whether a text says another one as words of their own, in whichever case: not as a part of a
 * longer address.
 */
function says(text: string, sought: string): boolean {
  const [all, part] = [text.toLowerCase(), sought.toLowerCase()];
  for (let at = all.indexOf(part); at !== -1; at = all.indexOf(part, at + 1)) {
    if (GOES_ON_BEFORE.test(all.slice(0, at).slice(-2))) continue;
    if (!GOES_ON_BEHIND.test(all.slice(at + part.length).slice(0, 3))) return true;
  }
  return false;
}

const GOES_ON_BEFORE = /[\p{L}\p{N}_+%-]\.?$/u;
const GOES_ON_BEHIND = /^[.-]?[\p{L}\p{N}_]/u;

/** Every text in a value that was JSON, the names of members too. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...textsIn(one)]);
}
