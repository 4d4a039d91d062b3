/**
 * How a build of the console is served: deep links, caching, encodings, its policy, and nothing
 * beside it.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib";
import { AccessLog } from "../../src/http/access-log.ts";
import { BodyReader } from "../../src/http/body-reader.ts";
import { serveConsole } from "../../src/http/console-files.ts";
import { requestPath } from "../../src/http/router.ts";
import { createLog } from "../../src/kernel/log.ts";
import { temporaryFolder } from "../support/command.ts";

const SCRIPT = "console.log('a script that is long enough to be worth compressing');".repeat(9);
const PAGE = "<!doctype html><title>Keydesk</title>";

/** An app over a folder, and a build in it. */
async function openBuild() {
  const folder = await temporaryFolder();
  const lines: string[] = [];
  const log = new AccessLog(createLog("info", (line) => void lines.push(line)));
  const serve = serveConsole({ log, bodies: new BodyReader({ bytes: 65536, timeoutMs: 1000 }) }, [
    join(folder.path, "absent"),
    join(folder.path, "build"),
  ]);
  const build = async (page = PAGE) => {
    const files = { "index.html": page, "assets/app-1a2b.js": SCRIPT };
    await Deno.mkdir(join(folder.path, "build/assets"), { recursive: true });
    const list: Record<string, unknown> = {};
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder.path, "build", name);
      // The build leaves this edition alone.
      await Deno.writeFile(`${path}.br`, brotliCompressSync(text));
      const etag = createHash("sha256").update(text).digest("hex").slice(0, 32);
      const links = {
        home: "</console/assets/home.js>; rel=modulepreload",
        keys: "<keys>",
        "*": "<any>",
      };
      list[name] = name.endsWith("js")
        ? { type: "text/javascript", etag }
        : { type: "text/html", etag, links };
    }
    await Deno.writeTextFile(join(folder.path, "build/files.json"), JSON.stringify(list));
    await Deno.writeTextFile(join(folder.path, "secret.txt"), "not for anybody");
    // Later than the build before, whatever the clock of the file system.
    const later = new Date(Date.now() + page.length * 1000);
    await Deno.utime(join(folder.path, "build/files.json"), later, later);
  };
  return {
    build,
    lines,
    get: (path: string, headers: Record<string, string> = {}, method = "GET") =>
      serve(asked(new Request(`http://desk.test${path}`, { method, headers }))),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const asked = (request: Request) => ({ request, path: requestPath(request) });

Deno.test("console files: the page answers every path below /console, and is asked for anew each time", async () => {
  await using served = await openBuild();
  await served.build();
  for (const path of ["/console", "/console/", "/console/keys/abc", "/console/a/b.js?q=1"]) {
    const response = await served.get(path);
    assert.equal(await response.text(), PAGE, path);
    assert.equal(response.headers.get("content-type"), "text/html");
    assert.equal(response.headers.get("cache-control"), "no-cache");
    const again = await served.get(path, {
      "if-none-match": `"x", W/${response.headers.get("etag")}`,
    });
    assert.deepEqual([again.status, await again.text()], [304, ""]);
  }
  assert.ok(served.lines.every((line) => line.includes('"path":"/console/*"')));
});

Deno.test("console files: the page names what its screen takes, to whoever may be signed in", async () => {
  await using served = await openBuild();
  await served.build();
  const linkOf = async (path: string, headers: Record<string, string> = { cookie: "a=b" }) =>
    (await served.get(path, headers)).headers.get("link");
  const home = "</console/assets/home.js>; rel=modulepreload";
  assert.equal(await linkOf("/console"), home);
  assert.equal(await linkOf("/console/"), home);
  assert.equal(await linkOf("/console/home"), home);
  assert.equal(await linkOf("/console/keys/abc"), "<keys>");
  for (const path of ["/console/nowhere", "/console/__proto__"]) {
    assert.equal(await linkOf(path), "<any>", path);
  }
  assert.equal(await linkOf("/console/assets/app-1a2b.js"), null);
  for (const path of ["/console", "/console/home", "/console/nowhere"]) {
    assert.equal(await linkOf(path, {}), null, path);
  }
  const { etag } = Object.fromEntries((await served.get("/console/home")).headers);
  assert.equal(await linkOf("/console/home", { cookie: "a=b", "if-none-match": etag ?? "" }), home);
});

Deno.test("console files: hashed files are kept for good, in the encoding that the browser takes", async () => {
  await using served = await openBuild();
  await served.build();
  const tags = new Set<string>();
  const unpacked: Record<string, (bytes: Uint8Array) => string> = {
    "": (bytes) => new TextDecoder().decode(bytes),
    br: (bytes) => brotliDecompressSync(bytes).toString(),
    gzip: (bytes) => gunzipSync(bytes).toString(),
  };
  const taken = [["br, gzip", "br"], ["gzip, br;q=0", "gzip"], ["zstd", ""], ["", ""]] as const;
  for (const [accepted, encoding] of taken) {
    const path = "/console/assets/app-1a2b.js";
    const response = await served.get(path, { "accept-encoding": accepted });
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.equal(response.headers.get("content-encoding") ?? "", encoding);
    assert.equal(unpacked[encoding]?.(bytes), SCRIPT);
    assert.equal(response.headers.get("content-length"), String(bytes.length));
    assert.equal(response.headers.get("vary"), "accept-encoding");
    assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
    tags.add(response.headers.get("etag") ?? "");
    const head = await served.get(path, { "accept-encoding": accepted }, "HEAD");
    assert.equal(head.headers.get("content-length"), String(bytes.length));
    assert.equal(await head.text(), "");
  }
  assert.equal(tags.size, 3);
});

Deno.test("console files: what the build does not name is not there, however the path is written", async () => {
  await using served = await openBuild();
  await served.build();
  const paths = [
    "/console/assets/other.js",
    "/console/assets/../../secret.txt",
    "/console/assets/..%2f..%2fsecret.txt",
    "/console/assets/%2e%2e/files.json",
    "/console/assets/app-1a2b.js.br",
    "/console/assets//app-1a2b.js",
    "/console/assets/app-1a2b.js%00",
    "/console/assets/__proto__",
    "/console/assets/constructor",
  ];
  for (const path of paths) {
    const response = await served.get(path);
    const text = await response.text();
    assert.ok(!text.includes("not for anybody") && !text.includes("etag"), path);
    // A path that a URL has made shorter is one below /console, or no longer ours.
    assert.ok([200, 404].includes(response.status) && (response.status === 404 || text === PAGE));
  }
});

Deno.test("console files: every answer carries the policy; other methods are refused", async () => {
  await using served = await openBuild();
  await served.build();
  const policies = {
    "/console": /^default-src 'none'; script-src 'self'; style-src 'self';/,
    "/console/assets/app-1a2b.js": /^default-src 'none'; base-uri 'none'; frame-ancestors 'none'$/,
  };
  for (const [path, expected] of Object.entries(policies)) {
    const { headers } = await served.get(path);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, expected);
    assert.doesNotMatch(policy, /unsafe|\*|http/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
  }
  const refused = await served.get("/console", {}, "POST");
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD"]);
});

Deno.test("console files: the frame of mails runs no script and loads nothing; only the console frames it", async () => {
  await using served = await openBuild();
  const { headers, status } = await served.get("/console/mail-frame");
  const policy = headers.get("content-security-policy") ?? "";
  assert.equal(status, 200);
  assert.match(
    policy,
    /^sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline';/,
  );
  assert.match(policy, /frame-ancestors 'self'$/);
  assert.doesNotMatch(policy, /script|img|connect|http|\*/);
  const of = (await served.get("/console")).headers.get("content-security-policy") ?? "";
  assert.match(of, /frame-src 'self'; .*frame-ancestors 'none'/);
});

Deno.test("console files: without a build the page says how to make one, and a build is found at once", async () => {
  await using served = await openBuild();
  const absent = await served.get("/console/keys");
  assert.equal(absent.status, 503);
  assert.match(await absent.text(), /npm ci &amp;&amp; npm run build/);
  assert.match(absent.headers.get("content-security-policy") ?? "", /script-src 'self'/);
  assert.equal((await served.get("/console/assets/app-1a2b.js")).status, 404);
  await served.build();
  assert.equal(await (await served.get("/console/keys")).text(), PAGE);
  await served.build(`${PAGE}<p>newer</p>`);
  assert.match(await (await served.get("/console")).text(), /newer/);
});
