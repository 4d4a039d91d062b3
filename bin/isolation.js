// How Deno is started, whatever it runs.

/**
 * Nothing is fetched at run time, and no deno.json, lock file or prompt of the surroundings takes
 * part. What a command imports when it is called is not even read before that.
 */
export const isolation = [
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--node-modules-dir=manual",
  "--cached-only",
  "--no-remote",
  "--deny-import",
  "--unstable-lazy-dynamic-imports",
];

/**
 * Half the young generation's default: 20 MiB less while long lists stream out, and no slower. And
 * an old generation that is collected when it has grown by 30 %: 40 MiB less with 100,000 keys in
 * use, and no slower. The program has its memory collected after its start and after a crowd:
 * src/kernel/collect.ts.
 */
export const memory = "--v8-flags=--max-semi-space-size=8,--heap-growing-percent=30,--expose-gc";
