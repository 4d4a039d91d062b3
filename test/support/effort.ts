/** How many times their usual work heavy suites do: once in `npm test`, more in `npm run test:long`. */
export const effort = Number(Deno.env.get("TEST_EFFORT") ?? "1");
