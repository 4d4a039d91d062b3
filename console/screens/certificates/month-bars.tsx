import type { Counts } from "./certificate.ts";
import { grouped } from "../../api/numbers.ts";

let month: Intl.DateTimeFormat | undefined;

/** "Dec 2026". Its format is made at its first use, which takes long. */
export function monthName(name: string): string {
  month ??= new Intl.DateTimeFormat("en", { month: "short", year: "numeric", timeZone: "UTC" });
  return month.format(new Date(`${name}-01T00:00:00Z`));
}

/** "Nov"; the first name that is shown of a year says which. */
function shortName(name: string): string {
  const isFirst = Number(name.slice(5)) <= 3;
  return isFirst ? monthName(name) : monthName(name).slice(0, 3);
}

/** How many end in each of the coming 24 months; a bar narrows the list to its month. */
export function MonthBars({ counts, chosen, onChange }: {
  counts: Counts;
  chosen: string;
  onChange: (ends: string) => void;
}) {
  const { months } = counts.timeline;
  const most = Math.max(1, ...months.map(({ certificates }) => certificates));
  return (
    <div class="months">
      {months.map(({ month: name, certificates }, index) => (
        <button
          key={name}
          type="button"
          class={index === 0 ? "month is-bad" : index < 2 ? "month is-waiting" : "month is-good"}
          aria-pressed={chosen === name}
          aria-label={`${grouped(certificates)} expire in ${monthName(name)}`}
          title={`${monthName(name)}: ${grouped(certificates)}`}
          onClick={() => onChange(chosen === name ? "" : name)}
        >
          <span
            class="month-bar"
            style={{ height: certificates > 0 ? `max(2px, ${certificates / most * 75}%)` : "0" }}
          />
          <span class="month-name" aria-hidden="true">
            {index % 3 === 0 ? shortName(name) : ""}
          </span>
        </button>
      ))}
    </div>
  );
}
