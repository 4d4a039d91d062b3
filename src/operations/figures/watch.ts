import { requestPath } from "../../http/request-path.ts";
import { once } from "../../kernel/once.ts";
import type { Watched } from "./gather.ts";
import type { Scrapes } from "./scrapes.ts";

/** Where figures are, on each port that has them. */
export const METRICS_PATH = "/metrics";

/** Answers scrapes with the figures of this process and its store. */
export class Watch {
  readonly #scrapes: () => Promise<Scrapes>;

  constructor(watched: Watched) {
    // With the first scrape: a desk that nobody watches needs none of it.
    this.#scrapes = once(async () => new (await import("./scrapes.ts")).Scrapes(watched));
  }

  /** The figures as they are now, in the format that the request takes. */
  async answer(request: Request): Promise<Response> {
    return await (await this.#scrapes()).answer(request);
  }
}

/** How often it is looked how late timers come. */
const DELAY_EVERY_MS = 500;

/** Notes how late the serving thread comes to a timer, until it is stopped. */
export function watchLoop(note: (ms: number) => void): { stop(): void } {
  let due = performance.now() + DELAY_EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    note(Math.max(0, now - due));
    due = now + DELAY_EVERY_MS;
  }, DELAY_EVERY_MS);
  Deno.unrefTimer(timer);
  return { stop: () => clearInterval(timer) };
}

/** A port that serves the figures to whoever reaches it, and nothing else. Throws where the address is taken. */
export async function serveFigures(
  place: { hostname: string; port: number },
  watch: Watch,
): Promise<{ address: { hostname: string; port: number }; stop(): Promise<void> }> {
  const listening = Promise.withResolvers<Deno.NetAddr>();
  const server = Deno.serve({
    ...place,
    onListen: listening.resolve,
    onError: () => new Response(null, { status: 500 }),
  }, async (request) => {
    if (requestPath(request) !== METRICS_PATH) return new Response(null, { status: 404 });
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
    }
    const answer = await watch.answer(request);
    return request.method === "HEAD" ? new Response(null, answer) : answer;
  });
  const { hostname, port } = await listening.promise;
  return { address: { hostname, port }, stop: () => server.shutdown() };
}
