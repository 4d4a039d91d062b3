import { isIP, type Socket } from "node:net";
import { createTransport } from "nodemailer";
import type { MailServer } from "../../kernel/outbound/mail-server.ts";
import { isLoopback } from "../../kernel/outbound/reachable.ts";
import { TRY_MS } from "./delivery.ts";
import type { ComposedMail } from "./compose-mail.ts";

/** What the server said. */
interface SmtpAnswer {
  ok: boolean;
  /** 0: it said nothing. */
  status: number;
  answer: string;
  /** True: it takes no mail for this recipient, or not this mail, and never will. */
  isFinal: boolean;
  /** What went wrong where it said nothing. */
  error: string;
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
  const connection = await outbound.connect({ host, port, timeoutMs });
  const isHere = trustsLoopback && isLoopback(connection.remoteAddress ?? "");
  // A server may go on saying something for ever.
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection.destroy();
  }, Math.max(1, timeoutMs - (performance.now() - began)));
  try {
    const transport = createTransport({
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
        // On this machine nobody stands between.
        ...isHere && !isSecure ? { rejectUnauthorized: false } : {},
      },
      disableFileAccess: true,
      disableUrlAccess: true,
      logger: false,
    });
    const info = await transport.sendMail(messageOf(mail));
    return { ok: true, status: statusIn(info.response) || 250, answer: info.response, ...NO_ERROR };
  } catch (error) {
    if (!isLate) return answerOf(error);
    const late = `the mail server did not answer within ${timeoutMs} ms`;
    return { ok: false, status: 0, answer: "", isFinal: false, error: late };
  } finally {
    clearTimeout(timer);
    end(connection);
  }
}

const NO_ERROR = { isFinal: false, error: "" };

function end(connection: Socket): void {
  // What fails from here on concerns nobody.
  connection.on("error", () => {});
  connection.destroy();
}

function messageOf(mail: Parameters<typeof handOver>[1]) {
  const { from, to, replyTo, subject, text, html, id, language } = mail;
  return {
    from,
    to,
    subject,
    text,
    html,
    ...replyTo === "" ? {} : { replyTo },
    // The same however often it is tried: whoever gets it twice can tell.
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
    envelope: { from: from.address, to: [to.address] },
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      "Content-Language": language,
    },
  };
}

/** What nodemailer says of a failure. */
interface SmtpError {
  responseCode?: number;
  response?: string;
  command?: string;
  message?: string;
}

/** Commands whose refusal concerns this recipient or this mail. */
const OF_THE_MAIL = /^(RCPT TO|DATA)/;

function answerOf(error: unknown): SmtpAnswer {
  // as: each of its members is asked for.
  const { responseCode, response = "", command = "", message = "" } = error as SmtpError;
  const status = responseCode ?? statusIn(response);
  const isFinal = status >= 500 && status < 600 && OF_THE_MAIL.test(command);
  return { ok: false, status, answer: response, isFinal, error: status > 0 ? "" : message };
}

function statusIn(response: string): number {
  return Number(/^\d{3}/.exec(response)?.[0] ?? 0);
}
