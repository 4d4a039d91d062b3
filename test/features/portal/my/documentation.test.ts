/** Documentation of APIs as developers read it, also where it was written to do harm. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readDocument } from "../../../../src/features/portal/my/documents/api-document.ts";
import { renderMarkdown } from "../../../../src/features/portal/my/documents/markdown.ts";
import { operationsOf } from "../../../../src/features/portal/my/documents/openapi.ts";
import { readOnThread } from "../../../../src/features/portal/my/documents/reading.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";
import { signInAtPages } from "../../../support/portal.ts";

const OPENAPI = {
  openapi: "3.1.0",
  info: { title: "Tides", version: "2", description: "Times and heights." },
  paths: {
    "/ports/{port}/tides": {
      parameters: [{ $ref: "#/components/parameters/port" }],
      get: {
        summary: "Tides of a port",
        tags: ["Tides"],
        parameters: [{
          name: "days",
          in: "query",
          description: "How many",
          schema: { type: "integer", enum: [1, 7] },
        }],
        responses: { 200: { description: "The tides" } },
      },
      post: { operationId: "write", requestBody: { content: { "application/json": {} } } },
    },
  },
  components: {
    parameters: { port: { name: "port", in: "path", required: true, schema: { type: "string" } } },
  },
};
const YAML = `openapi: 3.0.3
info: { title: Tides, version: "2" }
paths:
  /ports:
    get: { summary: Ports, responses: { "200": { description: All } } }
`;
const base64 = (text: string) => Buffer.from(text).toString("base64");

Deno.test("documentation: OpenAPI as JSON or YAML, in Base64 or not, becomes operations", () => {
  const text = JSON.stringify(OPENAPI);
  for (const stored of [text, base64(text), base64(text).replaceAll(/.{76}/g, "$&\r\n")]) {
    const read = readDocument(stored);
    assert.ok(read.kind === "operations");
    assert.deepEqual(read.operations.map(({ method, path }) => [method, path]), [
      ["GET", "/ports/{port}/tides"],
      ["POST", "/ports/{port}/tides"],
    ]);
    const [tides, write] = read.operations;
    assert.deepEqual(tides?.parameters, [
      { name: "port", in: "path", required: true, type: "string", description: "" },
      { name: "days", in: "query", required: false, type: "1, 7", description: "How many" },
    ]);
    assert.deepEqual(tides?.answers, [{ status: "200", description: "The tides" }]);
    assert.deepEqual(write?.parameters.map((one) => [one.name, one.in]), [
      ["port", "path"],
      ["application/json", "body"],
    ]);
  }
  for (const stored of [YAML, base64(YAML)]) {
    const read = readDocument(stored);
    assert.ok(read.kind === "operations");
    assert.deepEqual(read.operations.map(({ summary }) => summary), ["Ports"]);
  }
  assert.deepEqual(readDocument("# Tides\n\nHow to call."), {
    kind: "text",
    text: "# Tides\n\nHow to call.",
  });
  assert.deepEqual(readDocument("https://docs.example.org"), {
    kind: "link",
    text: "https://docs.example.org",
  });
  assert.deepEqual(readDocument(" "), { kind: "none" });
  assert.deepEqual(readDocument("hello"), { kind: "text", text: "hello" });
});

Deno.test("documentation: what was written to do harm does none, and is told soon", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const laughs = ["openapi: 3.0.0", "a: &a [x, x, x, x, x, x, x, x, x]"];
  for (let n = 0; n < 9; n++) {
    const [from, to] = [String.fromCharCode(97 + n), String.fromCharCode(98 + n)];
    laughs.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(", ")}]`);
  }
  const unreadable = {
    "nested JSON": `{"paths":${deep}}`,
    "nested YAML": `openapi: 3.0.0\npaths: ${"[".repeat(20_000)}`,
    "billion laughs": laughs.join("\n"),
    "too large": "x".repeat(3_000_000),
    "long YAML": `openapi: 3.0.0\nx: ${"y".repeat(600_000)}`,
    "broken JSON": "{",
    "broken YAML": "openapi: 3.0.0\n  x: [",
    "another JSON": `{"a":1}`,
    "long Markdown": "a ".repeat(200_000),
  };
  for (const [name, stored] of Object.entries(unreadable)) {
    assert.equal(readDocument(stored).kind, "unreadable", name);
  }
  const nested = `{"openapi":"3.0.0","paths":{"/a":${deep},"/b":{"get":{"x":${deep}}}}}`;
  const walked = readDocument(nested);
  assert.ok(walked.kind === "operations" && walked.operations.length === 1);
  const loop = {
    openapi: "3.0.0",
    paths: {
      "/a": { $ref: "#/paths/~1a" },
      "/b": { $ref: "https://evil.example/#/paths" },
      "/c": { $ref: "#/__proto__/constructor" },
      "/d": { get: { parameters: [{ $ref: "#/x" }, null, 7], responses: [] }, put: "no" },
      "/e": null,
    },
    x: { $ref: "#/y" },
    y: { $ref: "#/x" },
  };
  assert.deepEqual(operationsOf(loop).operations.map(({ path }) => path), ["/d"]);
  const many = { openapi: "3.0.0", paths: {} as Record<string, unknown> };
  const parameters = Array.from({ length: 500 }, (_, n) => ({
    name: `p${n}`,
    description: "d".repeat(100_000),
  }));
  for (let n = 0; n < 2000; n++) many.paths[`/${n}`] = { get: { parameters } };
  const read = operationsOf(many);
  assert.equal(read.operations.length + read.left_out, 2000);
  assert.ok(JSON.stringify(read).length < 700_000, "however often one text is named");
  const reversed = { openapi: "3.0.0", info: { title: "a\u202eb\u0000" }, paths: {} };
  assert.equal(operationsOf(reversed).title, "ab");
});

Deno.test("documentation: Markdown brings no script, style, image or form of its own", () => {
  const hostile = [
    `<script>alert(1)</script>`,
    `<img src=x onerror=alert(1)>`,
    `[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](vbscript:x)`,
    `[e](//evil.example) <javascript:alert(1)> ![f](https://evil.example/pixel)`,
    `[g](https://example.org "\\"><script>alert(1)</script>")`,
    "<svg/onload=alert(1)>",
    "[h]: javascript:alert(1)\n\n[h]",
    "&lt;script&gt;",
    "<form action=x><input name=csrf></form>",
    "```html\n<script>alert(1)</script>\n```",
  ].join("\n\n");
  const made = renderMarkdown(hostile);
  const elements = [...made.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name);
  const harmless = new Set(["p", "a", "pre", "code", "em", "strong"]);
  assert.deepEqual(elements.filter((name) => !harmless.has(name ?? "")), []);
  const links = [...made.matchAll(/href="([^"]*)"/g)].map(([, to]) => to);
  assert.deepEqual(links, ["https://evil.example/pixel", "https://example.org"], "no image");
  const told = renderMarkdown(
    "# One\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n\n[w](https://x.y)",
  );
  assert.match(told, /<h2>One<\/h2>[\s\S]*<table>[\s\S]*<li>x<\/li>[\s\S]*rel="nofollow noopener/);
  renderMarkdown(">".repeat(10_000));
  renderMarkdown("[".repeat(20_000));
  const named = `[a]: https://example.org/${"x".repeat(50_000)}\n\n${"[a] ".repeat(200)}`;
  assert.throws(() => renderMarkdown(named), RangeError, "one long address, again and again");
});

Deno.test("documentation: headings stand below the page's, and leave no step out", () => {
  const levels = (text: string) =>
    [...renderMarkdown(text).matchAll(/<h(\d)>/g)].map(([, level]) => Number(level));
  assert.deepEqual(levels("# A\n## B\n#### C\n## D\n# E"), [2, 3, 4, 3, 2]);
  assert.deepEqual(levels("### A\n##### B\n# C\n###### D"), [2, 3, 2, 3]);
});

Deno.test("documentation: what takes too long ends with its thread, and the next is read", async () => {
  const paths = Array.from({ length: 9000 }, (_, n) => `  /slow-${n}: { get: { summary: s } }`);
  const slow = `openapi: 3.0.0\npaths:\n${paths.join("\n")}\n`;
  const [late, good, broken] = await Promise.all([
    readOnThread(slow, 1),
    readOnThread(JSON.stringify(OPENAPI)),
    readOnThread("{"),
  ]);
  assert.deepEqual([late.kind, good.kind, broken.kind], ["unreadable", "operations", "unreadable"]);
});

async function begin(desk: TestDesk, documentation: string, long_description = "") {
  await openPages(desk);
  await offer(desk, [{ api: "tides", plan: "Free" }]);
  const { Message: document } = await succeed<{ Message: string }>(
    desk,
    "POST",
    "/api/portal/documentation",
    { body: { api_id: "tides", doc_type: "swagger", documentation } },
  );
  const catalogue = await succeed<{ apis: Record<string, unknown>[] }>(
    desk,
    "GET",
    "/api/portal/catalogue",
  );
  const apis = catalogue.apis.map((api) => ({
    ...api,
    documentation: document,
    long_description,
  }));
  await succeed(desk, "PUT", "/api/portal/catalogue", { body: { ...catalogue, apis } });
  const { email } = await registered(desk, "dev-ada");
  return { email, document };
}

testOnEngines(
  "documentation: what a portal wrote is read under /v1/my and as a page",
  async (desk) => {
    const evil = `<script>alert("docs")</script>`;
    const document = { ...OPENAPI, info: { ...OPENAPI.info, description: `Times. ${evil}` } };
    const { email, document: id } = await begin(desk, base64(JSON.stringify(document)));
    const ada = await signInByCode(desk, email);
    const read = await ada.get<{ kind: string; operations: unknown[]; text: string }>(
      "GET",
      "/v1/my/apis/tides/documentation",
    );
    assert.deepEqual([read.kind, read.operations.length], ["operations", 2]);
    const browser = await signInAtPages(desk, email);
    const page = await browser.get("/portal/apis/tides");
    assert.match(page.words, /2 operations .*GET \/ports\/\{port\}\/tides Tides of a port/);
    assert.match(page.words, /port string, in the path .*must be given/);
    assert.match(page.words, /Times\. <script>alert/);
    assert.doesNotMatch(page.text, /<script>/);
    const change = async (documentation: string) => {
      await succeed(desk, "PUT", `/api/portal/documentation/${id}`, { body: { documentation } });
      return await browser.get("/portal/apis/tides");
    };
    const written = await change(base64(`# How\n\n${evil} [away](javascript:alert(1))`));
    assert.match(written.text, /<h2>How<\/h2>/);
    assert.doesNotMatch(written.text, /<script>|href="javascript/);
    assert.match((await change("{")).words, /cannot be shown/);
    assert.equal((await browser.get("/portal/apis/none")).status, 404);
    // The catalogue still names it.
    await succeed(desk, "DELETE", `/api/portal/documentation/${id}`);
    const gone = await browser.get("/portal/apis/tides");
    assert.match(gone.words, /There is no documentation of this API yet/);
    assert.ok(!gone.words.includes(id));
  },
);

testOnEngines("documentation: an API's own text is Markdown, and harmless", async (desk) => {
  const { email } = await begin(desk, "", `Some **bold** words. <script>alert("x")</script>`);
  const browser = await signInAtPages(desk, email);
  const page = await browser.get("/portal/apis/tides");
  assert.match(page.text, /<strong>bold<\/strong>/);
  assert.doesNotMatch(page.text, /<script>/);
  const none = await browser.get("/portal/apis/tides");
  assert.match(none.words, /There is no documentation of this API yet/);
});
