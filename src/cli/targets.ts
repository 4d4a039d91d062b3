import { type Command, InvalidArgumentError, Option } from "commander";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { type ListOptions, printList } from "./listing.ts";
import { OperatorError } from "./operator-error.ts";
import { printable } from "./table.ts";
import { terminal } from "./terminal.ts";

/** `keydesk targets add|list|test|pause|resume|rotate|remove`. */
export function addTargetsCommands(program: Command): void {
  const targets = program.command("targets").description("who is told of changes")
    .addHelpText(
      "after",
      `
A target's secret is printed to standard output, once, by add and rotate; all else they say goes to
standard error.

Examples:
  keydesk targets add https://portal.example.org/hooks --name Portal --topic 'key_request.*'
  keydesk targets test 65b0c1d2e3f4a5b6c7d8e9f6
  keydesk targets rotate 65b0c1d2e3f4a5b6c7d8e9f6 --overlap-hours 48
  keydesk targets pause 65b0c1d2e3f4a5b6c7d8e9f6`,
    );
  withWideOption(withDeskOptions(targets.command("list")))
    .description("list targets, newest first")
    .option("--json", "print one JSON object a line")
    .action(listTargets);
  withDeskOptions(targets.command("add <url>"))
    .description("add a webhook and print the secret that signs what it is sent, once")
    .requiredOption("--name <name>", "what people call it")
    .option("--topic <topic>", "a topic or a pattern that it wants; several times for several", all)
    .addOption(
      new Option("--template <template>", "the form of what is sent")
        .choices(["standard", "slack", "teams", "discord"]).default("standard"),
    )
    .option("--json", "print the target with its secret as JSON")
    .action(add);
  withDeskOptions(targets.command("test <id>"))
    .description("send a target a test at once and print what it answers")
    .option("--json", "print JSON")
    .action(test);
  for (const word of ["pause", "resume"] as const) {
    withDeskOptions(targets.command(`${word} <id>`))
      .description(
        word === "pause" ? "send a target nothing until it is resumed" : "go on with a target",
      )
      .action((id: string, options: DeskOptions) => pause(id, word, options));
  }
  withDeskOptions(targets.command("rotate <id>"))
    .description("give a target a fresh secret and print it, once")
    .option("--overlap-hours <n>", "how long the old one signs too; 24 where not given", toHours)
    .option("--json", "print the target with its secret as JSON")
    .action(rotate);
  withDeskOptions(targets.command("remove <id>"))
    .description("remove a target, and what waits for it")
    .action(remove);
}

function toHours(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 168) return Number(text);
  throw new InvalidArgumentError("Expected a whole number from 0 to 168.");
}

function all(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

async function listTargets(options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(options, ({ client }) =>
    printList((place) => client.listChannels(place), options, {
      head: ["ID", "STATE", "FAILURES", "NAME", "TOPICS", "URL"],
      widths: [24, 7, 8, 20, 30],
      extra: ["FAILURES", "TOPICS"],
      cells: (one) => [
        one.id,
        one.state,
        String(one.failures),
        one.name,
        one.topics.join(" "),
        one.url,
      ],
      empty: "Nobody is told of changes yet.",
    }));
}

interface AddOptions extends DeskOptions {
  name: string;
  topic?: string[];
  template: "standard" | "slack" | "teams" | "discord";
  json?: boolean;
}

async function add(url: string, options: AddOptions): Promise<void> {
  const { name, topic: topics, template } = options;
  await atDesk(options, async ({ client }) => {
    const body = { name, url, template, ...topics ? { topics } : {} };
    const made = await client.createChannel({ body });
    tellMissing(made);
    tellSecret(made, `Target ${made.id} "${made.name}".`, options);
  });
}

async function rotate(
  id: string,
  options: DeskOptions & { overlapHours?: number; json?: boolean },
): Promise<void> {
  const { overlapHours: overlap_hours = 24 } = options;
  await atDesk(options, async ({ client }) => {
    const rotate = () => client.rotateChannelSecret({ id, body: { overlap_hours } });
    const rotated = await forOne("target", id, rotate);
    const until = rotated.old_secret_until;
    const old = until === null ? "" : ` The old secret signs too until ${until}.`;
    tellSecret(rotated, `"${rotated.name}" has a fresh secret.${old}`, options);
  });
}

/** The secret alone goes to standard output, so that it can be piped to where it is kept. */
function tellSecret(
  target: { secret: string },
  sentence: string,
  { json = false }: { json?: boolean },
): void {
  if (json) return terminal().out(JSON.stringify(target));
  terminal().err(`${sentence} Its secret is shown this once:`);
  terminal().out(target.secret);
}

function tellMissing({ missing_outbound: host }: { missing_outbound: string | null }): void {
  if (host === null) return;
  terminal().err(`Nothing can be sent there until KEYDESK_OUTBOUND names ${host}.`);
}

async function test(id: string, options: DeskOptions & { json?: boolean }): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const sent = await forOne("target", id, () => client.testChannel({ id }));
    if (options.json) terminal().out(JSON.stringify(sent));
    else {
      terminal().out(
        sent.status === 0 ? printable(sent.error) : `${sent.status} in ${sent.duration_ms} ms`,
      );
      if (sent.answer !== "") terminal().out(printable(sent.answer));
    }
    if (!sent.ok) throw new OperatorError("the test was not taken");
  });
}

async function pause(id: string, word: "pause" | "resume", options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const done = await forOne(
      "target",
      id,
      () => word === "pause" ? client.pauseChannel({ id }) : client.resumeChannel({ id }),
    );
    terminal().err(printable(`${done.name} is ${done.state}.`));
  });
}

async function remove(id: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const { dropped } = await forOne("target", id, () => client.deleteChannel({ id }));
    terminal().err(`Target ${id} is removed, and ${dropped} messages that waited for it.`);
  });
}
