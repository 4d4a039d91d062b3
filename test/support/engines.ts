/**
 * Those of the engines that the environment names in TEST_ENGINES, separated by commas; all where
 * it names none.
 */
export function chosenEngines<Engine extends string>(all: readonly Engine[]): readonly Engine[] {
  const named = Deno.env.get("TEST_ENGINES")?.split(",");
  const chosen = all.filter((engine) => named?.includes(engine) ?? true);
  if (chosen.length === 0) throw new Error(`TEST_ENGINES: expected some of ${all.join(", ")}`);
  return chosen;
}
