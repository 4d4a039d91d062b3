/**
 * True for what a browser may send as `Origin`. Of http and https it is compared letter by letter, so the form must be
 * the browser's: lower case, no default port, no slash at the end.
 */
export function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/.test(text) || !URL.canParse(text)) return false;
  const { origin, hostname } = new URL(text);
  // An app's own scheme has no origin by the URL standard.
  return /^https?:/.test(text) ? origin === text : hostname !== "";
}
