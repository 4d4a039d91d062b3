import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { hasScope } from "../api/session.ts";
import { Loading } from "./states.tsx";
import type { UsageOf } from "./usage-chart.tsx";

let Chart: ComponentType<{ of: UsageOf }> | undefined;

/**
 * How often a key, a plan or a developer was used; within a scope of the first two alone. The chart
 * is read when the first of them is shown.
 */
export function Usage({ of }: { of: UsageOf }) {
  const [, show] = useState(0);
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    if (Chart) return;
    import("./usage-chart.tsx").then((module) => {
      Chart = module.UsageChart;
      show(1);
    }, () => setGone(true));
  }, []);
  if (hasScope() && of.key === undefined && of.plan === undefined) return null;
  return (
    <>
      <h3 class="group-title">Use</h3>
      {Chart
        ? <Chart of={of} />
        : isGone
        ? <p class="muted">This could not be loaded. Reload the page.</p>
        : <Loading lines={2} />}
    </>
  );
}
