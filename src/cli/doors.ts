import { type Command, InvalidArgumentError, Option } from "commander";
import { doorKinds } from "../contract/doors.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { doorOf } from "./named.ts";
import { terminal } from "./terminal.ts";

/** `keydesk doors list|add|remove`. */
export function addDoorsCommands(program: Command): void {
  const doors = program.command("doors")
    .description("proxies and gateways whose calls count by their names")
    .addHelpText(
      "after",
      `
A door names itself by the header X-Keydesk-Door, which the proxy sets: "edge-1", or with the version
of its file "edge-1;3". What nobody set up counts as "other". No verdict goes by a name.

Examples:
  keydesk doors add edge-1 --kind nginx --silent-minutes 60
  keydesk doors list
  keydesk doors remove edge-1`,
    );
  withWideOption(withDeskOptions(doors.command("list")))
    .description("list doors by name, and when each last called")
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(doors.command("add <name>"))
    .description("set up a door: its calls count by this name from now on")
    .addOption(
      new Option("--kind <kind>", "what stands there").choices(doorKinds).default("other"),
    )
    .option(
      "--silent-minutes <n>",
      "after so many without a call it is silent; 0: never",
      toMinutes,
    )
    .option("--json", "print the door as JSON")
    .action(add);
  withDeskOptions(doors.command("remove <door>"))
    .description("take a door away, by its name or id: its calls count as other again")
    .action(remove);
}

function toMinutes(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 10_080) return Number(text);
  throw new InvalidArgumentError("Expected a whole number from 0 to 10080, which is a week.");
}

async function list(options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(
    options,
    ({ client }) =>
      printList(async () => ({ ...await client.listDoors(), next_cursor: null }), options, {
        head: ["NAME", "STATE", "KIND", "VERSION", "LAST CALL", "ID"],
        widths: [24, 8, 8, 12, 20],
        extra: ["VERSION", "KIND"],
        cells: (one) => [
          one.name,
          one.state,
          one.kind,
          one.version,
          one.last_call_at === null ? "never" : `${one.last_call_at.slice(0, 19)}Z`,
          one.id,
        ],
        empty: "No door is set up: all calls count as other.",
      }),
  );
}

interface AddOptions extends DeskOptions {
  kind: typeof doorKinds[number];
  silentMinutes?: number;
  json?: boolean;
}

async function add(
  name: string,
  { kind, silentMinutes: silent_minutes = 0, ...options }: AddOptions,
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const made = await client.createDoor({ body: { name, kind, silent_minutes } });
    if (options.json) return await printObject(made, options);
    terminal().err(`Door ${made.id} "${made.name}" counts from now on.`);
  });
}

async function remove(word: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await doorOf(client, word);
    await client.deleteDoor({ id });
    terminal().err(`Door ${word} is taken away.`);
  });
}
