import { sha256 } from "../kernel/sha256.ts";

/** The path of a URL as received, without the query. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

/**
 * A path as received by this pattern, with the SHA-256 of what stands for `{keyParameter}` in its place, since that may
 * be a plain key; a key id stays.
 */
export function withoutKey(path: string, pattern: string, keyParameter: string): string {
  const place = pattern.split("/").indexOf(`{${keyParameter}}`);
  return path.split("/").map((part, n) => n === place ? keyIdOf(part) : part).join("/");
}

function keyIdOf(part: string): string {
  if (KEY_ID.test(part)) return part;
  try {
    return sha256(decodeURIComponent(part));
  } catch {
    return sha256(part);
  }
}

const KEY_ID = /^[0-9a-f]{64}$/;
