/** What runs in the page to measure it. */

/** Notes when the first row of a list stands in the document; before anything else of the page runs. */
export function watchRows(): void {
  const watch = new MutationObserver(() => {
    if (!document.querySelector(".row-link")) return;
    Object.assign(globalThis, { rowsAt: performance.now() });
    watch.disconnect();
  });
  watch.observe(document, { childList: true, subtree: true });
}

/** First paint and first rows, in milliseconds since the visit began. */
export async function timesOfPage(): Promise<{ paint: number; rows: number }> {
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  // as: watchRows put it there.
  const { rowsAt } = globalThis as unknown as { rowsAt: number };
  return { paint: paint?.startTime ?? 0, rows: rowsAt };
}
