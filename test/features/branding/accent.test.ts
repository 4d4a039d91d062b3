/** An organisation's colour can be read wherever it stands, whatever it is. */
import assert from "node:assert/strict";
import { accentOf, checksOf, contrastOf, papers, readable } from "../../../src/contract/accent.ts";
import { style } from "../../../src/features/portal/pages/portal-style.ts";

const PARTS = [0, 51, 102, 153, 204, 255];
const colours = PARTS.flatMap((r) => PARTS.flatMap((g) => PARTS.map((b) => [r, g, b])))
  .map((rgb) => `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`);

Deno.test("accent: of every colour buttons, links and bars hold in both themes", () => {
  for (const colour of [...colours, "#12a384", "#4150d6"]) {
    const accent = accentOf(colour);
    for (const { of, colour: one, on, least } of checksOf(accent)) {
      const contrast = contrastOf(one, on);
      assert.ok(contrast >= least, `${colour}, ${of}: ${one} on ${on} is ${contrast}`);
    }
    assert.deepEqual(accentOf(readable(colour)), accent, `${colour}: the same, darkened before`);
  }
});

Deno.test("accent: a colour that holds stays, and contrast is WCAG's", () => {
  assert.equal(accentOf("#0b6b58").light, "#0b6b58");
  assert.equal(contrastOf("#000000", "#ffffff"), 21);
  assert.equal(contrastOf("#767676", "#ffffff").toFixed(2), "4.54");
});

Deno.test("accent: the papers are those of the developer's pages", () => {
  for (
    const [name, tone] of [["paper", "page"], ["panel", "card"], ["sunken", "sunken"]] as const
  ) {
    const [, light = "", dark = ""] =
      new RegExp(`--${name}:light-dark\\((#\\w+),(#\\w+)\\)`).exec(style) ?? [];
    const long = (one: string) => one.length === 4 ? one.replaceAll(/\w/g, "$&$&") : one;
    assert.deepEqual([long(light), long(dark)], [papers.light[tone], papers.dark[tone]]);
  }
});
