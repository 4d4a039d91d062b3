/** Every screen of the console has its pictures, and the page of all shows them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { filesOf, overview } from "../../system/console/pictures/overview.ts";
import { scenes } from "../../system/console/pictures/scenes.ts";
import { repository } from "../support/command.ts";

const read = (path: string) => Deno.readTextFile(join(repository, path));

Deno.test("pictures: every screen, every group of the settings and every page beside the console has some", async () => {
  const shown = (path: string) =>
    scenes.some((scene) => scene.path === path || scene.path.startsWith(`${path}/`));
  const screens = [...(await read("console/screens.ts")).matchAll(/^ {4}path: "?([/\w-]+)"?,$/gm)]
    .map(([, path]) => path === "HOME" ? "/home" : path);
  assert.ok(screens.length >= 10, `${screens}`);
  const groups = (await read("console/screens/settings/sections.tsx")).split("sections: [").slice(1)
    .map((text) => [...text.matchAll(/\{ show: "([\w-]+)", name: "/g)].map(([, show]) => show));
  assert.equal(groups.length, 5);
  const without = groups.filter((all) =>
    !all.some((one) => shown(`/console/settings?show=${one}`))
  );
  assert.deepEqual(without, []);
  const all = [...screens.map((path) => `/console${path}`), "/claim", "/reference"];
  assert.deepEqual(all.filter((path) => !shown(path)), [], "without a picture in scenes.ts");
});

Deno.test("pictures: every one is there, the page of all is as `npm run pictures` writes it, and nothing else stands beside them", async () => {
  assert.equal(new Set(scenes.map(({ name }) => name)).size, scenes.length);
  assert.equal(await read("docs/pictures/README.md"), overview(scenes));
  const kept = [];
  for await (const { name } of Deno.readDir(join(repository, "docs/pictures/screens"))) {
    kept.push(`screens/${name}`);
  }
  assert.deepEqual(kept.sort(), scenes.flatMap(filesOf).sort(), "run `npm run pictures`");
});
