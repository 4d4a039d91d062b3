import { useState } from "preact/hooks";
import { SLOW_MS } from "../../../src/contract/gateway-states.ts";
import { listCanaryRuns } from "../../api/gateway-endpoints.ts";
import type { CanaryRun, SyncedGateway } from "../../api/gateways.ts";
import { useCall } from "../../api/queries.ts";
import { BarSlider, Figures } from "../../parts/bar-slider.tsx";
import { Filter } from "../../parts/fields.tsx";
import { Problem } from "../../parts/states.tsx";
import { clockOf } from "../../parts/time.tsx";
import { say } from "../../said.ts";

const EVERY_MS = 15_000;
/** Bars of a day: each is the worst run of so long. */
const QUARTER_MS = 15 * 60_000;
/** Pixels of the highest bar, and of the lowest that can be seen. */
const [HEIGHT, LEAST] = [56, 4];
/** The height of a canary that did not pass; nothing is drawn higher. */
const NEVER_MS = 15_000;

const spans = [{ value: "1", text: "Last hour" }, { value: "24", text: "Last 24 hours" }] as const;

/** How long the gateway took to open to a key and to shut, as a bar for each run. */
export function Canary({ of: { id, canary: { tried, last, median } } }: { of: SyncedGateway }) {
  const [hours, setHours] = useState<"1" | "24">("1");
  const { data, error, refetch } = useCall(["gateways", id, "canary", hours], listCanaryRuns, {
    params: { id },
    query: { hours },
  }, { refetchInterval: EVERY_MS, gcTime: 30_000, enabled: tried !== "not_tried" });
  const runs = data?.data ?? [];
  const bars = hours === "1" ? runs : worstOf(runs);
  return (
    <section class="gateway-canary" aria-labelledby="canary-title">
      <h3 id="canary-title" class="group-title">Canary</h3>
      <p class="muted">{kinds[tried]}</p>
      {tried !== "not_tried" && (last
        ? <p class={toneOf(last)}>{sentenceOf(last)}</p>
        : <p class="muted">It was not tried yet: that is done a minute after it was added.</p>)}
      {error !== null && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {last && (
        <>
          {median && runs.length > 1 && (
            <p class="muted">
              {say`Half of the last hour: allowed within ${
                inSeconds(median.valid_after_ms)
              }, shut within ${inSeconds(median.invalid_after_ms)}.`}
            </p>
          )}
          <Filter
            label="Time of the canary"
            value={hours}
            options={spans}
            onChange={(value) => setHours(value === "24" ? "24" : "1")}
          />
          {bars.length > 0 && <Bars key={hours} runs={bars} />}
          {bars.length > 0 && (
            <Figures
              heads={["At", "Allowed after", "Shut after"]}
              rows={bars.toReversed().map(({ at, valid_after_ms, invalid_after_ms }) =>
                [
                  clockOf(at),
                  inSeconds(valid_after_ms),
                  valid_after_ms === null ? "" : inSeconds(invalid_after_ms),
                ] as const
              )}
            />
          )}
        </>
      )}
    </section>
  );
}

const kinds: Record<SyncedGateway["canary"]["tried"], string> = {
  called: "A key of Keydesk’s own: made, used and deleted each minute.",
  read: "A key of Keydesk’s own: made, read back and deleted each minute. It is not called with.",
  not_tried: "Not tried: this gateway takes its map by itself, and no map has the canary.",
};

function Bars({ runs }: { runs: readonly CanaryRun[] }) {
  const most = Math.max(1000, ...runs.map(worstMs));
  const ends = [runs[0], runs.at(-1)].map((run) => run && clockOf(run.at));
  return (
    <BarSlider
      label="Runs of the canary"
      count={runs.length}
      height={HEIGHT}
      textOf={(index) => textOf(runs[index])}
      ends={
        <>
          <span>{ends[0]}</span>
          <span>{worstText(runs)}</span>
          <span>{ends[1]}</span>
        </>
      }
    >
      {() =>
        runs.map((run, index) => {
          const height = Math.max(LEAST, worstMs(run) / most * HEIGHT);
          return (
            <rect
              key={run.at}
              class={`usage-bar ${toneOf(run)}`}
              x={`${(index + 0.1) / runs.length * 100}%`}
              width={`${80 / runs.length}%`}
              y={HEIGHT - height}
              height={height}
            />
          );
        })}
    </BarSlider>
  );
}

/** The worst run of each quarter of an hour. */
function worstOf(runs: readonly CanaryRun[]): CanaryRun[] {
  const parts = Map.groupBy(runs, ({ at }) => Math.floor(Date.parse(at) / QUARTER_MS));
  return [...parts.values()].map((those) =>
    those.reduce((worst, run) => worstMs(run) > worstMs(worst) ? run : worst)
  );
}

function worstMs({ valid_after_ms, invalid_after_ms }: CanaryRun): number {
  if (valid_after_ms === null || invalid_after_ms === null) return NEVER_MS;
  return Math.min(Math.max(valid_after_ms, invalid_after_ms), NEVER_MS);
}

/** Amber: slow to open. Red: slow to shut, which is worse. */
function toneOf({ valid_after_ms, invalid_after_ms }: CanaryRun): "is-good" | "is-slow" | "is-bad" {
  if (valid_after_ms === null) return "is-slow";
  if (invalid_after_ms === null || invalid_after_ms > SLOW_MS) return "is-bad";
  return valid_after_ms > SLOW_MS ? "is-slow" : "is-good";
}

function sentenceOf({ how, valid_after_ms, invalid_after_ms }: CanaryRun): string {
  if (how === null) return "No key could be made.";
  if (valid_after_ms === null) return "It was not valid within 15 seconds.";
  const opened = say`Allowed after ${inSeconds(valid_after_ms)}`;
  return invalid_after_ms === null
    ? say`${opened}, and did not shut within 15 seconds.`
    : say`${opened}, shut after ${inSeconds(invalid_after_ms)}.`;
}

function textOf(run: CanaryRun | undefined): string {
  return run ? say`${clockOf(run.at)}: ${sentenceOf(run)}` : "";
}

function worstText(runs: readonly CanaryRun[]): string {
  const [worst] = runs.toSorted((a, b) => worstMs(b) - worstMs(a));
  if (!worst) return "";
  const isNever = worst.valid_after_ms === null || worst.invalid_after_ms === null;
  const took = isNever ? "over 15 s" : inSeconds(worstMs(worst));
  return say`worst ${took} at ${clockOf(worst.at)}`;
}

/** "0.41 s", "12 s", and "4 ms" of what is quick. */
function inSeconds(ms: number | null): string {
  if (ms === null) return "over 15 s";
  if (ms < 100) return `${ms} ms`;
  const digits = ms < 1000 ? 2 : ms < 10_000 ? 1 : 0;
  return `${(ms / 1000).toFixed(digits)} s`;
}
