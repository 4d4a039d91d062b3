/**
 * Loaded before each file of tests (`deno test --preload`): notes what processor time its process and those that have
 * ended below it had taken when the file began, and when it ended. Linux alone tells.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The variable of the environment that names the file of the notes; without it nothing is noted. */
export const COST_NOTES = "TEST_COST_NOTES";

/** Of a second: what Linux counts a process's time in. */
const TICKS = 100;

const notes = Deno.env.get(COST_NOTES);
// Neither a worker of a test nor a program that it runs is one.
const isTest = Deno.mainModule.endsWith(".test.ts") && !("WorkerGlobalScope" in globalThis);
if (notes !== undefined && isTest && existsSync("/proc/self/stat")) {
  const note = (what: "begins" | "ends") => {
    // Behind the name, which may hold blanks: utime, stime, and both of the children that were waited for.
    const [, behind = ""] = Deno.readTextFileSync("/proc/self/stat").split(/\) (?!.*\) )/);
    const times = behind.split(" ").slice(11, 15).map(Number);
    const seconds = times.reduce((sum, ticks) => sum + ticks) / TICKS;
    const line = [Deno.pid, what, seconds, fileURLToPath(Deno.mainModule)].join(" ");
    Deno.writeTextFileSync(notes, `${line}\n`, { append: true });
  };
  note("begins");
  globalThis.addEventListener("unload", () => note("ends"));
}
