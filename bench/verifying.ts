/**
 * Verifications one after another, as one gateway asks them: what they are measured by while
 * something else goes on.
 */

/** Whom to ask about which keys. */
export interface Verifying {
  url: string;
  authorization: string;
  keys: readonly string[];
}

/** Milliseconds of a verification. */
export interface Latency {
  p50: number;
  p99: number;
  worst: number;
  count: number;
}

/**
 * Verifies until it is over, and two milliseconds apart. A server's first calls load what they
 * need: they don't count.
 */
export async function verifyUntil(
  { url, authorization, keys }: Verifying,
  isOver: () => boolean,
  isWarm = true,
): Promise<Latency> {
  const took: number[] = [];
  for (let n = 0; !isOver(); n++) {
    const at = performance.now();
    const answer = await fetch(`${url}/v1/keys/verify`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ key: keys[n % keys.length] }),
    });
    await answer.body?.cancel();
    if (!isWarm && answer.status === 503) continue;
    isWarm = true;
    if (answer.status !== 200) throw new Error(`verify: ${answer.status} after ${took.length}`);
    took.push(performance.now() - at);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor(took.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), worst: took.at(-1) ?? 0, count: took.length };
}

/** The same for so many seconds. */
export function verifyFor(verifying: Verifying, seconds: number): Promise<Latency> {
  const ends = performance.now() + seconds * 1000;
  return verifyUntil(verifying, () => performance.now() >= ends, false);
}

/** As cells of a table. */
export function cells({ p50, p99, worst }: Latency): string[] {
  return [p50, p99, worst].map((ms) => ms.toFixed(1));
}
