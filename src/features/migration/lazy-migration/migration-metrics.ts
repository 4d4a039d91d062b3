import { Tally } from "../../../kernel/metrics/tally.ts";

/** The outcomes of questions about unknown keys. */
const outcomes = [
  "learned",
  "unknown",
  "untaught",
  "alarm",
  "over_limit",
  "away",
] as const;

/** A process's counters of lazy migration. */
export class MigrationMetrics {
  /** `unknown`: no gateway knows it. `untaught`: one does, and it is not learned. */
  readonly outcomes = new Tally(outcomes);
  /** How many questions gateways were asked, about keys that no one knew. */
  questions = 0;
}
