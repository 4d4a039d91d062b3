import { type Command, Option } from "commander";
import { type UnusedAction, unusedActions } from "../contract/unused-actions.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { printObject } from "./listing.ts";
import { planOf } from "./named.ts";
import { toCount } from "./requests.ts";

/** `keydesk plans unused-keys`. */
export function addUnusedRuleCommand(plans: Command): void {
  withDeskOptions(plans.command("unused-keys <plan>"))
    .description("show or set what becomes of a plan's keys that nobody uses")
    .addOption(new Option("--action <action>", "how far it goes").choices(unusedActions))
    .option("--after <days>", "without a use for so long a key counts as unused", toCount)
    .option("--warn <days>", "between the two warnings, and before a suspension", toCount)
    .addOption(new Option("--imported <answer>", "imported keys count too").choices(["yes", "no"]))
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
What no option names stays as it is. Two warnings are mailed before anything else happens.

Examples:
  keydesk plans unused-keys Tides
  keydesk plans unused-keys Tides --action suspend --after 180 --warn 14`,
    )
    .action(work);
}

interface Options extends DeskOptions {
  action?: UnusedAction;
  after?: number;
  warn?: number;
  imported?: "yes" | "no";
  json?: boolean;
}

async function work(word: string, options: Options): Promise<void> {
  const { action, after, warn, imported } = options;
  await atDesk(options, async ({ client }) => {
    const id = await planOf(client, word);
    let rule = await forOne("plan", id, () => client.getUnusedKeyRule({ id }));
    if ([action, after, warn, imported].some((one) => one !== undefined)) {
      const body = {
        action: action ?? rule.action,
        after_days: after ?? rule.after_days,
        warn_days: warn ?? rule.warn_days,
        imported: imported === undefined ? rule.imported : imported === "yes",
      };
      // What somebody else sets meanwhile is not lost.
      const ifMatch = `"${rule.revision}"`;
      rule = await client.putUnusedKeyRule({ id, body }, { ifMatch });
    }
    await printObject(rule, options);
  });
}
