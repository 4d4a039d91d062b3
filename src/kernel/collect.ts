/** When what a start leaves behind is collected: nothing of it is under way any more. */
const AFTER_START_MS = 500;
/** When what a crowd of connections leaves behind is: the last of them has gone at that time. */
const AFTER_CROWD_MS = 1000;
/**
 * No oftener: anyone who opens and closes connections all the time makes no one wait all the time.
 */
const EVERY_MS = 60_000;

/**
 * Gives the memory back that starting took on this thread: loading leaves the heap twice as large
 * as what stays in it. The engine would do so by itself, after half a minute of rest. Once, some 20
 * ms long; does nothing where the collector can't be called, which the launcher allows by
 * `--expose-gc`.
 */
export function collectAfterStart(): void {
  collectIn(AFTER_START_MS);
}

let last = -Infinity;
let isAwaited = false;

/** Collects after many connections at once: a second from now, at most once a minute. */
export function collectAfterCrowd(): void {
  if (isAwaited) return;
  isAwaited = true;
  const now = performance.now();
  collectIn(Math.max(AFTER_CROWD_MS, last + EVERY_MS - now), () => {
    last = performance.now();
    isAwaited = false;
  });
}

function collectIn(delay: number, before = () => {}): void {
  // as: the flag puts it there.
  const { gc } = globalThis as { gc?: (options: CollectorOptions) => void };
  if (!gc) return;
  const collect = () => {
    before();
    // `last-resort` is the engine's word for: with what it could keep for later, such as room for
    // young objects.
    gc({ type: "major", execution: "sync", flavor: "last-resort" });
  };
  Deno.unrefTimer(setTimeout(collect, delay));
}

/** The options of V8's `gc`. */
interface CollectorOptions {
  readonly type: "major";
  readonly execution: "sync";
  readonly flavor: "last-resort";
}
