/** The parameters of an identity provider's answer (RFC 6749, 4.1.2; RFC 9207). */
const NAMES = ["code", "state", "iss", "error", "error_description"];

/**
 * The address to which a browser goes on after an identity provider had it post the answer
 * (`form_post`): the page that takes answers out of addresses, since without its cookies, which do
 * not come from another site, it can't be checked here. Undefined: these fields are no such answer.
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
