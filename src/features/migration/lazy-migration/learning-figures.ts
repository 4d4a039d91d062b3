import { Tally } from "../../../kernel/metrics/tally.ts";

/** What became of a question about a key that nobody knew. */
const outcomes = [
  "learned",
  "unknown",
  "untaught",
  "alarm",
  "over_limit",
  "away",
] as const;

/** What a process counts of its learning. */
export class LearningFigures {
  /** `unknown`: no gateway knows it. `untaught`: one does, and it is not learned. */
  readonly outcomes = new Tally(outcomes);
  /** How many questions gateways were asked, about keys that nobody knew. */
  questions = 0;
}
