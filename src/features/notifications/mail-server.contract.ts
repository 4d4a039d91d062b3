import { z } from "zod";
import { nullable } from "../../contract/v1.ts";
import { text } from "../../contract/values.ts";
import { problemOfAddress } from "../../kernel/mail-address.ts";

/** Whether its colons, if it has any, are those of an address of IPv6. */
function isHost(text: string): boolean {
  return !text.includes(":") || URL.canParse(`http://[${text}]`);
}

/** How the connection is encrypted: from the first byte on, or by STARTTLS. */
const security = z.enum(["tls", "starttls"], { error: "expected tls or starttls" });

const address = z.string().trim().max(254).refine(
  (given) => given === "" || problemOfAddress(given) === undefined,
  { error: "expected an e-mail address such as keys@example.org, or nothing" },
);

/** The server that mails are handed to, without its password. */
export const mailServerView = z.strictObject({
  source: z.enum(["none", "stored", "environment"]).meta({
    description: "`environment`: KEYDESK_SMTP_URL names it, and nothing that is stored counts.",
  }),
  host: text,
  port: nullable(z.int()),
  security: nullable(security),
  user: text.meta({ description: "Empty: Keydesk does not sign in there." }),
  has_password: z.boolean(),
  from: text.meta({ description: "The sender of mails, where a channel names no other." }),
  missing_outbound: nullable(text).meta({
    description: "The entry that KEYDESK_OUTBOUND lacks, so that no mail is sent; null: none.",
  }),
}).meta({ id: "MailServer" });

/** The body of `setMailServer`. */
export const mailServerInput = z.object({
  host: z.string().trim().toLowerCase().max(253).regex(/^[a-z0-9._:-]+$/, {
    error: "expected a host such as mail.example.org",
  }).refine(isHost, { error: "expected a host without a port" }),
  port: z.int().min(1).max(65_535).optional().meta({
    description: "Absent: 465 with `tls`, 587 with `starttls`.",
  }),
  security: security.default("tls"),
  user: z.string().max(255).default(""),
  password: z.string().min(1).max(1000).optional().meta({
    description: "Absent: the stored one stays, if host, port and user stay too.",
  }),
  from: address.default(""),
}).meta({ id: "MailServerInput" });

/** The body of `testMailServer`. */
export const mailServerTestInput = z.object({
  to: z.string().trim().max(254).refine((given) => problemOfAddress(given) === undefined, {
    error: "expected an e-mail address",
  }),
}).meta({ id: "MailServerTestInput" });

/** The result of a test mail. */
export const mailServerTest = z.strictObject({
  ok: z.boolean(),
  status: z.int().meta({ description: "The server's reply code; 0: it gave none." }),
  answer: text,
  error: text.meta({ description: "Empty: there was none." }),
}).meta({ id: "MailServerTest" });
