import { isObject } from "./extended-json.ts";
import type { Kind, Members } from "./source.ts";

/** The prefixes of a gateway's record names, by their content. */
export const prefixes = {
  key: "apikey-",
  certificate: "cert-raw-",
  client: "oauth-data.",
} as const;

/** The kinds that a gateway's Redis holds. */
export type RecordKind = keyof typeof prefixes;

/** Releases differ in the dot between API and client. */
const CLIENT = /^oauth-data\.(.*?)\.?oauth-clientid\.(.+)$/s;

/** The prefix of the record of a key's used quota; the key's session does not count it. */
export const QUOTA = "quota-";

/**
 * The value of such a record as a member of its key's document; none if there is no record, or no
 * number in it.
 */
export function withUsed(value: unknown): { used?: number } {
  const used = Number(value ?? 0);
  return Number.isSafeInteger(used) && used > 0 ? { used } : {};
}

/** Which kind of record a name belongs to; undefined: none that moves. */
export function kindOfRecord(name: string): RecordKind | undefined {
  if (name.startsWith(prefixes.key)) return "key";
  if (name.startsWith(prefixes.certificate)) return "certificate";
  return CLIENT.test(name) ? "client" : undefined;
}

/**
 * A record as a document of its kind: a key is `{name, session}`, a certificate `{id, pem}`, an
 * OAuth client `{api, client}`. A text says why it is none; it holds nothing of name or value.
 */
export function documentOfRecord(kind: Kind, name: string, value: string): Members | string {
  if (kind === "certificate") return { id: name.slice(prefixes.certificate.length), pem: value };
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    return "its value is no JSON";
  }
  if (!isObject(parsed)) return "its value is no object";
  if (kind === "key") return { name: name.slice(prefixes.key.length), session: parsed };
  const [, api = "", client_id = ""] = CLIENT.exec(name) ?? [];
  return { api, client: { id: client_id, ...parsed } };
}
