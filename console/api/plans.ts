/** What screens say of a plan. */
export interface PlanFacts {
  readonly id: string;
  readonly name: string;
  /** The APIs that it opens, in words. */
  readonly apis: string;
  readonly apiIds: readonly string[];
  readonly authType: string;
  /** Calls in seconds; 0: no limit. */
  readonly rate: number;
  readonly per: number;
  /** Calls in seconds of renewal; -1: no limit. */
  readonly quota: number;
  readonly renewal: number;
  /** How long its keys live, in words; undefined: for good. */
  readonly life: string | undefined;
}

const NONE: ReadonlyMap<string, PlanFacts> = new Map();

/** Every plan by its id; empty until they are read. */
export function usePlans(): ReadonlyMap<string, PlanFacts> {
  return NONE;
}

const number = new Intl.NumberFormat("en");

/** "1,000 calls a minute, 300,000 in 30 days". */
export function limitsOf({ rate, per, quota, renewal }: PlanFacts): string {
  const parts = [
    rate > 0 ? `${number.format(rate)} calls ${spanOf(per)}` : "any rate",
    ...quota >= 0 ? [`${number.format(quota)} ${renewal > 0 ? spanOf(renewal) : "in all"}`] : [],
  ];
  return parts.join(", ");
}

/** "a minute", "in 30 days". */
function spanOf(seconds: number): string {
  const whole: Record<number, string> = {
    1: "a second",
    60: "a minute",
    3600: "an hour",
    86_400: "a day",
  };
  if (whole[seconds]) return whole[seconds];
  if (seconds % 86_400 === 0) return `in ${seconds / 86_400} days`;
  if (seconds % 3600 === 0) return `in ${seconds / 3600} hours`;
  return `in ${seconds} seconds`;
}
