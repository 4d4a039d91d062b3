/** Distances in time and numbers in words: as `Intl` writes them, without it. */
import assert from "node:assert/strict";
import { grouped } from "../../console/api/numbers.ts";
import { relativeWords } from "../../console/parts/relative-words.ts";

Deno.test("words: distances from now read as Intl writes them in English", () => {
  const style = (style: "short" | "long") =>
    new Intl.RelativeTimeFormat("en", { numeric: "auto", style });
  const [short, long] = [style("short"), style("long")];
  const units = [["minute", 60, 60], ["hour", 3600, 24], ["day", 86_400, 7]] as const;
  const longer = [["week", 7 * 86_400, 4], ["month", 30 * 86_400, 12], [
    "year",
    365 * 86_400,
    2000,
  ]] as const;
  for (const [unit, seconds, end] of [...units, ...longer]) {
    for (let count = 1; count < end; count++) {
      for (const sign of [-1, 1]) {
        // "A request of last month", never "of last mo."
        const written = seconds < 86_400 ? short : long;
        const words = written.format(sign * count, unit).replaceAll("\u202f", " ");
        assert.equal(relativeWords(sign * count * seconds), words);
      }
    }
  }
  assert.deepEqual([0, 59, -59].map(relativeWords), ["just now", "just now", "just now"]);
  assert.equal(relativeWords(-119), "1 min. ago");
});

Deno.test("words: whole numbers have a comma every three digits", () => {
  for (const count of [0, 7, 999, 1000, 12_345, 999_999, 1_000_000, 1_234_567_890]) {
    assert.equal(grouped(count), count.toLocaleString("en"));
  }
});
