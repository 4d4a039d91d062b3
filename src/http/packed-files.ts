import { acceptedEncoding } from "./accepted-encoding.ts";

/** What browsers are told of a file whose name holds a hash of its content: the file is kept for good. */
export const KEPT_FOR_GOOD = "public, max-age=31536000, immutable";

/** The encodings in which a build holds a file, the smallest first, and what the names of those editions end with. */
const SUFFIXES = { br: ".br", gzip: ".gz" } as const;
const ENCODINGS = ["br", "gzip"] as const;

/** The edition of a built file that `accepted` (Accept-Encoding) takes; without an encoding the file as it is. */
export function editionFor(
  accepted: string | null,
): { encoding: keyof typeof SUFFIXES | undefined; suffix: string } {
  const encoding = acceptedEncoding(accepted, ENCODINGS);
  return { encoding, suffix: encoding === undefined ? "" : SUFFIXES[encoding] };
}
