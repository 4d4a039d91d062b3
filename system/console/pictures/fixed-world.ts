/**
 * The machine's clock and chance of this process, in fixed ones' place, so that a desk in it is the
 * same each time. Imported before all else: ids are begun while modules load.
 */
import { createHash } from "node:crypto";

/** What "now" is, in milliseconds; whoever fills a desk moves it. */
export const world = { now: Date.parse("2025-06-02T08:00:00Z") };

const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    // as: what a Date is made of is passed on as it came.
    super(...(given.length === 0 ? [world.now] : given) as [number]);
  }
  static override now(): number {
    return world.now;
  }
  // as: only its sub-class's form was said above.
} as DateConstructor;

let seed = "";
let blocks = 0;

/** Begins chance anew: what is drawn from now on depends on `name` alone. */
export function drawFrom(name: string): void {
  [seed, blocks] = [name, 0];
}

function fill(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += 32) {
    const block = createHash("sha256").update(`${seed} ${blocks++}`).digest();
    bytes.set(block.subarray(0, Math.min(32, bytes.length - at)), at);
  }
}

Object.assign(crypto, {
  getRandomValues: (view: Uint8Array) => {
    fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return view;
  },
  randomUUID: () => {
    const bytes = new Uint8Array(16);
    fill(bytes);
    return bytes.toHex().replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, "$1-$2-4$3-8$4-$5");
  },
});

const sinceStart = performance.now.bind(performance);
const UP_MS = 9 * 24 * 60 * 60 * 1000;
// How long the server is up stands in pictures, too: it goes on, but hardly.
performance.now = () => UP_MS + sinceStart() / 1e6;
