import { z } from "zod";
import { addressChoices } from "./calls/abuse/client-addresses.ts";
import { keyHashes } from "./calls/context.ts";
import { isMistyped } from "./features/people/access-token.ts";
import { leakSettings } from "./features/hygiene/leaks/leak-settings.ts";
import { OWN_ID } from "./kernel/ids.ts";
import { problemOfAddress } from "./kernel/mail-address.ts";
import { networkText } from "./kernel/networks.ts";
import { isEntry } from "./kernel/outbound/reachable.ts";
import { parseSmtpUrl } from "./kernel/outbound/smtp-url.ts";
import { parseStreamAddress } from "./maintenance/audit-stream/stream-address.ts";
import { parseWitness } from "./maintenance/audit-log/witness.ts";
import { defaultLimits } from "./storage/engines/postgres-limits.ts";
import { DatabaseUrlInvalid, parsePostgresUrl } from "./storage/engines/postgres-url.ts";

/** The values of a setting and their unit, for the documentation. */
declare module "zod" {
  interface GlobalMeta {
    values?: string;
  }
}

const wholeNumber = (from: number, to: number, unit?: Unit) =>
  z.string().regex(/^\d{1,9}$/, { error: `expected a whole number from ${from} to ${to}` })
    .transform(Number)
    .refine((n) => n >= from && n <= to, {
      error: `expected a whole number from ${from} to ${to}`,
    })
    .meta({ values: [`${from} to ${to}`, ...unit ? [unit] : []].join(" ") });

type Unit = "ms" | "seconds" | "minutes" | "hours" | "days" | "bytes" | "characters";

const yesOrNo = z.enum(["true", "false"], { error: "expected true or false" })
  .transform((value) => value === "true")
  .meta({ values: "`true`, `false`" });

function refuseUnusableUrl(url: string, refinement: z.RefinementCtx): void {
  try {
    parsePostgresUrl(url);
  } catch (error) {
    if (!(error instanceof DatabaseUrlInvalid)) throw error;
    refinement.addIssue({ code: "custom", message: error.message });
  }
}

const words = z.string().transform((value) =>
  value.split(",").map((w) => w.trim()).filter(Boolean)
);

/** True for what may be a `Contact` (RFC 9116, 2.5.3): an address of mail or a page by https. */
function isSecurityContact(text: string): boolean {
  return /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(text) && URL.canParse(text);
}

/** True for an address below which a server may be; what may hold a secret has no place in it. */
export function isServerUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s?#]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/** The setting of a file that holds another setting's value. */
function file(name: string) {
  return z.string().min(1).optional()
    .describe(`A file that holds the value of ${name}, in place of that setting.`);
}

/**
 * Every setting: its name after `KEYDESK_`, its form, its default, and the sentence that the
 * documentation shows.
 */
export const settings = {
  HOST: z.string().min(1).default("127.0.0.1")
    .describe("Address to listen on."),
  PORT: wholeNumber(0, 65535).default(3000)
    .describe("Port to listen on; 0 takes a free one."),
  REUSE_PORT: yesOrNo.default(false)
    .describe("`true`: several processes of one user take the same port, on Linux only."),
  PROCESSES: wholeNumber(1, 64).default(1)
    .describe(
      "Processes that serve this store: each lets through that part of a rate, and of failed authentications.",
    ),
  METRICS: z.enum(["on", "off"], { error: "expected on or off" }).default("on")
    .describe("`off`: nothing is counted for Prometheus, and `/metrics` is nowhere."),
  METRICS_PORT: wholeNumber(0, 65535).optional()
    .describe(
      "Port of `/metrics` for all who reach it; 0 takes a free one. Absent: none is open.",
    ),
  METRICS_HOST: z.string().min(1).default("127.0.0.1")
    .describe("Address on which that port listens."),
  DATA_DIR: z.string().min(1).default("./data")
    .describe("Folder of the SQLite file, the sealing key and the first access token."),
  DATABASE_URL: z.string().superRefine(refuseUnusableUrl).optional()
    .describe("A PostgreSQL to use instead of SQLite; several servers: `postgres://a:5432,b/db`."),
  DATABASE_URL_FILE: file("KEYDESK_DATABASE_URL"),
  DATABASE_PASSWORD: z.string().min(1).optional()
    .describe("The password of the PostgreSQL, so that its URL need not hold it."),
  DATABASE_PASSWORD_FILE: file("KEYDESK_DATABASE_PASSWORD"),
  DATABASE_POOL: wholeNumber(1, 1000).default(defaultLimits.pool)
    .describe("Connections of this process to PostgreSQL."),
  DATABASE_CONNECT_MS: wholeNumber(100, 60_000, "ms").default(defaultLimits.connectMs)
    .describe("Milliseconds that a PostgreSQL may take to let us in; then it counts as lost."),
  DATABASE_STATEMENT_MS: wholeNumber(100, 600_000, "ms").default(defaultLimits.statementMs)
    .describe("Milliseconds that a statement may take on PostgreSQL."),
  DATABASE_LOCK_MS: wholeNumber(100, 600_000, "ms").default(defaultLimits.lockMs)
    .describe("Milliseconds that a statement may wait for a lock on PostgreSQL."),
  DATABASE_IDLE_MS: wholeNumber(100, 600_000, "ms").default(defaultLimits.idleMs)
    .describe("Milliseconds after which PostgreSQL ends an idle transaction."),
  DATABASE_PATIENCE_MS: wholeNumber(100, 60_000, "ms").default(defaultLimits.patienceMs)
    .describe(
      "Milliseconds that a call waits for PostgreSQL in all before it is answered 503.",
    ),
  UPGRADE: z.enum(["auto", "off"], { error: "expected auto or off" }).default("auto")
    .describe("`off`: the schema is only looked at; `keydesk upgrade` changes it."),
  ADMIN_TOKEN: z.string().min(32, { error: "expected at least 32 characters" }).max(4096)
    .refine((token) => !isMistyped(token), {
      error: "begins like an access token of Keydesk, but is none",
    }).optional()
    .describe(
      "The administrator's access token of the first start, given instead of generated; 32 characters or more. It counts only at the first start.",
    ),
  ADMIN_TOKEN_FILE: file("KEYDESK_ADMIN_TOKEN"),
  ORG_ID: z.string().regex(OWN_ID, { error: "expected 24 lower-case hexadecimal digits" })
    .optional()
    .describe("Id of the first organisation, given at its first start instead of a fresh one."),
  TOKEN_LONGEST_DAYS: wholeNumber(0, 36500).default(0)
    .describe(
      "Days that a new access token lives at most; those without an end get it. 0: for ever.",
    ),
  SEALING_KEY: z.string().optional()
    .describe(
      "Sealing keys `1:<base64 of 32 bytes>`, separated by commas; must be given with PostgreSQL.",
    ),
  SEALING_KEY_FILE: file("KEYDESK_SEALING_KEY"),
  PAGE_SIZE: wholeNumber(1, 1000).default(10)
    .describe("Items on a page of a list."),
  REFERENCES: z.enum(["open", "strict"], { error: "expected open or strict" }).default("open")
    .describe("`strict` refuses plans and developers that do not exist."),
  UNKNOWN_PLAN: z.enum(["refuse", "allow"], { error: "expected refuse or allow" })
    .default("refuse")
    .describe("`allow`: with open references, a key of an unknown plan is valid for every API."),
  DECLINED: z.enum(["hidden", "shown"], { error: "expected hidden or shown" }).default("hidden")
    .describe(
      "Whether the older interface answers a declined key request with 404 when it is read, or shows it as not approved, with the reason in its `fields` as `decline_reason`.",
    ),
  V1_UNKNOWN: z.enum(["refuse", "warn"], { error: "expected refuse or warn" }).default("refuse")
    .describe(
      "`warn`: members and parameters that `/v1` does not know are dropped and noted in the log, as before, not refused. For this release alone.",
    ),
  KEY_FORMAT: z.enum(["legacy", "kd"], { error: "expected legacy or kd" }).default("legacy")
    .describe("Form of keys: `legacy`, or `kd` for `kd_<env>_<random>_<checksum>`."),
  KEY_ENV: z.string().regex(/^[a-z0-9]{1,12}$/, {
    error: "expected 1 to 12 lower-case letters and digits",
  }).default("live")
    .describe("The `<env>` in keys of the form `kd`, such as `live` or `test`."),
  KEY_HASH: z.enum(keyHashes, { error: "expected sha256, murmur128 or murmur64" })
    .default("sha256")
    .describe("The `h` in keys of the form `legacy`, by which another gateway hashes them."),
  PASSWORD_MIN: wholeNumber(6, 64, "characters").default(8)
    .describe("Characters that the password of a developer has at least."),
  PASSWORD_BREACHES_FILE: z.string().min(1).optional()
    .describe(
      "File of SHA-1 hashes of breached passwords, one a line in ascending order, as Have I Been Pwned gives them: none of these becomes a developer's. It is searched, never loaded.",
    ),
  MASK_SECRETS: yesOrNo.default(false)
    .describe("`true`: jwt_secret, nonce, sso_key and OAuth secrets always read as empty."),
  CERTS_FILTER: z.enum(["detailed", "always"], { error: "expected detailed or always" })
    .default("detailed")
    .describe("`always`: `filter` of the certificate list works without `mode=detailed` too."),
  CERTS_ANSWER: z.enum(["full", "original"], { error: "expected full or original" })
    .default("full")
    .describe("`original`: the certificate list has only the members of the Tyk classic portal."),
  FORWARD_AUTH_HEADER: z.string().regex(/^(?!x-keydesk-)[A-Za-z0-9-]{1,64}$/i, {
    error: "expected a header's name that does not begin with X-Keydesk-",
  }).default("Authorization")
    .describe("Header in which proxies forward a visitor's credential."),
  VERIFY_MAX_STALE_MS: wholeNumber(500, 60_000, "ms").default(1000)
    .describe("Milliseconds for which verification goes on without seeing what was revoked."),
  VERIFY_STALE: z.enum(["refuse", "allow"], { error: "expected refuse or allow" })
    .default("refuse")
    .describe("`allow`: while the store is away, verification answers from memory, not with 503."),
  METHOD_OVERRIDE: yesOrNo.default(false)
    .describe("`true`: `POST` with `X-HTTP-Method-Override: UPDATE` replaces a key request."),
  CORS_ORIGINS: words.refine((list) => list.every(isOrigin), {
    error: "expected origins such as https://portal.example.org, separated by commas: " +
      "scheme://host[:port] in lower case, without a default port, a path or a slash at the end",
  }).default([])
    .describe("Origins, separated by commas, whose pages may call the interface."),
  SECURITY_CONTACT: words.refine((list) => list.every(isSecurityContact), {
    error: "expected mailto:security@example.org or https://…, several separated by commas",
  }).default([])
    .describe(
      "Addresses for reports of security holes, in `/.well-known/security.txt`: `mailto:` addresses and https pages, separated by commas. Absent: there is no such file.",
    ),
  OUTBOUND: words.refine((list) => list.every(isEntry), {
    error: "expected hosts such as hooks.example.org or receiver.example.org:8443, addresses, " +
      "and networks such as 10.1.0.0/16, separated by commas",
  }).default([])
    .describe(
      "Hosts that this server may call, each with its port where that is not 443 or 80; and the addresses or networks of those that are not public.",
    ),
  OUTBOUND_CA_FILE: z.string().min(1).optional()
    .describe(
      "A file with the certificates (PEM) of the authorities that are trusted when it calls, in place of the public ones.",
    ),
  SMTP_URL: z.string().refine((text) => parseSmtpUrl(text) !== undefined, {
    error: "expected smtp://host[:port] or smtps://host[:port], with user:password@ where needed",
  }).optional()
    .describe(
      "The server that mails are handed to: `smtps://user:password@mail.example.org`, or `smtp://`, which asks for STARTTLS everywhere but on this machine.",
    ),
  SMTP_URL_FILE: file("KEYDESK_SMTP_URL"),
  MAIL_FROM: z.string().refine((text) => problemOfAddress(text) === undefined, {
    error: "expected an e-mail address such as keys@example.org",
  }).optional()
    .describe("The address that mails are sent from, where a channel names no other."),
  TRUSTED_PROXIES: words.refine((list) => list.every((text) => networkText(text) !== undefined), {
    error: "expected addresses or networks such as 10.0.0.0/8, separated by commas",
  }).default([])
    .describe(
      "Addresses and networks of proxies whose `X-Forwarded-For` and `-Proto` are believed.",
    ),
  AUDIT_ADDRESSES: z.enum(addressChoices, { error: "expected full, short or off" }).default("full")
    .describe("Clients' addresses in the audit log: whole, `short` (/24 and /48), or `off`."),
  GATEWAY_FOLDER: z.string().min(1).optional()
    .describe(
      "A folder for the files and sockets of gateways that go by hashes of keys; nothing is written or opened elsewhere for them. Equal on every server of a store.",
    ),
  AUDIT_CHECKPOINTS_FILE: z.string().min(1).optional()
    .describe(
      "A file on another disk or machine, to which the checkpoints of the audit logs are added each hour and at each stop. A server without checkpoints of its own compares with it.",
    ),
  AUDIT_STREAM: z.string().refine((text) => parseStreamAddress(text) !== undefined, {
    error: "expected file:/path or syslog+tls://host[:port]",
  }).optional()
    .describe(
      "A stream of the audit log, `file:/path` or `syslog+tls://host:6514`: what people and access tokens do is answered once it has the row, and refused with 503 while it takes none.",
    ),
  AUDIT_STREAM_CA_FILE: z.string().min(1).optional()
    .describe(
      "A file with the certificates (PEM) of the authorities that the syslog receiver's may be of, in place of the public ones.",
    ),
  PROVIDER_CLIENT_FILE: z.string().min(1).optional()
    .describe(
      "A file with a certificate and its private key (PEM), by which this server proves itself to identity providers that are set to `tls_client_auth`.",
    ),
  AUDIT_STREAM_CLIENT_FILE: z.string().min(1).optional()
    .describe(
      "A file with a certificate and its private key (PEM), which this server shows to the syslog receiver.",
    ),
  AUDIT_WITNESSES: words.refine((list) => list.every((one) => parseWitness(one) !== undefined), {
    error: "expected witnesses such as " +
      "https://witness.example.org#witness.example.org+0123abcd+BA…, separated by commas",
  }).default([])
    .describe(
      "Witnesses (C2SP tlog-witness) that sign the checkpoints of the audit logs, each by the address that it is asked at, `#`, and its key. KEYDESK_OUTBOUND must name their hosts.",
    ),
  OAUTH_TOKEN_LIFE: wholeNumber(60, 30 * 24 * 3600, "seconds").default(3600)
    .describe("Seconds that a token of `/oauth/token` lives."),
  DRAIN_MS: wholeNumber(0, 600_000, "ms").default(0)
    .describe(
      "Milliseconds for which a server that is stopping still serves while `/readyz` says 503; 0: it stops at once.",
    ),
  BODY_LIMIT: wholeNumber(1024, 64 * 1024 * 1024, "bytes").default(1024 * 1024)
    .describe("Largest request body in bytes."),
  BODY_TIMEOUT: wholeNumber(1, 600, "seconds").default(30)
    .describe("Seconds within which a request body must have arrived."),
  IDLE_TIMEOUT: wholeNumber(5, 3600, "seconds").default(130)
    .describe(
      "Seconds for which a connection may be idle between requests, and for which a client may take nothing of its answer; longer than clients and proxies keep connections.",
    ),
  PUBLIC_URL: z.string().refine((text) => /^https?:/.test(text) && isServerUrl(text), {
    error: "expected https://… or http://…, without a user name, a query or a fragment",
  })
    .transform((value) => value.replace(/\/+$/, "")).optional()
    .describe("The public address of this server; links begin with it."),
  PORTAL_URL: z.string().refine((text) => /^https?:/.test(text) && isServerUrl(text), {
    error: "expected https://… or http://…, without a user name, a query or a fragment",
  })
    .transform((value) => value.replace(/\/+$/, "")).optional()
    .describe(
      "The public address of the first organisation's developer pages; its links for developers begin with it. Empty: the public address of this server.",
    ),
  PENDING_PER_DEVELOPER: wholeNumber(0, 999_999_999).default(1000)
    .describe("Key requests of one developer that may wait for a decision at once; 0: any number."),
  PENDING_PER_ORGANISATION: wholeNumber(0, 999_999_999).default(1_000_000)
    .describe("As above, for a whole organisation."),
  REQUEST_BYTES: wholeNumber(0, 64 * 1024 * 1024, "bytes").default(512 * 1024)
    .describe("Bytes that are kept of one key request; 0: as many as a body may have."),
  SESSION_IDLE_MINUTES: wholeNumber(0, 720, "minutes").default(30)
    .describe(
      "Minutes without use after which a session of the console expires; 0: after 12 hours.",
    ),
  REVOKE_RATE_LIMIT: wholeNumber(1, 999_999_999).default(50)
    .describe(
      "Keys that the access tokens of one person may end within an hour without `approve`; the first deletion of a developer may go beyond it.",
    ),
  ONE_TIME_LINK_LIFE: wholeNumber(60, 30 * 24 * 60 * 60, "seconds").default(86400)
    .describe("Seconds for which a one-time link is valid."),
  OFFER_DAYS: wholeNumber(1, 90, "days").default(7)
    .describe("Days for which an offer to a developer waits for an answer."),
  ...leakSettings,
  RETAIN_AUDIT_DAYS: wholeNumber(0, 36500, "days").default(0)
    .describe("Days for which the audit log is kept; 0: for ever."),
  RETAIN_OUTBOX_DAYS: wholeNumber(0, 36500, "days").default(90)
    .describe("Days for which messages of the outbox and their deliveries are kept; 0: for ever."),
  RETAIN_ONE_TIME_LINKS_DAYS: wholeNumber(0, 36500, "days").default(365)
    .describe("Days for which one-time links that are over stay in their list; 0: for ever."),
  RETAIN_USE_HOURS_DAYS: wholeNumber(1, 400, "days").default(35)
    .describe("Days for which counts of calls by hour are kept."),
  RETAIN_USE_DAYS: wholeNumber(1, 3660, "days").default(400)
    .describe("Days for which counts of calls by day are kept."),
  SCRUB_HOURS: wholeNumber(0, 8760, "hours").default(24)
    .describe("Hours in which all checksums are looked at once, in the background; 0: never."),
  URL: z.string().refine(isServerUrl, {
    error: "expected https://… or http://…, without a user name, a query or a fragment",
  }).optional()
    .describe(
      "Server that the commands on requests, developers, plans and keys call, and `doctor`.",
    ),
  TOKEN_FILE: z.string().min(1).optional()
    .describe("File with the access token for the server of `KEYDESK_URL`; for commands alone."),
  TOKEN: z.string().min(1).max(4096).optional()
    .describe("The access token itself, where no file has it; for commands alone."),
  CONTEXT: z.string().min(1).optional()
    .describe(
      "Context that names the server in place of `KEYDESK_URL`; `local`: the local store; for commands alone.",
    ),
  CONTEXTS: z.string().min(1).optional()
    .describe(
      "File of contexts; by default `keydesk/contexts.json` below `$XDG_CONFIG_HOME` or `~/.config`; for commands alone.",
    ),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"], {
    error: "expected debug, info, warn, error or silent",
  }).default("info")
    .describe("Least level of the log lines on standard output."),
};

/**
 * True for what a browser may send as `Origin`. Of http and https it is compared letter by letter,
 * so the form must be the browser's: lower case, no default port, no slash at the end.
 */
function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/.test(text) || !URL.canParse(text)) return false;
  const { origin, hostname } = new URL(text);
  // An app's own scheme has no origin by the URL standard.
  return /^https?:/.test(text) ? origin === text : hostname !== "";
}
