/**
 * How many times their usual work heavy suites do: once in `npm test`, more in `npm run test:long`.
 */
export const effort = Number(Deno.env.get("TEST_EFFORT") ?? "1");

/**
 * What a suite does that is too heavy for every run: `short` in `npm test`, else `usual` times the
 * effort.
 */
export function shortOr(short: number, usual: number): number {
  return effort === 1 ? short : usual * effort;
}
