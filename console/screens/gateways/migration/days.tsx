import { useState } from "preact/hooks";
import { grouped } from "../../../api/numbers.ts";
import { Figures } from "../../../parts/bar-slider.tsx";
import { say } from "../../../said.ts";
import { dayOf, type MigrationReport, shareOf } from "./words.ts";

type Day = MigrationReport["days"][number];

/** Pixels of a bar. */
const HEIGHT = 150;

/** A bar for each whole day: which share of its calls was decided here. */
export function Days({ days, since }: Pick<MigrationReport, "days" | "since">) {
  // Before anything was observed nothing is known of the old gateway.
  const isKnown = ({ date, in_keydesk: here, at_gateway: there }: Day) =>
    since !== null && date >= since && here + there > 0;
  const known = days.filter(isKnown);
  const [first, last] = [known.at(0), known.at(-1)];
  const [chosen, choose] = useState<number>();
  const at = chosen === undefined ? undefined : days[chosen];
  if (!first || !last) {
    return <p class="moving-text">The first whole day appears when it is over.</p>;
  }
  const summary = say`Decided in Keydesk: ${shareOf(first)} on ${dayOf(first.date)}, ${
    shareOf(last)
  } on ${dayOf(last.date)}`;
  return (
    <>
      <svg
        class="moving-days"
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={summary}
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const index = Math.floor((event.clientX - left) / width * days.length);
          choose(Math.min(Math.max(index, 0), days.length - 1));
        }}
        onPointerLeave={() => choose(undefined)}
      >
        {days.map((day, index) =>
          isKnown(day) && <Bar key={day.date} day={day} index={index} count={days.length} />
        )}
      </svg>
      <p class="usage-axis" aria-hidden="true">
        {at ? <span>{sentenceOf(at)}</span> : (
          <>
            <span>{dayOf(days[0]?.date ?? "")}</span>
            <span>{dayOf(days.at(-1)?.date ?? "")}</span>
          </>
        )}
      </p>
      <Figures
        heads={["Day (UTC)", "In Keydesk", "Old gateway", "Share"]}
        rows={known.toReversed().map((day) =>
          [dayOf(day.date), grouped(day.in_keydesk), grouped(day.at_gateway), shareOf(day)] as const
        )}
      />
    </>
  );
}

function Bar(
  { day: { in_keydesk: here, at_gateway: there }, index, count }: {
    day: Day;
    index: number;
    count: number;
  },
) {
  const high = here / (here + there) * HEIGHT;
  const place = { x: `${(index + 0.1) / count * 100}%`, width: `${80 / count}%` };
  return (
    <>
      <rect class="is-all" {...place} y={0} height={HEIGHT} rx={2} />
      {here > 0 && (
        <rect class="is-part" {...place} y={HEIGHT - high} height={Math.max(high, 1)} rx={2} />
      )}
    </>
  );
}

/** "5 Nov: 97.3% decided here, 1,402,118 calls; 38,906 at the old gateway". */
function sentenceOf(day: Day): string {
  const { date, in_keydesk: here, at_gateway: there } = day;
  if (here + there === 0) return say`${dayOf(date)}: no call`;
  return say`${dayOf(date)}: ${shareOf(day)} decided in Keydesk, ${grouped(here)} calls; ${
    grouped(there)
  } at the old gateway`;
}
