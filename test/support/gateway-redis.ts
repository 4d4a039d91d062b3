/** The Redis of a stand-in's records, as far as a desk speaks with one. */
import { Buffer } from "node:buffer";

/** What listens, and how it behaves. */
export interface RedisStandIn extends AsyncDisposable {
  /** As a gateway's `redis_url` names it. */
  readonly url: string;
  /** As KEYDESK_OUTBOUND names it. */
  readonly host: string;
  readonly records: Map<string, Record<string, unknown> | string>;
  /** "": everybody may ask. */
  password: string;
  /** What it answers to each SET, such as `READONLY You can't write`; "": it does it. */
  refuses: string;
  /** True: it answers nothing. */
  hangs: boolean;
  /** Names of records that go by themselves, with the seconds until then. */
  readonly ends: Map<string, number>;
  /** Each command that came, in words. */
  readonly commands: string[][];
}

/** A Redis that holds these records. */
export function redisStandIn(records: RedisStandIn["records"]): RedisStandIn {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const host = `127.0.0.1:${listener.addr.port}`;
  const made: RedisStandIn = {
    url: `redis://${host}/0`,
    host,
    records,
    password: "",
    refuses: "",
    hangs: false,
    ends: new Map(),
    commands: [],
    [Symbol.asyncDispose]: async () => {
      listener.close();
      for (const connection of open) {
        try {
          connection.close();
        } catch {
          // It was closed by the other side.
        }
      }
      await serving;
    },
  };
  const serving = (async () => {
    for await (const connection of listener) {
      open.add(connection);
      serve(made, connection).catch(() => {}).finally(() => open.delete(connection));
    }
  })();
  return made;
}

async function serve(redis: RedisStandIn, connection: Deno.Conn): Promise<void> {
  let text = "";
  let isKnown = false;
  for await (const piece of connection.readable) {
    text += Buffer.from(piece).toString("latin1");
    for (let next = command(text); next; next = command(text)) {
      text = text.slice(next.length);
      const { words } = next;
      redis.commands.push(words);
      if (redis.hangs) continue;
      if (words[0] === "AUTH" && words.at(-1) === redis.password) isKnown = true;
      const answer = isKnown || redis.password === "" || words[0] === "AUTH"
        ? answerOf(redis, words)
        : "-NOAUTH Authentication required.\r\n";
      await connection.write(Buffer.from(answer));
    }
  }
}

/** The first command of a text, once it is whole. */
function command(text: string): { words: string[]; length: number } | undefined {
  const [head = "", count = "0"] = /^\*(\d+)\r\n/.exec(text) ?? [];
  if (head === "") return undefined;
  const words: string[] = [];
  let at = head.length;
  for (let n = 0; n < Number(count); n++) {
    const [size = "", length = "0"] = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20)) ?? [];
    const end = at + size.length + Number(length);
    if (size === "" || text.length < end + 2) return undefined;
    words.push(Buffer.from(text.slice(at + size.length, end), "latin1").toString());
    at = end + 2;
  }
  return { words, length: at };
}

function answerOf(redis: RedisStandIn, [verb, name = "", value = "", ...more]: string[]): string {
  if (verb === "AUTH") {
    const given = value === "" ? name : value;
    return given === redis.password ? "+OK\r\n" : "-WRONGPASS invalid username-password pair\r\n";
  }
  if (verb === "SELECT") return "+OK\r\n";
  const record = redis.records.get(name);
  if (verb === "GET") {
    if (record === undefined) return "$-1\r\n";
    const text = typeof record === "string" ? record : JSON.stringify(record);
    return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
  }
  if (verb !== "SET") return "-ERR unknown command\r\n";
  if (redis.refuses !== "") return `-${redis.refuses}\r\n`;
  if (more.includes("NX") && record !== undefined) return "$-1\r\n";
  redis.records.set(name, JSON.parse(value));
  if (more.includes("EX")) redis.ends.set(name, Number(more[more.indexOf("EX") + 1]));
  return "+OK\r\n";
}
