/**
 * Says where the lines of a stack from the package are in the sources:
 * `deno run -A tools/source-of-stack.ts < stack.txt`, in a clone at the package's commit.
 */
import { bundle, shipped } from "./bundle.ts";

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

/** A position, counted from 0. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** A position in a made file and the one in a source that it is made of. */
interface Mapping {
  readonly made: Position;
  /** The source's index in the map. */
  readonly file: number;
  readonly source: Position;
}

/** The mappings of a source map (ECMA-426), in the order of the made file. */
function* mappingsOf(mappings: string): Generator<Mapping> {
  let [file, line, column] = [0, 0, 0];
  for (const [madeLine, text] of mappings.split(";").entries()) {
    let madeColumn = 0;
    for (const segment of text.split(",").filter((one) => one !== "")) {
      const [made = 0, ofFile, ofLine = 0, ofColumn = 0] = numbersOf(segment);
      madeColumn += made;
      if (ofFile === undefined) continue;
      file += ofFile;
      line += ofLine;
      column += ofColumn;
      yield { made: { line: madeLine, column: madeColumn }, file, source: { line, column } };
    }
  }
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 VLQ: five bits a digit, the lowest first; the first digit's lowest bit is the sign. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of segment) {
    const digit = DIGITS.indexOf(character);
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push((value & 1) === 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}

if (import.meta.main) {
  console.log(await inSources(await new Response(Deno.stdin.readable).text()));
}
