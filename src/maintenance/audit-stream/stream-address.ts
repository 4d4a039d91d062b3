import { fileURLToPath } from "node:url";

/** The address of the audit log's stream. */
export type StreamAddress =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "syslog"; readonly host: string; readonly port: number };

/** The port that RFC 5425 names. */
const SYSLOG_PORT = 6514;

/** The address in KEYDESK_AUDIT_STREAM; undefined: it is invalid. */
export function parseStreamAddress(text: string): StreamAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (username || password || search || hash) return undefined;
  if (protocol === "file:") {
    if (hostname !== "" || !/^file:\/(\/\/)?[^/]/.test(text) || pathname.endsWith("/")) {
      return undefined;
    }
    return { kind: "file", path: fileURLToPath(`file://${pathname}`) };
  }
  if (protocol !== "syslog+tls:" || !hostname || !["", "/"].includes(pathname)) return undefined;
  return { kind: "syslog", host: hostname, port: port === "" ? SYSLOG_PORT : Number(port) };
}
