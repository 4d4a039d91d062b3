/**
 * Tells in which tests the suite was answered otherwise than before: `deno run -A
 * tools/compare-answers.ts BEFORE AFTER [BEFORE-AGAIN]`, folders that runs with
 * KEYDESK_RECORD_ANSWERS have written. What differs between two runs of the code before is left
 * out: those tests race. Ends with 1 where something differs.
 */
import { join } from "node:path";

const [before, after, again] = Deno.args;
if (before === undefined || after === undefined) {
  console.error("usage: compare-answers.ts BEFORE AFTER [BEFORE-AGAIN]");
  Deno.exit(2);
}

const read = (folder: string, name: string): string[] | undefined => {
  try {
    return Deno.readTextFileSync(join(folder, name)).split("\n");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
};

let same = 0;
let racing = 0;
let different = 0;
for (const { name } of Deno.readDirSync(before)) {
  const was = read(before, name) ?? [];
  const text = was.join("\n");
  if (again !== undefined && read(again, name)?.join("\n") !== text) {
    racing++;
    continue;
  }
  const is = read(after, name);
  if (is?.join("\n") === text) {
    same++;
    continue;
  }
  different++;
  if (different > 20) continue;
  console.log(`${name} ${was[0]}`);
  for (const line of is === undefined ? ["no such desk now"] : differences(was, is)) {
    console.log(`  ${line.slice(0, 400)}`);
  }
}
console.log(`${same} desks the same, ${different} different, ${racing} that race left out`);
Deno.exit(different === 0 ? 0 : 1);

function differences(was: readonly string[], is: readonly string[]): string[] {
  const [old, now] = [new Set(was), new Set(is)];
  return [
    ...was.filter((line) => !now.has(line)).map((line) => `- ${line}`),
    ...is.filter((line) => !old.has(line)).map((line) => `+ ${line}`),
  ].slice(0, 6);
}
