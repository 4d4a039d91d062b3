/** What is generated from the contract and committed is what would be generated now. */
import assert from "node:assert/strict";
import { failureCodes } from "../../src/kernel/failure-codes.ts";
import { generatedFiles } from "../../tools/openapi.ts";

for (const { path, text } of generatedFiles) {
  Deno.test(`${path} is the generated one; "deno run -A tools/openapi.ts" writes it`, async () => {
    const committed = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    assert.equal(committed, text);
  });
}

Deno.test("docs/errors.md tells of every failure code with its status", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/errors.md", import.meta.url));
  for (const [code, { status, message }] of Object.entries(failureCodes)) {
    assert.ok(text.includes(`| \`${code}\` | ${status} | ${message.trim()} |`), code);
  }
});
