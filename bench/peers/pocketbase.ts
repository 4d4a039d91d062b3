/** PocketBase as a process under test. */
import { answers, freePort } from "../../system/support/proxies.ts";
import type { Server } from "../processes.ts";

/** Starts PocketBase on a filled data directory, on a free port, and waits until it answers. */
export async function startPocketBase(
  program: string,
  dataDir: string,
  synchronous: "NORMAL" | "FULL",
): Promise<Server> {
  const started = performance.now();
  const address = `127.0.0.1:${freePort()}`;
  const child = new Deno.Command(program, {
    args: ["serve", "--dir", dataDir, "--http", address],
    env: { PEER_SYNCHRONOUS: synchronous },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://${address}`;
  while (!await answers(`${url}/api/health`)) {
    if (performance.now() - started > 20_000) throw new Error("PocketBase did not start");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    pid: child.pid,
    readyMs: performance.now() - started,
    stop: async () => {
      child.kill("SIGTERM");
      await child.status;
      return [];
    },
  };
}
