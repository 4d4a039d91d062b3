import type { ReceivedRequest } from "../../../packages/http-listener/request.ts";
import { requestPath } from "../../http/router.ts";
import { HttpListener } from "../../../packages/http-listener/listener.ts";
import type { Doings } from "../../kernel/metrics/doings.ts";
import { once } from "../../kernel/once.ts";
import type { Watched } from "./gather.ts";
import type { Scrapes } from "./scrapes.ts";

/** The path of the metrics, on each port that has them. */
export const METRICS_PATH = "/metrics";

/** Answers scrapes with the figures of this process and its store. */
export class Watch {
  readonly #scrapes: () => Promise<Scrapes>;

  constructor(watched: Watched) {
    // With the first scrape: a server that is not scraped needs none of it.
    this.#scrapes = once(async () => new (await import("./scrapes.ts")).Scrapes(watched));
  }

  /** The figures as they are now, in the format that the request takes. */
  async answer(request: ReceivedRequest): Promise<Response> {
    return await (await this.#scrapes()).answer(request);
  }
}

/** How often it is looked how late timers come. */
const DELAY_EVERY_MS = 100;
/** A longer delay is logged by a line. */
const REPORTED_MS = 200;
/** For so long modules are loaded and what that took is given back. */
const START_MS = 3000;

/**
 * Measures how late the serving thread comes to a timer, until it is stopped. For a long delay,
 * `told` gets the work that went on meanwhile, by the names of `doings`.
 */
export function watchLoop(
  note: (ms: number) => void,
  doings: Pick<Doings, "since">,
  log: (ms: number, ran: string) => void,
): { stop(): void } {
  const began = performance.now();
  const ranSince = (at: number) => {
    const ran = doings.since(at).join(", ");
    // The cause is neither a call nor a change: mostly the runtime's own collecting, and other
    // programs of a busy machine.
    return ran || (performance.now() - began < START_MS ? "the start" : "no call and no change");
  };
  let due = began + DELAY_EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    const ms = Math.max(0, now - due);
    note(ms);
    if (ms > REPORTED_MS) log(Math.round(ms), ranSince(due - DELAY_EVERY_MS));
    due = now + DELAY_EVERY_MS;
  }, DELAY_EVERY_MS);
  Deno.unrefTimer(timer);
  return { stop: () => clearInterval(timer) };
}

/** Scrapers need few connections; the other port keeps the rest. */
const MOST_SCRAPERS = 32;
/** Longer than anybody waits between two scrapes. */
const SCRAPER_IDLE_MS = 130_000;

/**
 * A port that serves the metrics to anyone who reaches it, and nothing else. `refuse` answers what
 * is no request. Throws where the address is taken.
 */
export function serveMetrics(
  place: { hostname: string; port: number },
  watch: Watch,
  refuse: (error: unknown) => Response,
): HttpListener {
  return new HttpListener({
    ...place,
    most: MOST_SCRAPERS,
    idleMs: SCRAPER_IDLE_MS,
    countedBy: (hostname) => hostname,
    refuse,
    onRefused: () => {},
    handle: async (request) => {
      if (requestPath(request) !== METRICS_PATH) return new Response(null, { status: 404 });
      if (request.method !== "GET" && request.method !== "HEAD") {
        return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
      }
      return await watch.answer(request);
    },
  });
}
