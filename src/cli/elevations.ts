import type { Command } from "commander";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { type ListOptions, printList } from "./listing.ts";
import { printable } from "./table.ts";
import { terminal } from "./terminal.ts";

/** `keydesk elevations list|rules|end`. */
export function addElevationsCommands(program: Command): void {
  const elevations = program.command("elevations")
    .description("who holds a role for a while (break-glass), and who may")
    .addHelpText(
      "after",
      `
People elevate themselves in the console, by a rule that an administrator wrote there. Here they are
seen and ended.

Examples:
  keydesk elevations list
  keydesk elevations rules
  keydesk elevations end 65b0c1d2e3f4a5b6c7d8e9f0`,
    );
  withWideOption(withDeskOptions(elevations.command("list")))
    .description("list elevations, newest first")
    .option("--json", "print one JSON object a line")
    .action(list);
  withWideOption(withDeskOptions(elevations.command("rules")))
    .description("list the rules: who may hold which role, for how long, by which proof")
    .option("--json", "print one JSON object a line")
    .action(rules);
  withDeskOptions(elevations.command("end <id>"))
    .description("end one at once: nothing more is done in it")
    .action(end);
}

async function list(options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(options, ({ client }) =>
    printList(
      async () => ({ ...await client.listTemporaryAccess(), next_cursor: null }),
      options,
      {
        head: ["ID", "STATE", "UNTIL", "DEEDS", "PERSON", "RULE"],
        widths: [24, 6, 24, 5, 20],
        extra: ["RULE"],
        cells: ({ id, state, expires_at, date_ended, deeds, person, rule }) => [
          id,
          state,
          date_ended ?? expires_at,
          String(deeds),
          person.name,
          rule.name,
        ],
        empty: "Nobody was elevated yet.",
      },
    ));
}

async function rules(options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(options, ({ client }) =>
    printList(
      async () => ({ ...await client.listTemporaryAccessRules(), next_cursor: null }),
      options,
      {
        head: ["ID", "PEOPLE", "MINUTES", "PROOF", "NAME", "GIVES"],
        widths: [24, 6, 7, 13, 20],
        extra: ["MINUTES"],
        cells: ({ id, people, minutes, proof, name, permissions }) => [
          id,
          String(people.length),
          String(minutes),
          proof,
          name,
          permissions.join(","),
        ],
        empty: "There is no rule.",
      },
    ));
}

async function end(id: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const ended = await forOne("elevation", id, () => client.endTemporaryAccess({ id }));
    terminal().err(printable(`The elevation ${id} of "${ended.person.name}" is over.`));
  });
}
