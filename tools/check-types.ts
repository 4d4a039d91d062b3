/**
 * Checks the types of everything: `npm run check:types`. The compiler is TypeScript 7, which takes
 * a third of the processor time that `deno check` does; Deno's own types come from Deno. What it
 * found out stands below .tmp/types, so that the next check reads only what changed.
 */
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const FOLDER = `${root}.tmp/types`;

mkdirSync(FOLDER, { recursive: true });
await writeDenosTypes();
const programs = ["program", "console"].map((name) => isRight(`tools/types/${name}.json`));
const areRight = (await Promise.all(programs)).every((one) => one);
Deno.exit(areRight ? 0 : 1);

/** Of the version that runs this; another one's are replaced. */
async function writeDenosTypes(): Promise<void> {
  const path = `${FOLDER}/deno.d.ts`;
  const first = `// Deno ${Deno.version.deno}\n`;
  if (existsSync(path) && Deno.readTextFileSync(path).startsWith(first)) return;
  const told = await new Deno.Command(Deno.execPath(), { args: ["types"] }).output();
  Deno.writeTextFileSync(path, first + new TextDecoder().decode(told.stdout));
}

async function isRight(project: string): Promise<boolean> {
  const compiler = `${root}node_modules/typescript-7/bin/tsc`;
  const check = new Deno.Command("node", { args: [compiler, "-p", project], cwd: root }).spawn();
  return (await check.status).success;
}
