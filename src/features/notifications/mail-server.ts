import type { ServiceContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import type { MailServer } from "../../kernel/outbound/mail-server.ts";
import type { Outbound } from "../../kernel/outbound/outbound.ts";
import type { SmtpServer } from "../../kernel/outbound/smtp-url.ts";
import type { SealedPlace } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";
import { findFirstOrganisation } from "../people/organisations.store.ts";
import { findMailServer } from "./mail-server.store.ts";

/** There is one, of the whole server; its row is the first organisation's. */
export const MAIL_SERVER = "smtp";

/** A stored mail server without its password. */
export interface StoredMailServer {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls";
  readonly user: string;
  readonly from: string;
}

/** Throws `access_denied` outside the first organisation: the mail server is the whole server's. */
export async function requireFirstOrganisation(db: Connection, org_id: string): Promise<void> {
  if ((await findFirstOrganisation(db))?.id !== org_id) throw new Failure("access_denied");
}

/** The sealing context of the password. */
export function passwordPlace(org_id: string): SealedPlace {
  return { table: "mail_servers", org_id, id: MAIL_SERVER, column: "password" };
}

/** The stored mail server, with the sealed password; undefined: none is. */
export async function storedMailServer(
  db: Connection,
): Promise<{ org_id: string; password: string | null; settings: StoredMailServer } | undefined> {
  const first = await findFirstOrganisation(db);
  const row = first && await findMailServer(db, { org_id: first.id, id: MAIL_SERVER });
  if (!row) return undefined;
  // as: setMailServer writes it.
  const settings = JSON.parse(row.document) as StoredMailServer;
  return { org_id: row.org_id, password: row.password, settings };
}

/**
 * The way to the stored mail server, which KEYDESK_OUTBOUND must name; undefined: none is stored,
 * or its password was lost with its sealing key.
 */
export async function wayToStored(
  { storage, sealer, outbound }: Pick<ServiceContext, "storage" | "sealer" | "outbound">,
  ca: string | undefined,
): Promise<MailServer | undefined> {
  const stored = await storedMailServer(storage.reader);
  if (!stored) return undefined;
  const { org_id, password, settings: { host, port, security, user, from } } = stored;
  const place = passwordPlace(org_id);
  if (user !== "" && (password === null || !sealer.canOpen(place, password))) return undefined;
  const auth = user === "" || password === null
    ? null
    : { user, pass: sealer.open(place, password) };
  const server: SmtpServer = { host, port, isSecure: security === "tls", auth };
  return { server, outbound, from, trustsLoopback: true, ...ca === undefined ? {} : { ca } };
}

/** The entry that KEYDESK_OUTBOUND lacks for a mail server; null: it has it. */
export function missingOutbound(
  outbound: Pick<Outbound, "missing">,
  { host, port }: Pick<StoredMailServer, "host" | "port">,
): string | null {
  const name = host.includes(":") ? `[${host}]` : host;
  return outbound.missing(`smtp://${name}:${port}`) ?? null;
}
