import { inTime } from "../../kernel/in-time.ts";
import { openTlsLine, type TlsLine, type TlsPlace } from "../../kernel/outbound/tls-line.ts";
import type { OutletRow } from "../../storage/outlet.ts";
import { systemClock, toTimestamp } from "../../kernel/clock.ts";
import type { Destination, Fate } from "./destination.ts";
import { SIZE_TEST, syslogFrame, type SyslogSender } from "./syslog-message.ts";

/**
 * How long a connection that was written to stays open, and how long its receiver has to end it in
 * order.
 */
const RENEW_MS = 5000;
const END_MS = 5000;

/** The length that each receiver takes (RFC 5425, 4.3.1), in octets; some are set to no more. */
const TAKEN_BY_ALL = 8192;
/** The longest message that a receiver has to take, in octets. */
export const LONGEST_MESSAGE = 64 * 1024;

/** One connection, and what was written to it. */
interface Open {
  readonly line: TlsLine;
  readonly rows: OutletRow[];
  /** The longest message among them, in octets. */
  longest: number;
  renews: ReturnType<typeof setTimeout> | undefined;
}

/**
 * A receiver of syslog over TLS (RFC 5425) as the stream. The protocol has no answer: that a
 * row was taken means that the connection has taken it. So each connection that was written to is
 * ended in order after five seconds and a new one takes its place: a receiver that ends it too has
 * read everything, and only then rows count as kept. After any other end the rows of that
 * connection are doubtful. The first connection begins with a message of the longest size, so that
 * a receiver that closes at one is found before anything is done.
 */
export function syslogDestination(
  place: TlsPlace,
  sender: SyslogSender,
  fate: Fate,
  renewMs = RENEW_MS,
  endMs = END_MS,
): Destination {
  let open: Open | undefined;
  let sent = 0;
  let isTried = false;
  let giveUp = () => {};
  const ending = new Set<Promise<void>>();
  const renew = (one: Open) => {
    clearTimeout(one.renews);
    if (open === one) open = undefined;
    const end = ended(one, endMs).then((isKept) => {
      ending.delete(end);
      if (one.rows.length === 0) return;
      if (isKept) fate.kept(one.rows);
      else fate.doubtful(one.rows);
    });
    ending.add(end);
  };
  const connected = async (): Promise<Open> => {
    if (open) return open;
    const opening = openTlsLine(place);
    const gone = new Promise<never>((_, reject) =>
      giveUp = () => {
        opening.then((late) => late.drop(), () => {});
        reject(new Error("nothing answers at that address"));
      }
    );
    const line = await Promise.race([opening, gone]);
    giveUp = () => line.drop();
    open = { line, rows: [], longest: 0, renews: undefined };
    if (!isTried) {
      await put(open, [longestFrame(sender)]);
      // A receiver that closes at a long message has done so by now, or never does.
      await new Promise((resolve) => setTimeout(resolve, TRIED_MS));
      await put(open, []);
      isTried = true;
    }
    return open;
  };
  const put = async (one: Open, frames: readonly Uint8Array[]) => {
    one.longest = Math.max(one.longest, ...frames.map(({ length }) => length));
    try {
      await one.line.write(joined(frames));
    } catch (error) {
      clearTimeout(one.renews);
      open = undefined;
      one.line.drop();
      if (one.rows.length > 0) fate.doubtful(one.rows);
      throw one.longest > TAKEN_BY_ALL ? tooLong(one.longest, error) : error;
    }
  };
  return {
    write: async (rows) => {
      const one = await connected();
      await put(one, rows.map((row) => syslogFrame(sender, row, sent++)));
      one.rows.push(...rows);
      if (rows.length > 0) one.renews ??= setTimeout(() => renew(one), renewMs);
    },
    giveUp: () => giveUp(),
    close: async () => {
      if (open) renew(open);
      await Promise.all(ending);
    },
  };
}

/** How long a receiver has to close at a long message. */
const TRIED_MS = 200;

/** A message of the longest size that a receiver is to take; no row of the audit log. */
export function longestFrame(sender: SyslogSender): Uint8Array {
  const row = { at: toTimestamp(systemClock.now()), action: SIZE_TEST };
  const empty = syslogFrame(sender, { ...row, content: "" }, 0).length;
  return syslogFrame(sender, { ...row, content: "x".repeat(LONGEST_MESSAGE - empty) }, 0);
}

function tooLong(octets: number, cause: unknown): Error {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new Error(
    `${text}; a message of ${octets} octets was on its way: set the receiver to take ${LONGEST_MESSAGE} (docs/audit-log.md)`,
    { cause },
  );
}

async function ended({ line }: Open, endMs: number): Promise<boolean> {
  return await inTime(line.end(), endMs, () => {
    line.drop();
    return false;
  });
}

function joined(frames: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(frames.reduce((length, frame) => length + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    all.set(frame, at);
    at += frame.length;
  }
  return all;
}
