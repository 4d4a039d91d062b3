import type { LookupFunction } from "node:net";
import {
  type ClientCertificate,
  type Destination,
  type Outbound,
  OutboundDenied,
} from "./outbound.ts";
import { entryOf, hostOf, isLoopback, Reachable } from "./reachable.ts";

/** The settings of the outbound client. */
interface OutboundOptions {
  /** Hosts and networks that may be reached, each as `isEntry` takes it. */
  readonly entries: readonly string[];
  /** Certificates of authorities that are trusted in place of the runtime's own, in PEM. */
  readonly ca?: string;
  /** How names are resolved; the system's way where it is not given. */
  readonly lookup?: LookupFunction;
  /** Presented by the calls that say so. */
  readonly client?: ClientCertificate | undefined;
}

/**
 * The way out to what `entries` name. A host must be named; the address is looked at on the open
 * connection, before the first byte, so that it does not matter what a name resolved to before.
 * Each call has a connection of its own.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const reachable = new Reachable(options.entries);
  return {
    hasClientCertificate: options.client !== undefined,
    send: async (call) => {
      const started = performance.now();
      const to = destinationOf(call.url, reachable);
      const { exchange } = await import("./exchange.ts");
      const guard = (address: string) => denialOf(to, address, reachable);
      const { client, ...ways } = options;
      const presented = call.presentsCertificate ? { client } : {};
      const answer = await exchange(call, to, { ...ways, ...presented, guard });
      return { ...answer, durationMs: performance.now() - started };
    },
    connect: async (to) => {
      const { host, port } = to;
      if (!reachable.names(host, port)) {
        const message = `${host}:${port} is not named in KEYDESK_OUTBOUND, so it is not called`;
        throw new OutboundDenied("not_named", host, message);
      }
      const { openConnection } = await import("./connect.ts");
      const guard = (address: string) =>
        reachable.leadsTo(address) ? undefined : privateAddress(host, address);
      return await openConnection(to, { ...options, guard });
    },
    missing: (text) => {
      if (!URL.canParse(text)) return undefined;
      const url = new URL(text);
      const { host, port } = placeOf(url);
      return reachable.names(host, port) ? undefined : entryOf(host, port);
    },
  };
}

/** Throws OutboundDenied for a URL that may not be called, whatever its name resolves to. */
function destinationOf(text: string, reachable: Reachable): Destination {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSecure = url?.protocol === "https:";
  if (!url || !(isSecure || url.protocol === "http:") || url.username + url.password !== "") {
    throw new OutboundDenied("no_url", "", "expected an https URL without a user name");
  }
  const { host, port } = placeOf(url);
  if (!reachable.names(host, port)) {
    const message = `${url.host} is not named in KEYDESK_OUTBOUND, so it is not called`;
    throw new OutboundDenied("not_named", host, message);
  }
  return { url, host, port, isSecure };
}

function placeOf(url: URL): { host: string; port: number } {
  const { port, protocol } = url;
  return { host: hostOf(url), port: Number(port) || (protocol === "https:" ? 443 : 80) };
}

/** The reason that forbids an open connection, if any. */
function denialOf(
  { host, isSecure }: Destination,
  address: string,
  reachable: Reachable,
): OutboundDenied | undefined {
  if (!reachable.leadsTo(address)) return privateAddress(host, address);
  if (!isSecure && !isLoopback(address)) {
    return new OutboundDenied("not_https", host, `${host} is called by https alone`);
  }
  return undefined;
}

function privateAddress(host: string, address: string): OutboundDenied {
  const message = `${host} is at ${address}, which is no public address; ` +
    "where it is meant, KEYDESK_OUTBOUND names that address or its network too";
  return new OutboundDenied("private_address", host, message);
}
