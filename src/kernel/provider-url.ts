/** Whether a text is a URL that an identity provider can have: https, or http on this machine. */
export function isProviderUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  const isSecure = protocol === "https:" || (protocol === "http:" && isLocal);
  return isSecure && username + password + hash === "";
}
