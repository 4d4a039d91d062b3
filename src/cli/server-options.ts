import { type Command, Option } from "commander";
import type { Client } from "../client/keydesk-client.ts";
import { touching } from "./touched.ts";

/** Options of every command that works on the local store or on a server. */
export interface ServerOptions {
  /** The server; the local store where nothing names one. */
  url?: string;
  /** The name of a context, which has its server. */
  context?: string;
  tokenFile?: string;
  insecureHttp?: boolean;
}

/** Adds `-o wide` to a command that prints a table; src/cli/forms.ts adds the other forms. */
export function withWideOption(command: Command): Command {
  return command.addOption(
    new Option(
      "-o, --output <form>",
      "json: as with --json; yaml: the same as YAML; wide: every column, however narrow the terminal is",
    ),
  );
}

/** Adds the options by which a command works on a server instead of the local store. */
export function withServerOptions(command: Command): Command {
  return touching(command, {
    onServer: true,
    "--url": "net",
    "--context": "context",
    "--token-file": "read",
  })
    .option("--url <url>", "work on this server instead of the local store (KEYDESK_URL)")
    .option(...contextOption)
    .option(
      "--token-file <file>",
      "holds the access token for it (KEYDESK_TOKEN_FILE, or KEYDESK_TOKEN)",
    )
    .option("--insecure-http", "send the access token over plain http to another host too");
}

/** The option of a command that works on the server of a context too. */
export const contextOption = [
  "--context <name>",
  "work on this context's server; local: on the local store (KEYDESK_CONTEXT)",
] as const;

/** A server, reached at its store or over HTTP. */
export interface Connected {
  /** Every operation of the interface. */
  readonly client: Client;
  /** The prefix of links to this server, if it does not know its own. */
  readonly address: string;
}
