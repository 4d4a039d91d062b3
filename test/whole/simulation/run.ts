/**
 * Runs histories: `run.ts FROM TO [VARIANT]`, with the simulation's import map. Prints one line of JSON: what was found.
 * `simulate.ts` starts it.
 */
import { install, virtual } from "./virtual.ts";

virtual.begin(0, 0);
install();
const { makeBase, runHistory } = await import("./world.ts");
const { variants } = await import("./variants.ts");
const { SqliteConnection } = await import("../../../src/storage/engines/sqlite-connection.ts");

/** Every statement waits for its turn. */
for (const name of ["rows", "row", "change"] as const) {
  const original = SqliteConnection.prototype[name] as (...args: unknown[]) => Promise<unknown>;
  Object.defineProperty(SqliteConnection.prototype, name, {
    value: async function (...args: unknown[]) {
      await virtual.turn();
      return await original.apply(this, args);
    },
  });
}
const [from = "1", to = from, name = "as it is"] = Deno.args;
const variant = variants[name];
if (!variant) throw new Error(`there is no variant ${name}`);
const folder = await Deno.makeTempDir({ prefix: "keydesk-simulation-" });
const base = await makeBase(folder);
for (let seed = Number(from); seed <= Number(to); seed++) {
  const told = await runHistory(base, seed, variant);
  console.log(told.seed, told.digest, JSON.stringify(told.figures), told.broken.length);
  if (told.broken.length) { console.log(told.broken.slice(0,5).join("\n")); if (from===to) console.log(told.lines.join("\n")); }
}
await Deno.remove(folder, { recursive: true });
