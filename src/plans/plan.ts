/** How a plan's keys are presented. */
export type AuthType = "authToken" | "basic" | "oauth" | "keyless";

/** Reads an auth type as catalogue entries and plans carry it; a value that nobody knows counts as `authToken`. */
export function toAuthType(text: string): AuthType {
  return text === "basic" || text === "oauth" || text === "keyless" ? text : "authToken";
}

/** `key_expires_in` of a plan's document: seconds that its keys live; 0 where they do not expire. */
export function keyExpiresIn(document: string): number {
  // Most plans say nothing of it, and approving reads every plan.
  if (!document.includes('"key_expires_in"')) return 0;
  const { key_expires_in } = JSON.parse(document);
  return typeof key_expires_in === "number" && key_expires_in > 0 ? key_expires_in : 0;
}

/** When keys of these plans end that are issued now: the shortest life counts. Null: never. */
export function expiryOf(livesSeconds: readonly number[], nowMs: number): string | null {
  const lives = livesSeconds.filter((seconds) => seconds > 0);
  const end = nowMs + Math.min(...lives) * 1000;
  // A life past the year 9999 is none that could end.
  return lives.length === 0 || end > LAST_MS ? null : new Date(end).toISOString();
}

const LAST_MS = Date.UTC(9999, 11, 31);
