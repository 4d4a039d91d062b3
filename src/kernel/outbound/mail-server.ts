import type { Outbound } from "./outbound.ts";
import type { SmtpServer } from "./smtp-url.ts";

/** The server that mails are handed to, and the way there. */
export interface MailServer {
  readonly server: SmtpServer;
  /** The sender of mails without another one; "": none. */
  readonly from: string;
  /** Reaches that server beside what KEYDESK_OUTBOUND names. */
  readonly outbound: Pick<Outbound, "connect">;
  /** Certificates of authorities that are trusted in place of the runtime's own, in PEM. */
  readonly ca?: string | undefined;
  /** False: also a server on this machine must offer TLS, with a certificate that is trusted. */
  readonly trustsLoopback: boolean;
}
