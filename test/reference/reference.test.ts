/**
 * The reference page as it is served: files for good under hashed names, packed, and a policy
 * without exceptions.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib";
import { StaticFiles } from "../../src/http/static-files.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { pageFiles } from "../../src/reference/reference-page.ts";
import { assertFailure } from "../support/answers.ts";
import { temporaryFolder } from "../support/command.ts";
import { type TestDesk, testOnEngines } from "../support/desk.ts";

const get = (desk: TestDesk, path: string, headers: Record<string, string> = {}) =>
  desk.send("GET", path, { credential: null, headers });

/** The addresses that the page loads. */
const filesOf = (html: string) =>
  [...html.matchAll(/(?:src|href)="((?:reference\/)?[^"/]+\.(?:js|css))"/g)].map(([, url]) =>
    url ?? ""
  );

testOnEngines(
  "reference: the page loads every file under a hashed name, kept for good",
  async (desk) => {
    const html = await (await get(desk, "/reference")).text();
    const files = filesOf(html);
    assert.equal(files.length, Object.keys(pageFiles).length);
    for (const file of files) {
      assert.match(file, /^reference\/[a-z-]+\.[0-9a-f]{16}\.(js|css)$/);
      const response = await get(desk, `/${file}`, { "accept-encoding": "br, gzip" });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(response.headers.get("vary"), "Accept-Encoding");
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
      assert.equal(response.headers.get("content-encoding"), "br");
      const packed = new Uint8Array(await response.arrayBuffer());
      assert.equal(response.headers.get("content-length"), String(packed.length));
      const plain = await get(desk, `/${file}`);
      assert.equal(plain.headers.get("content-encoding"), null);
      assert.deepEqual(
        new Uint8Array(await plain.arrayBuffer()),
        new Uint8Array(brotliDecompressSync(packed)),
      );
    }
  },
);

testOnEngines(
  "reference: the page allows no inline script or style, and no other origin",
  async (desk) => {
    const response = await get(desk, "/reference");
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(
      policy,
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/,
    );
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const html = await response.text();
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|style=| on[a-z]+=/);
  },
);

testOnEngines("reference: with a slash at its end the page finds the same files", async (desk) => {
  const inFolder = filesOf(await (await get(desk, "/reference/")).text());
  const beside = filesOf(await (await get(desk, "/reference")).text());
  assert.deepEqual(inFolder.map((name) => `reference/${name}`), beside);
});

testOnEngines("reference: nothing but its files is served", async (desk) => {
  const [known = ""] = filesOf(await (await get(desk, "/reference")).text());
  const others = [
    "/reference/reference.css",
    "/reference/package.json",
    "/reference/..%2F..%2Fpackage.json",
    `/${known}.map`,
    `/${known.replace(/[0-9a-f]{16}/, "0".repeat(16))}`,
  ];
  for (const path of others) await assertFailure(await get(desk, path), "unknown_path");
  const posted = await desk.send("POST", "/reference", { credential: null, body: "{}" });
  await assertFailure(posted, "method_not_allowed");
});

testOnEngines("reference: HEAD of a file has its length and no body", async (desk) => {
  const [file = ""] = filesOf(await (await get(desk, "/reference")).text());
  const whole = await get(desk, `/${file}`);
  const head = await desk.send("HEAD", `/${file}`, { credential: null });
  assert.equal(head.headers.get("content-length"), String((await whole.arrayBuffer()).byteLength));
  assert.equal((await head.arrayBuffer()).byteLength, 0);
});

Deno.test("static files: what the build packed is sent in the best encoding that is taken", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "page.js");
  const text = "let packed;\n".repeat(100);
  await Deno.writeFile(`${file}.br`, brotliCompressSync(text));
  const files = new StaticFiles({ "page.js": pathToFileURL(file) });
  const name = (await files.served()).get("page.js") ?? "";
  assert.match(name, /^page\.[0-9a-f]{16}\.js$/);
  const encodings = [
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["identity", undefined],
    [null, undefined],
  ] as const;
  for (const [accepted, encoding] of encodings) {
    const { headers, body } = await files.answer(name, accepted);
    assert.equal(headers["content-encoding"], encoding, accepted ?? "none");
    const unpack = {
      br: brotliDecompressSync,
      gzip: gunzipSync,
      none: (bytes: Uint8Array) => bytes,
    };
    assert.equal(new TextDecoder().decode(unpack[encoding ?? "none"](body)), text);
  }
});

Deno.test("static files: other content has another name", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "page.js");
  const names = [];
  for (const text of ["one", "two"]) {
    await Deno.writeTextFile(file, text);
    const served = await new StaticFiles({ "page.js": pathToFileURL(file) }).served();
    names.push(served.get("page.js"));
  }
  assert.notEqual(names[0], names[1]);
});

Deno.test("static files: where they are not installed there is nothing, until they are", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "page.js");
  const files = new StaticFiles({ "page.js": pathToFileURL(file) });
  const isUnknown = (error: unknown) => error instanceof Failure && error.code === "unknown_path";
  await assert.rejects(files.served(), isUnknown);
  await Deno.writeTextFile(file, "here now");
  assert.equal((await files.served()).size, 1);
});
