import { version } from "../../kernel/version.ts";
import type { OutletRow } from "../../storage/outlet.ts";

/** Facility 13, "log audit", and severity 5, "notice" (RFC 5424, 6.2.1). */
const PRIORITY = 13 * 8 + 5;
/** The longest MSGID and HOSTNAME. */
const LONGEST_ID = 32;
const LONGEST_HOST = 255;
/** Sequence ids begin again behind it (RFC 5424, 7.3.1). */
const LAST_SEQUENCE = 2 ** 31 - 1;

/** The MSGID of a message that tries whether a receiver takes long ones, and is no row. */
export const SIZE_TEST = "size_test";

/** The sender of syslog messages, and the number of its earlier ones. */
export interface SyslogSender {
  readonly host: string;
  readonly pid: number;
}

/**
 * A row as a message of RFC 5424 in the frame of RFC 5425: its length in octets, a blank, and the
 * message. `n` counts the messages of this process from 0, by which a gap is seen; the row's
 * content is the message's text, and has the row's id. Its length in octets is in front, by which a
 * receiver's cut is seen; the number is the one of examples (RFC 5612), since there is no
 * registered one.
 */
export function syslogFrame(
  { host, pid }: SyslogSender,
  row: Pick<OutletRow, "at" | "action" | "content">,
  n: number,
): Uint8Array {
  const id = printable(row.action, LONGEST_ID);
  const octets = new TextEncoder().encode(row.content).length;
  const data = element("meta", { sequenceId: String(n % LAST_SEQUENCE + 1) }) +
    element("origin", { software: "keydesk", swVersion: version }) +
    element("row@32473", { octets: String(octets) });
  const head = `<${PRIORITY}>1 ${row.at} ${printable(host, LONGEST_HOST)} keydesk ${pid} ${id}`;
  const message = new TextEncoder().encode(`${head} ${data} ${row.content}`);
  const length = new TextEncoder().encode(`${message.length} `);
  const frame = new Uint8Array(length.length + message.length);
  frame.set(length);
  frame.set(message, length.length);
  return frame;
}

/** Structured data; its values are escaped (RFC 5424, 6.3.3). */
export function element(id: string, values: Readonly<Record<string, string>>): string {
  const params = Object.entries(values)
    .map(([name, value]) => ` ${name}="${value.replaceAll(/["\\\]]/g, (one) => `\\${one}`)}"`);
  return `[${id}${params.join("")}]`;
}

/** A word of the head: printable ASCII without blanks, or `-` for none. */
function printable(text: string, longest: number): string {
  return text.replaceAll(/[^\x21-\x7e]/g, "?").slice(0, longest) || "-";
}
