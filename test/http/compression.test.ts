/** Answers are compressed where the client takes that, and never where a secret stands in them. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { compressPieces } from "../../src/http/compression.ts";
import { successResponse } from "../../src/http/answer.ts";
import { randomBytes, toHex } from "../../src/kernel/ids.ts";
import { endpoints } from "../../src/reference/registry.ts";
import { add, CERTS, made } from "../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../support/desk.ts";
import { approve, create, REQUESTS, smallRequest } from "../support/key-requests.ts";

const unpack = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };
const encodings = ["zstd", "br", "gzip"] as const;

/** A GET as this client; with what it says that it takes. */
async function got(desk: TestDesk, path: string, accepted: string | null, credential = desk.admin) {
  const headers: Record<string, string> = accepted === null ? {} : { "accept-encoding": accepted };
  const response = await desk.send("GET", path, { credential, headers });
  assert.equal(response.status, 200);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { headers: response.headers, bytes, encoding: response.headers.get("content-encoding") };
}

/** The same answer in each encoding and as it is. */
async function assertPacked(desk: TestDesk, path: string, credential?: string, least = 3) {
  const plain = await got(desk, path, null, credential);
  assert.deepEqual([plain.encoding, plain.headers.get("vary")], [null, null]);
  for (const encoding of encodings) {
    const packed = await got(desk, path, encoding, credential);
    assert.equal(packed.encoding, encoding);
    assert.equal(packed.headers.get("vary"), "Accept-Encoding");
    assert.equal(packed.headers.get("content-type"), plain.headers.get("content-type"));
    assert.deepEqual(unpack[encoding](packed.bytes).toString(), plain.bytes.toString());
    assert.ok(
      packed.bytes.length * least < plain.bytes.length,
      `${encoding} ${packed.bytes.length}`,
    );
  }
  const refused = await got(desk, path, "identity, gzip;q=0", credential);
  assert.deepEqual([refused.encoding, refused.headers.get("vary")], [null, "Accept-Encoding"]);
  assert.deepEqual(refused.bytes, plain.bytes);
}

testOnEngines("compression: lists of both interfaces, in each encoding the same", async (desk) => {
  for (let i = 0; i < 12; i++) await create(desk, smallRequest());
  const reader = await desk.token(["portal:read"]);
  await assertPacked(desk, `${REQUESTS}?p=1`, reader);
  await assertPacked(desk, REQUESTS, reader);
  await assertPacked(desk, "/v1/key-requests");
  await assertPacked(desk, "/v1/audit-log");
});

testOnEngines("compression: what is sent piece by piece is compressed so", async (desk) => {
  for (let i = 0; i < 4; i++) {
    await add(desk, made({ cn: `certificate ${i}`, serial: `0${i + 1}` }));
  }
  await assertPacked(desk, `${CERTS}/export?format=csv`, undefined, 1);
  await assertPacked(desk, `${CERTS}/export?format=jsonl`, undefined, 1);
  assert.equal(desk.app.underWay.count, 0);
});

testOnEngines("compression: HEAD has the headers of GET", async (desk) => {
  for (let i = 0; i < 12; i++) await create(desk, smallRequest());
  for (const path of ["/v1/key-requests", "/openapi.json", "/v1/audit-log/export"]) {
    const headers = { "accept-encoding": "br" };
    const [get, head] = await Promise.all(["GET", "HEAD"].map(async (method) => {
      const response = await desk.send(method, path, { headers });
      const body = await response.arrayBuffer();
      const { "x-request-id": _, ...told } = Object.fromEntries(response.headers);
      return { told, length: body.byteLength };
    }));
    assert.deepEqual(head?.told, get?.told);
    assert.equal(head?.told["content-encoding"], "br");
    assert.equal(head?.length, 0);
  }
});

testOnEngines("compression: what is short, has a tag or failed is sent as it is", async (desk) => {
  const id = await create(desk, smallRequest({ fields: { use: "x".repeat(4000) } }));
  const reader = await desk.token(["portal:read"]);
  for (const path of ["/healthz", "/v1/people", `/v1/key-requests/${id}`, `${REQUESTS}/${id}`]) {
    const { encoding, bytes } = await got(
      desk,
      path,
      "gzip",
      path.includes(id) ? reader : undefined,
    );
    assert.equal(encoding, null, `${path} ${bytes.length}`);
  }
  const failed = await desk.send("GET", `/v1/nothing${"x".repeat(2000)}`, {
    headers: { "accept-encoding": "gzip" },
  });
  assert.deepEqual([failed.status, failed.headers.get("content-encoding")], [404, null]);
  await failed.text();
});

testOnEngines("compression: no answer with a secret is compressed", async (desk) => {
  const long = "x".repeat(3000);
  for (let i = 0; i < 3; i++) {
    await create(desk, smallRequest({ jwt_secret: `jwt-${i}`, fields: { use: long } }));
  }
  // Whoever may read secrets gets the same list with them.
  const shown = await got(desk, `${REQUESTS}?p=1`, "zstd, br, gzip");
  assert.equal(shown.encoding, null);
  assert.ok(shown.bytes.toString().includes("jwt-1"));
  const whole = await got(desk, REQUESTS, "zstd, br, gzip");
  assert.equal(whole.encoding, null);
  await withDevelopers(desk, { sso_key: "sso-key-of-ada" });
  for (const path of ["?p=1", "", "/email/ada%40example.com"]) {
    const developers = await got(desk, `/api/portal/developers${path}`, "gzip");
    assert.equal(developers.encoding, null, path);
  }
  const id = await create(desk, smallRequest({ fields: { use: long } }));
  const approved = await desk.send("PUT", `${REQUESTS}/approve/${id}`, {
    headers: { "accept-encoding": "gzip" },
  });
  assert.equal(approved.headers.get("content-encoding"), null);
  assert.ok((await approved.json()).RawKey);
  await approve(desk, await create(desk, smallRequest()));
});

testOnEngines(
  "compression: whoever may read secrets gets lists without any compressed",
  async (desk) => {
    for (let i = 0; i < 12; i++) await create(desk, smallRequest());
    await withDevelopers(desk, {});
    const reader = await desk.token(["portal:read"]);
    for (
      const path of [
        `${REQUESTS}?p=1`,
        REQUESTS,
        "/api/portal/developers?p=1",
        "/api/portal/developers",
        "/api/portal/developers/email/ada%40example.com",
      ]
    ) {
      await assertPacked(desk, path, undefined, 2);
      // Then it is what everybody gets.
      const [theirs, others] = [await got(desk, path, null), await got(desk, path, null, reader)];
      assert.deepEqual(theirs.bytes, others.bytes);
    }
    // One secret among them, and none of these is compressed any more.
    await create(desk, smallRequest({ jwt_secret: "jwt-of-one" }));
    for (const path of [`${REQUESTS}?p=1`, REQUESTS]) {
      const shown = await got(desk, path, "zstd, br, gzip");
      assert.deepEqual([shown.encoding, shown.bytes.includes("jwt-of-one")], [null, true], path);
      assert.equal((await got(desk, path, "gzip", reader)).encoding, "gzip", path);
    }
  },
);

/** Developers of whom the first is Ada, with these members beside. */
async function withDevelopers(desk: TestDesk, more: Record<string, unknown>): Promise<void> {
  const fields = { about: "x".repeat(1500) };
  for (const [name, added] of [["ada", more], ["ben", {}], ["cleo", {}]] as const) {
    const body = JSON.stringify({ email: `${name}@example.com`, fields, ...added });
    const answer = await desk.send("POST", "/api/portal/developers", { body });
    assert.equal(answer.status, 200, await answer.text());
  }
}

Deno.test("compression: nothing but what is read is compressed, however long", () => {
  const headers = new Headers({ "accept-encoding": "gzip" });
  // serve.ts asks for it for GET and HEAD alone, so contracts mark reads.
  const marked = endpoints.filter(({ answersSecrets: answersSecrets }) =>
    answersSecrets !== undefined
  );
  assert.ok(marked.every(({ method }) => method === "GET"));
  const ids = marked.map(({ id }) => id).sort();
  assert.deepEqual(ids, [
    "getClassicDeveloper",
    "getClassicKeyRequest",
    "getClientOfApi",
    "getDeveloperByEmail",
    "getDeveloperBySsoKey",
    "getDeveloperSession",
    "getSession",
    "listClassicDevelopers",
    "listClassicKeyRequests",
    "listClientsOfApi",
    "listDevelopersOfApi",
  ]);
  const plain = successResponse({ text: "x".repeat(5000) }, "r", { method: "POST", headers });
  assert.ok(plain instanceof Response && !plain.headers.has("content-encoding"));
});

Deno.test("compression: every read whose answer has a member for a secret is marked", () => {
  const secret =
    /"(jwt_secret|sso_key|nonce|secret|csrf_token|RawKey|Password|client_secret|token)":/;
  // There each of them reads "", for everybody.
  const empty = ["listKeyRequests", "getKeyRequest"];
  const reads = endpoints.filter(({ id, method }) => method === "GET" && !empty.includes(id));
  for (const endpoint of reads) {
    const shape = JSON.stringify(
      endpoint.response.toJSONSchema({ unrepresentable: "any", io: "output" }),
    );
    assert.equal(
      secret.exec(shape)?.[0] !== undefined,
      endpoint.answersSecrets !== undefined,
      `${endpoint.id} ${secret.exec(shape)?.[0]}`,
    );
  }
});

for (const encoding of encodings) {
  Deno.test(`compression: ${encoding} of pieces is made as they are taken, and ends with its client`, async () => {
    const seen = { made: 0, ended: false };
    const packed = compressPieces(piecesOf(seen, 1000), encoding);
    let bytes = 0;
    while (bytes === 0) bytes = (await packed.next()).value?.length ?? 0;
    // Of 64 MiB that nobody takes.
    assert.ok(seen.made < 20, String(seen.made));
    await packed.return();
    assert.ok(seen.ended);
  });

  Deno.test(`compression: ${encoding} of pieces that fail breaks off`, async () => {
    const failing = async function* () {
      yield toHex(randomBytes(32 * 1024));
      throw new Error("the store is gone");
    };
    await assert.rejects(Array.fromAsync(compressPieces(failing(), encoding)), /the store is gone/);
  });
}

/** Pieces of 64 KiB that nothing makes shorter than half. */
async function* piecesOf(seen: { made: number; ended: boolean }, n: number) {
  try {
    for (; seen.made < n; seen.made++) yield toHex(randomBytes(32 * 1024));
  } finally {
    seen.ended = true;
  }
}
