import { createClient } from "../client/keydesk-client.ts";
import { interfaceFor } from "../in-process.ts";
import type { Log } from "../kernel/log.ts";
import { asOperator } from "./as-operator.ts";
import type { Connected } from "./server-options.ts";
import { urlOf } from "./first-steps.ts";
import { terminal } from "./terminal.ts";

/** Runs a command on the local store as its operator, through the interface without a listener. */
export async function atStore(work: (connected: Connected) => Promise<void>): Promise<void> {
  await asOperator(async (ctx, config) => {
    const client = createClient({
      url: "http://desk.local",
      fetch: interfaceFor(ctx, printedAtOnce),
    });
    await work({ client, address: urlOf(config.HOST, config.PORT) });
  });
}

/** Unforeseen errors go to the person at the terminal, who has no server's log to look into. */
const printedAtOnce: Log = {
  on: () => false,
  line: (_, __, members) => {
    if (members?.error === "internal") {
      terminal().err("keydesk: this should not have happened:", members.trace);
    }
  },
  raw: () => {},
  flush: () => {},
};
