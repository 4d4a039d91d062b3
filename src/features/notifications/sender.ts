import type { ServiceContext } from "../../calls/context.ts";
import type { MailServer } from "../../kernel/outbound/mail-server.ts";
import type { Outbound } from "../../kernel/outbound/outbound.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";
import type { MailLack } from "./smtp-offer.ts";

/** What a sender needs of the desk. */
export interface SenderContext {
  readonly reader: Connection;
  readonly outbound: Outbound;
  readonly sealer: Sealer;
  /** What links begin with; "": messages carry none. */
  readonly publicUrl: string;
  /** The same of the first organisation's developer's pages; "": `publicUrl`. */
  readonly portalUrl: string;
  /** Absent: no server takes mails. */
  readonly mail: MailServer | undefined;
  /** Who mails are from, where nobody else is named; "": nobody. */
  readonly mailFrom: string;
  now(): number;
}

/** What became of a try. */
export interface Sent {
  ok: boolean;
  gone: boolean;
  status: number;
  durationMs: number;
  answer: string;
  error: string;
  /** How long the channel asks to be left alone. */
  retryAfterMs: number;
  /**
   * Trying again is of no use: "dead" gives the message up at once, "skipped": there was nothing to
   * tell any more.
   */
  final?: "dead" | "skipped";
  /** What the mail server lacks for it. */
  mailLack?: MailLack | undefined;
  /** Of a mail that was handed to a server: whether it needs SMTPUTF8. */
  neededUtf8?: boolean;
  /** Objects of a mail that gathers several which were not told of, since they were over. */
  skipped?: readonly string[];
}

/** What senders need, of the open desk. */
export function senderContext(
  { storage, outbound, sealer, settings, clock, mail }: Pick<
    ServiceContext,
    "storage" | "outbound" | "sealer" | "settings" | "clock" | "mail"
  >,
): SenderContext {
  const { publicUrl, portalUrl, mailFrom } = settings;
  const now = () => clock.now();
  return { reader: storage.reader, outbound, sealer, publicUrl, portalUrl, mail, mailFrom, now };
}
