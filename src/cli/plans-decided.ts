import type { Command } from "commander";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions } from "./desk-options.ts";
import { printObject } from "./listing.ts";
import { planOf } from "./named.ts";
import { terminal } from "./terminal.ts";

const SIDES = ["here", "there"] as const;

/** `keydesk plans decided`. */
export function addDecidedCommand(plans: Command): void {
  withDeskOptions(plans.command("decided"))
    .argument("<plan>", "its name, or one of its ids")
    .addArgument(plans.createArgument("<side>", "here, or there").choices(SIDES))
    .description("set whether a plan's keys are decided here or by the old gateway that observes")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Here: the gateway's plugin heeds what Keydesk refuses, within the second. What the gateway refuses
stays refused there. keydesk import meter shows what would change.

Examples:
  keydesk plans decided Tides here
  keydesk plans decided Tides there`,
    )
    .action(decide);
}

async function decide(
  word: string,
  decided: typeof SIDES[number],
  options: DeskOptions & { json?: boolean },
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const set = await client.switchPlan({ id: await planOf(client, word), body: { decided } });
    if (options.json) return await printObject(set, options);
    const who = set.decided === "here" ? "decided here" : "decided by the old gateway";
    terminal().err(`Keys of plan ${word} are ${who}.`);
  });
}
