import { domainToASCII } from "node:url";

/** The feature that a mail server lacks, for a mail or for signing in there. */
export interface MailLack {
  readonly name: "mail_sign_in_refused" | "mail_smtputf8_missing";
  /** A sentence without an address. */
  readonly reason: string;
}

/** How a mail server is signed in to, the one that is asked for first before the others. */
const SIGN_INS = ["PLAIN", "LOGIN", "CRAM-MD5"];

/**
 * The features that a mail server offers: its answer to the last EHLO, which is the one by TLS if
 * there are two. It reads the lines of both sides.
 */
export class SmtpOffer {
  #isAsked = false;
  #lines: readonly string[] = [];

  /** A line of ours, as far as it holds no secret. */
  said(line: string): void {
    if (/^EHLO /i.test(line)) this.#isAsked = true;
  }

  /** An answer of the server's. */
  heard(answer: string): void {
    if (this.#isAsked) {
      this.#lines = answer.split(/\r?\n/).map((line) => line.slice(4).trim().toUpperCase());
    }
    this.#isAsked = false;
  }

  get takesUtf8(): boolean {
    return this.#lines.includes("SMTPUTF8");
  }

  /**
   * Why no sign-in works there; undefined: by what it offers one could, so its answer says it.
   */
  signInLack(): MailLack | undefined {
    const offered = this.#lines.filter((line) => /^AUTH[ =]/.test(line))
      .flatMap((line) => line.slice(5).split(/\s+/)).filter((one) => one !== "");
    const usable = SIGN_INS.filter((one) => offered.includes(one));
    if (offered.length === 0) return undefined;
    const reason = usable.length === 0
      ? `the mail server takes sign-ins by ${
        offered.join(", ").slice(0, 100)
      } alone, and Keydesk signs in by ${SIGN_INS.join(", ")}`
      : usable.join() === "CRAM-MD5"
      ? "the mail server takes sign-ins by CRAM-MD5 alone and refused this one: the user or the password is wrong, or the server keeps a hash of the password, by which CRAM-MD5 can't work; let it offer PLAIN by TLS"
      : undefined;
    return reason === undefined ? undefined : { name: "mail_sign_in_refused", reason };
  }
}

/** The addresses of a mail. */
interface Addresses {
  readonly from: { readonly address: string };
  readonly to: { readonly address: string };
  readonly replyTo: string;
}

/** The address in question if the recipient's is not ASCII. */
export const RECIPIENT = "the recipient's address";

/** The address that can't be written without SMTPUTF8 (RFC 6531), in words; undefined: none. */
export function whoNeedsUtf8({ from, to, replyTo }: Addresses): string | undefined {
  const needs = (address: string) => !/^\p{ASCII}*$/u.test(address.slice(0, place(address)));
  if (needs(to.address)) return RECIPIENT;
  if (needs(from.address)) return "the address that mails are from";
  return needs(replyTo) ? "the address that answers go to" : undefined;
}

/** The feature that a server without SMTPUTF8 lacks for this. */
export function utf8Lack(who: string): MailLack {
  const reason = `the mail server does not offer SMTPUTF8, which ${who} needs: ` +
    "it has letters beyond ASCII before its @";
  return { name: "mail_smtputf8_missing", reason };
}

/** The address with its domain in ASCII, which every server takes. */
export function withAsciiDomain(address: string): string {
  const at = place(address);
  const domain = domainToASCII(address.slice(at + 1));
  return domain === "" ? address : `${address.slice(0, at)}@${domain}`;
}

function place(address: string): number {
  return address.lastIndexOf("@");
}
