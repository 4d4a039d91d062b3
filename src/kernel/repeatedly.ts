/**
 * Has a turn again and again until it is stopped, each after the rest in milliseconds that the one
 * before gave, the first after `firstMs`. `turn` must not reject. `stop` resolves once no turn is
 * under way.
 */
export function repeatedly(
  turn: () => Promise<number>,
  firstMs: number,
): { stop(): Promise<void> } {
  let stopped = false;
  let running: Promise<void> | undefined;
  const run = async () => {
    const rest = await turn();
    running = undefined;
    if (!stopped) timer = setTimeout(begin, rest);
  };
  const begin = () => {
    running = run();
  };
  let timer = setTimeout(begin, firstMs);
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
