import type { Page, Request } from "playwright-core";

/**
 * What a page loaded: the bytes of each answer as they came over the wire, heads and all, by path.
 */
export type Loaded = readonly { readonly path: string; readonly bytes: number }[];

/**
 * Counts what a page loads from the call on. `ended()` waits until every request that has begun by
 * then is answered to its end, and gives them all.
 */
export function countBytes(page: Page): { ended(): Promise<Loaded> } {
  const begun: Request[] = [];
  page.on("request", (request) => begun.push(request));
  return {
    ended: async () => {
      const all: { path: string; bytes: number }[] = [];
      for (const request of [...begun]) {
        const url = new URL(request.url());
        if (!url.protocol.startsWith("http")) continue;
        const response = await request.response();
        await response?.finished();
        const { responseBodySize, responseHeadersSize } = await request.sizes();
        all.push({ path: url.pathname, bytes: responseBodySize + responseHeadersSize });
      }
      return all;
    },
  };
}

/** The sum, in bytes. */
export function sumOf(loaded: Loaded): number {
  return loaded.reduce((sum, { bytes }) => sum + bytes, 0);
}
