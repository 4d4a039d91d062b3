import type { StreamAddress } from "./stream-address.ts";
import { fileDestination } from "./stream-file.ts";
import { syslogDestination } from "./stream-syslog.ts";
import { AuditStream } from "./audit-stream.ts";

/** By what both sides of a connection know each other, in PEM. */
export interface StreamCertificates {
  readonly ca?: string | undefined;
  readonly client?: { readonly cert: string; readonly key: string } | undefined;
}

/** The sink at an address; it has to be started. */
export function openStream(
  address: StreamAddress,
  { ca, client }: StreamCertificates,
): AuditStream {
  if (address.kind === "file") {
    return new AuditStream((fate) => fileDestination(address.path, fate));
  }
  const { host, port } = address;
  const sender = { host: hostname(), pid: Deno.pid };
  return new AuditStream((fate) => syslogDestination({ host, port, ca, client }, sender, fate));
}

function hostname(): string {
  try {
    return Deno.hostname();
  } catch {
    return "";
  }
}
