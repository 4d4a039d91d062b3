import { grouped } from "./numbers.ts";

const units = [[86_400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]] as const;

/** A length of time in its greatest whole unit: "30 days", "90 seconds". */
export function amountOf(seconds: number): string {
  const [length, unit] = units.find(([one]) => seconds % one === 0) ?? [1, "second"];
  const count = seconds / length;
  return `${grouped(count)} ${unit}${count === 1 ? "" : "s"}`;
}

/** The span behind a number of calls: "a minute", "in 30 days". */
export function spanOf(seconds: number): string {
  const [, unit] = units.find(([one]) => one === seconds) ?? [];
  if (unit === undefined) return `in ${amountOf(seconds)}`;
  return unit === "hour" ? "an hour" : `a ${unit}`;
}
