import { isIP } from "node:net";
import { reachableUrl } from "./reachable-url.ts";
import { documentOfRecord, kindOfRecord, prefixes, type RecordKind } from "./redis-records.ts";
import { type Kind, type Source, type SourceDocument, SourceUnusable } from "./source.ts";

/** Where a gateway's Redis is. */
export interface RedisPlace {
  /** `redis://host:6379/0`, or `rediss://` with TLS; without a password. */
  url: string;
  username?: string;
  password?: string;
  /** Certificates of the authorities that are trusted, in PEM. */
  ca?: string;
  /** True: named as a server that may be reached without TLS. */
  allowPlain: boolean;
}

/** Records of one SCAN; the server works on nothing else meanwhile, so it is little. */
const AT_ONCE = 100;
const CONNECT_MS = 10_000;

const patterns: Readonly<Record<RecordKind, string>> = {
  key: `${prefixes.key}*`,
  certificate: `${prefixes.certificate}*`,
  client: `${prefixes.client}*`,
};

/**
 * The records of a gateway in its Redis, by SCAN and GET alone. Throws SourceUnusable where it is reached without TLS
 * on another machine, or not at all.
 */
export async function openGatewayRedis(place: RedisPlace): Promise<Source> {
  const url = reachableUrl(place.url, {
    ...{ option: "--redis", plain: "redis:", secure: "rediss:" },
    ...{ secretOption: "--redis-password-file", allowPlain: place.allowPlain },
  });
  const client = await connected(url, place);
  async function* documents(kind: Kind): AsyncGenerator<SourceDocument, void, void> {
    const pattern = Object.hasOwn(patterns, kind) ? patterns[kind as RecordKind] : undefined;
    if (pattern === undefined) return;
    for await (const found of client.scanIterator({ MATCH: pattern, COUNT: AT_ONCE })) {
      const names = found.filter((name) => kindOfRecord(name) === kind);
      // One after the other on one connection: the answers come in one round trip.
      const values = await Promise.all(names.map((name) => valueOf(client.get(name))));
      for (const [i, name] of names.entries()) {
        const value = values[i];
        if (typeof value !== "string") continue;
        const members = documentOfRecord(kind, name, value);
        yield typeof members === "string"
          ? { place: url.host, trouble: members }
          : { place: url.host, members };
      }
    }
  }
  let counts: Map<Kind, number> | undefined;
  return {
    name: url.host,
    type: "redis",
    kinds: new Set<Kind>(["certificate", "client", "key"]),
    expected: async (kind) => {
      counts ??= await countRecords(client.scanIterator({ COUNT: AT_ONCE }));
      return counts.get(kind) ?? 0;
    },
    documents,
    close: async () => {
      await client.close();
    },
  };
}

/** A client that is connected once and not again. Throws SourceUnusable. */
async function connected(url: URL, { username, password, ca }: RedisPlace) {
  // Loaded where it is asked for: nobody else needs it.
  const { createClient } = await import("redis");
  const isSecure = url.protocol === "rediss:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = Number(url.port || "6379");
  try {
    const client = createClient({
      database: Number(url.pathname.slice(1) || "0"),
      ...username === undefined ? {} : { username },
      ...password === undefined ? {} : { password },
      // Both ask for more than reading: for a name in the list of clients, and for the host's addresses.
      disableClientInfo: true,
      maintNotifications: "disabled",
      socket: {
        ...{ host, port, connectTimeout: CONNECT_MS, reconnectStrategy: false as const },
        ...isSecure ? { tls: true as const, ...nameOf(host) } : {},
        ...isSecure && ca !== undefined ? { ca } : {},
      },
    });
    // Told by the call that it ends.
    client.on("error", () => {});
    await client.connect();
    return client;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "no answer";
    throw new SourceUnusable(`${url.host}: ${reason}`);
  }
}

/** By what name the server's certificate is asked for; an address is no name. */
function nameOf(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

/** How many records there are of each kind, by their names alone. */
async function countRecords(names: AsyncIterable<string[]>): Promise<Map<Kind, number>> {
  const counts = new Map<Kind, number>();
  for await (const found of names) {
    for (const name of found) {
      const kind = kindOfRecord(name);
      if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  }
  return counts;
}

/** A record's text; undefined where it is gone, or is no text. */
async function valueOf(asked: Promise<string | null>): Promise<string | undefined> {
  try {
    return await asked ?? undefined;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("WRONGTYPE")) return undefined;
    throw error;
  }
}
