/** How often something may be tried. */
export interface Attempts {
  /** In all. */
  most: number;
  /** Whether doing it twice is the same as once. */
  isRepeatable: boolean;
  signal?: AbortSignal;
}

/**
 * The first pause; each further one is twice as long. A server that says how long comes first, up
 * to the most.
 */
const FIRST_PAUSE_MS = 200;
const MOST_PAUSE_MS = 30_000;

/** Statuses that pass by themselves. */
const PASSING: readonly number[] = [429, 502, 503, 504];

/**
 * The first response that is worth keeping. Tries again after 429, which tells that nothing was
 * done; and where a repeat is harmless also after 502, 503, 504 and a connection that broke. Throws
 * what the last try threw, and the signal's reason as soon as it fires.
 */
export async function again(
  { most, isRepeatable, signal }: Attempts,
  attempt: () => Promise<Response>,
): Promise<Response> {
  for (let tried = 1;; tried++) {
    signal?.throwIfAborted();
    const isLast = tried >= most;
    let response: Response | undefined;
    try {
      response = await attempt();
    } catch (error) {
      if (isLast || !isRepeatable || signal?.aborted) throw error;
    }
    if (response) {
      const isWorthIt = response.status === 429 ||
        (isRepeatable && PASSING.includes(response.status));
      if (isLast || !isWorthIt) return response;
      const seconds = Number(response.headers.get("retry-after") ?? undefined);
      // A longer wait is better reported to the caller.
      if (seconds * 1000 > MOST_PAUSE_MS) return response;
      await response.body?.cancel();
      await pause(Number.isFinite(seconds) ? seconds * 1000 : backoff(tried), signal);
    } else {
      await pause(backoff(tried), signal);
    }
  }
}

/** With chance in it, so that many who failed together do not come back together. */
function backoff(tried: number): number {
  return Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tried - 1)) * (0.5 + Math.random() / 2);
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
