import type { Outbound } from "../../kernel/outbound/outbound.ts";
import type { GatewayRow } from "./gateway.ts";

/** Calls of a gateway that one group of keys may take a second for: a key takes about four. */
const CALLS_A_KEY = 8;

/** By what calls wait for their turn. */
interface PaceTime {
  /** In milliseconds. */
  now(): number;
  rest(ms: number): Promise<void>;
}

const realTime: PaceTime = {
  now: () => performance.now(),
  rest: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Lets a gateway be called as often as it says, and no more. Waiting calls go out evenly, in the
 * order in which they came.
 */
export class Pace {
  readonly #time: PaceTime;
  #next = 0;

  constructor(time: PaceTime = realTime) {
    this.#time = time;
  }

  /** Resolves when the next call may go out. */
  async wait(calls_per_second: number | null): Promise<void> {
    if (calls_per_second === null) return;
    const now = this.#time.now();
    const at = Math.max(now, this.#next);
    this.#next = at + 1000 / calls_per_second;
    if (at > now) await this.#time.rest(at - now);
  }
}

/** Calls of a second, and of one run, to an API that a gateway is probed by, at the most. */
export const PROBED = { perSecond: 20, inRun: 200 };

/**
 * The way out to a gateway at its pace, and to the API that it is probed by at the pace of probes,
 * whatever either of them answers.
 */
export function paced(
  outbound: Outbound,
  { calls_per_second, probe_url }: Pick<GatewayRow, "calls_per_second" | "probe_url">,
  { own, probes }: { own: Pace; probes: Pace },
): Outbound {
  return {
    send: async (call) => {
      if (call.url === probe_url) await probes.wait(PROBED.perSecond);
      else await own.wait(calls_per_second);
      return await outbound.send(call);
    },
    connect: (to) => outbound.connect(to),
    missing: (url) => outbound.missing(url),
  };
}

/** How many keys of `most` a gateway is brought at once, so that what closes one waits for few. */
export function groupOf(
  { calls_per_second }: Pick<GatewayRow, "calls_per_second">,
  most: number,
): number {
  if (calls_per_second === null) return most;
  return Math.min(most, Math.max(1, Math.floor(calls_per_second / CALLS_A_KEY)));
}
