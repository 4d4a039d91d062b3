import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../api/client.ts";
import { getUsage } from "../api/endpoints.ts";
import { useQuery } from "../api/queries.ts";
import { say } from "../said.ts";
import { reasonsInWords } from "./reason-words.ts";
import { Loading, Problem } from "./states.tsx";

/** Whose calls: one of these. */
export interface UsageOf {
  key?: string;
  plan?: string;
  developer?: string;
  api?: string;
}

/** The calls of one UTC day. */
interface Day {
  at: number;
  hits: number;
  error: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Pixels of the highest bar, and of the lowest that can be seen. */
const [HEIGHT, LEAST] = [64, 1];

/** Calls by day as bars, those that were refused on top, with the figures as text. */
export function UsageChart({ of }: { of: UsageOf }) {
  const read = useQuery({
    queryKey: ["usage", JSON.stringify(of)],
    queryFn: () => api.call(getUsage, { query: { ...of } }),
    gcTime: 30_000,
  });
  const { data: usage, error } = read;
  if (!usage) {
    return error === null
      ? <Loading lines={2} />
      : <Problem error={error} onRetry={() => void read.refetch()} />;
  }
  const { total } = usage;
  if (total.hits === 0) {
    return (
      <p class="muted">
        No calls. They are counted where a gateway asks Keydesk about each of them.
      </p>
    );
  }
  const known = new Map(usage.data.map((slot) => [Date.parse(slot.at), slot]));
  const first = Date.parse(usage.from);
  const days = Array.from(
    { length: (Date.parse(usage.to) - first) / DAY_MS + 1 },
    (_, index): Day => {
      const at = first + index * DAY_MS;
      const { hits = 0, error = 0 } = known.get(at) ?? {};
      return { at, hits, error };
    },
  );
  return (
    <>
      <p class="usage-total">
        <span>
          <b>{numeral(total.hits)}</b> {total.hits === 1 ? "call" : "calls"}
        </span>
        {total.error > 0 && (
          <Link class="usage-refused" href={`/door?${new URLSearchParams({ ...of })}`}>
            {total.reasons.length > 0
              ? reasonsInWords(total.reasons)
              : `${numeral(total.error)} refused`}
          </Link>
        )}
      </p>
      <Bars days={days} />
      <Figures days={days} />
    </>
  );
}

/**
 * A slider over the days: arrows or the pointer choose one, whose figures stand below and are read
 * out.
 */
function Bars({ days }: { days: readonly Day[] }) {
  const last = days.length - 1;
  const [chosen, choose] = useState<number>();
  const shown = chosen ?? last;
  const most = Math.max(...days.map(({ hits }) => hits));
  const move: Readonly<Record<string, number>> = {
    ArrowLeft: shown - 1,
    ArrowRight: shown + 1,
    ArrowDown: shown - 1,
    ArrowUp: shown + 1,
    Home: 0,
    End: last,
  };
  return (
    <>
      <div
        class="usage-bars"
        role="slider"
        tabIndex={0}
        aria-label="Calls of a day"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={sentenceOf(days[shown])}
        onKeyDown={(event) => {
          const to = move[event.key];
          if (to === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          choose(Math.min(Math.max(to, 0), last));
        }}
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const at = Math.floor((event.clientX - left) / width * days.length);
          choose(Math.min(Math.max(at, 0), last));
        }}
        onPointerLeave={() => choose(undefined)}
        onBlur={() => choose(undefined)}
      >
        <svg width="100%" height={HEIGHT} aria-hidden="true">
          {days.map((day, index) => (
            <Bar key={day.at} day={day} most={most} index={index} count={days.length} />
          ))}
          {chosen !== undefined && (
            <rect
              class="usage-chosen"
              x={`${chosen / days.length * 100}%`}
              width={`${100 / days.length}%`}
              height={HEIGHT}
            />
          )}
        </svg>
      </div>
      <p class="usage-axis" aria-hidden="true">
        {chosen === undefined
          ? (
            <>
              <span>{days[0] && dateOf(days[0].at)}</span>
              <span>today</span>
            </>
          )
          : <span>{sentenceOf(days[chosen])}</span>}
      </p>
    </>
  );
}

function Bar({ day: { hits, error }, most, index, count }: {
  day: Day;
  most: number;
  index: number;
  count: number;
}) {
  if (hits === 0) return null;
  const heightOf = (calls: number) => calls === 0 ? 0 : Math.max(LEAST, calls / most * HEIGHT);
  const [good, bad] = [heightOf(hits - error), heightOf(error)];
  // A high bar gives way to the pixel that a few others are shown by.
  const low = Math.min(good, HEIGHT - bad);
  const place = { x: `${(index + 0.1) / count * 100}%`, width: `${80 / count}%` };
  return (
    <>
      <rect class="usage-bar" {...place} y={HEIGHT - low} height={low} />
      <rect class="usage-bar is-refused" {...place} y={HEIGHT - low - bad} height={bad} />
    </>
  );
}

/** The same as a table, for whoever does not see the bars, or wants to know it exactly. */
function Figures({ days }: { days: readonly Day[] }) {
  return (
    <details class="usage-figures">
      <summary>Figures</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">Calls</th>
            <th scope="col">Refused</th>
          </tr>
        </thead>
        <tbody>
          {days.filter(({ hits }) => hits > 0).reverse().map(({ at, hits, error }) => (
            <tr key={at}>
              <th scope="row">{dateOf(at)}</th>
              <td>{numeral(hits)}</td>
              <td>{numeral(error)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

const dateOf = (at: number): string => date.format(at);

const numeral = (count: number): string => count.toLocaleString("en");

/** "5 Nov: 12,000 calls, 3,000 refused". */
function sentenceOf(day: Day | undefined): string {
  if (!day) return "";
  const calls = day.hits === 1 ? "1 call" : `${numeral(day.hits)} calls`;
  return say`${dateOf(day.at)}: ${calls}${day.error > 0 ? `, ${numeral(day.error)} refused` : ""}`;
}
