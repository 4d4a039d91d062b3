import type { Connected, ServerOptions } from "./server-options.ts";
import { configFromEnvironment } from "./environment.ts";
import { clientFor } from "./server-client.ts";
import { accessTokenFor, type ServerChoice, serverOf } from "./server-access.ts";
import { terminal } from "./terminal.ts";

/**
 * Runs a command on the server that options, settings and contexts choose, else on the local store
 * as its operator: the same interface without a listener, so that both obey the same rules and
 * leave the same traces.
 */
export async function withClient(
  options: ServerOptions,
  work: (connected: Connected) => Promise<void>,
): Promise<void> {
  const server = await serverOf(options, configFromEnvironment());
  if (server !== undefined) return await onServer(server, work);
  // Nothing of the store is loaded for a server.
  const { atStore } = await import("./at-store.ts");
  await atStore(work);
}

async function onServer(
  server: ServerChoice,
  work: (connected: Connected) => Promise<void>,
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
