import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { getUsage } from "../api/endpoints.ts";
import { grouped } from "../api/numbers.ts";
import { useCall } from "../api/queries.ts";
import { say } from "../said.ts";
import { BarSlider, Figures } from "./bar-slider.tsx";
import { comparedInWords } from "./compared-words.ts";
import { Filter } from "./fields.tsx";
import { reasonsInWords } from "./reason-words.ts";
import { Unread } from "./states.tsx";
import { headOf, nameOf, type Slot, slotsOf, type Unit } from "./usage-slots.ts";

/** The object of the calls: one of these. */
export interface UsageOf {
  key?: string;
  plan?: string;
  developer?: string;
  api?: string;
}

/** The calls of a slot. */
interface Calls {
  at: number;
  hits: number;
  error: number;
}

/** Pixels of the highest bar, and of the lowest that can be seen. */
const [HEIGHT, LEAST] = [64, 1];

const spans = [
  { value: "hour", text: "Last hour" },
  { value: "day", text: "Last 24 hours" },
  { value: "week", text: "Last 7 days" },
  { value: "month", text: "Last 30 days" },
  { value: "quarter", text: "Last 90 days" },
  { value: "year", text: "Last year" },
] as const;

type Span = typeof spans[number]["value"];

/** The last choice: the next drawer begins with it. */
let lastChosen: Span = "month";

/**
 * Calls of a chosen span as bars, those that were refused on top, compared with the span before,
 * with the figures as text.
 */
export function UsageChart({ of }: { of: UsageOf }) {
  const [last, setLast] = useState(lastChosen);
  return (
    <>
      <Filter
        label="Time of use"
        value={last}
        options={spans}
        onChange={(value) => {
          lastChosen = spans.find((one) => one.value === value)?.value ?? "month";
          setLast(lastChosen);
        }}
      />
      <LoadedUsage key={last} of={of} last={last} />
    </>
  );
}

function LoadedUsage({ of, last }: { of: UsageOf; last: Span }) {
  const read = useCall(["usage", JSON.stringify(of), last], getUsage, { query: { ...of, last } }, {
    gcTime: 30_000,
  });
  const { data: usage } = read;
  if (!usage) return <Unread of={read} lines={2} />;
  const { total, compared } = usage;
  const change = compared ? comparedInWords(compared) : "What was before is no longer kept.";
  if (total.hits === 0) {
    return (
      <>
        <p class="muted">
          No calls. They are counted where a gateway asks Keydesk about each of them.
        </p>
        {compared !== null && compared.before.hits > 0 && <p class="usage-change">{change}</p>}
      </>
    );
  }
  const { slots: all, unit } = slotsOf(usage);
  const slots = all.map(callsOf);
  return (
    <>
      <p class="usage-total">
        <span>
          <b>{grouped(total.hits)}</b> {total.hits === 1 ? "call" : "calls"}
        </span>
        {total.error > 0 && (
          <Link class="usage-refused" href={`/logs?${new URLSearchParams({ ...of, time: last })}`}>
            {total.reasons.length > 0
              ? reasonsInWords(total.reasons)
              : `${grouped(total.error)} denied`}
          </Link>
        )}
      </p>
      <Bars slots={slots} unit={unit} />
      <p class="usage-change">{change}</p>
      <Figures
        heads={[headOf[unit], "Calls", "Denied"]}
        rows={slots.filter(({ hits }) => hits > 0).reverse().map(({ at, hits, error }) =>
          [nameOf(at, unit), grouped(hits), grouped(error)] as const
        )}
      />
    </>
  );
}

function callsOf({ at, counts }: Slot): Calls {
  const sum = (name: "hits" | "error") => counts.reduce((all, one) => all + one[name], 0);
  return { at, hits: sum("hits"), error: sum("error") };
}

function Bars({ slots, unit }: { slots: readonly Calls[]; unit: Unit }) {
  const most = Math.max(...slots.map(({ hits }) => hits));
  return (
    <BarSlider
      label={unit === "hour" ? "Calls of an hour" : `Calls of a ${unit}`}
      count={slots.length}
      height={HEIGHT}
      textOf={(index) => sentenceOf(slots[index], unit)}
      ends={
        <>
          <span>{slots[0] && nameOf(slots[0].at, unit)}</span>
          <span>{unit === "hour" ? "now" : "today"}</span>
        </>
      }
    >
      {(chosen) => (
        <>
          {slots.map((slot, index) => (
            <Bar key={slot.at} slot={slot} most={most} index={index} count={slots.length} />
          ))}
          {chosen !== undefined && (
            <rect
              class="usage-chosen"
              x={`${chosen / slots.length * 100}%`}
              width={`${100 / slots.length}%`}
              height={HEIGHT}
            />
          )}
        </>
      )}
    </BarSlider>
  );
}

function Bar({ slot: { hits, error }, most, index, count }: {
  slot: Calls;
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

/** "5 Nov: 12,000 calls, 3,000 refused". */
function sentenceOf(slot: Calls | undefined, unit: Unit): string {
  if (!slot) return "";
  const calls = slot.hits === 1 ? "1 call" : `${grouped(slot.hits)} calls`;
  const name = unit === "week" ? say`Week from ${nameOf(slot.at, unit)}` : nameOf(slot.at, unit);
  return say`${name}: ${calls}${slot.error > 0 ? `, ${grouped(slot.error)} denied` : ""}`;
}
