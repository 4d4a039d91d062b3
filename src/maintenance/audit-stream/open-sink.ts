import type { SinkAddress } from "./sink-address.ts";
import { fileDestination } from "./sink-file.ts";
import { syslogDestination } from "./sink-syslog.ts";
import { TrailSink } from "./trail-sink.ts";

/** By what both sides of a connection know each other, in PEM. */
export interface SinkCertificates {
  readonly ca?: string | undefined;
  readonly client?: { readonly cert: string; readonly key: string } | undefined;
}

/** The sink at an address; it has to be started. */
export function openSink(address: SinkAddress, { ca, client }: SinkCertificates): TrailSink {
  if (address.kind === "file") return new TrailSink((fate) => fileDestination(address.path, fate));
  const { host, port } = address;
  const sender = { host: hostname(), pid: Deno.pid };
  return new TrailSink((fate) => syslogDestination({ host, port, ca, client }, sender, fate));
}

function hostname(): string {
  try {
    return Deno.hostname();
  } catch {
    return "";
  }
}
