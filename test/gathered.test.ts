/** What a run of tests gathers into modules: tools/gathered.ts. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gathered } from "../tools/gathered.ts";
import { temporaryFolder } from "./support/command.ts";

const BODIES: Readonly<Record<number, string>> = {
  7: `const spent = () => process.cpuUsage().user + process.cpuUsage().system;
  const from = spent();
  while (spent() - from < 400_000) ;`,
  20: `throw new Error("broken");`,
};
const root = fileURLToPath(new URL("../", import.meta.url));

Deno.test("gathered: each file of a folder runs, once, and what fails in one is told of it", async () => {
  await using folder = await temporaryFolder();
  const numbers = Array.from({ length: 27 }, (_, at) => at);
  for (const at of numbers) {
    const body = BODIES[at] ?? "";
    const lines = [`Deno.test("the one of ${at}", () => { ${body} });`];
    if (at === 25) lines.push(`Deno.test.afterAll(() => {});`);
    if (at === 3) lines.push(`Deno.test("a second of 3", () => {});`);
    await Deno.writeTextFile(`${folder.path}/n${at}.test.ts`, lines.join("\n"));
  }
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "tools/test.ts", folder.path],
    cwd: root,
    env: { NO_COLOR: "1", CI: "true" },
  }).output();
  for (const at of [1, 2, 3]) {
    await Deno.remove(`${root}.tmp/tests/${folder.path.replaceAll("/", "-")}-${at}.test.ts`);
  }
  const decoder = new TextDecoder();
  const text = decoder.decode(stdout) + decoder.decode(stderr);
  assert.equal(code, 1, text);
  assert.match(text, /^all: 27 passed, 1 failed in /m);
  assert.match(text, /the one of 20 => .*\/n20\.test\.ts:1:6/);
  assert.match(text, /^failed: \.tmp\/tests\/\S+-2\.test\.ts$/m);
  const ran = [...text.matchAll(/^the one of (\d+) \.\.\. /gm)].map(([, at]) => Number(at));
  assert.deepEqual(ran.toSorted((a, b) => a - b), numbers);
  // Its cost is each file's own.
  if (Deno.build.os !== "linux") return;
  assert.match(text, / 0\.\d \S*\/n26\.test\.ts\n/);
  assert.match(text, /0\.[3-9] \S*\/n7\.test\.ts\n/);
});

Deno.test("gathered: small folders of one parent are a module together, a large one stays apart", async () => {
  await using folder = await temporaryFolder();
  const of = (name: string, many: number) =>
    Array.from({ length: many }, (_, n) => `${folder.path}/${name}/${n}.test.ts`);
  const [small, large, other] = [of("a", 5), of("b", 7), of("c", 6)];
  for (const file of [...small, ...large, ...other]) {
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, "");
  }
  const modules = await gathered([folder.path], () => true);
  const named = await Promise.all(modules.map(async ({ path }) => {
    const text = await Deno.readTextFile(`${root}${path}`);
    await Deno.remove(`${root}${path}`);
    return [...text.matchAll(/part\("file:\/\/([^"]+)"/g)].map(([, path]) => path);
  }));
  assert.deepEqual(named.toSorted((a, b) => b.length - a.length), [[...small, ...other], large]);
});
