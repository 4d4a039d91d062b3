/** A whole server in this process: its own port and store, as `keydesk serve` has them. */
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/kernel/log.ts";
import { openApplication, startServer } from "../../src/server.ts";
import { transactions } from "../../src/transactions.ts";

/** A server that listens until it is stopped, here or in a process of its own. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  /** Stops it as a signal stops the program. Resolves when it has let go of its store. */
  stop(): Promise<unknown>;
}

/**
 * Starts one with these settings: the interface, console, engines and writer's thread of the
 * program, without the second of a processor that a process takes to load them. A store that is
 * lost under it is an error that nobody catches, which fails the test.
 */
export async function startServerHere(settings: Record<string, string>): Promise<Served> {
  const config = readConfig({ KEYDESK_PORT: "0", ...settings });
  const application = await openApplication(config, {
    log: createLog("silent", () => {}),
    onStoreEnd: ({ reason }) => {
      throw new Error(`the store is over: ${reason}`);
    },
    writer: { thread: false, transactions },
  });
  const server = startServer(config, application);
  const { hostname, port } = server.address;
  let stopping: Promise<void> | undefined;
  const stop = () => stopping ??= server.stop();
  return { url: `http://${hostname}:${port}`, stop, [Symbol.asyncDispose]: stop };
}
