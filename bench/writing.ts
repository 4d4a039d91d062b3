/** What is written beside what is measured. */

/**
 * Posts a body so many times a second, one after the other, until it is stopped. Throws at any
 * status but 200.
 */
export function writeSteadily(
  url: string,
  init: { headers: Record<string, string>; body: string },
  perSecond: number,
): { stop(): Promise<void> } {
  const began = performance.now();
  let isOver = false;
  const working = (async () => {
    for (let n = 1; !isOver; n++) {
      const answer = await fetch(url, { method: "POST", ...init });
      await answer.body?.cancel();
      if (answer.status !== 200) throw new Error(`a create beside the reads: ${answer.status}`);
      const due = began + n * 1000 / perSecond - performance.now();
      if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await working;
    },
  };
}
