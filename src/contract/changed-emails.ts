/** For how long people are shown that a developer's address changed: 14 days. */
const LISTED_MS = 14 * 24 * 60 * 60 * 1000;

/** The warning about an address before a secret is handed out to it; undefined: none. */
export function emailWarning(
  { state, changed_at }: { state: string; changed_at: string | null },
  now: number,
): "unconfirmed" | "changed" | undefined {
  if (state !== "proved") return "unconfirmed";
  const isFresh = changed_at !== null && now - Date.parse(changed_at) < LISTED_MS;
  return isFresh ? "changed" : undefined;
}
