import type { ServiceContext } from "../../calls/context.ts";
import type { MailServer } from "../../kernel/outbound/mail-server.ts";
import type { Outbound } from "../../kernel/outbound/outbound.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";
import type { MailLack } from "./smtp-offer.ts";

/** The server's part that a sender needs. */
export interface SenderContext {
  readonly reader: Connection;
  readonly outbound: Outbound;
  readonly sealer: Sealer;
  /** The prefix of links; "": messages have none. */
  readonly publicUrl: string;
  /** The prefix of links to the first organisation's developer's pages; "": `publicUrl`. */
  readonly portalUrl: string;
  /** Undefined: no server takes mails. */
  readonly mail: () => Promise<MailServer | undefined>;
  now(): number;
}

/** The result of a try. */
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
  /** The feature that the mail server lacks for it. */
  mailLack?: MailLack | undefined;
  /** Of a mail that was handed to a server: whether it needs SMTPUTF8. */
  neededUtf8?: boolean;
  /** Objects that a mail about several left out because they were over. */
  skipped?: readonly string[];
}

/** The part of the server that senders need. */
export function senderContext(
  { storage, outbound, sealer, settings, clock, mail }: Pick<
    ServiceContext,
    "storage" | "outbound" | "sealer" | "settings" | "clock" | "mail"
  >,
): SenderContext {
  const { publicUrl, portalUrl } = settings;
  const now = () => clock.now();
  return { reader: storage.reader, outbound, sealer, publicUrl, portalUrl, mail, now };
}
