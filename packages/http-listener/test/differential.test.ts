/**
 * Compares the listener with two other servers, hyper by the runtime and llhttp by node:http. It
 * refuses all that both refuse; of all that it takes, the others see the same requests with the
 * same bodies, and one of them as many.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import { shortOr } from "../../../test/support/effort.ts";
import { Random } from "../../../test/support/random.ts";
import { patiently } from "../../../test/support/raw-http.ts";
import { openListener } from "./open-listener.ts";

/** A server's view of a connection: each request, and whether it then refused something. */
interface Seen {
  requests: string[];
  refused: boolean;
}

Deno.test("differential: no request is read otherwise than hyper and llhttp read it", async () => {
  const seen = new Map<string, string[]>();
  const note = (method: string, target: string, id: string | null, body: Uint8Array) => {
    const text = `${method} ${target} ${Buffer.from(body).toString("latin1")}`;
    seen.set(id ?? "", [...seen.get(id ?? "") ?? [], text]);
  };
  await using own = openListener({
    handle: async (request) => {
      const { headers, method, url } = request;
      const body = await request.bytes();
      note(method, targetOf(url), headers.get("x-run"), body);
      return new Response(null);
    },
  });
  await using hyper = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body = await request.bytes();
      note(
        request.method,
        targetOf(request.url),
        request.headers.get("x-run"),
        body,
      );
      return new Response(null);
    },
  );
  const llhttp = createServer((request, response) => {
    const parts: Uint8Array[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const id = request.headers["x-run"];
      note(request.method ?? "", request.url ?? "", String(id), Buffer.concat(parts));
      response.end();
    });
  });
  await new Promise<void>((resolve) => llhttp.listen(0, "127.0.0.1", resolve));
  // as: it listens on a port.
  const { port } = llhttp.address() as { port: number };
  try {
    const random = new Random(shortOr(1, Date.now()));
    const ask = async (server: string, at: number, run: number, text: string): Promise<Seen> => {
      const id = `${server}-${run}`;
      const refused = await isRefused(at, text.replaceAll("RUN", id));
      return { requests: seen.get(id) ?? [], refused };
    };
    for (let run = 0; run < shortOr(120, 4000); run++) {
      const text = madeUp(random);
      const [ours, ...others] = await Promise.all([
        ask("own", own.address.port, run, text),
        ask("hyper", hyper.addr.port, run, text),
        ask("llhttp", port, run, text),
      ]);
      compare(text, ours, others);
    }
  } finally {
    llhttp.closeAllConnections();
    await new Promise((resolve) => llhttp.close(resolve));
  }
});

/** The target behind the host, which may be empty or the server's own word for none. */
function targetOf(url: string): string {
  return url.slice(url.indexOf("/", "http://".length));
}

function compare(text: string, ours: Seen, others: Seen[]): void {
  const what = JSON.stringify({ text, ours, others });
  if (others.every(({ refused }) => refused)) assert.ok(ours.refused, what);
  for (const { requests } of others) {
    const common = Math.min(requests.length, ours.requests.length);
    assert.deepEqual(ours.requests.slice(0, common), requests.slice(0, common), what);
  }
  // A request that neither of them saw does not exist.
  assert.ok(others.some(({ requests }) => requests.length >= ours.requests.length), what);
}

/**
 * Sends it all, says that nothing more comes, and reads what the server says of it: true where
 * something is refused.
 */
async function isRefused(port: number, text: string): Promise<boolean> {
  using socket = await Deno.connect({ hostname: "127.0.0.1", port });
  let answers = "";
  try {
    await socket.write(Buffer.from(text, "latin1"));
    await socket.closeWrite();
    const buffer = new Uint8Array(65536);
    while (true) {
      const count = await patiently("an answer", socket.read(buffer));
      if (count === null) break;
      answers += Buffer.from(buffer.subarray(0, count)).toString("latin1");
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  }
  return /HTTP\/1\.[01] [45]\d\d /.test(answers) || answers === "";
}

/** One or two requests, most of them with something that is not as it should be. */
function madeUp(random: Random): string {
  const often = <T>(usual: T, of: readonly T[]): T => random.below(3) > 0 ? usual : random.pick(of);
  const request = () => {
    const method = often(random.pick(["POST", "PUT"]), ["get", "G T", "", "(", "DELETE"]);
    const target = often("/a", ["/", "/a?b=c", "/%2f", "a", "/a b", "/\x00", "/a\t", "//", "/{}|"]);
    const version = often("HTTP/1.1", [
      "HTTP/1.0",
      "HTTP/1.2",
      "HTTP/2.0",
      "http/1.1",
      "",
      "HTTP/1.1 ",
    ]);
    const end = () => random.below(12) > 0 ? "\r\n" : random.pick(["\n", "\r", "\r\r\n", "\r\n "]);
    const [framing, body] = random.pick(FRAMED);
    const lines = [`${method} ${target} ${version}`, often("Host: a", HOSTS), "X-Run: RUN"];
    if (random.below(4) === 0) lines.push(random.pick(ODD_FIELDS));
    lines.splice(1 + random.below(lines.length), 0, ...framing);
    return `${lines.map((line) => line + end()).join("")}${end()}${body}`;
  };
  return random.below(2) === 0 ? request() : request() + request();
}

const HOSTS = ["Host: ", "Host: b\r\nHost: a", "X-Host: a", "Host : a", "host:a", "Host: a/b"];

const ODD_FIELDS = [
  "X-A : b",
  "X A: b",
  ": b",
  "X-A",
  "X-A: \x00",
  "X-A: a\x7f",
  "X-\xe4: b",
  "X-A: \xe4",
  "X-A: a\r\n b",
  "X-A:\tb\t",
  "Connection: close",
  "Connection: upgrade",
  "Upgrade: h2c",
  "Transfer-Encoding: chunked",
  "Content-Length: 0",
  "Content-Length: 3",
  "Te: trailers",
];

/** Lines that say where a body ends, and a body. */
const FRAMED: readonly (readonly [readonly string[], string])[] = [
  [[], ""],
  [["Content-Length: 5"], "GET /"],
  [["Content-Length: 0"], ""],
  [["Content-Length: 5", "Content-Length: 5"], "hello"],
  [["Content-Length: 5", "Content-Length: 4"], "hello"],
  [["Content-Length: 5, 5"], "hello"],
  [["Content-Length: +5"], "hello"],
  [["Content-Length: 05"], "hello"],
  [["Content-Length: 0x5"], "hello"],
  [["Content-Length: 5 5"], "hello"],
  [["Content-Length: "], ""],
  [["Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5;a=b\r\nhello\r\n0\r\nX-T: 1\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5\r\nhello0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5\nhello\n0\n\n"],
  [["Transfer-Encoding: chunked"], "5 \r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], " 5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "+5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "0x5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "ffffffffffffffff1\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5\r\nhello\r\n\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5;a\nb\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "000005\r\nhello\r\n00\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\nX T: 1\r\n\r\n"],
  [["Transfer-Encoding: chunked", "Content-Length: 5"], "5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: xchunked"], "5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked, identity"], "5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: \x0bchunked"], "5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding:\tChunked\t"], "5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked,"], "5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: , chunked"], "5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked;a=b"], "5\r\nhello\r\n0\r\n\r\n"],
  [['Transfer-Encoding: "chunked"'], "5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: identity"], "GET /b HTTP/1.1\r\nHost: a\r\nX-Run: RUN\r\n\r\n"],
  [["Transfer-Encoding_: chunked", "Content-Length: 5"], "hello"],
  [["Transfer-Encoding : chunked", "Content-Length: 5"], "hello"],
  [["Content-Length:\t5\t"], "hello"],
  [["Content-Length: 5\x0c"], "hello"],
  [["Content-Length: \xb2"], "hello"],
  [["Content_Length: 5"], ""],
  [["Transfer-Encoding: chunked"], "5;\r\nhello\r\n0;\r\n\r\n"],
  [["Transfer-Encoding: chunked"], '5;a="\r\nhello\r\n0\r\n\r\n'],
  [["Transfer-Encoding: chunked"], "5\r\nhello\r\n-1\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\n X: 1\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\nContent-Length: 9\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\n\n"],
  [["Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\n\r"],
  [["Transfer-Encoding: chunked"], "5\r\nhello\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5\rXhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "100000005\r\nhello\r\n0\r\n\r\n"],
  [["Expect: 100-continue", "Content-Length: 5"], "hello"],
];
