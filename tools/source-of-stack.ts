/**
 * Says where the lines of a stack from the package are in the sources:
 * `deno run -A tools/source-of-stack.ts < stack.txt`, in a clone at the package's commit.
 */
import { bundle, shipped } from "./bundle.ts";
import { mappingsOf } from "./mappings.ts";

/** A line of a file of the program: its build, its file and the line. */
const PLACE = /[^\s(]*(program-[0-9a-f]{8})\/([\w.-]+\.cjs):(\d+)(?::\d+)?/g;

/** The stack with its places in the sources. Throws if another build made a file of it. */
export async function inSources(stack: string): Promise<string> {
  const files = await bundle({ map: true });
  const { folder } = shipped(files);
  return stack.replace(PLACE, (place, build, name, line) => {
    if (build !== folder) {
      throw new Error(`the stack is of ${build}, and this commit's build is ${folder}`);
    }
    const map = files.find(({ fileName }) => fileName === name)?.map;
    if (!map) return place;
    for (const { made, file, source } of mappingsOf(map.mappings)) {
      if (made.line !== line - 1) continue;
      return `${map.sources[file]?.replace(/^(\.\.\/)+/, "")}:${source.line + 1}`;
    }
    return place;
  });
}

if (import.meta.main) {
  console.log(await inSources(await new Response(Deno.stdin.readable).text()));
}
