/** When what a start leaves behind is collected: nothing of it is under way any more. */
const AFTER_START_MS = 500;
/** When what a crowd of connections leaves behind is: the last of them has gone at that time. */
const AFTER_CROWD_MS = 1000;
/**
 * No oftener: anyone who opens and closes connections all the time makes no one wait all the time.
 */
const EVERY_MS = 60_000;

/**
 * Gives the memory back that starting took on this thread, and from then on what each busy time
 * takes: loading leaves the heap twice as large as what stays in it. Some 20 ms long; does nothing
 * where the collector can't be called, which the launcher allows by `--expose-gc`.
 */
export function collectAfterStart(): void {
  collectIn(AFTER_START_MS);
  collectAtRest();
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

/** How often it is looked at whether a busy time has left something behind. */
const LOOK_MS = 5000;
/** Fewer allocations in that time are rest: some twenty calls a second. */
const REST_BYTES = 1024 * 1024;
/** The heap's growth since it was last collected that is worth a collection. */
const WORTH_BYTES = 8 * 1024 * 1024;

/**
 * Gives the memory back that a busy time took on this thread, within ten seconds of its end: room
 * for young objects above all, which the engine keeps for as long as little happens.
 */
function collectAtRest(): void {
  let before = Deno.memoryUsage();
  let least = before.heapTotal;
  const look = () => {
    const now = Deno.memoryUsage();
    const isAtRest = Math.abs(now.heapUsed - before.heapUsed) < REST_BYTES;
    before = now;
    least = Math.min(least, now.heapTotal);
    if (!isAtRest || now.heapTotal < least + WORTH_BYTES) return;
    collectIn(0);
    // What is left then is needed.
    least = Infinity;
  };
  Deno.unrefTimer(setInterval(look, LOOK_MS));
}

function collectIn(delay: number, before = () => {}): void {
  // as: the flag puts it there.
  const { gc } = globalThis as WithCollector;
  if (!gc) return;
  const collect = () => {
    before();
    // `last-resort` is the engine's word for: with what it could keep for later, such as room for
    // young objects.
    gc({ type: "major", execution: "sync", flavor: "last-resort" });
  };
  Deno.unrefTimer(setTimeout(collect, delay));
}

/** As the flag has it. */
interface WithCollector {
  readonly gc?: (options: CollectorOptions) => void;
}

/** The options of V8's `gc`. */
interface CollectorOptions {
  readonly type: "major";
  readonly execution: "sync";
  readonly flavor: "last-resort";
}
