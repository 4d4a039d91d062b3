/** Links within the console: each leads to a screen that is there. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "../support/command.ts";

Deno.test("console: each link within it leads to a screen", async () => {
  const root = join(repository, "console");
  const screens = await readFile(join(root, "screens.ts"), "utf8");
  const named = [...screens.matchAll(/path: "\/([a-z-]*)/g)].map(([, first]) => first);
  assert.ok(named.includes("audit-log") && named.length >= 9, named.join(" "));
  const known = new Set([...named, ...OTHERS]);
  const files = (await readdir(root, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const lost: string[] = [];
  let links = 0;
  for (const file of files) {
    const text = await readFile(join(root, file), "utf8");
    for (const [, path = "", first] of text.matchAll(LINK)) {
      links++;
      if (!known.has(first)) lost.push(`${file}: ${path}`);
    }
  }
  assert.ok(links > 50, `${links} links`);
  assert.deepEqual(lost, []);
});

/** What the router and the server have besides. */
const OTHERS = ["", "home", "reference", "console"];

/** A path as links, kinds of things and the palette have it. */
const LINK = /(?:href=\{?|href: |place: \([\w, ]*\) => |navigate\()["`](\/([a-z-]*)[^"`]*)["`]/g;
