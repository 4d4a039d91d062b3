import { Buffer } from "node:buffer";
import { isId } from "../../kernel/ids.ts";
import { NoCheckpoint, readCheckpoint, type TreeHead } from "../../kernel/checkpoint.ts";

/** What a log asks a witness for (C2SP tlog-witness). */
interface AddCheckpoint {
  /** How many entries the log says that the witness knows. */
  readonly old: number;
  /** The consistency proof from there on, hex. */
  readonly proof: readonly string[];
  /** The checkpoint with its signatures, as it came. */
  readonly note: string;
  readonly head: TreeHead;
}

/** A proof is no longer: a tree of 2⁶³ entries has no more levels. */
const MOST_LINES = 63;

/** Reads the body of `add-checkpoint`; a sentence where it is none. */
export function readAddCheckpoint(bytes: Uint8Array): AddCheckpoint | string {
  const text = new TextDecoder().decode(bytes);
  const end = text.indexOf("\n\n");
  const [first = "", ...lines] = text.slice(0, Math.max(end, 0)).split("\n");
  const [, old] = /^old (0|[1-9]\d{0,14})$/.exec(first) ?? [];
  if (old === undefined) return "expected a line such as `old 20852014` and what follows it";
  if (lines.length > MOST_LINES) return `expected up to ${MOST_LINES} lines of a proof`;
  const proof = lines.map((line) => Buffer.from(line, "base64"));
  const wrong = lines.findIndex((line, n) => proof[n]?.toString("base64") !== line);
  if (wrong >= 0 || proof.some((hash) => hash.length !== 32)) {
    return "expected hashes of 32 bytes in base64, a line each, between `old` and an empty line";
  }
  const note = text.slice(end + 2);
  try {
    const { head } = readCheckpoint(note, []);
    if (!isId(head.origin)) return "expected an origin of up to 255 characters, none a control one";
    return { old: Number(old), proof: proof.map((hash) => hash.toString("hex")), note, head };
  } catch (error) {
    if (error instanceof NoCheckpoint) return error.message;
    throw error;
  }
}
