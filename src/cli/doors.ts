import { type Command, InvalidArgumentError, Option } from "commander";
import { ADDRESS, filledFile, PLAIN_ID } from "../contract/filled-file.ts";
import { checkingKinds } from "../contract/checking-gateways.ts";
import { gatewayFiles } from "../contract/gateway-files.ts";
import type { Client } from "../client/keydesk-client.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { doorOf } from "./named.ts";
import { OperatorError } from "./operator-error.ts";
import { terminal } from "./terminal.ts";

/** `keydesk doors list|add|change|file|remove`. */
export function addDoorsCommands(program: Command): void {
  const doors = program.command("doors")
    .description("proxies and gateways whose calls count by their names")
    .addHelpText(
      "after",
      `
A door names itself by the header X-Keydesk-Gateway, which the proxy sets: "edge-1", or with the version
of its file "edge-1;3". What nobody set up counts as "other". No verdict goes by a name.

Examples:
  keydesk doors add edge-1 --kind nginx --silent-minutes 60
  keydesk doors list
  keydesk doors change edge-1 --silent-minutes 30
  keydesk doors file edge-1 --api-address 127.0.0.1:9000 --api weather
  keydesk doors remove edge-1`,
    );
  withWideOption(withDeskOptions(doors.command("list")))
    .description("list doors by name, and when each last called")
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(doors.command("add <name>"))
    .description("set up a door: its calls count by this name from now on")
    .addOption(
      new Option("--kind <kind>", "what stands there").choices(checkingKinds).default("other"),
    )
    .option(
      "--silent-minutes <n>",
      "after so many without a call it is silent; 0: never",
      toMinutes,
    )
    .option("--json", "print the door as JSON")
    .action(add);
  withDeskOptions(doors.command("change <door>"))
    .description("change what stands at a door, by its name or id, and when it is silent")
    .addOption(new Option("--kind <kind>", "what stands there").choices(checkingKinds))
    .option(
      "--silent-minutes <n>",
      "after so many without a call it is silent; 0: never",
      toMinutes,
    )
    .option("--json", "print the door as JSON")
    .action(change);
  withDeskOptions(doors.command("file <door>"))
    .description("print the documented file of a door's kind, filled in but for the access token")
    .option("--listen <address>", "where it listens", toAddress)
    .option("--api-address <address>", "the API behind it, as it reaches it", toAddress)
    .option("--api <id>", "that API as plans name it", toPlainId)
    .option("--desk <address>", "Keydesk, as it reaches it", toAddress)
    .option("--part <name>", "the file of this name, where there are several")
    .action(file);
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
      printList(async () => ({ data: await listOf(client), next_cursor: null }), options, {
        head: ["NAME", "STATE", "KIND", "VERSION", "CALLS/MIN", "LAST CALL", "ID"],
        widths: [24, 8, 8, 12, 9, 20],
        extra: ["VERSION", "KIND"],
        cells: (one) => [
          one.name,
          one.state,
          one.kind,
          one.newer_version === null ? one.version : `${one.version} (${one.newer_version})`,
          String(one.calls_a_minute),
          one.last_call_at === null ? "never" : `${one.last_call_at.slice(0, 19)}Z`,
          one.id,
        ],
        empty: "No door is set up: all calls count as other.",
      }),
  );
}

interface AddOptions extends DeskOptions {
  kind: typeof checkingKinds[number];
  silentMinutes?: number;
  json?: boolean;
}

async function add(
  name: string,
  { kind, silentMinutes: silent_minutes = 0, ...options }: AddOptions,
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const made = await client.createGateway({
      body: { connection: "checks", name, kind, silent_minutes },
    });
    if (options.json) return await printObject(made, options);
    terminal().err(`Door ${made.id} "${made.name}" counts from now on.`);
  });
}

interface ChangeOptions extends DeskOptions {
  kind?: typeof checkingKinds[number];
  silentMinutes?: number;
  json?: boolean;
}

async function change(
  word: string,
  { kind, silentMinutes: silent_minutes, ...options }: ChangeOptions,
): Promise<void> {
  if (kind === undefined && silent_minutes === undefined) {
    throw new OperatorError("--kind or --silent-minutes is needed", { exitCode: 2 });
  }
  await atDesk(options, async ({ client }) => {
    const id = await doorOf(client, word);
    const changed = await client.updateGateway({ id, body: { kind, silent_minutes } });
    if (options.json) return await printObject(changed, options);
    terminal().err(`Door ${changed.name} is changed.`);
  });
}

interface FileOptions extends DeskOptions {
  listen?: string;
  apiAddress?: string;
  api?: string;
  desk?: string;
  part?: string;
}

/** Prints a door's file; what is not said, and the access token, stay as the document has them. */
async function file(word: string, options: FileOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await doorOf(client, word);
    const door = (await listOf(client)).find((one) => one.id === id);
    if (!door) throw new OperatorError(`there is no door ${word}: see keydesk doors list`);
    if (door.kind === "other") {
      throw new OperatorError(
        "there is no documented file for what stands there: --kind of change",
      );
    }
    const files = gatewayFiles[door.kind];
    const found = options.part === undefined
      ? files[0]
      : files.find(({ name }) => name === options.part);
    if (!found) {
      const names = files.map(({ name }) => name).join(", ");
      throw new OperatorError(`--part: there is ${names}`, { exitCode: 2 });
    }
    const { listen, apiAddress, api, desk } = options;
    const values = {
      GATEWAY_ADDRESS: listen && door.kind === "caddy" ? `http://${listen}` : listen,
      API_ADDRESS: apiAddress,
      API_ID: api,
      DESK_ADDRESS: desk,
      GATEWAY_NAME: door.name,
    };
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    terminal().out(filledFile(found.text, Object.fromEntries(given)).trimEnd());
  });
}

function toAddress(text: string): string {
  if (ADDRESS.test(text)) return text;
  throw new InvalidArgumentError("Expected a host and a port, such as 127.0.0.1:8080.");
}

function toPlainId(text: string): string {
  if (PLAIN_ID.test(text)) return text;
  throw new InvalidArgumentError("This id can't stand in such a file: fill it in by hand.");
}

async function remove(word: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await doorOf(client, word);
    await client.deleteGateway({ id });
    terminal().err(`Door ${word} is taken away.`);
  });
}

async function listOf(client: Client) {
  const { data } = await client.listGateways({ connection: "checks" });
  return data.flatMap((one) => one.connection === "checks" ? one : []);
}
