import { type Logger, pino } from "pino";

/** Names under which a secret could ever stand in a log line; their values are replaced. */
const SECRET_PATHS = ["authorization", "password", "secret", "token", "key", "RawKey"];

/** How much text is gathered before it is written: lines go out together under load, and by the timer when calm. */
const BUFFER_BYTES = 16 * 1024;
const FLUSH_MS = 100;

/** A log of JSON lines, one level to each, times in ISO 8601. */
export interface Log {
  readonly logger: Logger;
  /** Adds a line that is JSON already and ends in a line end. */
  write(line: string): void;
  /** The time as lines carry it. */
  now(): string;
  /** Writes what is gathered; call it before the process ends. */
  flush(): void;
}

/** A log on standard output with this level (`silent` for none). */
export function openLog(level: string): Log {
  const encoder = new TextEncoder();
  let gathered = "";
  const flush = () => {
    if (gathered === "") return;
    const bytes = encoder.encode(gathered);
    gathered = "";
    writeWhole(bytes);
  };
  setInterval(flush, FLUSH_MS).unref();
  return createLog(level, (line) => {
    gathered += line;
    if (gathered.length >= BUFFER_BYTES) flush();
  }, flush);
}

/** A log that hands each line to `write`. */
export function createLog(
  level: string,
  write: (line: string) => void,
  flush: () => void = () => {},
): Log {
  const logger = pino({
    level,
    base: null,
    timestamp: () => `,"time":"${isoNow()}"`,
    formatters: { level: (label) => ({ level: label }) },
    redact: SECRET_PATHS,
  }, { write });
  return { logger, write, now: isoNow, flush };
}

/** Writes all bytes to standard output; a reader that is gone ends the log, not the server. */
function writeWhole(bytes: Uint8Array): void {
  try {
    for (let done = 0; done < bytes.length;) done += Deno.stdout.writeSync(bytes.subarray(done));
  } catch {
    // Nobody reads any more.
  }
}

let lastMs = 0;
let lastText = "";

/** The time in ISO 8601. Many lines fall into one millisecond, and it is written once for them. */
function isoNow(): string {
  const ms = Date.now();
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = new Date(ms).toISOString();
  }
  return lastText;
}
