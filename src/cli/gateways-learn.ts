import { atDesk } from "./at-desk.ts";
import { counted } from "./counted.ts";
import type { DeskOptions } from "./desk-options.ts";
import { printObject } from "./listing.ts";
import { gatewayOf } from "./named.ts";
import { OperatorError } from "./operator-error.ts";
import { terminal } from "./terminal.ts";

interface LearnOptions extends DeskOptions {
  until?: string;
  questionsPerSecond?: number;
  stop?: boolean;
  confirmLosses?: boolean;
  json?: boolean;
}

/** Has keys learned from a gateway, or says whether they are. */
export async function learn(
  word: string,
  { until: ends_at, questionsPerSecond: questions_per_second, stop, confirmLosses, ...options }:
    LearnOptions,
): Promise<void> {
  if ([stop, confirmLosses, ends_at !== undefined].filter(Boolean).length > 1) {
    const message = "--stop, --until and --confirm-losses go without each other";
    throw new OperatorError(message, { exitCode: 2 });
  }
  await atDesk(options, async ({ client }) => {
    const id = await gatewayOf(client, word);
    if (confirmLosses) {
      const { awaiting } = await client.getLearning({ id });
      if (awaiting === 0) throw new OperatorError(`${word}: no key waits for a yes`);
      await client.confirmLosses({ id, body: { awaiting } });
      terminal().err(`${counted(awaiting, "key")} of ${word} are asked about anew.`);
      return;
    }
    const said = stop
      ? await client.stopLearning({ id })
      : ends_at === undefined
      ? await client.getLearning({ id })
      : await client.startLearning({ id, body: { ends_at, questions_per_second } });
    if (options.json) return await printObject(said, options);
    terminal().err(
      said.on
        ? `Keys are learned from ${word} until ${said.ends_at}; ${
          counted(said.learned, "key")
        } so far.`
        : `No keys are learned from ${word}; ${counted(said.learned, "key")} so far.`,
    );
    if (said.awaiting > 0) {
      terminal().err(
        `${
          counted(said.awaiting, "key")
        } would lose access by what it says: keydesk gateways learn ${word} --confirm-losses`,
      );
    }
  });
}
