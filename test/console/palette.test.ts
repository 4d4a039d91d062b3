/** What the console's palette takes for a key, and in which order it shows what it found. */
import assert from "node:assert/strict";
import { keyIn, maskOf, shapeOf } from "../../console/shell/palette/key-shape.ts";
import { arrange, type Item } from "../../console/shell/palette/order.ts";
import { exampleIds, exampleKey } from "../../src/contract/example-ids.ts";

const legacy = btoa(JSON.stringify({ org: "5f1a2b3c", id: "b6f2".repeat(8), h: "murmur64" }));

Deno.test("palette: whatever may be a key has the shape of one, words and ids have not", () => {
  const shapes: [string, ReturnType<typeof shapeOf>][] = [
    [exampleKey, "key"],
    [exampleKey.slice(0, -1), "half"],
    ["kd_live_x", "half"],
    ["kd_live_", "half"],
    [legacy, "key"],
    [legacy.slice(0, 30), "half"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "key"],
    ["5e9d9544a1dcd60001d0ed20b6f2a4c1d8e34f5a9b7c2d1e0f3a4b5c", "key"],
    ["b6f2a4c1d8e34f5a9b7c2d1e0f3a4b5c", "key"],
    ["0f8fad5b-d9cb-469f-a165-70867728950e", "key"],
    ["3xAmpl3-S3cr3t_w1th-M1x3d", "key"],
    [exampleIds.developer, "words"],
    [exampleIds.developer.slice(0, 22), "words"],
    [exampleIds.certificate, "words"],
    ["departures-professional-2026", "words"],
    ["departures.citylines.example", "words"],
    ["grace.brewster.hopper1906@navy.example", "words"],
    ["Grace Brewster Hopper 1906", "words"],
    ["dep", "words"],
    ["", "words"],
  ];
  for (const [text, shape] of shapes) assert.equal(shapeOf(text), shape, text);
});

Deno.test("palette: a key is found among what was copied along with it, and its mask gives no more than its ends", () => {
  for (
    const around of ["#", " #\n", '"#",', "Authorization: Bearer #", "x-api-key: #", "KEY='#'; run"]
  ) {
    for (const key of [exampleKey, legacy]) {
      assert.equal(keyIn(around.replace("#", () => key)), key, around);
    }
  }
  assert.equal(keyIn("Departures for kiosks"), undefined);
  assert.equal(maskOf(exampleKey), `kd_live_Exam${"•".repeat(24)}0000`);
  assert.equal(maskOf(legacy), `b6f2${"•".repeat(24)}b6f2`);
  assert.equal(maskOf("3xAmpl3-S3cr3t_w1th-M1x"), "•".repeat(24));
});

const item = (kind: Item["kind"], title: string, id = title): Item => ({
  kind,
  id,
  title,
  href: "/",
});
const shown = (items: readonly Item[], text: string) =>
  arrange(items, text).map(({ title, items }) => [title, ...items.map((one) => one.title)]);

Deno.test("palette: the exact id first, then the best match, then three of each kind", () => {
  const found = [
    item("action", "Add a plan"),
    item("developer", "Hamid of Depot"),
    ...["A", "B", "C", "D"].map((name) => item("plan", `Pre-departures ${name}`)),
    item("api", "Departures", "5f1a2b3c4d5e6f7081920002"),
  ];
  assert.deepEqual(shown(found, "dep"), [
    ["Best match", "Departures"],
    ["Do", "Add a plan"],
    ["Developers", "Hamid of Depot"],
    ["Plans", "Pre-departures A", "Pre-departures B", "Pre-departures C"],
  ]);
  assert.deepEqual(shown(found, "5F1A2B3C4D5E6F7081920002").slice(0, 2), [
    ["Exactly this id", "Departures"],
    ["Do", "Add a plan"],
  ]);
});

Deno.test("palette: what comes later takes the first place only where it fits better", () => {
  const screen = item("screen", "Developers");
  const first = (...later: Item[]) => arrange([screen, ...later], "dev")[0]?.items[0]?.title;
  assert.equal(first(item("plan", "Development")), "Developers");
  assert.equal(first(item("developer", "Dev")), "Dev");
});
