import assert from "node:assert/strict";

const LOG = new URL("../../src/kernel/log.ts", import.meta.url).href;

Deno.test("log: lines of any length and any characters come out whole and in their order", async () => {
  const program = `
    import { openLog } from ${JSON.stringify(LOG)};
    const log = openLog("info");
    for (let n = 0; n < 3000; n++) {
      log.line("info", "line", { n, text: "€x".repeat(n % 1000 === 999 ? 40_000 : n % 200) });
    }
    log.flush();
    Deno.exit(0);`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, program);
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", "--no-lock", file],
    stderr: "inherit",
  }).output();
  await Deno.remove(file);
  assert.ok(success);
  const lines = new TextDecoder("utf-8", { fatal: true }).decode(stdout).trimEnd().split("\n");
  assert.equal(lines.length, 3000);
  for (const [n, line] of lines.entries()) {
    const { n: told, text } = JSON.parse(line);
    assert.equal(told, n);
    assert.equal(text, "€x".repeat(n % 1000 === 999 ? 40_000 : n % 200));
  }
});
