import assert from "node:assert/strict";
import { TrieRouter } from "hono/router/trie-router";
import { LiteralFirstRouter } from "../../src/http/router.ts";

const ROUTES = [
  ["ALL", "*", "everywhere"],
  ["GET", "/certs/{id}", "one"],
  ["GET", "/certs/details", "details"],
  ["POST", "/certs", "add"],
  ["ALL", "/tree/*", "tree"],
  ["GET", "/:kind/:name", "anything"],
  ["DELETE", "/certs/:name", "delete"],
  ["GET", "/certs/:id/chain", "chain"],
] as const;

Deno.test("router: finds what the trie finds, the first time and each time after, and what is added later", () => {
  const ours = new LiteralFirstRouter<string>();
  const trie = new TrieRouter<string>();
  for (const [method, path, handler] of ROUTES) {
    const pattern = path.replace("{id}", ":id");
    ours.add(method, pattern, handler);
    trie.add(method, pattern, handler);
    for (let time = 0; time < 2; time++) {
      for (const asked of ["GET", "POST", "DELETE", "FOO", "__proto__"]) {
        const paths = [
          "/certs/details",
          "/certs",
          "/certs/7",
          "/certs/5c91cc2b9f5ca4000112a3b4",
          "/certs/5c91cc2b9f5ca4000112a3b5",
          "/certs/5c91cc2b9f5ca4000112a3b5/chain",
          "/tree/5c91cc2b9f5ca4000112a3b5",
          "/other/5c91cc2b9f5ca4000112a3b5",
          "/tree",
          "/tree/a/b",
          "/treetop",
          "/",
        ];
        for (const where of [...paths, "/constructor", "//"]) {
          assert.deepEqual(ours.match(asked, where), trie.match(asked, where), `${asked} ${where}`);
        }
      }
    }
  }
});
