import { fileURLToPath } from "node:url";
import type { Found } from "./run.ts";
import type { Clients } from "./simulated-desk.ts";

/**
 * Runs the histories of these seeds in a process of their own, of one variant after the other: it
 * is loaded and has its store made once for all of them. See run.ts. A line for each variant.
 */
export async function simulate(
  from: number,
  to: number,
  variants: readonly string[] = [],
  clients: Clients = "crowd",
): Promise<{ found: Found[]; code: number }> {
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      `--import-map=${here("import-map.json")}`,
      here("run.ts"),
      String(from),
      String(to),
      "--json",
      ...variants.flatMap((variant) => ["--variant", variant]),
      ...clients === "committee" ? ["--committee"] : [],
    ],
    // It ends when this closes, so that it outlives nobody.
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { code, stdout, stderr } = await child.output();
  await child.stdin.close().catch(() => {});
  const text = new TextDecoder().decode(stdout);
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  if (code > 1 || lines.length === 0) {
    throw new Error(`the simulation ended with ${code}: ${new TextDecoder().decode(stderr)}`);
  }
  return { found: lines.map((line) => JSON.parse(line)), code };
}
