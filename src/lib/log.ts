import { type DestinationStream, type Logger, pino } from "pino";

/** Names under which a secret could ever stand in a log line; their values are replaced. */
const SECRET_PATHS = ["authorization", "password", "secret", "token", "key", "RawKey"];

/** How much text is gathered before it is written: lines go out together under load, and by the timer when calm. */
const BUFFER_BYTES = 4096;
const FLUSH_MS = 200;

/** A log of JSON lines. `flush` writes what is gathered; call it before the process ends. */
export interface Log {
  logger: Logger;
  flush(): void;
}

/** A log on standard output with this level (`silent` for none). */
export function openLog(level: string): Log {
  const destination = pino.destination({ dest: 1, minLength: BUFFER_BYTES, sync: true });
  const timer = setInterval(() => destination.flushSync(), FLUSH_MS);
  timer.unref();
  return { logger: createLogger(level, destination), flush: () => destination.flushSync() };
}

/** A logger on any destination; times are ISO 8601. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: SECRET_PATHS,
  }, destination);
}
