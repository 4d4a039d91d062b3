/** Calls to other servers, on real sockets: who is called, who is not, and what comes back. */
import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo, LookupFunction } from "node:net";
import type { TLSSocket } from "node:tls";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { openOutbound } from "../../../src/kernel/outbound/open-outbound.ts";
import {
  type OutboundCall,
  OutboundDenied,
  OutboundFailed,
} from "../../../src/kernel/outbound/outbound.ts";
import { withFolder } from "../../support/processes.ts";
import { makeCertificates } from "../../support/postgres-tls.ts";

const call = (url: string, more: Partial<OutboundCall> = {}): OutboundCall => ({
  url,
  method: "POST",
  headers: { "content-type": "application/json", "x-more": "1" },
  body: '{"a":"ü"}',
  timeoutMs: 10_000,
  keptBytes: 4096,
  ...more,
});

/** A server that takes connections and tells what it has read of them. */
function startListener(hostname: string, answer = "HTTP/1.1 204 No Content\r\n\r\n", port = 0) {
  const listener = Deno.listen({ hostname, port });
  const read: string[] = [];
  const open = new Set<Deno.Conn>();
  const serving = (async () => {
    for await (const connection of listener) {
      open.add(connection);
      const index = read.push("") - 1;
      (async () => {
        const buffer = new Uint8Array(65536);
        for (let n; (n = await connection.read(buffer)) !== null;) {
          read[index] += new TextDecoder().decode(buffer.subarray(0, n));
          await connection.write(new TextEncoder().encode(answer));
        }
      })().catch(() => {}).finally(() => {
        open.delete(connection);
        try {
          connection.close();
        } catch {
          // Closed below.
        }
      });
    }
  })().catch(() => {});
  return {
    port: (listener.addr as Deno.NetAddr).port,
    read,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      for (const connection of open) connection.close();
      await serving;
    },
  };
}

const lookup = (addresses: string[]): LookupFunction => (_name, options, done) => {
  const address = addresses.shift() ?? "192.0.2.1";
  if (options.all) done(null, [{ address, family: 4 }]);
  else done(null, address, 4);
};

async function denied(sent: Promise<unknown>): Promise<OutboundDenied> {
  try {
    await sent;
  } catch (error) {
    assert.ok(error instanceof OutboundDenied, String(error));
    return error;
  }
  throw new Error("it was sent");
}

Deno.test("outbound: method, headers and body arrive; status, headers and text come back", async () => {
  const seen: unknown[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const { headers } = request;
      seen.push([request.method, pathname + search, headers.get("x-more"), headers.get("host")]);
      seen.push(await request.text());
      return new Response("réponse", { status: 418, headers: [["x-a", "1"], ["x-a", "2"]] });
    },
  );
  const { port } = server.addr;
  const outbound = openOutbound({ entries: [`localhost:${port}`] });
  const answer = await outbound.send(call(`http://localhost:${port}/p/x?q=1`));
  assert.deepEqual(seen, [["POST", "/p/x?q=1", "1", `localhost:${port}`], '{"a":"ü"}']);
  assert.deepEqual([answer.status, answer.body], [418, "réponse"]);
  assert.equal(answer.headers.get("x-a"), "1, 2");
  assert.ok(answer.durationMs > 0);
});

Deno.test("outbound: what is not named is not even asked for its address", async () => {
  let asked = 0;
  const outbound = openOutbound({
    entries: ["hooks.example.org", "127.0.0.1:1"],
    lookup: (_name, _options, done) => {
      asked++;
      done(null, "127.0.0.1", 4);
    },
  });
  for (
    const url of ["https://example.org", "https://hooks.example.org:8443/x", "http://127.0.0.1:2"]
  ) {
    const error = await denied(outbound.send(call(url)));
    assert.equal(error.reason, "not_named");
    assert.match(error.message, /^\S+ is not named in KEYDESK_OUTBOUND/);
  }
  for (
    const url of [
      "",
      "x",
      "ftp://hooks.example.org",
      "https://u:p@hooks.example.org",
      "file:///etc",
    ]
  ) {
    assert.equal((await denied(outbound.send(call(url)))).reason, "no_url");
  }
  assert.equal(asked, 0);
});

Deno.test("outbound: a name that leads inside is refused before the first byte, whatever it led to before", async () => {
  await using inside = startListener("127.0.0.2");
  await using meant = startListener("127.0.0.1", undefined, inside.port);
  const outbound = openOutbound({
    entries: [`hooks.example.org:${inside.port}`, "127.0.0.1"],
    lookup: lookup(["127.0.0.1", "127.0.0.2", "127.0.0.1"]),
  });
  const url = `http://hooks.example.org:${inside.port}/x`;
  assert.equal((await outbound.send(call(url))).status, 204);
  const error = await denied(outbound.send(call(url)));
  assert.deepEqual([error.reason, error.host], ["private_address", "hooks.example.org"]);
  assert.match(error.message, /is at 127\.0\.0\.2, which is no public address/);
  assert.equal((await outbound.send(call(url))).status, 204);
  assert.equal(meant.read.length, 2);
  assert.deepEqual(inside.read.join(""), "");
});

Deno.test("outbound: TLS is checked by name, and no byte goes to a wrong address by TLS either", async () => {
  await withFolder(async (folder) => {
    const made = await makeCertificates(folder);
    const authority = await Deno.readTextFile(made.path("ca.pem"));
    const cert = await Deno.readTextFile(`${made.path("server")}.pem`);
    const key = await Deno.readTextFile(`${made.path("server")}.key`);
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, cert, key, onListen: () => {} },
      () => new Response("kept secret"),
    );
    await using inside = startListener("127.0.0.2", undefined, server.addr.port);
    const { port } = server.addr;
    const entries = [`localhost:${port}`, `other.example:${port}`, "127.0.0.1"];
    const trusting = openOutbound({ entries, ca: authority });
    const answer = await trusting.send(call(`https://localhost:${port}/x`));
    assert.deepEqual([answer.status, answer.body], [200, "kept secret"]);
    const failing = [
      openOutbound({ entries }).send(call(`https://localhost:${port}/x`)),
      openOutbound({ entries, ca: authority, lookup: lookup(["127.0.0.1"]) })
        .send(call(`https://other.example:${port}/x`)),
    ];
    await Promise.all(failing.map((sent) => assert.rejects(sent, OutboundFailed)));
    const elsewhere = openOutbound({
      entries: [`other.example:${port}`, "127.0.0.1"],
      lookup: lookup(["127.0.0.2"]),
    });
    const error = await denied(elsewhere.send(call(`https://other.example:${port}/x`)));
    assert.equal(error.reason, "private_address");
    assert.equal(inside.read.join(""), "");
  });
});

Deno.test("outbound: http is for this machine alone", async () => {
  const own = Object.values(networkInterfaces()).flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address;
  assert.ok(own, "a machine with a network is needed");
  await using server = startListener(own);
  const outbound = openOutbound({ entries: [`${own}:${server.port}`] });
  const error = await denied(outbound.send(call(`http://${own}:${server.port}/`)));
  assert.equal(error.reason, "not_https");
  assert.equal(server.read.join(""), "");
});

Deno.test("outbound: a redirect is an answer, and nobody follows it", async () => {
  let calls = 0;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => {
      calls++;
      return new Response(null, { status: 307, headers: { location: "/again" } });
    },
  );
  const { port } = server.addr;
  const outbound = openOutbound({ entries: [`127.0.0.1:${port}`] });
  const answer = await outbound.send(call(`http://127.0.0.1:${port}/`));
  assert.deepEqual([answer.status, answer.headers.get("location"), calls], [307, "/again", 1]);
});

Deno.test("outbound: of a body without an end its beginning is read", async () => {
  let ended = false;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response(
        new ReadableStream({
          pull: async (controller) => {
            await new Promise((resolve) => setTimeout(resolve, 1));
            controller.enqueue(new TextEncoder().encode("x".repeat(1000)));
          },
          cancel: () => {
            ended = true;
          },
        }),
      ),
  );
  const { port } = server.addr;
  const outbound = openOutbound({ entries: [`127.0.0.1:${port}`] });
  const answer = await outbound.send(call(`http://127.0.0.1:${port}/`));
  assert.equal(answer.body, "x".repeat(4096));
  while (!ended) await new Promise((resolve) => setTimeout(resolve, 5));
});

Deno.test("outbound: silence, half an answer, nonsense and nobody there are failures in time", async () => {
  const answers = [
    "",
    "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf",
    "HTTP/1.1 200 OK\r\nx-y: ",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    "SSH-2.0-OpenSSH_9.2\r\n",
  ];
  for (const answer of answers) {
    await using server = startListener("127.0.0.1", answer);
    const outbound = openOutbound({ entries: [`127.0.0.1:${server.port}`] });
    const sent = outbound.send(call(`http://127.0.0.1:${server.port}/`, { timeoutMs: 300 }));
    await assert.rejects(sent, OutboundFailed, answer);
  }
  const gone = startListener("127.0.0.1");
  await gone[Symbol.asyncDispose]();
  const outbound = openOutbound({ entries: [`127.0.0.1:${gone.port}`, "nobody.invalid"] });
  const refused = await failureOf(outbound.send(call(`http://127.0.0.1:${gone.port}/`)));
  assert.equal(refused, "nothing listens there (ECONNREFUSED)");
  await assert.rejects(outbound.send(call("https://nobody.invalid/")), OutboundFailed);
});

Deno.test("outbound: an answer that breaks off is told in words, and not as aborted", async () => {
  for (const begun of ["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf"]) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const served = (async () => {
      using connection = await listener.accept();
      await connection.read(new Uint8Array(1000));
      await connection.write(new TextEncoder().encode(begun));
    })();
    const outbound = openOutbound({ entries: [`127.0.0.1:${port}`] });
    const told = await failureOf(outbound.send(call(`http://127.0.0.1:${port}/`)));
    await served;
    assert.match(told, /^the other side ended the connection before its answer was whole/, begun);
  }
});

async function failureOf(sent: Promise<unknown>): Promise<string> {
  try {
    await sent;
  } catch (error) {
    assert.ok(error instanceof OutboundFailed);
    return error.message;
  }
  return assert.fail("it was answered");
}

Deno.test("outbound: the client's certificate is presented by calls that say so, and no others", async () => {
  await withFolder(async (folder) => {
    const made = await makeCertificates(folder);
    const read = (name: string) => Deno.readTextFile(join(made.folder, name));
    const ca = await read("ca.pem");
    const [cert, key] = [await read("server.pem"), await read("server.key")];
    const client = { cert: await read("client.pem"), key: await read("client.key") };
    const shown: boolean[] = [];
    const server = createServer(
      { cert, key, ca, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        // as: a server with TLS has such sockets.
        shown.push((request.socket as TLSSocket).authorized);
        response.end();
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // as: it listens on a port.
    const { port } = server.address() as AddressInfo;
    const outbound = openOutbound({ entries: [`localhost:${port}`, "127.0.0.1"], ca, client });
    assert.equal(outbound.hasClientCertificate, true);
    await outbound.send(call(`https://localhost:${port}/x`, { presentsCertificate: true }));
    await outbound.send(call(`https://localhost:${port}/x`));
    server.close();
    assert.deepEqual(shown, [true, false]);
  });
});
