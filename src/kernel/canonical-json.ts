/**
 * JSON text in the one form of RFC 8785: members by their names' UTF-16 code units, no white space, numbers and texts
 * as ECMAScript writes them. `value`: what JSON can carry.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  // as: what is neither an array nor null has members.
  const members = value as Record<string, unknown>;
  const texts = Object.keys(members).sort().map((name) =>
    `${JSON.stringify(name)}:${canonicalJson(members[name])}`
  );
  return `{${texts.join(",")}}`;
}
