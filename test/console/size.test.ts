/** The console's budget: what a browser loads of it in all. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole } from "../../console/build.js";

const MOST: Readonly<Record<string, number>> = { ".js": 61_000, ".css": 8000 };
/** Loaded by itself, and only where use is drawn. */
const CHART = /\/usage-[^/]*\.js$/;
const MOST_CHART = 2000;

Deno.test("size: all script of the console but the chart is 61 kB at most, all styles 8 kB, gzip", async () => {
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
        name.endsWith(type) && !CHART.test(name)
      )
        .map(([, { sizes }]) => sizes.gzip);
      const sum = sizes.reduce((all, size) => all + size, 0);
      assert.ok(sum > most / 2 && sum <= most, `${type}: ${sum} bytes of ${most}`);
    }
    const charts = Object.entries(files).filter(([name]) => CHART.test(name));
    assert.equal(charts.length, 1);
    const chart = charts[0]?.[1].sizes.gzip ?? 0;
    assert.ok(chart > MOST_CHART / 2 && chart <= MOST_CHART, `chart: ${chart} bytes`);
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
});
