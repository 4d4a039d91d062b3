/**
 * Asks for what the screen of the address begins with while the rest of the page's script is still
 * on its way. The page loads this small file by itself, so it runs long before the others, which
 * find the answers here. A path that no screen asks for is read in vain:
 * system/console/vitals.test.ts holds that there is none.
 */
import type { Permission } from "../../src/contract/permissions.ts";
import { keep, kept } from "./kept.ts";

/**
 * The first reads of each screen, by the first part of its address (`{id}`: the second), with their
 * queries and the permission that each needs.
 */
const SCREENS: Readonly<Record<string, Partial<Record<Permission, readonly string[]>>>> = {
  home: {
    "admin:read": ["/v1/server", "/v1/deliveries/counts"],
    "portal:read": [
      "/v1/insight/expiries",
      "/v1/key-requests?state=pending&sort=oldest&limit=7",
      "/v1/plans?limit=100",
      "/v1/insight/decisions",
    ],
  },
  requests: {
    "portal:read": [
      "/v1/key-requests?state=pending&limit=25",
      "/v1/key-requests/{id}",
      "/v1/plans?limit=100",
    ],
  },
  keys: { "portal:read": ["/v1/keys?limit=25", "/v1/plans?limit=100", "/v1/insight/expiries"] },
  certificates: { "certs:read": ["/v1/certificates?sort=not_after&direction=asc&limit=25"] },
  "audit-log": { audit: ["/v1/audit-log?limit=50"] },
  "settings?show=deliveries": {
    "admin:read": ["/v1/deliveries/counts", "/v1/channels?limit=100", "/v1/deliveries?limit=25"],
  },
  "settings?show=people": { "admin:read": ["/v1/people?limit=50"] },
};

const NAME = "keydesk.granted";

/** Under which name is kept what lists of what waits are narrowed by at first; "": by nothing. */
export const FIRST = "keydesk.first";

/** Behind the permissions of a person with a scope, and the parts that are closed by it. */
const SCOPED = "scoped";
const OF_ALL = /^\/v1\/(insight\/(?!expiries)|server|deliveries|certificates|audit-log)/;

/** An answer that was not used until then is too old. */
const FRESH_MS = 10_000;

const asked = new Map(
  pathsOf(location).map((path) => [path, fetch(path).catch(() => undefined)] as const),
);
setTimeout(forget, FRESH_MS);
// Home writes dates. The first one of a page takes long, and nothing else is done now.
if (asked.has("/v1/insight/decisions")) new Intl.DateTimeFormat().format();

/**
 * The answer to this request that was asked for early, once; undefined: it was not, or none came.
 */
export async function early({ method, url }: Request): Promise<Response | undefined> {
  // After a change they are those of before.
  if (method !== "GET") forget();
  const path = url.slice(location.origin.length);
  const answer = asked.get(path);
  asked.delete(path);
  return await answer;
}

function forget(): void {
  for (const answer of asked.values()) void answer.then((one) => one?.body?.cancel());
  asked.clear();
}

/**
 * Keeps the person's permissions for the next visit, so that no call is made that would be denied.
 * `hasScope`: fewer of them.
 */
export function keepGranted(permissions: readonly Permission[], hasScope: boolean): void {
  const words = permissions.join(" ").replaceAll(":write", ":read");
  const read = words.replace(/admin(?!:)/, "admin:read");
  keep(NAME, hasScope ? `${read} ${SCOPED}` : read);
}

/** No one is signed in here any more. */
export function forgetGranted(): void {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Nothing was kept.
  }
}

/** Whether a person was signed in when the page was last open: says what to read first. */
export function wasSignedIn(): boolean {
  return kept(NAME) !== null;
}

function pathsOf({ pathname, search, hash }: Location): string[] {
  // A link with a code signs in another person: nothing is known until the code is used.
  if (hash !== "") return [];
  const granted = kept(NAME)?.split(" ") ?? [];
  const [, , screen = "", id = ""] = pathname.split("/");
  // Filters in the address make other queries.
  const own = SCREENS[(screen || "home") + search] ?? {};
  return [
    "/v1/session",
    ...granted.includes("portal:read") ? ["/v1/key-requests/counts"] : [],
    ...Object.entries(own).flatMap(([permission, paths]) =>
      granted.includes(permission) ? paths : []
    ).filter((path) =>
      (id !== "" || !path.includes("{id}")) && !(granted.includes(SCOPED) && OF_ALL.test(path))
    ).map((path) => path.replace("{id}", id).replace("pending&", `$&${kept(FIRST) ?? ""}`)),
  ];
}
