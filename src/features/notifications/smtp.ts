import { isIP, type Socket } from "node:net";
import Mailer from "nodemailer/lib/mailer";
import SMTPTransport from "nodemailer/lib/smtp-transport";
import type { MailServer } from "../../kernel/outbound/mail-server.ts";
import { isLoopback } from "../../kernel/outbound/reachable.ts";
import { TRY_MS } from "./delivery.ts";
import type { ComposedMail } from "./compose-mail.ts";
import {
  type MailLack,
  RECIPIENT,
  SmtpOffer,
  utf8Lack,
  whoNeedsUtf8,
  withAsciiDomain,
} from "./smtp-offer.ts";

/** The server's answer. */
interface SmtpAnswer {
  ok: boolean;
  /** 0: it said nothing. */
  status: number;
  answer: string;
  /** True: it takes no mail for this recipient, or not this mail, and never will. */
  isFinal: boolean;
  /** The error without an answer, or the missing feature. */
  error: string;
  /** The feature that it lacks for this mail. */
  mailLack?: MailLack | undefined;
  /** Whether the mail needs SMTPUTF8. */
  neededUtf8: boolean;
}

/**
 * Hands a mail to the server, on a connection of its own that the way out has opened: by TLS, which
 * it must offer unless it is this machine. Throws OutboundDenied or OutboundFailed where there is
 * no connection.
 */
export async function handOver(
  { server, outbound, ca, trustsLoopback }: MailServer,
  mail: ComposedMail & { id: string; to: { name: string; address: string } },
  timeoutMs = TRY_MS,
): Promise<SmtpAnswer> {
  const { host, port, isSecure, auth } = server;
  const began = performance.now();
  const needsUtf8 = whoNeedsUtf8(mail);
  const neededUtf8 = needsUtf8 !== undefined;
  const offer = new SmtpOffer();
  const lacking = Promise.withResolvers<{ mailLack: MailLack }>();
  const connection = await outbound.connect({ host, port, timeoutMs });
  const isHere = trustsLoopback && isLoopback(connection.remoteAddress ?? "");
  // A server may go on saying something for ever.
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection.destroy();
  }, Math.max(1, timeoutMs - (performance.now() - began)));
  try {
    const options = {
      host,
      port,
      connection,
      secure: isSecure,
      requireTLS: !isSecure && !isHere,
      ...auth === null ? {} : { auth: { ...auth } },
      tls: {
        // An address is no name, and is looked for in the certificate by itself.
        ...isIP(host) === 0 ? { servername: host } : {},
        ...ca === undefined ? {} : { ca },
        // On this machine no one is between.
        ...isHere && !isSecure ? { rejectUnauthorized: false } : {},
      },
      disableFileAccess: true,
      disableUrlAccess: true,
      logger: listening(offer, (line) => {
        if (needsUtf8 === undefined || offer.takesUtf8 || !/^MAIL FROM/i.test(line)) return;
        // The server would be given what it does not read.
        connection.destroy();
        lacking.resolve({ mailLack: utf8Lack(needsUtf8) });
      }),
      transactionLog: true,
    };
    const sending = new Mailer(new SMTPTransport(options), options).sendMail(messageOf(mail));
    // A sending whose connection was closed needs no handling.
    sending.catch(() => {});
    const info = await Promise.race([sending, lacking.promise]);
    if ("mailLack" in info) {
      // Another recipient's mail may be taken; where ours is at fault it can be mended.
      const isFinal = needsUtf8 === RECIPIENT;
      const none = { ok: false, status: 0, answer: "", isFinal, neededUtf8 };
      return { ...none, error: info.mailLack.reason, mailLack: info.mailLack };
    }
    const status = statusIn(info.response) || 250;
    return { ok: true, status, answer: info.response, isFinal: false, error: "", neededUtf8 };
  } catch (error) {
    if (!isLate) return { ...answerOf(error, offer), neededUtf8 };
    const late = `the mail server did not answer within ${timeoutMs} ms`;
    return { ok: false, status: 0, answer: "", isFinal: false, error: late, neededUtf8 };
  } finally {
    clearTimeout(timer);
    end(connection);
  }
}

/** The logger that gets the lines of both sides, and each line of ours before it goes out. */
function listening(offer: SmtpOffer, before: (line: string) => void) {
  const nothing = () => {};
  const hear = ({ tnx }: { tnx?: string }, text: unknown) => {
    if (tnx === "server") offer.heard(String(text));
    if (tnx !== "client") return;
    offer.said(String(text));
    before(String(text));
  };
  const others = { trace: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing };
  return { ...others, debug: hear };
}

function end(connection: Socket): void {
  // Later errors need no handling.
  connection.on("error", () => {});
  connection.destroy();
}

function messageOf(mail: Parameters<typeof handOver>[1]) {
  const { from, to, replyTo, subject, text, html, id, language } = mail;
  const sender = withAsciiDomain(from.address);
  return {
    from,
    to,
    subject,
    text,
    html,
    ...replyTo === "" ? {} : { replyTo },
    // The id is equal for every try: a recipient who gets it twice can tell.
    messageId: `<${id}@${sender.slice(sender.lastIndexOf("@") + 1)}>`,
    envelope: { from: sender, to: [withAsciiDomain(to.address)] },
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      "Content-Language": language,
    },
  };
}

/** The error of nodemailer. */
interface SmtpError {
  responseCode?: number;
  response?: string;
  command?: string;
  message?: string;
  code?: string;
}

/** Commands whose refusal concerns this recipient or this mail. */
const OF_THE_MAIL = /^(RCPT TO|DATA)/;

function answerOf(error: unknown, offer: SmtpOffer): Omit<SmtpAnswer, "neededUtf8"> {
  // as: each of its members is asked for.
  const { responseCode, response = "", command = "", message = "", code } = error as SmtpError;
  const status = responseCode ?? statusIn(response);
  const isFinal = status >= 500 && status < 600 && OF_THE_MAIL.test(command);
  const mailLack = /^AUTH/.test(command) || code === "EAUTH" ? offer.signInLack() : undefined;
  const why = mailLack?.reason ?? (status > 0 ? "" : message);
  return { ok: false, status, answer: response, isFinal, error: why, mailLack };
}

function statusIn(response: string): number {
  return Number(/^\d{3}/.exec(response)?.[0] ?? 0);
}
