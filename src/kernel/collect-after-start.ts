/** When what a start leaves behind is collected: nothing of it is under way any more. */
const AFTER_START_MS = 500;

/**
 * Gives the memory back that starting took on this thread: loading leaves the heap twice as large as what stays in
 * it. The engine would do so by itself, after half a minute of rest. Once, some 20 ms long; does nothing where the
 * collector can't be called, which the launcher allows by `--expose-gc`.
 */
export function collectAfterStart(): void {
  // as: the flag puts it there.
  const { gc } = globalThis as { gc?: (options: CollectorOptions) => void };
  if (!gc) return;
  // `last-resort` is the engine's word for: with what it could keep for later, such as room for young objects.
  const collect = () => gc({ type: "major", execution: "sync", flavor: "last-resort" });
  Deno.unrefTimer(setTimeout(collect, AFTER_START_MS));
}

/** What V8's `gc` takes. */
interface CollectorOptions {
  readonly type: "major";
  readonly execution: "sync";
  readonly flavor: "last-resort";
}
