import { isIP } from "node:net";
import { reachableUrl } from "./reachable-url.ts";
import {
  documentOfRecord,
  kindOfRecord,
  prefixes,
  QUOTA,
  type RecordKind,
  withUsed,
} from "./redis-records.ts";
import { type Kind, type Source, type SourceDocument, SourceUnusable } from "./source.ts";

/** The address of a gateway's Redis. */
interface RedisPlace {
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
/** For each step of a SCAN and the records of it. */
const PATIENCE_MS = 60_000;

const patterns: Readonly<Record<RecordKind, string>> = {
  key: `${prefixes.key}*`,
  certificate: `${prefixes.certificate}*`,
  client: `${prefixes.client}*`,
};

const QUOTAS_UNKNOWN = { ofSource: "quotas_unknown" } as const;

/**
 * The records of a gateway in its Redis, by SCAN and GET alone. A user who may not read what is
 * used of quotas reads the keys without it, which the first document says. Throws SourceUnusable
 * where it is reached without TLS on another machine, or not at all, and where it holds no record,
 * or a part of them.
 */
export async function openGatewayRedis(
  place: RedisPlace,
  patienceMs = PATIENCE_MS,
): Promise<Source> {
  const url = reachableUrl(place.url, {
    option: "--redis",
    plain: "redis:",
    secure: "rediss:",
    secretOption: "--redis-password-file",
    allowPlain: place.allowPlain,
  });
  const client = await connected(url, place);
  if (await isPartOfCluster(client)) {
    client.destroy();
    throw new SourceUnusable(
      `${url.host} is a part of a Redis Cluster, and the other records are in its other parts: dump each part into a redis.jsonl, and name every one of them by --files`,
    );
  }
  /** The names of records, a few at a time. */
  async function* names(pattern: string): AsyncGenerator<string[], void, void> {
    const steps = client.scanIterator({ MATCH: pattern, COUNT: AT_ONCE });
    while (true) {
      const { done, value } = await answered(url, patienceMs, steps.next());
      if (done) return;
      yield value;
    }
  }
  async function* documents(kind: Kind): AsyncGenerator<SourceDocument, void, void> {
    const pattern = Object.hasOwn(patterns, kind) ? patterns[kind as RecordKind] : undefined;
    if (pattern === undefined) return;
    let mayReadQuotas = true;
    let isReported = false;
    for await (const found of names(pattern)) {
      const own = found.filter((name) => kindOfRecord(name) === kind);
      // One after the other on one connection: the answers come in one round trip.
      const asked = Promise.all(own.map((name) => valueOf(client.get(name))));
      const values = await answered(url, patienceMs, asked);
      const counted = kind === "key" && mayReadQuotas
        ? Promise.all(own.map((name) => valueIfAllowed(client.get(quotaOf(name)))))
        : Promise.resolve([]);
      const used = await answered(url, patienceMs, counted);
      if (used.includes(undefined)) mayReadQuotas = false;
      for (const [i, name] of own.entries()) {
        const value = values[i];
        if (value === null || value === undefined) continue;
        const members = documentOfRecord(kind, name, value);
        const place = { place: url.host, ...mayReadQuotas || isReported ? {} : QUOTAS_UNKNOWN };
        isReported = !mayReadQuotas;
        if (typeof members === "string") yield { ...place, problem: members };
        else yield { ...place, members: { ...members, ...withUsed(used[i]) } };
      }
    }
  }
  if (!await holdsAny(names("*"))) {
    client.destroy();
    throw new SourceUnusable(
      `${url.host}: database ${
        databaseOf(url)
      } holds no record of a gateway, and what is empty says nothing: name the ` +
        "gateway's own (redis://host:6379/1), or leave --redis out",
    );
  }
  let counts: Map<Kind, number> | undefined;
  return {
    name: url.host,
    type: "redis",
    kinds: new Set<Kind>(["certificate", "client", "key"]),
    expected: async (kind) => {
      counts ??= await countRecords(names("*"));
      return counts.get(kind) ?? 0;
    },
    documents,
    // Nothing waits for an answer any more.
    close: () => Promise.resolve(client.isOpen ? client.destroy() : undefined),
  };
}

/** Whether a server says that it shares its records with others; old ones say nothing. */
async function isPartOfCluster(client: Awaited<ReturnType<typeof connected>>): Promise<boolean> {
  const hello = await client.sendCommand(["HELLO"]).catch(() => null);
  // An object or a list, by the protocol that is spoken.
  return /"mode"[:,]"cluster"/.test(JSON.stringify(hello));
}

/**
 * An answer. Throws SourceUnusable if none comes; its message omits the command, which may hold a
 * key.
 */
async function answered<T>(url: URL, patienceMs: number, asked: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), patienceMs);
  });
  try {
    return await Promise.race([asked, late]);
  } catch (error) {
    const reason = error instanceof Error ? reasonIn(error) : "no answer";
    throw new SourceUnusable(`${url.host}: ${reason}; what came in stays in, run it again`);
  } finally {
    clearTimeout(timer);
  }
}

/** Of what Redis itself refused the code alone: its sentence may repeat the name of a record. */
function reasonIn({ message }: Error): string {
  const [code] = /^[A-Z]{3,}(?= )/.exec(message) ?? [];
  return code === undefined ? message : `Redis refuses to answer (${code})`;
}

/**
 * The library, which is installed by name where a person moves in from a Redis: no one else needs
 * its 15 MB. Throws SourceUnusable where it is not there, with what to do. `load`: how it comes.
 */
export async function library(load = () => import("redis")): Promise<typeof import("redis")> {
  try {
    return await load();
  } catch (cause) {
    throw new SourceUnusable(
      "--redis needs the package redis, which is not installed: npm install redis@6 beside Keydesk " +
        "(with -g where Keydesk was installed so), or dump the records into a redis.jsonl and name it by --files",
      { cause },
    );
  }
}

/** A client that is connected once and not again. Throws SourceUnusable. */
async function connected(url: URL, { username, password, ca }: RedisPlace) {
  const { createClient } = await library();
  const isSecure = url.protocol === "rediss:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = Number(url.port || "6379");
  try {
    const client = createClient({
      database: databaseOf(url),
      ...username === undefined ? {} : { username },
      ...password === undefined ? {} : { password },
      // Both ask for more than reading: for a name in the list of clients, and for the host's
      // addresses.
      disableClientInfo: true,
      maintNotifications: "disabled",
      socket: {
        host,
        port,
        connectTimeout: CONNECT_MS,
        reconnectStrategy: false as const,
        ...isSecure ? { tls: true as const, ...nameOf(host) } : {},
        ...isSecure && ca !== undefined ? { ca } : {},
      },
    });
    // Reported by the call that it ends.
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

function databaseOf(url: URL): number {
  return Number(url.pathname.slice(1) || "0");
}

/** Whether one of the names is that of a gateway's record. */
async function holdsAny(names: AsyncIterable<string[]>): Promise<boolean> {
  for await (const found of names) {
    if (found.some((name) => kindOfRecord(name) !== undefined)) return true;
  }
  return false;
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

/** A record's text, empty where it is no text; null where it is gone. */
async function valueOf(asked: Promise<string | null>): Promise<string | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("WRONGTYPE")) return "";
    throw error;
  }
}

/** The name of the record that counts a key's quota. */
function quotaOf(name: string): string {
  return QUOTA + name.slice(prefixes.key.length);
}

/** As valueOf; undefined where the user who asks has no right to the record. */
async function valueIfAllowed(asked: Promise<string | null>): Promise<string | null | undefined> {
  try {
    return await valueOf(asked);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("NOPERM")) return undefined;
    throw error;
  }
}
