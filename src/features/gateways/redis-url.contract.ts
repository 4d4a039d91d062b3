import { z } from "zod";

/**
 * Where a Redis is, or "": `rediss://`, or `redis://` on this machine alone, with port and database
 * whether they are written or not, and without a password.
 */
export const redisUrl = z.string().max(2048).refine((text) => text === "" || isSafe(text), {
  error: "expected rediss://host:6379/0 without a password; redis:// is for this machine alone",
}).overwrite(normalForm);

function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, hostname, password, pathname, search, hash } = new URL(text);
  if (/%(?![0-9a-f]{2})/i.test(username)) return false;
  if (hostname === "" || password !== "" || search + hash !== "") return false;
  if (!/^(\/\d{0,4})?$/.test(pathname)) return false;
  return protocol === "rediss:" || protocol === "redis:" &&
      /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function normalForm(text: string): string {
  if (text === "" || !URL.canParse(text)) return text;
  const { protocol, username, hostname, port, pathname } = new URL(text);
  const user = username === "" ? "" : `${username}@`;
  const host = hostname.toLowerCase();
  return `${protocol}//${user}${host}:${port || 6379}/${Number(pathname.slice(1) || 0)}`;
}
