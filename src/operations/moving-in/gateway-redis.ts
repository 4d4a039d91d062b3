import { isIP } from "node:net";
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
  const url = usableUrl(place);
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
  return {
    name: url.host,
    kinds: new Set<Kind>(["certificate", "client", "key"]),
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

/** A record's text; undefined where it is gone, or is no text. */
async function valueOf(asked: Promise<string | null>): Promise<string | undefined> {
  try {
    return await asked ?? undefined;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("WRONGTYPE")) return undefined;
    throw error;
  }
}

function usableUrl({ url: text, allowPlain }: RedisPlace): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !["redis:", "rediss:"].includes(url.protocol)) {
    throw new SourceUnusable("--redis: expected redis://host:6379 or rediss://host:6379");
  }
  if (url.username + url.password !== "") {
    throw new SourceUnusable(
      "--redis: everybody on this machine can read a password in an argument; give it by --redis-password-file",
    );
  }
  const isHere = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "redis:" && !isHere && !allowPlain) {
    throw new SourceUnusable(
      `--redis: ${url.hostname} is reached by rediss:// alone, since keys would cross the network in plain; --allow-plain where that is meant`,
    );
  }
  return url;
}
