/** What runs in the page to measure it. */

/** What a list shows first: its rows, or the words that there are none. */
export const CONTENT = ".row-link, .state:not(.is-loading):not([role=alert])";

/**
 * Notes when the first of what `selector` names stands in the document; before anything else of the
 * page runs.
 */
export function watchContent(selector: string): void {
  const watch = new MutationObserver(() => {
    if (!document.querySelector(selector)) return;
    Object.assign(globalThis, { contentAt: performance.now() });
    watch.disconnect();
  });
  watch.observe(document, { childList: true, subtree: true });
}

/** First paint and first content, in milliseconds since the visit began. */
export async function timesOfPage(): Promise<{ paint: number; content: number }> {
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  // as: watchContent put it there.
  const { contentAt } = globalThis as unknown as { contentAt: number };
  return { paint: paint?.startTime ?? 0, content: contentAt };
}
