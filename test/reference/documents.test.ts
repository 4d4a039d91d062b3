/**
 * The OpenAPI documents as they are served: made before, packed once, with a tag; and where no
 * build made them.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { version } from "../../src/kernel/version.ts";
import { ServedDocuments } from "../../src/reference/documents.ts";
import { toOpenApi } from "../../src/reference/openapi.ts";
import { endpoints } from "../../src/reference/registry.ts";
import { writeDocuments } from "../../tools/documents.ts";
import { temporaryFolder } from "../support/command.ts";
import { openTestDesk } from "../support/desk.ts";

const documents = { "openapi.json": "3.2", "openapi-3.1.json": "3.1" } as const;
const unpack = { br: brotliDecompressSync, gzip: gunzipSync };

const asking = (headers: Record<string, string>) => new Headers(headers);
const textOf = (body: Uint8Array | null) => new TextDecoder().decode(body ?? undefined);

Deno.test("documents: what the build writes is served, in each encoding, under a tag of its own", async () => {
  await using folder = await temporaryFolder();
  writeDocuments(folder.path, endpoints);
  const served = new ServedDocuments(folder.path);
  for (const [name, edition] of Object.entries(documents)) {
    // as: the names above.
    const of = (accepted: string) =>
      served.answer(name as keyof typeof documents, asking({ "accept-encoding": accepted }));
    const plain = await of("identity");
    // To the byte.
    assert.ok(textOf(plain.body) === JSON.stringify(toOpenApi(endpoints, version, edition)));
    const tags = [plain.headers.etag];
    for (const encoding of ["br", "gzip"] as const) {
      const { body, headers } = await of(`${encoding}, zstd;q=0.1`);
      assert.equal(headers["content-encoding"], encoding);
      assert.ok(unpack[encoding](body ?? "").equals(Buffer.from(plain.body ?? "")));
      assert.ok((body?.length ?? 0) * 8 < (plain.body?.length ?? 0));
      tags.push(headers.etag);
      // Packed once, for whoever asks.
      assert.equal((await of(encoding)).body, body);
    }
    assert.equal(new Set(tags).size, 3);
  }
});

Deno.test("documents: where no build made them a thread does, once, for all who ask", async () => {
  await using folder = await temporaryFolder();
  writeDocuments(folder.path, endpoints);
  const made = await new ServedDocuments(folder.path).answer("openapi.json", asking({}));
  await Deno.remove(`${folder.path}/openapi-3.1.json`);
  const served = new ServedDocuments(folder.path);
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const answers = await Promise.all(
    Array.from({ length: 600 }, () => served.answer("openapi.json", asking({}))),
  );
  clearInterval(timer);
  // This thread did other things meanwhile.
  assert.ok(turns > 1, String(turns));
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
  assert.deepEqual(answers[0]?.body, made.body);
  assert.equal(answers[0]?.headers.etag, made.headers.etag);
});

Deno.test("documents: 304 and no body for whoever has the edition that would be sent", async () => {
  await using desk = await openTestDesk("sqlite");
  const get = (method: string, headers: Record<string, string>) =>
    desk.send(method, "/openapi.json", { credential: null, headers });
  const packed = await get("GET", { "accept-encoding": "br" });
  const tag = packed.headers.get("etag") ?? "";
  assert.match(tag, /^"[0-9a-f]{32}\.br"$/);
  assert.equal(packed.headers.get("cache-control"), "no-cache");
  assert.equal(packed.headers.get("vary"), "Accept-Encoding");
  await packed.body?.cancel();
  for (const method of ["GET", "HEAD"]) {
    const had = { "accept-encoding": "br", "if-none-match": `"other", W/${tag}` };
    const known = await get(method, had);
    assert.equal(known.status, 304);
    assert.equal(known.headers.get("etag"), tag);
    assert.equal(await known.text(), "");
    // Other bytes.
    const plain = await get(method, { "if-none-match": tag });
    assert.equal(plain.status, 200);
    await plain.body?.cancel();
  }
});
