import { type Client, createClient } from "../client/keydesk-client.ts";
import { interfaceFor } from "../in-process.ts";
import type { Log } from "../kernel/log.ts";
import { asOperator } from "./as-operator.ts";
import type { DeskOptions } from "./desk-options.ts";
import { configFromEnvironment } from "./environment.ts";
import { urlOf } from "./first-steps.ts";
import { clientFor } from "./server-client.ts";
import { accessTokenFor, type ServerChoice, serverOf } from "./server-access.ts";
import { terminal } from "./terminal.ts";

/** A desk, through whichever door it was reached. */
export interface Desk {
  /** Every operation of the interface. */
  readonly client: Client;
  /** What a link to this desk begins with, where the desk itself does not know. */
  readonly address: string;
}

/**
 * Runs a command on the server that the options or the settings name, else on the local store as
 * its operator: the same interface without a listener, so that both obey the same rules and leave
 * the same traces.
 */
export async function atDesk(
  options: DeskOptions,
  work: (desk: Desk) => Promise<void>,
): Promise<void> {
  const server = serverOf(options, configFromEnvironment());
  if (server !== undefined) return await onServer(server, work);
  await asOperator(async (ctx, config) => {
    const client = createClient({
      url: "http://desk.local",
      fetch: interfaceFor(ctx, toldAtOnce),
    });
    await work({ client, address: urlOf(config.HOST, config.PORT) });
  });
}

async function onServer(
  server: ServerChoice,
  work: (desk: Desk) => Promise<void>,
): Promise<void> {
  const { token, source, warnings } = await accessTokenFor(server);
  for (const warning of warnings) terminal().err(`keydesk: ${warning}`);
  const { client, explained } = clientFor(server.url, token, source);
  try {
    await work({ client, address: server.url.replace(/\/+$/, "") });
  } catch (error) {
    throw explained(error);
  }
}

/** What nobody foresaw goes to the person at the terminal, who has no server's log to look into. */
const toldAtOnce: Log = {
  on: () => false,
  line: (_, __, members) => {
    if (members?.error === "internal") {
      terminal().err("keydesk: this should not have happened:", members.trace);
    }
  },
  raw: () => {},
  flush: () => {},
};
