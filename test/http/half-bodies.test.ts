import assert from "node:assert/strict";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { eventually } from "../support/eventually.ts";
import { type ListeningDesk, openListeningDesk } from "../support/raw-http.ts";

const LIST = "/api/portal/requests";
const BODY = JSON.stringify(fullKeyRequest);
const HALF = BODY.slice(0, BODY.length / 2);
const LENGTH = `Content-Length: ${BODY.length}`;
const CHUNKED = "Transfer-Encoding: chunked";
const HALF_CHUNK = `${HALF.length.toString(16)}\r\n${HALF}\r\n`;

/** Half a body in both framings: the head's line, and what follows the head. */
const halves = { "Content-Length": [LENGTH, HALF], "chunked": [CHUNKED, HALF_CHUNK] } as const;

for (const [framing, [line, part]] of Object.entries(halves)) {
  Deno.test(`wire: half a body (${framing}) and a closed socket changes nothing`, async () => {
    await using desk = await openListeningDesk();
    const id = await createOne(desk);
    const before = await listText(desk);
    const calls = [["POST", LIST], ["UPDATE", `${LIST}/${id}`], ["PUT", `${LIST}/${id}`]] as const;
    for (const [method, path] of [...calls, ["PUT", `${LIST}/approve/${id}`]] as const) {
      const seen = desk.logLines.length;
      using connection = await desk.connect();
      await connection.send(desk.head(method, path, line), part);
      connection.close();
      // The log tells of other things too.
      const ended = () =>
        desk.logLines.slice(seen).map((each) => JSON.parse(each)).find(({ status }) => status);
      await eventually("the request to end", () => ended() !== undefined);
      const logged = ended();
      assert.equal(logged.status, 400);
      assert.equal(logged.level, "info", "a client that leaves is no error of ours");
    }
    assert.equal(await listText(desk), before);
  });

  Deno.test(`wire: half a body (${framing}) that stays gets 408 in time, changing nothing`, async () => {
    await using desk = await openListeningDesk({ KEYDESK_BODY_TIMEOUT: "1" });
    const started = performance.now();
    using connection = await desk.connect();
    await connection.send(desk.head("POST", LIST, line), part);
    const answer = await connection.answer();
    const took = performance.now() - started;
    assert.equal(answer?.status, 408);
    assert.equal(JSON.parse(answer?.body ?? "").Status, "Error");
    assert.match(answer?.headers.get("connection") ?? "", /close/);
    assert.ok(took > 900, `already after ${took} ms`);
    assert.equal(await listText(desk), `{"Data":[],"Pages":0}`);
  });
}

Deno.test("wire: a hundred half bodies disturb nobody else", async () => {
  await using desk = await openListeningDesk();
  const half = await Promise.all(Array.from({ length: 100 }, async () => {
    const connection = await desk.connect();
    await connection.send(desk.head("POST", LIST, LENGTH), HALF);
    return connection;
  }));
  await createOne(desk);
  assert.equal(JSON.parse(await listText(desk)).Data.length, 1);
  for (const connection of half) connection.close();
});

/** Refusals that come before or after the body was read, each with what the client sends. */
const refusals: Record<string, (desk: ListeningDesk) => [number, ...string[]]> = {
  "413, nothing sent": (desk) => [413, desk.head("POST", LIST, "Content-Length: 2000000")],
  "413, all sent": (desk) => [
    413,
    desk.head("POST", LIST, "Content-Length: 2000000"),
    "x".repeat(2_000_000),
  ],
  "413, chunked": (desk) => [
    413,
    desk.head("POST", LIST, CHUNKED),
    `100000\r\n${"x".repeat(0x100000)}\r\n1\r\nx\r\n0\r\n\r\n`,
  ],
  "400, malformed": (desk) => [400, desk.head("POST", LIST, "Content-Length: 5"), `{"a":`],
  "400, long": (desk) => [400, desk.head("POST", LIST, "Content-Length: 9000"), "x".repeat(9000)],
  "401": () => [401, `POST ${LIST} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n`, "GET /"],
  "401, long": () => [
    401,
    `POST ${LIST} HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n`,
    "x".repeat(9000),
  ],
  "404, a body with GET": (desk) => [
    404,
    desk.head("GET", `${LIST}/none`, "Content-Length: 5"),
    "GET /",
  ],
  "405": (desk) => [405, desk.head("FOO", LIST, "Content-Length: 5"), "GET /"],
  "408": (desk) => [408, desk.head("POST", LIST, LENGTH), HALF],
  "408, chunked": (desk) => [408, desk.head("POST", LIST, CHUNKED), HALF_CHUNK],
};

for (const [name, refused] of Object.entries(refusals)) {
  Deno.test(`wire: after ${name} no byte of the body is taken for a request`, async () => {
    // A body that is refused for another reason must not be late first, as on a busy machine.
    const seconds = name.startsWith("408") ? "1" : "60";
    await using desk = await openListeningDesk({ KEYDESK_BODY_TIMEOUT: seconds });
    using connection = await desk.connect();
    const [status, ...parts] = refused(desk);
    await connection.send(...parts);
    const answer = await connection.answer();
    assert.equal(answer?.status, status);
    await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: following\r\n\r\n");
    await connection.finishSending();
    const following = await connection.answer();
    if (following !== undefined) {
      assert.equal(following.headers.get("x-request-id"), "following");
      assert.equal(following.status, 200);
    }
    const answered = desk.logLines.map((text) => JSON.parse(text)).filter((l) => "status" in l);
    assert.ok(answered.length <= 2, "every line is a request that the client made");
    assert.equal(await listText(desk), `{"Data":[],"Pages":0}`);
  });
}

async function createOne(desk: ListeningDesk): Promise<string> {
  using connection = await desk.connect();
  await connection.send(desk.head("POST", LIST, LENGTH), BODY);
  return JSON.parse((await connection.answer())?.body ?? "").Message;
}

async function listText(desk: ListeningDesk): Promise<string> {
  using connection = await desk.connect();
  await connection.send(desk.head("GET", LIST));
  return (await connection.answer())?.body ?? "";
}
