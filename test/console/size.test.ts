/** The console's budget: what a browser loads of it in all. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole } from "../../console/build.js";

const MOST: Readonly<Record<string, number>> = { ".js": 61_000, ".css": 8000 };
/** Loaded by themselves: where use is drawn, and where one signs in over a page or looks where one is signed in. */
const PARTS: Readonly<Record<string, { file: RegExp; most: number }>> = {
  chart: { file: /\/usage-[^/]*\.js$/, most: 2000 },
  session: { file: /\/session-[^/]*\.js$/, most: 2200 },
};

Deno.test("size: all script of the console but what is loaded by itself is 61 kB at most, all styles 8 kB, gzip", async () => {
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
        name.endsWith(type) && !Object.values(PARTS).some(({ file }) => file.test(name))
      )
        .map(([, { sizes }]) => sizes.gzip);
      const sum = sizes.reduce((all, size) => all + size, 0);
      assert.ok(sum > most / 2 && sum <= most, `${type}: ${sum} bytes of ${most}`);
    }
    for (const [part, { file, most }] of Object.entries(PARTS)) {
      const found = Object.entries(files).filter(([name]) => file.test(name));
      assert.equal(found.length, 1, part);
      const size = found[0]?.[1].sizes.gzip ?? 0;
      assert.ok(size > most / 2 && size <= most, `${part}: ${size} bytes`);
    }
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
});
