/** A key by which a developer tries an API's operations from its page. */

/** How long it is valid at the most. */
export const PAGE_KEY_MS = 60 * 60 * 1000;

const PREFIX = "Test: ";

/** Its name in the list of keys. */
export function pageKeyName(api: string): string {
  return [...`${PREFIX}${api}`].slice(0, 100).join("").trim();
}

/**
 * Whether a key was made for a page: it gives no further access, and counts for no limit. A key
 * that a developer asked for is none, whatever its name.
 */
export function isPageKey(
  { name, request_id, issued_at, expires_at }: {
    name: string | null;
    request_id: string | null;
    issued_at: string;
    expires_at: string | null;
  },
): boolean {
  return !request_id && name?.startsWith(PREFIX) === true && expires_at !== null &&
    Date.parse(expires_at) - Date.parse(issued_at) <= PAGE_KEY_MS;
}
