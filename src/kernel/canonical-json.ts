/**
 * JSON text in the one form of RFC 8785: members by their names' UTF-16 code units, no white space,
 * numbers and texts as ECMAScript writes them. `value`: what JSON can carry.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  // as: what is neither an array nor null has members.
  const members = value as Record<string, unknown>;
  let text = "";
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    // An undefined member is left out, as in any JSON.
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}
