import { inTime } from "./in-time.ts";
import type { Problems } from "./problems.ts";

/** The name of the problem that spans reach no collector. */
const COLLECTOR_UNREACHABLE = "collector_unreachable";

/** How often it is tried, and how long a try waits. */
const EVERY_MS = 30_000;
const PATIENCE_MS = 5000;

/**
 * The address to which the runtime sends spans, as `host:port`: the launcher sets it if traces are
 * on. Undefined if they are off.
 */
export function collectorOf(environment: Readonly<Record<string, string>>): string | undefined {
  return environment.KEYDESK_COLLECTOR || undefined;
}

/**
 * Why no connection to this `host:port` comes about, as a sentence; undefined where one does. It is
 * closed at once: the runtime sends the spans, and does not say what became of them.
 */
export async function whyUnreachable(
  address: string,
  patienceMs: number = PATIENCE_MS,
): Promise<string | undefined> {
  const [, hostname = "", port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  const tried = Deno.connect({ hostname, port: Number(port) }).then((connection) => {
    connection.close();
    return undefined;
  }, (error: unknown) => `no connection to ${address}: ${reasonOf(error)}`);
  return await inTime(tried, patienceMs, () => `no connection to ${address}: it does not answer`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.ConnectionRefused) return "it is refused";
  return error instanceof Error ? error.message : String(error);
}

/**
 * Tries the collector now and again and again, and has it on the board of problems while it can't
 * be reached, until it is stopped. Keeps no process alive.
 */
export function watchCollector(
  address: string,
  problems: Problems,
  everyMs: number = EVERY_MS,
): { stop(): void } {
  let isStopped = false;
  const look = async () => {
    const reason = await whyUnreachable(address);
    if (isStopped) return;
    if (reason === undefined) problems.end(COLLECTOR_UNREACHABLE);
    else problems.begin(COLLECTOR_UNREACHABLE, { reason, stops: "nothing" });
  };
  void look();
  const timer = setInterval(look, everyMs);
  Deno.unrefTimer(timer);
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
