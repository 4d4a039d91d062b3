import type { z } from "zod";
import type { myKeyDetail } from "../my/keys.contract.ts";
import { type Html, html } from "./html.ts";
import type { Texts } from "./texts.ts";

type Use = z.output<typeof myKeyDetail>["use"];
type Day = Use["days"][number];

const DAY_MS = 86_400_000;
/** Share of its place that a column takes. */
const WIDE = 0.74;

/**
 * Calls by day as columns: denied ones on top, in amber, and the present day paler. It is hidden
 * from screen readers: the table beside it says the same.
 */
export function useChart(t: Texts, { days, from, to }: Use): Html {
  const all = eachDay(days, from, to);
  const most = Math.max(1, ...all.map(({ calls }) => calls));
  const place = 100 / all.length;
  return html`
    <svg class="chart" aria-hidden="true">${all.map((day, at) => {
      const x = percent(place * (at + (1 - WIDE) / 2));
      const width = percent(place * WIDE);
      const passed = 100 * day.passed / most;
      const refused = 100 * (day.calls - day.passed) / most;
      return html`
        <g class="${at === all.length - 1 && "today"}">
          <rect x="${x}" y="${percent(100 - passed)}" width="${width}" height="${percent(
            passed,
          )}" />
          <rect class="refused" x="${x}" y="${percent(
            100 - passed - refused,
          )}" width="${width}" height="${percent(
            refused,
          )}" />
        </g>
      `;
    })}</svg>
    <p class="ends note" aria-hidden="true"><span>${t.day(from)}</span><span>${t.say(
      "key.use.today",
    )}</span></p>
  `;
}

const percent = (share: number) => `${Math.round(share * 100) / 100}%`;

/** Days without calls stand there too. */
function eachDay(days: readonly Day[], from: string, to: string): Pick<Day, "calls" | "passed">[] {
  const known = new Map(days.map((day) => [day.day, day]));
  const all = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    all.push(known.get(day) ?? { calls: 0, passed: 0 });
  }
  return all;
}
