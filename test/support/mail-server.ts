/**
 * A real SMTP server on a real socket, an engine that hands mails to it, and people who can be
 * mailed.
 */
import { Buffer } from "node:buffer";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Permission } from "../../src/contract/permissions.ts";
import { DeliveryEngine } from "../../src/features/notifications/delivery-engine.ts";
import type { MailConfig } from "../../src/features/notifications/mail-config.ts";
import type { MailServer } from "../../src/kernel/outbound/mail-server.ts";
import { openOutbound } from "../../src/kernel/outbound/open-outbound.ts";
import { entryOfServer, parseSmtpUrl } from "../../src/kernel/outbound/smtp-url.ts";
import { storeClockBy } from "../../src/storage/store-clock.ts";
import type { TestDesk } from "./desk.ts";
import { call } from "./people.ts";
import { recordLine } from "./recorded-answers.ts";

/** A mail as it came. */
export interface Arrived {
  /** Of the envelope. */
  from: string;
  to: string[];
  /** Every byte. */
  raw: string;
  parsed: ParsedMail;
  secure: boolean;
}

/** A server, which takes every mail unless it is told otherwise. */
export interface TestMailServer extends AsyncDisposable {
  readonly port: number;
  /** What was taken, the oldest first. */
  readonly taken: Arrived[];
  /** An error with `responseCode` refuses a recipient; anything thrown by `takes` a mail. */
  refuses(address: string): number;
  takes(mail: Arrived): number | Promise<number>;
}

/** Listens on a free port of this machine. */
export async function mailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const taken: Arrived[] = [];
  const refusal = (status: number, text: string) =>
    Object.assign(new Error(text), { responseCode: status });
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onRcptTo: ({ address }, _session, done) => {
      const status = made.refuses(address);
      done(status === 0 ? null : refusal(status, `<${address}> is not taken`));
    },
    onData: (stream, session, done) => {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => void chunks.push(chunk));
      stream.on("end", () => void arrived().catch((error) => done(error)));
      const arrived = async () => {
        const raw = Buffer.concat(chunks);
        const { mailFrom, rcptTo } = session.envelope;
        const mail: Arrived = {
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          raw: raw.toString("latin1"),
          parsed: await simpleParser(raw),
          secure: session.secure,
        };
        const status = await made.takes(mail);
        if (status !== 0) return done(refusal(status, "the mail is not taken"));
        recordLine("mail", ...mail.to, mail.parsed.subject ?? "", mail.parsed.text ?? "");
        taken.push(mail);
        done(null, "taken");
      };
    },
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const made: TestMailServer = {
    port: address.port,
    taken,
    refuses: () => 0,
    takes: () => 0,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  return made;
}

/** The way to a server, as the settings would open it. */
export function wayTo(url: string, more: Partial<MailServer> = {}): MailServer {
  const server = parseSmtpUrl(url);
  if (!server) throw new Error("no URL of a mail server");
  const outbound = openOutbound({ entries: [entryOfServer(server)] });
  return { server, from: "keys@desk.example.org", outbound, trustsLoopback: true, ...more };
}

/** Lets a server hand its mails to a URL, as if its environment said so. */
export function mailBy(ctx: { mail: unknown }, url: string): void {
  const way = wayTo(url);
  ctx.mail = () => Promise.resolve(way);
}

/** What links in mails begin with. */
export const PUBLIC_URL = "https://desk.example.org";

/** An engine over a desk that hands mails to a server; nothing happens by itself. */
export function mailEngine(
  desk: Pick<TestDesk, "app">,
  server: { port: number } | MailServer,
  { publicUrl = PUBLIC_URL, now = () => Date.now() }: {
    publicUrl?: string;
    now?: () => number;
  } = {},
): DeliveryEngine {
  const { ctx } = desk.app;
  const mail = "port" in server ? wayTo(`smtp://127.0.0.1:${server.port}`) : server;
  const settings = { ...ctx.settings, publicUrl };
  const clock = { now };
  const storeClock = storeClockBy(clock, clock);
  return new DeliveryEngine({
    ...ctx,
    mail: () => Promise.resolve(mail),
    settings,
    clock,
    storeClock,
  }, { line: () => {} });
}

/** A mail channel. */
export async function addMailChannel(
  desk: TestDesk,
  mail: Partial<MailConfig> = {},
  credential?: string,
): Promise<string> {
  const body = { kind: "mail", name: "Mail", mail: { digest_minutes: 0, ...mail } };
  return (await call(desk, "POST", "/v1/channels", body, credential)).id;
}

/** Somebody with an address. */
export async function addPerson(
  desk: TestDesk,
  email: string,
  permissions: readonly Permission[] = ["portal:read", "approve"],
  credential?: string,
): Promise<string> {
  const body = { name: email.slice(0, email.indexOf("@")), permissions, email };
  return (await call(desk, "POST", "/v1/people", body, credential)).id;
}

/** The deliveries of an object, the oldest first. */
// deno-lint-ignore no-explicit-any -- bodies of several forms
export async function deliveriesOf(desk: TestDesk, object_id: string): Promise<any[]> {
  const { data } = await call(desk, "GET", `/v1/deliveries?object_id=${object_id}&limit=100`);
  return data.reverse();
}
