import { type Command, Option } from "commander";
import { reasonNames } from "../contract/denied-call-words.ts";
import { denialReasons } from "../contract/denied-calls.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { toTime } from "./deliveries.ts";
import { type ListOptions, printList } from "./listing.ts";
import { keyOf } from "./named.ts";
import { toCount } from "./requests.ts";

/** What `keydesk refusals` is called with. */
interface RefusalOptions extends ListOptions, DeskOptions {
  reason?: typeof denialReasons[number];
  key?: string;
  developer?: string;
  plan?: string;
  api?: string;
  door?: string;
  after?: string;
  before?: string;
}

/** `keydesk refusals`. */
export function addRefusalsCommand(program: Command): void {
  withWideOption(withDeskOptions(program.command("refusals")))
    .description(
      "list calls that were refused, newest first: which key, why, and what its plan gives",
    )
    .addOption(new Option("--reason <reason>", "only for this reason").choices(denialReasons))
    .option("--key <id>", "only of the key with this id, or this beginning of it")
    .option("--developer <id>", "only of this developer's keys")
    .option("--plan <id>", "only those that went by this plan")
    .option("--api <id>", "only those that asked for this API")
    .option("--door <name>", "only those at this door")
    .option("--after <time>", "from this time on", toTime)
    .option("--before <time>", "until shortly before this time", toTime)
    .option("--limit <n>", "so many at the most", toCount)
    .option("--json", "print one JSON object a line")
    .addHelpText(
      "after",
      `
A key itself is never kept: it is told by its mask and its id, and an unknown one by the first digits
of its SHA-256.

Examples:
  keydesk refusals --reason over_quota
  keydesk refusals --key b59c631efc2dab8940ec93e02163bb81cdaf663eea34aba6ead2f5ae82c1074f`,
    )
    .action(listDeniedCalls);
}

async function listDeniedCalls(options: RefusalOptions): Promise<void> {
  const { reason, developer, plan, api, door, after, before } = options;
  await atDesk(options, async ({ client }) => {
    const key = options.key === undefined ? undefined : await keyOf(client, options.key);
    const filter = { reason, key, developer, plan, api, gateway: door, after, before };
    await printList((place) => client.listDeniedCalls({ ...place, ...filter }), options, {
      head: ["AT", "DOOR", "API", "WHY", "KEY"],
      widths: [20, 12, 24, 32],
      extra: ["DOOR"],
      cells: (one) => [
        `${one.at.slice(0, 19)}Z`,
        one.gateway,
        one.api_id ?? "any",
        one.limit === null
          ? reasonNames[one.reason]
          : `${reasonNames[one.reason]} (${one.limit} in ${one.per_seconds} s)`,
        one.key_mask ?? one.key_id ?? `${one.hash_start}…`,
      ],
      empty: "No call was refused.",
    });
  });
}
