/**
 * What the browser itself says of a page: when its largest content stood, what jumped, how long
 * answers to input took.
 */
import type { CDPSession, Page } from "playwright-core";

/** A jump of the layout, and what jumped. */
export interface Shift {
  readonly value: number;
  readonly at: number;
  readonly what: readonly string[];
}

/** Times in milliseconds since the visit began. */
export interface Vitals {
  /** First contentful paint. */
  readonly fcp: number;
  /** Largest contentful paint, and what it was. */
  readonly lcp: number;
  readonly lcpOf: string;
  /** The sum of all jumps that did not follow an input. */
  readonly cls: number;
  readonly shifts: readonly Shift[];
  /** The longest event of each interaction since the last reading. */
  readonly interactions: readonly { readonly name: string; readonly ms: number }[];
  /**
   * Requests that ended before the largest paint, each begun after another had ended: the longest
   * such chain.
   */
  readonly chain: readonly string[];
}

/** A slow machine on a slow network. */
export const SLOW = { cpu: 4, latencyMs: 150, bitsPerSecond: 1_600_000 };

/** Begins to watch each page that is loaded from now on, by the browser's own entries. */
export async function watchVitals(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const nameOf = (node: Node | null | undefined): string => {
      const element = node instanceof Element ? node : node?.parentElement;
      if (!element) return "?";
      const { tagName, classList, id } = element;
      const own = tagName.toLowerCase() + (id && `#${id}`) +
        [...classList].map((c) => `.${c}`).join("");
      const text = (element.textContent ?? "").trim().slice(0, 24);
      return `${own} “${text}”`;
    };
    const seen = {
      lcp: 0,
      lcpOf: "",
      shifts: [] as unknown[],
      events: new Map<number, { name: string; ms: number }>(),
    };
    Object.assign(globalThis, { seenVitals: seen });
    const watch = (type: string, take: (entry: never) => void, more: object = {}) =>
      new PerformanceObserver((list) => {
        // as: each type has entries of its own, which the types of the DOM do not all know.
        for (const entry of list.getEntries()) take(entry as never);
      }).observe({ type, buffered: true, ...more });
    watch("largest-contentful-paint", (entry: PerformanceEntry & { element?: Element }) => {
      seen.lcp = entry.startTime;
      seen.lcpOf = nameOf(entry.element);
    });
    type LayoutShift = PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
      sources: { node?: Node; previousRect: DOMRect; currentRect: DOMRect }[];
    };
    watch("layout-shift", (entry: LayoutShift) => {
      if (entry.hadRecentInput) return;
      const place = ({ x, y, width, height }: DOMRect) =>
        [x, y, width, height].map(Math.round).join(" ");
      seen.shifts.push({
        value: entry.value,
        at: Math.round(entry.startTime),
        what: entry.sources.map(({ node, previousRect, currentRect }) =>
          `${nameOf(node)} ${place(previousRect)} → ${place(currentRect)}`
        ),
      });
    });
    watch("event", (entry: PerformanceEntry & { interactionId: number }) => {
      if (!entry.interactionId) return;
      const known = seen.events.get(entry.interactionId);
      if (!known || known.ms < entry.duration) {
        seen.events.set(entry.interactionId, { name: entry.name, ms: entry.duration });
      }
    }, { durationThreshold: 16 });
  });
}

/** What was seen since the page was loaded; interactions since the last call. */
export async function vitalsOf(page: Page): Promise<Vitals> {
  return await page.evaluate(async () => {
    // The entries of a frame come after it.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)));
    const { seenVitals: seen } = globalThis as unknown as {
      seenVitals: {
        lcp: number;
        lcpOf: string;
        shifts: { value: number; at: number; what: string[] }[];
        events: Map<number, { name: string; ms: number }>;
      };
    };
    const interactions = [...seen.events.values()];
    seen.events.clear();
    const [navigation] = performance.getEntriesByType("navigation");
    const resources = [navigation, ...performance.getEntriesByType("resource")]
      // as: entries of these two types.
      .map((entry) => entry as PerformanceResourceTiming)
      .map(({ name, startTime, responseEnd }) => ({ name, startTime, responseEnd }))
      .filter(({ responseEnd }) => responseEnd > 0 && responseEnd <= seen.lcp)
      .toSorted((a, b) => a.responseEnd - b.responseEnd);
    // By their ends: what begins after the last of the chain has ended is its next link.
    const chain: string[] = [];
    let ended = -1;
    for (const { name, startTime, responseEnd } of resources) {
      if (startTime < ended) continue;
      chain.push(new URL(name).pathname);
      ended = responseEnd;
    }
    return {
      fcp: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
      lcp: seen.lcp,
      lcpOf: seen.lcpOf,
      cls: seen.shifts.reduce((sum, { value }) => sum + value, 0),
      shifts: seen.shifts,
      interactions,
      chain,
    };
  });
}

/** Slows a page down, or takes that back. */
export async function slowDown(
  cdp: CDPSession,
  slow: Partial<typeof SLOW> | undefined,
): Promise<void> {
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: slow?.cpu ?? 1 });
  const throughput = slow?.bitsPerSecond === undefined ? -1 : slow.bitsPerSecond / 8;
  await cdp.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: slow?.latencyMs ?? 0,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
}
