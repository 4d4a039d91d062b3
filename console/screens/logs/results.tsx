import { getUsage } from "../../api/endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { useCall } from "../../api/queries.ts";
import { hasScope } from "../../api/session.ts";
import { Figures } from "../../parts/bar-slider.tsx";
import { comparedInWords } from "../../parts/compared-words.ts";
import { reasonTitles } from "../../parts/denied-calls/reason-titles.ts";
import type { Reason } from "../../parts/denied-calls/words.ts";
import {
  headOf,
  nameOf,
  type Slot,
  slotsOf,
  type Unit,
  type Usage,
} from "../../parts/usage-slots.ts";
import { listed, say } from "../../said.ts";
import { countedOf, type Filters } from "./filters.ts";

/** Counts are written every five seconds. */
const COUNTED_MS = 5000;

/** Pixels of the highest bar, and of the lowest that can be seen. */
const [HEIGHT, LEAST] = [22, 2];

/** Calls of each slot that were denied for one reason. */
interface Series {
  readonly reason: Usage["total"]["reasons"][number]["reason"];
  readonly calls: number;
  readonly bars: readonly number[];
}

/**
 * The calls of the time that is shown, by hour or day: those that were allowed, and for each reason
 * those that were denied, all reasons on one scale. A click on a reason narrows the list to it.
 * Within a scope only its calls are counted.
 */
export function Results({ of, chosen, onChoose }: {
  of: Filters;
  chosen: Reason | undefined;
  onChoose: (reason: Reason) => void;
}) {
  const { query, beyond } = countedOf(of, Date.now(), hasScope());
  const { data } = useCall(["usage", "logs", JSON.stringify(query)], getUsage, { query }, {
    gcTime: 30_000,
    refetchInterval: COUNTED_MS,
  });
  if (!data || data.total.hits + data.total.reasons.length === 0) return null;
  const isOfPlans = hasScope() && query.key === undefined && query.plan === undefined;
  const { slots, unit } = slotsOf(data);
  const allowed = slots.map(({ counts }) => sum(counts.map(({ success }) => success)));
  const series = data.total.reasons.map(({ reason, calls }): Series => ({
    reason,
    calls,
    bars: slots.map(({ counts }) =>
      sum(
        counts.flatMap(({ reasons }) => reasons).filter((one) => one.reason === reason)
          .map((one) => one.calls),
      )
    ),
  }));
  const most = Math.max(...series.flatMap(({ bars }) => bars), 1);
  const since = data.since.slice(0, 16).replace("T", " ");
  return (
    <>
      <h2 class="unseen">{say`Results since ${since} UTC`}</h2>
      <ul class="log-bars">
        <li>
          <span class="log-bar is-good">
            <span>Allowed</span>
            <Bars of={allowed} most={Math.max(...allowed, 1)} />
            <b>{grouped(data.total.success)}</b>
          </span>
        </li>
        {series.map(({ reason, calls, bars }) => (
          <li key={reason}>
            <button
              type="button"
              class="log-bar"
              disabled={reason === "unsure"}
              aria-pressed={reason === chosen}
              onClick={() => reason !== "unsure" && onChoose(reason)}
            >
              <span>{reasonTitles[reason]}</span>
              <Bars of={bars} most={most} />
              <b>{grouped(calls)}</b>
            </button>
          </li>
        ))}
      </ul>
      <p class="log-axis muted" aria-hidden="true">
        <span>{slots[0] && say`${nameOf(slots[0].at, unit)} UTC`}</span>
        <span>{data.until > new Date().toISOString() ? "now" : data.to}</span>
      </p>
      <div class="log-note muted">
        {listed(
          [
            data.compared && comparedInWords(data.compared),
            beyond.length > 0 && say`The bars count all ${listed(beyond, " and ")}.`,
            isOfPlans && "They count the calls that came to a plan within your scope.",
            (of.time === "quarter" || of.time === "year") && "The list goes back 30 days.",
          ].filter((one) => one),
          " ",
        )}
        <Numbers slots={slots} unit={unit} allowed={allowed} series={series} />
      </div>
    </>
  );
}

function Numbers({ slots, unit, allowed, series }: {
  slots: readonly Slot[];
  unit: Unit;
  allowed: readonly number[];
  series: readonly Series[];
}) {
  return (
    <Figures
      heads={[headOf[unit], "Allowed", ...series.map(({ reason }) => reasonTitles[reason])]}
      rows={slots.map(({ at }, index) =>
        [
          nameOf(at, unit),
          ...[allowed, ...series.map(({ bars }) => bars)].map((one) => grouped(one[index] ?? 0)),
        ] as const
      ).filter((_, index) => (slots[index]?.counts.length ?? 0) > 0).reverse()}
    />
  );
}

/** A bar for each hour or day. */
function Bars({ of, most }: { of: readonly number[]; most: number }) {
  return (
    <svg width="100%" height={HEIGHT} aria-hidden="true">
      <line x1="0" x2="100%" y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {of.map((calls, index) => {
        const height = calls === 0 ? 0 : Math.max(LEAST, calls / most * HEIGHT);
        return height > 0 && (
          <rect
            key={index}
            x={`${(index + 0.1) / of.length * 100}%`}
            width={`${80 / of.length}%`}
            y={HEIGHT - height}
            height={height}
          />
        );
      })}
    </svg>
  );
}

const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0);
