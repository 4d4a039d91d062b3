import { type Command, InvalidArgumentError } from "commander";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import {
  approveRequests,
  declineRequests,
  listRequests,
  type RequestListOptions,
  showRequest,
} from "./requests-work.ts";
import { offerInstead, takeOfferBack } from "./requests-offer.ts";
import { atDesk } from "./at-desk.ts";
import { requestFilters } from "../contract/list-filters.ts";
import { withFilters } from "./filters.ts";
import { forEach } from "./each.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** `keydesk requests list|show|approve|offer|withdraw-offer|assign|decline`. */
export function addRequestsCommands(program: Command): void {
  const requests = program.command("requests").description("key requests and their decisions")
    .addHelpText(
      "after",
      `
Examples:
  keydesk requests list --state pending
  keydesk requests show 65b0c1d2e3f4a5b6c7d8e9f0
  keydesk requests approve 65b0c1d2e3f4a5b6c7d8e9f0 --claim
  keydesk requests offer 65b0c1d2e3f4a5b6c7d8e9f0 --rate 60/60 --message "Begin with less, please."
  keydesk requests decline 65b0c1d2e3f4a5b6c7d8e9f0 --reason "The plan for partners fits this."
  keydesk requests assign 65b0c1d2e3f4a5b6c7d8e9f0 --to me
  keydesk requests list --mine
  keydesk requests list --url https://desk.example.org --token-file ~/.keydesk-token --json`,
    );
  const list = withWideOption(withDeskOptions(requests.command("list")))
    .description("list and search key requests, newest first");
  withFilters(list, requestFilters, ["state", "plan", "developer", "assignee"]);
  withFilters(withFilters(list, requestFilters, ["q", "waits_for"]), requestFilters)
    .option("--oldest", "the oldest first")
    .option("--limit <n>", "so many at the most", toCount)
    .option("--json", "print one JSON object a line")
    .action((options: RequestListOptions & DeskOptions) => listRequests(options));
  withDeskOptions(requests.command("show <id>"))
    .description("show one key request, with the developer's others")
    .option("--json", "print JSON")
    .action(showRequest);
  withDeskOptions(requests.command("approve <id...>"))
    .description("approve key requests, each once, and print their keys this once")
    .option("--claim", "print links that hand the keys over once, instead of the keys")
    .option("--expires-at <time>", "when the keys end, such as 2030-01-31T09:00:00Z")
    .option("--address <network...>", "from where alone the keys open anything")
    .option("--review-at <time>", "when people want to look at the keys again")
    .option("--message <text>", "said to the developer, who never reads the reason", toReason)
    .option("--reason <text>", "kept with the request and in the audit log", toReason)
    .option("--wait <seconds>", "wait so long for its gateways, 10 at the most", toCount)
    .option("--json", "print one JSON object a line")
    .addHelpText(
      "after",
      `
Of one request the key goes to standard output, alone; a user name and an OAuth client have their
password or secret on a second line. Of several, each line begins with the request's id. All else
goes to standard error. Each request is decided by itself: what was refused is told there with its
reason, and then the exit code is 1.

Example:
  KEY="$(keydesk requests approve 65b0c1d2e3f4a5b6c7d8e9f0)"`,
    )
    .action(approveRequests);
  withDeskOptions(requests.command("offer <id>"))
    .description(
      "offer less than a key request asks for, or other plans; no key before it is accepted",
    )
    .option("--rate <calls/seconds>", "the most that the key may call, such as 60/60", toLimit)
    .option("--quota <calls/seconds>", "the same of its quota, such as 1000/86400", toLimit)
    .option("--plan <plan...>", "instead of the plans that are asked for, by id or name")
    .option("--address <network...>", "from where alone the key opens anything")
    .option("--expires-at <time>", "when the key ends, such as 2030-01-31T09:00:00Z")
    .option("--review-at <time>", "when people want to look at the key again")
    .option("--message <text>", "said to the developer, who never reads the reason", toReason)
    .option("--reason <text>", "kept with the offer and in the audit log", toReason)
    .option("--json", "print JSON")
    .action(offerInstead);
  withDeskOptions(requests.command("withdraw-offer <id>"))
    .description("take an offer back that waits")
    .option("--json", "print JSON")
    .action(takeOfferBack);
  withDeskOptions(requests.command("assign <id...>"))
    .description("assign key requests that wait to somebody who may decide them, or to nobody")
    .requiredOption("--to <person>", "me, nobody, or a person's id")
    .option("--json", "print one JSON object a line")
    .action(assignRequests);
  withDeskOptions(requests.command("decline <id...>"))
    .description("decline pending key requests")
    .option("--reason <text>", "shown to whoever reads the request", toReason)
    .option("--json", "print one JSON object a line")
    .action(declineRequests);
}

/** A whole number of 1 or more. */
export function toCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text) && count >= 1) return count;
  throw new InvalidArgumentError("Expected a whole number of 1 or more.");
}

function toLimit(text: string): { calls: number; seconds: number } {
  const [, calls, seconds] = /^(\d{1,12})\/(\d{1,10})$/.exec(text) ?? [];
  if (Number(calls) >= 1 && Number(seconds) >= 1) {
    return { calls: Number(calls), seconds: Number(seconds) };
  }
  throw new InvalidArgumentError("Expected calls and seconds, such as 60/60.");
}

function toReason(text: string): string {
  const reason = text.trim();
  if (reason.length >= 1 && reason.length <= 2000) return reason;
  throw new InvalidArgumentError("Expected 1 to 2000 characters.");
}

/** `keydesk requests assign`. */
async function assignRequests(
  ids: readonly string[],
  options: { to: string; json?: boolean } & DeskOptions,
): Promise<void> {
  const { to, json } = options;
  const body = { assignee: to };
  await atDesk(options, ({ client }) =>
    forEach("key request", ids, "assigned", async (id) => {
      const request = await client.assignKeyRequest({ id, body });
      if (json) await print(`${JSON.stringify(request)}\n`);
      else {
        const whose = request.assignee?.name ?? "nobody";
        terminal().err(`Key request ${id} is assigned to ${whose}.`);
      }
    }));
}
