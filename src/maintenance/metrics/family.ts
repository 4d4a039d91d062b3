import { BOUNDS, type Durations } from "../../kernel/metrics/durations.ts";

/** The labels of a sample: words of ours, and patterns of paths. */
type Labels = Readonly<Record<string, string>>;

/** One number. `name` is where it is not its family's: of a histogram. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  readonly metricName?: string;
}

/** All series of one name; docs/metrics.md has a row for it. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly values: readonly Sample[];
}

/** Numbers that only grow, by what they are of. */
export function counter(name: string, help: string, values: readonly Sample[]): Family {
  return { name, type: "counter", help, values };
}

/** Numbers that come and go, by what they are of. */
export function gauge(name: string, help: string, values: readonly Sample[]): Family {
  return { name, type: "gauge", help, values };
}

/** One sample without a label; none where there is no number to tell. */
export function just(value: number | null | undefined): Sample[] {
  return value === null || value === undefined ? [] : [{ labels: {}, value }];
}

/** A sample for each word. */
export function by(label: string, values: Iterable<readonly [string, number]>): Sample[] {
  return [...values].map(([word, value]) => ({ labels: { [label]: word }, value }));
}

/** How long things took, by what they were. */
export function histogram(
  name: string,
  help: string,
  series: readonly (readonly [Labels, Durations])[],
): Family {
  const values = series.flatMap(([labels, durations]) => {
    const cumulative = durations.cumulative;
    const count = cumulative.at(-1) ?? 0;
    const bucket = (le: string, value: number) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le },
      value,
    });
    return [
      ...BOUNDS.map((bound, i) => bucket(String(bound), cumulative[i] ?? 0)),
      bucket("+Inf", count),
      { metricName: `${name}_sum`, labels, value: durations.sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  });
  return { name, type: "histogram", help, values };
}
