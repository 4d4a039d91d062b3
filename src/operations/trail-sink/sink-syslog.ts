import { inTime } from "../../kernel/in-time.ts";
import { openTlsLine, type TlsLine, type TlsPlace } from "../../kernel/outbound/tls-line.ts";
import type { OutletRow } from "../../storage/outlet.ts";
import type { Destination, Fate } from "./destination.ts";
import { syslogFrame, type SyslogSender } from "./syslog-message.ts";

/**
 * How long a connection that was written to stays open, and how long its receiver has to end it in
 * order.
 */
const RENEW_MS = 5000;
const END_MS = 5000;

/** One connection, and what was written to it. */
interface Open {
  readonly line: TlsLine;
  readonly rows: OutletRow[];
  renews: ReturnType<typeof setTimeout> | undefined;
}

/**
 * A receiver of syslog over TLS (RFC 5425) as the second place. The protocol has no answer: that a
 * row was taken means that the connection has taken it. So each connection that was written to is
 * ended in order after five seconds and a new one takes its place: a receiver that ends it in order
 * too has read everything, and only then rows count as kept. Of any other end nobody knows, and the
 * rows of that connection are sent again.
 */
export function syslogDestination(
  place: TlsPlace,
  sender: SyslogSender,
  fate: Fate,
  renewMs = RENEW_MS,
): Destination {
  let open: Open | undefined;
  let sent = 0;
  let giveUp = () => {};
  const ending = new Set<Promise<void>>();
  const renew = (one: Open) => {
    clearTimeout(one.renews);
    if (open === one) open = undefined;
    const end = ended(one).then((isKept) => {
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
        reject(new Error("nobody answers there"));
      }
    );
    const line = await Promise.race([opening, gone]);
    giveUp = () => line.drop();
    return open = { line, rows: [], renews: undefined };
  };
  return {
    write: async (rows) => {
      const one = await connected();
      try {
        await one.line.write(joined(rows.map((row) => syslogFrame(sender, row, sent++))));
      } catch (error) {
        clearTimeout(one.renews);
        open = undefined;
        one.line.drop();
        if (one.rows.length > 0) fate.doubtful(one.rows);
        throw error;
      }
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

async function ended({ line }: Open): Promise<boolean> {
  return await inTime(line.end(), END_MS, () => {
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
