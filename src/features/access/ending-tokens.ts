import { endsSoon } from "./access-token.ts";
import type { EndingToken } from "./ending-tokens.store.ts";

/** How many access tokens are told by name. */
const MOST_NAMED = 20;

/** What is to be told of access tokens that end soon, a sentence; none where there are none. */
export function endingTokenWarnings(tokens: readonly EndingToken[], now: number): string[] {
  const ending = tokens.filter((token) => endsSoon(token, now));
  if (ending.length === 0) return [];
  const names = ending.slice(0, MOST_NAMED).map(({ id, name, expires_at }) =>
    `${JSON.stringify(name)} (${id}) at ${expires_at}`
  );
  const more = ending.length > MOST_NAMED ? ["…"] : [];
  return [
    `Access tokens that end soon (${ending.length}): ${
      [...names, ...more].join(", ")
    }. Rotate them before, where they are still needed.`,
  ];
}
