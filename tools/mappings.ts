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
export function* mappingsOf(mappings: string): Generator<Mapping> {
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
