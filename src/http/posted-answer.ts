/** What identity providers answer (RFC 6749, 4.1.2; RFC 9207). */
const NAMES = ["code", "state", "iss", "error", "error_description"];

/**
 * Where a browser goes on that an identity provider had post its answer (`form_post`): to the page
 * that takes answers out of addresses, since without its cookies, which do not come from another
 * site, nothing can be said of it here. Undefined: these fields are no such answer.
 */
export function placeOfPosted(
  path: string,
  fields: Readonly<Record<string, string>>,
): string | undefined {
  if (fields.state === undefined || fields.answer !== undefined) return undefined;
  const query = new URLSearchParams();
  for (const name of NAMES) {
    const value = fields[name];
    if (value !== undefined) query.set(name, value);
  }
  return `${path}?${query}`;
}
