import { hostOf } from "./reachable.ts";

/** A server that takes mails. */
export interface SmtpServer {
  /** As `hostOf` gives it. */
  readonly host: string;
  readonly port: number;
  /** True: TLS from the first byte on. False: STARTTLS. */
  readonly isSecure: boolean;
  /** The credentials for signing in there; null: none. */
  readonly auth: { readonly user: string; readonly pass: string } | null;
}

/** The server that an smtp:// or smtps:// URL names; undefined: none, or more than a server. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!/^smtps?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, username, password, pathname, search, hash } = url;
  if (!["", "/"].includes(pathname) || search !== "" || hash !== "") return undefined;
  const user = decoded(username);
  const pass = decoded(password);
  // URLs of schemes that browsers do not know keep their host as it was written.
  const host = hostOf(url).toLowerCase();
  if (user === undefined || pass === undefined || !/^[a-z0-9._:-]+$/.test(host)) return undefined;
  if ((user === "") !== (pass === "")) return undefined;
  const isSecure = protocol === "smtps:";
  const port = Number(url.port) || (isSecure ? 465 : 587);
  return { host, port, isSecure, auth: user === "" ? null : { user, pass } };
}

/** The host as KEYDESK_OUTBOUND would name it. */
export function entryOfServer({ host, port }: SmtpServer): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
