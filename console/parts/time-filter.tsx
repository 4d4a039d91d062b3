import { Filter } from "./fields.tsx";

/** A time in the address: one of `times`, or two days. */
export interface TimeChoice {
  readonly time: string;
  readonly from: string;
  readonly to: string;
}

/** Choices of time; `between` takes two days. */
export const times = [
  { value: "", text: "Any time" },
  { value: "hour", text: "Last hour" },
  { value: "day", text: "Last 24 hours" },
  { value: "week", text: "Last 7 days" },
  { value: "month", text: "Last 30 days" },
  { value: "quarter", text: "Last 90 days" },
  { value: "year", text: "Last year" },
  { value: "between", text: "Between two days…" },
];

const HOUR_MS = 3_600_000;
const SPANS: Readonly<Record<string, number>> = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
  quarter: 90 * 24 * HOUR_MS,
  year: 365 * 24 * HOUR_MS,
};

/**
 * When it begins and ends, as the server takes both; "" where it does not. Days are those of
 * whoever looks, the last one included.
 */
export function spanOf(
  { time, from, to }: TimeChoice,
  now: number,
): { after: string; before: string } {
  if (time === "between") return { after: dayStart(from, 0), before: dayStart(to, 1) };
  const span = SPANS[time];
  return { after: span === undefined ? "" : isoTime(now - span), before: "" };
}

/** A choice of times, and of two days. */
export function TimeFilter({ value: { time, from, to }, onChange }: {
  value: TimeChoice;
  onChange: (changes: Partial<TimeChoice>) => void;
}) {
  return (
    <>
      <Filter
        label="When"
        value={time}
        options={times.some(({ value }) => value === time)
          ? times
          : [...times, { value: time, text: time }]}
        onChange={(time) => onChange({ time, from: "", to: "" })}
      />
      {time === "between" && (
        <>
          <Day label="From" value={from} onChange={(from) => onChange({ from })} />
          <Day label="to" value={to} onChange={(to) => onChange({ to })} />
        </>
      )}
    </>
  );
}

function Day({ label, value, onChange }: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <label class="filter is-day">
      <span class="muted">{label}</span>
      <input
        type="date"
        class={value === "" ? "input" : "input is-set"}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

/** The beginning of a day such as 2026-11-21, or of a later one; "" for anything else. */
function dayStart(day: string, later: number): string {
  const [year = NaN, month = NaN, date = NaN] = day.split("-").map(Number);
  const start = new Date(year, month - 1, date + later).getTime();
  return Number.isNaN(start) ? "" : isoTime(start);
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
