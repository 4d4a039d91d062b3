import { InvalidArgumentError } from "commander";
import { ADDRESS, filledFile, PLAIN_ID } from "../contract/door-file.ts";
import { doorKinds } from "../contract/doors.ts";
import { gatewayFiles } from "../contract/gateway-files.ts";
import { doorOf } from "./named.ts";
import { calls, lists, noun, runs } from "./noun.ts";
import { OperatorError } from "./operator-error.ts";
import { choice, opt, upTo, usual } from "./options.ts";
import { terminal } from "./terminal.ts";

const door = { kind: "door", idOf: doorOf };
const kind = () => choice("--kind <kind>", "what stands there", doorKinds);
const silent = () =>
  opt(
    "--silent-minutes <n>",
    "after so many without a call it is silent; 0: never",
    upTo(10_080, "Expected a whole number from 0 to 10080, which is a week."),
  );

/** `keydesk doors`. */
export const addDoorsCommands = noun({
  name: "doors",
  summary: "proxies and gateways whose calls count by their names",
  about:
    `A door names itself by the header X-Keydesk-Door, which the proxy sets: "edge-1", or with the version
of its file "edge-1;3". What nobody set up counts as "other". No verdict goes by a name.`,
  examples: [
    "add edge-1 --kind nginx --silent-minutes 60",
    "list",
    "change edge-1 --silent-minutes 30",
    "file edge-1 --api-address 127.0.0.1:9000 --api weather",
    "remove edge-1",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list doors by name, and when each last called",
      read: ({ client }) => client.listDoors(),
      columns: [
        { head: "NAME", width: 24, of: "name" },
        { head: "STATE", width: 8, of: "state" },
        { head: "KIND", width: 8, of: "kind", extra: 2 },
        {
          head: "VERSION",
          width: 12,
          of: ({ version, newer_version: newer }) =>
            newer === null ? version : `${version} (${newer})`,
          extra: 1,
        },
        { head: "CALLS/MIN", width: 9, of: "calls_a_minute" },
        {
          head: "LAST CALL",
          width: 20,
          of: ({ last_call_at: at }) => at === null ? "never" : `${at.slice(0, 19)}Z`,
        },
        { head: "ID", of: "id" },
      ],
      empty: "No door is set up: all calls count as other.",
    }),
    calls({
      verb: "add <name>",
      summary: "set up a door: its calls count by this name from now on",
      options: { kind: usual(kind(), "other"), silent_minutes: silent() },
      json: "print the door as JSON",
      call: ({ client, id: name, given: { kind, silent_minutes = 0 } }) =>
        client.createDoor({ body: { name, kind, silent_minutes } }),
      done: ({ id, name }) => `Door ${id} "${name}" counts from now on.`,
    }),
    calls({
      verb: "change <door>",
      summary: "change what stands at a door, by its name or id, and when it is silent",
      of: door,
      options: { kind: kind(), silent_minutes: silent() },
      json: "print the door as JSON",
      refuses: ({ kind, silent_minutes }) =>
        kind === undefined && silent_minutes === undefined
          ? "--kind or --silent-minutes is needed"
          : undefined,
      call: ({ client, id, given }) => client.updateDoor({ id, body: given }),
      done: ({ name }) => `Door ${name} is changed.`,
    }),
    runs({
      verb: "file <door>",
      summary: "print the documented file of a door's kind, filled in but for the access token",
      of: door,
      options: {
        listen: opt("--listen <address>", "where it listens", toAddress),
        API_ADDRESS: opt(
          "--api-address <address>",
          "the API behind it, as it reaches it",
          toAddress,
        ),
        API_ID: opt("--api <id>", "that API as plans name it", toPlainId),
        DESK_ADDRESS: opt("--desk <address>", "Keydesk, as it reaches it", toAddress),
        part: opt("--part <name>", "the file of this name, where there are several"),
      },
      // What is not said, and the access token, stay as the document has them.
      async run({ client, id, word, given: { listen, part, ...given } }) {
        const door = (await client.listDoors()).data.find((one) => one.id === id);
        if (!door) throw new OperatorError(`there is no door ${word}: see keydesk doors list`);
        if (door.kind === "other") {
          throw new OperatorError(
            "there is no documented file for what stands there: --kind of change",
          );
        }
        const files = gatewayFiles[door.kind];
        const found = part === undefined ? files[0] : files.find(({ name }) => name === part);
        if (!found) {
          const names = files.map(({ name }) => name).join(", ");
          throw new OperatorError(`--part: there is ${names}`, { exitCode: 2 });
        }
        const values = {
          DOOR_ADDRESS: listen && door.kind === "caddy" ? `http://${listen}` : listen,
          ...given,
          DOOR_NAME: door.name,
        };
        const said = Object.entries(values).filter(([, value]) => value !== undefined);
        terminal().out(filledFile(found.text, Object.fromEntries(said)).trimEnd());
      },
    }),
    calls({
      verb: "remove <door>",
      summary: "take a door away, by its name or id: its calls count as other again",
      of: door,
      call: ({ client, id }) => client.deleteDoor({ id }),
      done: (_, { word }) => `Door ${word} is taken away.`,
    }),
  ],
});

function toAddress(text: string): string {
  if (ADDRESS.test(text)) return text;
  throw new InvalidArgumentError("Expected a host and a port, such as 127.0.0.1:8080.");
}

function toPlainId(text: string): string {
  if (PLAIN_ID.test(text)) return text;
  throw new InvalidArgumentError("This id can't stand in such a file: fill it in by hand.");
}
