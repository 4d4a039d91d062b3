/** A server that a URL names. `host`: a name, an address without brackets, a socket's folder. */
export interface Server {
  readonly host: string;
  readonly port: number;
}

/**
 * The parts of a postgres:// URL. Files are paths, relative ones to where the process was started.
 */
export interface PostgresTarget {
  /** In the order of the URL; at least one. */
  readonly servers: readonly Server[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly applicationName: string;
  readonly sslMode: SslMode;
  /** The certificate authorities; undefined: those that the runtime brings along. */
  readonly rootCertificate: string | undefined;
  /** The client's certificate, and its key. */
  readonly clientCertificate: string | undefined;
  readonly clientKey: string | undefined;
}

const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
/** How a connection is protected, as libpq names it. */
type SslMode = typeof SSL_MODES[number];

/** Thrown for a URL that can't be used. The message never repeats what is in it. */
export class DatabaseUrlInvalid extends Error {}

const PARAMETERS = [
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "application_name",
  "target_session_attrs",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
];

/**
 * Reads a URL as libpq does: several servers (`a:5432,b,[::1]:6000`), `?host=` and `?port=` before
 * what is in front, folders of sockets. A parameter that is not known is refused: it might be one
 * that protects.
 */
export function parsePostgresUrl(url: string): PostgresTarget {
  const parts = URL_FORM.exec(url);
  if (!parts) throw new DatabaseUrlInvalid("expected postgres://…");
  const [, userinfo = "", hosts = "", path = "", search = ""] = parts;
  const query = new URLSearchParams(search);
  for (const name of query.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw new DatabaseUrlInvalid(
        `knows no such parameter; there are ${PARAMETERS.join(", ")}`,
      );
    }
  }
  const given = (name: string) => query.get(name) || undefined;
  const colon = userinfo.indexOf(":");
  const user = colon === -1 ? userinfo : userinfo.slice(0, colon);
  const password = colon === -1 ? "" : userinfo.slice(colon + 1);
  checkSession(given("target_session_attrs"));
  const rootCertificate = given("sslrootcert");
  const clientCertificate = given("sslcert");
  const clientKey = given("sslkey");
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    throw new DatabaseUrlInvalid("sslcert and sslkey belong together");
  }
  return {
    servers: serversOf(given("host") ?? hosts, given("port")),
    user: given("user") ?? (decode(user) || undefined),
    password: given("password") ?? (decode(password) || undefined),
    database: given("dbname") ?? (decode(path) || undefined),
    applicationName: given("application_name") ?? "keydesk",
    sslMode: sslModeOf(given("sslmode"), rootCertificate),
    rootCertificate: rootCertificate === "system" ? undefined : rootCertificate,
    clientCertificate,
    clientKey,
  };
}

/** Whether a password is in a URL. Throws DatabaseUrlInvalid. */
export function hasPassword(url: string): boolean {
  return parsePostgresUrl(url).password !== undefined;
}

/** A URL with a password that it lacks. */
export function withPassword(url: string, password: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}password=${encodeURIComponent(password)}`;
}

/** As an operator reads it: `a:5432`, `[::1]:5432`. */
export function nameOf({ host, port }: Server): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

const URL_FORM = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

function serversOf(hosts: string, ports: string | undefined): Server[] {
  const names = hosts.split(",");
  const given = ports?.split(",") ?? [];
  if (given.length > 1 && given.length !== names.length) {
    throw new DatabaseUrlInvalid("port: expected one port, or one for each host");
  }
  return names.map((name, i) => {
    const parts = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]*)(?::(\d*))?$/.exec(name);
    if (!parts) throw new DatabaseUrlInvalid(NO_URL);
    const host = decode(parts[1] ?? "").replace(/^\[(.*)\]$/, "$1") || "localhost";
    const port = Number(given[i] ?? given[0] ?? (parts[2] || "5432"));
    if (!Number.isInteger(port) || port < 1 || port > 65535) {
      throw new DatabaseUrlInvalid("expected ports from 1 to 65535");
    }
    return { host, port };
  });
}

const NO_URL = "is no URL; special characters of a password are written as %40 and the like";

function sslModeOf(text: string | undefined, rootCertificate: string | undefined): SslMode {
  const mode = SSL_MODES.find((one) => one === (text ?? "disable"));
  if (mode === undefined) throw new DatabaseUrlInvalid(`sslmode: expected ${SSL_MODES.join(", ")}`);
  if (rootCertificate !== undefined && mode === "disable") {
    throw new DatabaseUrlInvalid("sslrootcert does nothing without sslmode");
  }
  // As libpq does: who names an authority wants it to be looked at.
  return mode === "require" && rootCertificate !== undefined ? "verify-ca" : mode;
}

/** Always the server that takes writes; what else could be asked for would lose changes. */
function checkSession(attributes: string | undefined): void {
  if (attributes !== undefined && attributes !== "read-write" && attributes !== "primary") {
    throw new DatabaseUrlInvalid("target_session_attrs: expected read-write");
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseUrlInvalid(NO_URL);
  }
}
