/** Nothing is fetched at run time, and no deno.json, lock file or prompt of the surroundings takes part. */
export const isolation = [
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--node-modules-dir=manual",
  "--cached-only",
  // Half the young generation's default: 20 MiB less while long lists stream out, and no slower. And an old
  // generation that is collected when it has grown by 30 %: 40 MiB less with 100,000 keys in use, and no slower.
  // Once after its start the program itself has the memory collected that starting took: see src/kernel/collect.ts.
  "--v8-flags=--max-semi-space-size=8,--heap-growing-percent=30,--expose-gc",
  "--no-remote",
  "--deny-import",
];
