import { isIP } from "node:net";
import { Networks, networkText, plainAddress } from "../networks.ts";

/** The ports of https and http: those of an entry that names none. */
const USUAL_PORTS: readonly number[] = [443, 80];

/** Addresses of one's own machine (RFC 1122, RFC 4291). */
const LOOPBACK = new Networks(["127.0.0.0/8", "::1"]);

/**
 * Addresses that are not globally reachable, by IANA's registries of special-purpose addresses; and
 * multicast.
 */
const NOT_PUBLIC = new Networks([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Of what is public in IPv6 (2000::/3), what represents other addresses or is for documents.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
]);

/** The part of IPv6 that IANA gives out. */
const GLOBAL_UNICAST = new Networks(["2000::/3"]);

/** One entry: a host with the ports that it is called at, or a network that names may lead to. */
type Entry = { host: string; ports: readonly number[] } | { network: string };

/**
 * The hosts that Keydesk may call: those that are named, at their ports, and no others. A name
 * leads to public addresses alone, whatever it resolves to, unless its address or network is named
 * too.
 */
export class Reachable {
  readonly #ports = new Map<string, Set<number>>();
  readonly #named: Networks;

  /** `entries`: each as `isEntry` takes it. */
  constructor(entries: readonly string[]) {
    const networks: string[] = [];
    for (const text of entries) {
      const entry = parseEntry(text);
      if (entry === undefined) throw new TypeError("no host and no network");
      if ("network" in entry) {
        networks.push(entry.network);
        continue;
      }
      const ports = this.#ports.get(entry.host) ?? new Set();
      for (const port of entry.ports) ports.add(port);
      this.#ports.set(entry.host, ports);
      if (isIP(entry.host) !== 0) networks.push(entry.host);
      // The one name whose address no resolver decides (RFC 6761).
      if (entry.host === "localhost") networks.push("127.0.0.0/8", "::1");
    }
    this.#named = new Networks(networks);
  }

  /** Whether a host, as `hostOf` gives it, may be called at a port. */
  names(host: string, port: number): boolean {
    return this.#ports.get(host)?.has(port) ?? false;
  }

  /**
   * Whether a connection may lead to an address, whatever name it was reached by. Never to what is
   * no address.
   */
  leadsTo(address: string): boolean {
    const plain = plainAddress(address);
    return plain !== undefined && (isPublic(plain) || this.#named.include(plain));
  }
}

/** Whether an address is one of this machine. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain !== undefined && LOOPBACK.include(plain);
}

/** The host of a URL in one spelling: lower case, IPv6 without brackets, no dot at its end. */
export function hostOf(url: URL): string {
  const bare = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  return plainAddress(bare) ?? bare;
}

/** The entry that names a host, as `hostOf` gives it, at a port. */
export function entryOf(host: string, port: number): string {
  if (USUAL_PORTS.includes(port)) return host;
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/**
 * True for what may be named: a host (`hooks.example.org`, at 443 and 80), a host with its port
 * (`hooks.example.org:8443`, `[2001:db8::1]:8443`), an address, or a network (`10.1.0.0/16`).
 */
export function isEntry(text: string): boolean {
  return parseEntry(text) !== undefined;
}

function parseEntry(text: string): Entry | undefined {
  if (text.includes("/")) {
    const network = networkText(text);
    // A network of all addresses names none.
    return network === undefined || network.endsWith("/0") ? undefined : { network };
  }
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ??
    (isIP(text) === 6 ? ["", text] : []);
  const host = bracketed ?? plain;
  if (host === undefined || (bracketed !== undefined && isIP(bracketed) !== 6)) return undefined;
  const ports = port === undefined ? USUAL_PORTS : [Number(port)];
  if (ports.some((one) => one < 1 || one > 65535)) return undefined;
  const address = plainAddress(host);
  if (address !== undefined) return { host: address, ports };
  return isHostName(host) ? { host: host.toLowerCase(), ports } : undefined;
}

/**
 * A name of labels (RFC 1123), as a URL has it; the last one no number, which a URL would take for
 * an address.
 */
function isHostName(text: string): boolean {
  const labels = text.split(".");
  return text.length <= 253 &&
    labels.every((label) => /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/.test(label)) &&
    !/^(\d+|0x[0-9a-f]*)$/i.test(labels.at(-1) ?? "");
}

function isPublic(plain: string): boolean {
  if (NOT_PUBLIC.include(plain)) return false;
  return isIP(plain) === 4 || GLOBAL_UNICAST.include(plain);
}
