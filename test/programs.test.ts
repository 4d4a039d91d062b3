/** `npm test` needs nothing but Node and npm: its tests find no other program. */
import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "./support/command.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Runs a test of these lines as `npm test` does, where a program `foreign` can be found. */
async function run(lines: string): Promise<{ code: number; text: string }> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "sample.test.ts");
  await Deno.writeTextFile(file, `Deno.test("sample", async () => {\n${lines}\n});\n`);
  await Deno.writeTextFile(join(folder.path, "foreign"), "#!/bin/sh\n", { mode: 0o755 });
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "tools/test.ts", file],
    cwd: root,
    env: { PATH: [folder.path, Deno.env.get("PATH")].join(delimiter), NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

Deno.test("programs: a test that starts one which Node and npm did not bring fails", async () => {
  const { code, text } = await run(`await new Deno.Command("foreign").output();`);
  assert.equal(code, 1, text);
  assert.match(text, /NotFound.*'foreign'/);
});

Deno.test("programs: node, npm, sh, core utilities and what npm installed are found", async () => {
  const { code, text } = await run(`
    for (const program of ["node", "npm", "deno", "tsc"]) {
      const { success } = await new Deno.Command(program, { args: ["--version"] }).output();
      if (!success) throw new Error(program);
    }
    const { success } = await new Deno.Command("sh", { args: ["-c", "cp -R . /dev/null/x || ls ."] }).output();
    if (!success) throw new Error("sh");`);
  assert.equal(code, 0, text);
});

Deno.test("programs: no test names one by its place on a machine, or another way to find it", async () => {
  const found: string[] = [];
  for await (const path of sources(join(root, "test"))) {
    const text = await Deno.readTextFile(path);
    for (const [place] of text.matchAll(/["'`:]\/(?:usr|s?bin|opt|etc\/ssl)\/[\w./-]+/g)) {
      if (!ALLOWED.includes(place.slice(1))) found.push(`${path.slice(root.length)}: ${place}`);
    }
  }
  assert.deepEqual(found, []);
});

/** Paths that tests name without starting what is there. */
const ALLOWED = ["/opt/keydesk"];

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* sources(path);
    else if (name.endsWith(".ts") && name !== "programs.test.ts") yield path;
  }
}
