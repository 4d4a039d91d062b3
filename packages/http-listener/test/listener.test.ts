/**
 * Connections from their first byte to their last, over real sockets, without an application behind
 * them.
 */
import assert from "node:assert/strict";
import { eventually } from "../../../test/support/eventually.ts";
import { RawConnection } from "../../../test/support/raw-http.ts";
import { wholeResponse } from "../written-response.ts";
import { openListener } from "./open-listener.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const KILO = "x".repeat(1024);

Deno.test("listener: what is no request gets its status, and the connection ends", async () => {
  await using listener = openListener();
  const refused: Record<string, number> = {
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": 505,
    "\x16\x03\x01\x02\x00\x01": 400,
    "bad\r\n\r\n": 400,
    "GET / HTTP/1.1\r\n\r\n": 400,
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n": 400,
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n": 501,
    [`GET /${"x".repeat(70_000)}`]: 414,
    [`GET / HTTP/1.1\r\nHost: a\r\nX-A: ${"x".repeat(70_000)}`]: 431,
  };
  for (const [sent, status] of Object.entries(refused)) {
    using connection = await RawConnection.open(listener.address);
    await connection.send(sent + GET);
    const answer = await connection.answer();
    assert.equal(answer?.status, status, sent.slice(0, 80));
    assert.equal(answer.headers.get("connection"), "close");
    assert.ok(answer.headers.has("date"));
    assert.equal(await connection.rest(), "", "nothing behind it is taken for a request");
  }
});

Deno.test("listener: an offer of HTTP/2 is ignored, with a body and without, and any method is handed over", async () => {
  await using listener = openListener({
    handle: async ({ method, bytes }) =>
      new Response(`${method} ${new TextDecoder().decode(await bytes())}`),
  });
  using connection = await RawConnection.open(listener.address);
  for (const [method, body] of [["GET", ""], ["POST", "abc"], ["UPDATE", "abc"], ["DELETE", ""]]) {
    await connection.send(
      `${method} / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: ${body?.length}\r\n` +
        `Host: a\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nUpgrade: h2c\r\n\r\n${body}`,
    );
    const answer = await connection.answer();
    assert.deepEqual([answer?.status, answer?.body], [200, `${method} ${body}`]);
    assert.equal(answer?.headers.get("upgrade"), undefined);
  }
});

Deno.test("listener: a head that comes a byte at a time has the deadline of its first byte", async () => {
  await using listener = openListener({ headMs: 500 });
  using connection = await RawConnection.open(listener.address);
  const answer = connection.answer();
  let isOver = false;
  void answer.then(() => isOver = true);
  for (let at = 0; !isOver; at++) {
    await connection.send(at < GET.length - 4 ? GET.slice(at, at + 1) : "x");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal((await answer)?.status, 408);
  assert.equal(await connection.rest(), "");
});

Deno.test("listener: a line that ends with LF alone is refused at once, and a blank line comes in two pieces", async () => {
  await using listener = openListener({ headMs: 60_000 });
  for (const head of ["GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\n\n"]) {
    using connection = await RawConnection.open(listener.address);
    await connection.send(head);
    assert.equal((await connection.answer())?.status, 400);
    assert.equal(await connection.rest(), "");
  }
  using connection = await RawConnection.open(listener.address);
  using other = await RawConnection.open(listener.address);
  await connection.send("\r");
  await other.send(GET);
  assert.equal((await other.answer())?.status, 200);
  await connection.send(`\n${GET}`);
  assert.equal((await connection.answer())?.status, 200);
});

Deno.test("listener: who connects and says nothing, or nothing any more, is closed without a word", async () => {
  await using listener = openListener({ headMs: 300, idleMs: 300 });
  using silent = await RawConnection.open(listener.address);
  using idle = await RawConnection.open(listener.address);
  await idle.send(GET);
  assert.equal((await idle.answer())?.status, 200);
  assert.deepEqual(await Promise.all([silent.rest(), idle.rest()]), ["", ""]);
});

Deno.test("listener: who takes nothing of an answer is closed, and what makes it is told", async () => {
  let ended = false;
  await using listener = openListener({
    idleMs: 300,
    handle: () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
          cancel: () => void (ended = true),
        }),
      ),
  });
  using connection = await RawConnection.open(listener.address);
  await connection.send(GET);
  await eventually("the answer to be given up", () => ended);
});

Deno.test("listener: an answer that can't be made to its end breaks off, and its cause is told", async () => {
  const told: unknown[] = [];
  const parts = () =>
    new ReadableStream({
      start: (to) => to.enqueue(new Uint8Array(8)),
      pull: () => Promise.reject(new Error("the disk is gone")),
    });
  await using listener = openListener({
    handle: () => new Response(parts()),
    refuse: (error) => (told.push(error), new Response(null, { status: 500 })),
  });
  using connection = await RawConnection.open(listener.address);
  await connection.send(GET + GET);
  assert.match(await connection.rest(), /^HTTP\/1.1 200 OK\r\n/);
  assert.deepEqual(told, [new Error("the disk is gone")]);
});

Deno.test("listener: who waits for the rest of an answer, or is asked for a body, takes nothing and is not closed for it", async () => {
  const waiting = Promise.withResolvers<void>();
  await using listener = openListener({
    idleMs: 300,
    headMs: 300,
    handle: async ({ method, bytes }) => {
      if (method === "POST") return new Response(String((await bytes()).length));
      return new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(new Uint8Array(1024));
            await waiting.promise;
            controller.enqueue(new Uint8Array(1024));
            controller.close();
          },
        }),
      );
    },
  });
  using asking = await RawConnection.open(listener.address);
  using asked = await RawConnection.open(listener.address);
  await asking.send(GET);
  await asked.send(
    "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1024\r\n\r\n",
  );
  assert.equal((await asked.answer())?.status, 100);
  // The time is over for two that came later.
  for (let n = 0; n < 2; n++) {
    using silent = await RawConnection.open(listener.address);
    assert.equal(await silent.rest(), "");
  }
  waiting.resolve();
  await asked.send(KILO);
  assert.equal((await asked.answer())?.body, "1024");
  assert.equal((await asking.answer())?.body.length, 2048);
});

Deno.test("listener: an answer before its body's end is not lost, however long the body is and however slowly it comes", async () => {
  await using listener = openListener({
    leavingMs: 4000,
    handle: ({ url }) =>
      new Response("early", { headers: url.endsWith("/last") ? { connection: "close" } : {} }),
  });
  const post = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
  // A client that writes all of it before reading finds the connection open.
  using socket = await Deno.connect(listener.address);
  const long = new Uint8Array(1024 * 1024);
  await socket.write(new TextEncoder().encode(post("/last", 16 * long.length)));
  for (let n = 0; n < 16; n++) {
    for (let at = 0; at < long.length;) at += await socket.write(long.subarray(at));
  }
  const answer = new Uint8Array(1024);
  const length = await socket.read(answer);
  assert.match(new TextDecoder().decode(answer.subarray(0, length ?? 0)), /\r\nearly\r\n/);
  // Each piece comes in time, all of them take longer; and the connection goes on as the answer
  // said.
  using slow = await RawConnection.open(listener.address);
  await slow.send(post("/first", 40 * KILO.length));
  for (let n = 0; n < 40; n++) {
    await new Promise((resolve) => setTimeout(resolve, 120));
    await slow.send(KILO);
  }
  await slow.send(GET);
  for (let n = 0; n < 2; n++) assert.equal((await slow.answer())?.body, "early");
});

Deno.test("listener: where places are full the silent go, the oldest first, and who is served stays", async () => {
  const waiting = Promise.withResolvers<void>();
  const refused: string[] = [];
  let asked = 0;
  await using listener = openListener({
    most: 4,
    // Each from an address of its own.
    countedBy: () => undefined,
    handle: async () => {
      asked++;
      await waiting.promise;
      return new Response("served");
    },
    onRefused: (reason) => refused.push(reason),
  });
  const silent: RawConnection[] = [];
  for (let n = 0; n < 3; n++) silent.push(await RawConnection.open(listener.address));
  using served = await RawConnection.open(listener.address);
  await served.send(GET);
  using late = await RawConnection.open(listener.address);
  assert.equal(await silent[0]?.rest(), "");
  await late.send(GET);
  using second = await RawConnection.open(listener.address);
  assert.equal(await silent[1]?.rest(), "");
  await second.send(GET);
  using third = await RawConnection.open(listener.address);
  assert.equal(await silent[2]?.rest(), "");
  await third.send(GET);
  await eventually("all to be served", () => asked === 4);
  // There is nobody to close.
  await eventually("a connection to be refused", async () => {
    using refusedOne = await RawConnection.open(listener.address);
    assert.equal(await refusedOne.rest(), "");
    return refused.length > 0;
  });
  waiting.resolve();
  for (const one of [served, late, second, third]) {
    assert.equal((await one.answer())?.body, "served");
  }
  for (const one of silent) one.close();
});

Deno.test("listener: clients that leave before they are accepted make nobody wait, and are told to nobody", async () => {
  const { listen } = Deno;
  const all = 10_000;
  let leaving = all;
  // As the runtime tells of them. Whether the system still has one that was reset is chance.
  Object.assign(Deno, {
    listen: (options: Deno.TcpListenOptions) => {
      const listener = listen(options);
      const accept = listener.accept.bind(listener);
      const left = () => Promise.reject(new Deno.errors.NotConnected("not connected"));
      return Object.assign(listener, { accept: () => leaving-- > 0 ? left() : accept() });
    },
  });
  const refused: string[] = [];
  await using listener = openListener({ onRefused: (reason) => refused.push(reason) });
  Object.assign(Deno, { listen });
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.ok(leaving > all / 2, `${all - leaving} in a row before anything else had its turn`);
  using connection = await RawConnection.open(listener.address);
  await connection.send(GET);
  assert.equal((await connection.answer())?.status, 200);
  assert.deepEqual(refused, []);
});

Deno.test("listener: near the cap an address gets more than its share only in the place of its own", async () => {
  let from = "a";
  await using listener = openListener({ most: 32, countedBy: () => from, headMs: 60_000 });
  const open = () => RawConnection.open(listener.address);
  const own = await Promise.all(Array.from({ length: 24 }, open));
  await eventually("all to be taken", async () => {
    using one = await open();
    await one.send(GET);
    return (await one.answer())?.status === 200;
  });
  // That one took the place of the oldest of its own; one of another address takes nobody's.
  assert.equal(await own[0]?.rest(), "");
  from = "b";
  using other = await open();
  await other.send(GET);
  assert.equal((await other.answer())?.status, 200);
  await own[1]?.send(GET);
  assert.equal((await own[1]?.answer())?.status, 200);
  for (const one of own) one.close();
});

Deno.test("listener: what thousands take nothing of costs a piece each, whoever sends ahead or asks for one long text", async () => {
  const text = "é".repeat(400_000);
  let asked = 0;
  await using listener = openListener({ most: 2000, handle: () => (asked++, new Response(text)) });
  const bytes = new TextEncoder().encode(text);
  await using whole = openListener({ handle: () => wholeResponse(text) });
  await using lent = openListener({ handle: () => wholeResponse(bytes) });
  for (const one of [whole, lent]) {
    using connection = await RawConnection.open(one.address);
    await connection.send(GET + GET);
    for (let n = 0; n < 2; n++) assert.equal((await connection.answer())?.body, text);
  }
  // One at a time, however many were sent: the next when the one before was taken.
  using ahead = await RawConnection.open(listener.address);
  await ahead.send(GET.repeat(200));
  assert.ok(await ahead.sip() > 0);
  assert.ok(asked < 200);
});

Deno.test("listener: half a connection is answered to its end", async () => {
  await using listener = openListener();
  using connection = await RawConnection.open(listener.address);
  await connection.send(GET + GET);
  await connection.finishSending();
  for (let n = 0; n < 2; n++) assert.equal((await connection.answer())?.body, "hello");
  assert.equal(await connection.rest(), "");
});

Deno.test("listener: a client that leaves before its answer is noticed, and no other one", async () => {
  const gone: boolean[] = [];
  const left = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await using listener = openListener({
    handle: async ({ url, bytes, gone: lookOut }) => {
      await bytes();
      const signal = lookOut?.();
      signal?.addEventListener("abort", () => left.resolve());
      asked.resolve();
      await (url.endsWith("/leaves") ? left.promise : answer.promise);
      gone.push(signal?.aborted ?? false);
      return new Response(url);
    },
  });
  const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`;
  using stays = await RawConnection.open(listener.address);
  await stays.send(post("/1"));
  await asked.promise;
  // The following bytes are the next request, whole or in part.
  await stays.send(post("/2").slice(0, 20));
  const leaves = await RawConnection.open(listener.address);
  await leaves.send(post("/leaves"));
  leaves[Symbol.dispose]();
  await left.promise;
  answer.resolve();
  assert.equal((await stays.answer())?.body, "http://a/1");
  await stays.send(post("/2").slice(20) + post("/3"));
  assert.equal((await stays.answer())?.body, "http://a/2");
  assert.equal((await stays.answer())?.body, "http://a/3");
  await stays.send(post("/4"));
  assert.equal((await stays.answer())?.body, "http://a/4");
  assert.deepEqual(gone.toSorted(), [false, false, false, false, true]);
});

Deno.test("listener: bodies come by their length and by their chunks, and the go-ahead only where one is read", async () => {
  await using listener = openListener({
    handle: async ({ url, body, bytes }) => {
      if (url.endsWith("/ignored")) return new Response("ignored");
      if (url.endsWith("/whole")) return new Response(String((await bytes()).length));
      let length = 0;
      if (url.endsWith("/pieces")) {
        const lengths: number[] = [];
        for await (const part of body ?? []) lengths.push(part.length);
        return new Response(lengths.join(" "));
      }
      for await (const part of body ?? []) length += part.length;
      return new Response(String(length));
    },
  });
  using connection = await RawConnection.open(listener.address);
  const post = (path: string, ...lines: string[]) =>
    [`POST ${path} HTTP/1.1`, "Host: a", ...lines, "", ""].join("\r\n");
  const answered = async () => (await connection.answer())?.body;
  // However small its chunks are, what is kept of a body is large.
  await connection.send(post("/pieces", "Transfer-Encoding: chunked"), "1\r\nx\r\n".repeat(40_000));
  await connection.send("0\r\n\r\n");
  assert.equal(await answered(), "16384 16384 7232");
  for (const path of ["/whole", "/parts"]) {
    await connection.send(post(path, "Content-Length: 102400"), KILO.repeat(100));
    assert.equal(await answered(), "102400");
    await connection.send(post(path, "Transfer-Encoding: chunked"));
    for (const part of ["400;a=b\r\n", KILO, "\r\n1\r", "\nx\r\n0\r\nX-A: b\r\n\r\n"]) {
      await connection.send(part);
    }
    assert.equal(await answered(), "1025");
  }
  await connection.send(post("/whole", "Expect: 100-continue", "Content-Length: 1024"));
  assert.equal((await connection.answer())?.status, 100);
  await connection.send(KILO);
  assert.equal(await answered(), "1024");
  // A short rest is passed over, and the connection goes on.
  await connection.send(post("/ignored", "Content-Length: 1024"), KILO + GET);
  assert.equal(await answered(), "ignored");
  assert.equal(await answered(), "0");
  await connection.send(post("/ignored", "Expect: 100-continue", "Content-Length: 1024"));
  const last = await connection.answer();
  assert.deepEqual([last?.status, last?.headers.get("connection")], [200, "close"]);
});

Deno.test("listener: a stop answers what has come, ends what is idle, and takes nobody any more", async () => {
  const listener = openListener({
    handle: async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return new Response("served");
    },
  });
  using idle = await RawConnection.open(listener.address);
  using busy = await RawConnection.open(listener.address);
  await busy.send(GET);
  await eventually("a call to be under way", async () => {
    await idle.send(GET);
    return (await idle.answer())?.status === 200;
  });
  const served = await busy.answer();
  assert.equal(served?.headers.get("connection"), undefined);
  await busy.send(GET);
  const stopped = listener.shutdown();
  const last = await busy.answer();
  assert.deepEqual([last?.body, last?.headers.get("connection")], ["served", "close"]);
  assert.deepEqual([await busy.rest(), await idle.rest()], ["", ""]);
  busy.close();
  idle.close();
  await stopped;
  await assert.rejects(RawConnection.open(listener.address));
});
