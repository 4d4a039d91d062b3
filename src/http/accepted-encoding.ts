import { LONGEST_HEADER } from "../kernel/input-limits.ts";

/**
 * Of these encodings the one that an `Accept-Encoding` header weighs most, by name (RFC 9110, 12.5.3), and of equals the
 * first; undefined: none, or the client would rather have what is sent as it is, which always fits. A header that is too
 * long to be an honest one counts as absent.
 */
export function acceptedEncoding<Encoding extends string>(
  header: string | null,
  encodings: readonly Encoding[],
): Encoding | undefined {
  if (header === null || header.length > LONGEST_HEADER) return undefined;
  const weights = new Map(header.toLowerCase().split(",").map(weighed));
  let best: Encoding | undefined;
  let most = weights.get("identity") ?? 0;
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? 0;
    // As good as what is sent as it is, and smaller.
    if (weight > most || (best === undefined && weight > 0 && weight === most)) {
      [best, most] = [encoding, weight];
    }
  }
  return best;
}

/** The encoding's name and weight: 0 where the client refuses it, or writes what is no weight. */
function weighed(item: string): [name: string, weight: number] {
  const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
  const weight = parameters.map((parameter) => WEIGHT.exec(parameter)?.[1])
    .find((one) => one !== undefined);
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}

const WEIGHT = /^q\s*=\s*(.*)$/;
