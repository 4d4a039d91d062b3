import { canonicalJson } from "../kernel/canonical-json.ts";
import { randomBytes, toHex } from "../kernel/ids.ts";
import { leafHash } from "../../packages/audit-log/merkle.ts";
import { sha256 } from "../kernel/sha256.ts";
import type { StoredRow } from "../storage/schema.ts";

/**
 * A row of the audit log, each member as it is stored. The JSON texts `salts` and `erased` hold a
 * salt of each personal value that is there, and the salted hash of each that was erased, by the
 * names that `personalValues` gives.
 */
export type StoredEvent = Omit<StoredRow<"audit_events">, "content_hash" | "leaf_index">;

type Texts = Readonly<Record<string, string>>;

/** The name of the client's address among personal values; all others begin with a slash. */
export const CLIENT_ADDRESS = "client_address";
/**
 * The name of the whole detail, as JSON Pointers say it: personal where it may name a person at any
 * place, which is so in rows of releases that kept nothing apart.
 */
export const WHOLE_DETAIL = "";

/** So many fresh salts of personal values, which no one guesses: of 16 random bytes each, hex. */
export function newSalts(count: number): string[] {
  if (count === 0) return [];
  // Drawn at once, which costs about as much as one alone.
  const drawn = toHex(randomBytes(16 * count));
  return Array.from({ length: count }, (_, n) => drawn.slice(32 * n, 32 * n + 32));
}

/**
 * The salted hash that represents a personal value, hex: SHA-256 of the salt's 32 characters and
 * the value behind them.
 */
export function hashedValue(salt: string, value: string): string {
  return sha256(`${salt}${value}`);
}

/**
 * How a row came into the log, where it brought no hash: from before there were logs, or as code of
 * an earlier release wrote it after that.
 */
export type Entered = "upgrade" | "older";

/**
 * The hashed content of a row, in the form of RFC 8785: docs/audit-log.md has it for those who
 * verify it without Keydesk. Personal values are in it as their salted hashes. Throws for a row
 * whose members are not as Keydesk writes them.
 */
export function contentOf(row: StoredEvent, entered?: Entered): string {
  return contentWith(row, hashesOf(row), JSON.parse(row.detail), entered);
}

/**
 * The content of a row that is written now: `hashes` are those of its personal values, `detail`
 * what it tells. Its leaf hash is the row's.
 */
export function contentOfNew(
  row: Omit<StoredEvent, "detail" | "personal" | "salts" | "erased" | "client_address">,
  hashes: Texts,
  detail: unknown,
): string {
  return contentWith(row, hashes, detail);
}

function contentWith(
  row: Omit<StoredEvent, "detail" | "personal" | "salts" | "erased" | "client_address">,
  hashes: Texts,
  content: unknown,
  entered?: Entered,
): string {
  const { [CLIENT_ADDRESS]: address = null, [WHOLE_DETAIL]: whole, ...personal } = hashes;
  const detail = whole ?? content;
  // Every change waits for this, so it is put together by hand, its members in their order.
  return `{"action":${JSON.stringify(row.action)},"actor":${JSON.stringify(row.actor)},` +
    `"at":${JSON.stringify(row.at)},` +
    // Rows from before there was one have the hash that they had.
    (row.caller_request_id === ""
      ? ""
      : `"caller_request_id":${JSON.stringify(row.caller_request_id)},`) +
    `"client_address":${JSON.stringify(address)},` +
    `"detail":${canonicalJson(detail)},` +
    (entered === undefined ? "" : `"entered":"${entered}",`) +
    `"id":${JSON.stringify(row.id)},"object":${JSON.stringify(row.object)},` +
    `"object_id":${JSON.stringify(row.object_id)},"org_id":${JSON.stringify(row.org_id)},` +
    `"personal":${canonicalJson(personal)},"request_id":${JSON.stringify(row.request_id)},` +
    `"session":${JSON.stringify(row.session)},"token_id":${JSON.stringify(row.token_id)},"v":1}`;
}

/**
 * The hash of a row's content, hex: SHA-256 of a zero byte and the content, as a leaf of RFC 6962.
 * Throws likewise.
 */
export function contentHash(row: StoredEvent, entered?: Entered): string {
  return leafHash(contentOf(row, entered));
}

/**
 * The salted hash of each personal value, whether it is there or was erased. Throws where a value
 * has no right salt, a hash is none, or a value is beside the hash that says it is gone.
 */
function hashesOf(row: StoredEvent): Texts {
  const values = personalValues(row);
  // as: both were written as objects of texts; each text is looked at below.
  const salts = JSON.parse(row.salts) as Texts;
  const erased = Object.entries(JSON.parse(row.erased) as Texts);
  const hashed = Object.entries(values).map(([name, value]): [string, string] => {
    const salt = Object.hasOwn(salts, name) ? salts[name] : undefined;
    // Of another length, the first characters of the value could be moved to it.
    if (!isHex(salt, 32) || typeof value !== "string") {
      throw new TypeError(`${name || "detail"} has no salt`);
    }
    return [name, hashedValue(salt, value)];
  });
  for (const [name, hash] of erased) {
    const isThere = Object.hasOwn(values, name) ||
      name === WHOLE_DETAIL && canonicalJson(JSON.parse(row.detail)) !== "{}";
    if (isThere || !isHex(hash, 64)) throw new TypeError(`${name || "detail"} was not erased`);
  }
  return Object.fromEntries([...erased, ...hashed]);
}

function isHex(text: unknown, length: number): text is string {
  return typeof text === "string" && text.length === length && /^[0-9a-f]+$/.test(text);
}

/** The personal values that a row holds, by name. An empty address is none. */
export function personalValues(
  row: Pick<StoredEvent, "client_address" | "personal" | "detail" | "salts">,
): Texts {
  // as: written as an object of texts.
  const values = JSON.parse(row.personal) as Texts;
  // as: likewise.
  const isWhole = Object.hasOwn(JSON.parse(row.salts) as Texts, WHOLE_DETAIL);
  return {
    ...values,
    ...row.client_address === "" ? {} : { [CLIENT_ADDRESS]: row.client_address },
    ...isWhole ? { [WHOLE_DETAIL]: canonicalJson(JSON.parse(row.detail)) } : {},
  };
}

/**
 * The row without some of its personal values, or all: their salted hashes stay, so that its
 * content hash does. A value that it does not hold is left out.
 */
export function withoutPersonal(row: StoredEvent, names?: readonly string[]): StoredEvent {
  const values = personalValues(row);
  const hashes = hashesOf(row);
  const gone = Object.keys(values).filter((name) => names?.includes(name) ?? true);
  // as: see hashesOf.
  const salts = JSON.parse(row.salts) as Texts;
  const erased = JSON.parse(row.erased) as Texts;
  const kept = (texts: Texts) =>
    Object.fromEntries(Object.entries(texts).filter(([name]) => !gone.includes(name)));
  // as: written as an object of texts.
  const personal = JSON.parse(row.personal) as Texts;
  return {
    ...row,
    personal: JSON.stringify(kept(personal)),
    client_address: gone.includes(CLIENT_ADDRESS) ? "" : row.client_address,
    detail: gone.includes(WHOLE_DETAIL) ? "{}" : row.detail,
    salts: JSON.stringify(kept(salts)),
    erased: JSON.stringify({
      ...erased,
      ...Object.fromEntries(gone.map((name) => [name, hashes[name] ?? ""])),
    }),
  };
}
