import { currentTraceId } from "./tracing.ts";

/**
 * Characters that are gathered before they are written: lines go out together under load, and by
 * the timer when calm.
 */
const GATHERED = 16 * 1024;
const FLUSH_MS = 100;

/** The levels, least first. */
const LEVELS = ["debug", "info", "warn", "error", "fatal", "silent"] as const;

/** Least level of the lines that are written; `silent` for none. */
type LogLevel = typeof LEVELS[number];

/** Members of a line besides level, time and msg. Never a secret: nothing here looks for one. */
type LogMembers = Readonly<Record<string, string | number | boolean | undefined>>;

/** A log of JSON lines: `{"level":…,"time":…,…members,"msg":…}`, times in ISO 8601. */
export interface Log {
  /** Whether lines of this level are written. */
  on(level: LogLevel): boolean;
  line(level: LogLevel, msg: string, members?: LogMembers): void;
  /** Adds a line that is JSON already and ends in a line end. */
  raw(line: string): void;
  /** Writes what is gathered; call it before the process ends. */
  flush(): void;
}

/** A log on standard output with this level (`silent` for none). */
export function openLog(level: LogLevel): Log {
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
    if (gathered.length >= GATHERED) flush();
  }, flush);
}

/** A log that hands each line to `write`. */
export function createLog(
  level: LogLevel,
  write: (line: string) => void,
  flush: () => void = () => {},
): Log {
  const least = LEVELS.indexOf(level);
  const on = (wanted: LogLevel) => LEVELS.indexOf(wanted) >= least && level !== "silent";
  return {
    on,
    line: (wanted, msg, members) => {
      if (on(wanted)) {
        const trace_id = currentTraceId();
        write(`${JSON.stringify({ level: wanted, time: isoNow(), trace_id, ...members, msg })}\n`);
      }
    },
    raw: write,
    flush,
  };
}

/** Writes all bytes to standard output; a reader that is gone ends the log, not the server. */
function writeWhole(bytes: Uint8Array): void {
  try {
    for (let done = 0; done < bytes.length;) done += Deno.stdout.writeSync(bytes.subarray(done));
  } catch {
    // No one reads any more.
  }
}

let lastMs = 0;
let lastText = "";

/** The time in ISO 8601. Many lines fall into one millisecond, and it is written once for them. */
export function isoNow(): string {
  const ms = Date.now();
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = new Date(ms).toISOString();
  }
  return lastText;
}
