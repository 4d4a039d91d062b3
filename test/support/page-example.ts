/** Programs that stand on pages of docs/, run as they stand there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "./command.ts";

/**
 * Runs the first program of a page's section with Node; gives what it prints, and behind it with
 * which code it ends.
 */
export async function runPageExample(
  { page, section, folder }: { page: string; section: string; folder: string },
  args: readonly string[],
): Promise<string> {
  const text = await Deno.readTextFile(join(repository, "docs", page));
  const [, behind] = text.split(`\n## ${section}\n`);
  const program = behind?.match(/```js\n([^`][\s\S]*?)\n```\n/)?.[1];
  assert.ok(program, `${page} has a program below ${section}`);
  const example = join(folder, "example.mjs");
  await Deno.writeTextFile(example, program);
  const { stdout, stderr, code } = await new Deno.Command("node", { args: [example, ...args] })
    .output();
  return `${new TextDecoder().decode(stdout)}${new TextDecoder().decode(stderr)}${code}`;
}
