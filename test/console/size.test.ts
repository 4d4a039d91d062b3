/** The console's budget: what a browser loads of it in all. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole } from "../../console/build.js";

const MOST: Readonly<Record<string, number>> = { ".js": 61_000, ".css": 8200 };
/** Each is loaded by itself: where use is drawn, and in a desk's first hour and its catalogue. */
const OTHERS: readonly (readonly [name: RegExp, most: number])[] = [
  [/\/usage-[^/]*\.js$/, 2000],
  [/\/newcomers-[^/]*\.js$/, 11_000],
];

Deno.test("size: the console's script is 61 kB at most, what is loaded by itself has its own limit, styles are 8.2 kB, gzip", async () => {
  const outDir = await mkdtemp(join(tmpdir(), "keydesk-console-"));
  try {
    await buildConsole(outDir);
    // as: the build wrote it a moment ago.
    const files = JSON.parse(await readFile(join(outDir, "files.json"), "utf8")) as Record<
      string,
      { sizes: { gzip: number } }
    >;
    for (const [type, most] of Object.entries(MOST)) {
      const sizes = Object.entries(files).filter(([name]) =>
        name.endsWith(type) && !OTHERS.some(([other]) => other.test(name))
      )
        .map(([, { sizes }]) => sizes.gzip);
      const sum = sizes.reduce((all, size) => all + size, 0);
      assert.ok(sum > most / 2 && sum <= most, `${type}: ${sum} bytes of ${most}`);
    }
    for (const [name, most] of OTHERS) {
      const found = Object.entries(files).filter(([file]) => name.test(file));
      assert.equal(found.length, 1);
      const size = found[0]?.[1].sizes.gzip ?? 0;
      assert.ok(size > most / 2 && size <= most, `${name}: ${size} bytes of ${most}`);
    }
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
});
