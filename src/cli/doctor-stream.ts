import type { Config } from "../config.ts";
import { readStreamCertificates } from "../open-server.ts";
import { inTime } from "../kernel/in-time.ts";
import { openTlsLine } from "../kernel/outbound/tls-line.ts";
import { parseStreamAddress } from "../maintenance/audit-stream/stream-address.ts";
import { LONGEST_MESSAGE, longestFrame } from "../maintenance/audit-stream/stream-syslog.ts";
import { fail, type Finding, ok, warn } from "./doctor-findings.ts";

/** How long a receiver has to take a connection. */
const PATIENCE_MS = 5000;

/** Whether the audit log stream would take rows, and is a second one. */
export async function* streamFindings(config: Config): AsyncGenerator<Finding, void, void> {
  const { AUDIT_STREAM: place, AUDIT_STREAM_CA_FILE: ca, AUDIT_STREAM_CLIENT_FILE: client } =
    config;
  const address = place === undefined ? undefined : parseStreamAddress(place);
  if (!address) return;
  try {
    if (address.kind === "file") return yield await fileFinding(address.path, config);
    const { host, port } = address;
    const opening = openTlsLine({ host, port, ...readStreamCertificates(ca, client) });
    const line = await inTime(opening, PATIENCE_MS, () => {
      throw new Error("nothing answers at that address");
    });
    await line.write(longestFrame({ host: "doctor", pid: Deno.pid }));
    const isRead = await inTime(line.end(), PATIENCE_MS, () => false);
    line.drop();
    if (!isRead) {
      return yield fail(
        "stream",
        `${host}:${port} takes a connection, and does not read a message of ${LONGEST_MESSAGE} octets to its end: set it to take such ones (docs/audit-log.md)`,
      );
    }
    yield ok("stream", `${host}:${port} has read a message of ${LONGEST_MESSAGE} octets over TLS`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    yield fail("stream", `the audit log stream takes no rows: ${why} (KEYDESK_AUDIT_STREAM)`);
  }
}

/** Changes nothing: a file that is not there yet is not made. */
async function fileFinding(path: string, { DATA_DIR, DATABASE_URL }: Config): Promise<Finding> {
  const there = await Deno.lstat(path).catch((error: unknown) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
  if (!there) return warn("stream", `${path} does not exist yet: the server makes it`);
  if (!there.isFile) {
    return fail("stream", `${path} is no regular file, so no row is written to it`);
  }
  (await Deno.open(path, { append: true })).close();
  const { dev } = await Deno.stat(DATA_DIR);
  if (DATABASE_URL || dev !== there.dev) return ok("stream", `${path} takes rows`);
  return warn("stream", `${path} is on the disk of the store: put it on another one`);
}
