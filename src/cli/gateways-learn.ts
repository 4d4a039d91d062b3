import type { Learning } from "../client/operations.ts";
import { counted } from "./counted.ts";
import { calls, type Thing } from "./noun.ts";
import { OperatorError } from "./operator-error.ts";
import { flag, opt, toCount, toTime } from "./options.ts";

/** Has keys learned from a gateway, or says whether they are. */
export const learn = (gateway: Thing) =>
  calls({
    verb: "learn <gateway>",
    summary: "learn keys from a gateway that nobody knows here; alone: say whether that is on",
    of: gateway,
    options: {
      ends_at: opt("--until <time>", "from now until this day or time", toTime),
      questions_per_second: opt(
        "--questions-per-second <n>",
        "each server asks it so often at the most",
        toCount,
      ),
      stop: flag("--stop", "learn no more; what was learned stays"),
      confirms: flag("--confirm-losses", "say yes to keys losing access that wait for it"),
    },
    json: "print it as JSON",
    refuses: ({ stop, confirms, ends_at }) =>
      [stop, confirms, ends_at !== undefined].filter(Boolean).length > 1
        ? "--stop, --until and --confirm-losses go without each other"
        : undefined,
    async call({ client, id, word, given: { stop, confirms, ends_at, questions_per_second } }) {
      if (stop) return await client.stopLearning({ id });
      if (ends_at !== undefined) {
        return await client.startLearning({ id, body: { ends_at, questions_per_second } });
      }
      const learning = await client.getLearning({ id });
      if (!confirms) return learning;
      const { awaiting } = learning;
      if (awaiting === 0) throw new OperatorError(`${word}: no key waits for a yes`);
      await client.confirmLosses({ id, body: { awaiting } });
      return learning;
    },
    done: (learning, { word, given }) =>
      given.confirms
        ? `${counted(learning.awaiting, "key")} of ${word} are asked about anew.`
        : linesOf(learning, word),
  });

function linesOf({ on, ends_at, learned, awaiting }: Learning, word: string): string[] {
  const so = counted(learned, "key");
  const asked = `${counted(awaiting, "key")} would lose access by what it says: ` +
    `keydesk gateways learn ${word} --confirm-losses`;
  return [
    on
      ? `Keys are learned from ${word} until ${ends_at}; ${so} so far.`
      : `No keys are learned from ${word}; ${so} so far.`,
    ...awaiting > 0 ? [asked] : [],
  ];
}
