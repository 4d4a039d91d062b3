import type { Command } from "commander";
import type { Client } from "../client/keydesk-client.ts";
import type { Delegation } from "../client/operations.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions } from "./desk-options.ts";
import { printObject } from "./listing.ts";
import { OperatorError } from "./operator-error.ts";
import { printable } from "./table.ts";
import { terminal } from "./terminal.ts";

/** `keydesk delegation show|set|end`. */
export function addDelegationCommands(program: Command): void {
  const delegation = program.command("delegation")
    .description("who approves in one's place while one is away")
    .addHelpText(
      "after",
      `
It is whoever the access token belongs to who is away. The delegate is meant by their id or name.

Examples:
  keydesk delegation set Bob --until 2030-01-31T09:00:00Z --url https://desk.example.org
  keydesk delegation end --url https://desk.example.org`,
    );
  withDeskOptions(delegation.command("show"))
    .description("show who approves in one's place, and for whom one does")
    .option("--json", "print JSON")
    .action(show);
  withDeskOptions(delegation.command("set <person>"))
    .description("name somebody, for 90 days at the most")
    .requiredOption("--until <time>", "until when, such as 2030-01-31T09:00:00Z")
    .option("--json", "print JSON")
    .action(set);
  withDeskOptions(delegation.command("end"))
    .description("end it")
    .action(end);
}

type Options = DeskOptions & { json?: boolean };

async function show(options: Options): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const found = await client.getDelegation();
    const isNone = found.delegate === null && found.decides_for.length === 0;
    if (isNone && !options.json) {
      return terminal().err("Nobody approves in your place, nor do you in somebody else's.");
    }
    await printObject(options.json ? found : summary(found), options);
  });
}

function summary({ delegate, decides_for }: Delegation) {
  return {
    in_your_place: delegate && `${delegate.name} until ${delegate.until}`,
    you_approve_for: decides_for.map(({ name, until }) => `${name} until ${until}`),
  };
}

async function set(word: string, options: Options & { until: string }): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const delegate_id = await idOf(client, word);
    const body = { delegate_id, until: options.until };
    const found = await client.putDelegation({ body });
    if (options.json) return terminal().out(JSON.stringify(found));
    const { name = word, until = options.until } = found.delegate ?? {};
    terminal().err(printable(`${name} approves in your place until ${until}.`));
  });
}

async function end(options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    await client.deleteDelegation();
    terminal().err("Nobody approves in your place.");
  });
}

async function idOf(client: Client, word: string): Promise<string> {
  const { candidates } = await client.getDelegation();
  const meant = candidates.filter(({ id, name }) =>
    id === word || name.toLowerCase() === word.toLowerCase()
  );
  const [one, ...others] = meant;
  if (!one) throw new OperatorError(printable(`nobody who may approve is called ${word}`));
  if (others.length > 0) {
    throw new OperatorError(printable(`several are called ${word}: give the id`), { exitCode: 2 });
  }
  return one.id;
}
