/** The table of paths: what is found, what a path takes, and what never matches. */
import assert from "node:assert/strict";
import { PathTable, requestPath } from "../../src/http/router.ts";
import { routeTable } from "../../src/route-table.ts";
import { leastProcessorMs } from "../support/processor.ts";

const ID = "5c91cc2b9f5ca4000112a3b4";

function openTable(): PathTable<string> {
  const table = new PathTable<string>();
  table.add("/certs/{id}", ["GET"], "one");
  table.add("/certs/details", ["GET"], "details");
  table.add("/certs", ["POST"], "add");
  table.addTree("/tree", "tree");
  table.add("/certs/{id}", ["DELETE", "UPDATE"], "delete");
  table.add("/certs/{id}/chain", ["GET"], "chain");
  table.add("/apis//keys/{key}", ["DELETE"], "key of no api");
  table.add("/apis/{api}/keys/{key}", ["DELETE"], "key");
  return table;
}

/** What a request finds, by the path that it was sent with. */
function ask(method: string, path: string) {
  const asked = requestPath(new Request(`http://desk.test${path}`));
  const found = openTable().find(method, asked);
  return found && [found.serving, { ...found.params }, found.allow];
}

Deno.test("router: a path leads to what serves the method, with what stands for its parameters", () => {
  const allow = "GET, DELETE, UPDATE, HEAD, OPTIONS";
  assert.deepEqual(ask("GET", `/certs/${ID}`), ["one", { id: ID }, allow]);
  assert.deepEqual(ask("UPDATE", `/certs/${ID}/`), ["delete", { id: ID }, allow]);
  assert.deepEqual(ask("HEAD", "/certs/7"), ["one", { id: "7" }, allow]);
  assert.deepEqual(ask("GET", "/certs/__proto__"), ["one", { id: "__proto__" }, allow]);
  assert.deepEqual(ask("GET", "/certs/7/chain"), ["chain", { id: "7" }, "GET, HEAD, OPTIONS"]);
  for (const method of ["GET", "DELETE", "FOO", "__proto__"]) {
    for (const path of ["/tree", "/tree/", "/tree//", "/tree/a//b/", "/tree/%zz"]) {
      assert.deepEqual(ask(method, path), ["tree", {}, ""], path);
    }
  }
});

Deno.test("router: a path that is declared letter by letter is no id, whatever the method", () => {
  assert.deepEqual(ask("GET", "/certs/details"), ["details", {}, "GET, HEAD, OPTIONS"]);
  assert.deepEqual(ask("DELETE", "/certs/details"), [undefined, {}, "GET, HEAD, OPTIONS"]);
  assert.deepEqual(ask("DELETE", "/apis//keys/a")?.[0], "key of no api");
});

Deno.test("router: a method that a path does not take is served by nobody, and the path says what it takes", () => {
  for (const method of ["FOO", "post", "__proto__", "constructor", ""]) {
    assert.deepEqual(ask(method, "/certs"), [undefined, {}, "POST, OPTIONS"]);
  }
  assert.deepEqual(ask("HEAD", "/certs"), [undefined, {}, "POST, OPTIONS"]);
});

Deno.test("router: a parameter is what was sent, and an empty part or a further slash is none", () => {
  const sent = [
    ["a%2Fb", "a/b"],
    ["%E2%82%AC", "€"],
    ["%25zz", "%zz"],
    ["a%2525", "a%25"],
    ["%zz", "%zz"],
    ["%C3%28%41", "%C3%28%41"],
    ["a+b;c", "a+b;c"],
    [":id", ":id"],
  ];
  for (const [path, id] of sent) assert.deepEqual(ask("GET", `/certs/${path}`)?.[1], { id });
  const nowhere = ["/", "//", "/certs//", "/certs///", "/certs//chain", "/treetop", "/CERTS"];
  for (const path of [...nowhere, "/certs/7//", "/apis/a/keys//", "/*"]) {
    assert.equal(ask("GET", path), undefined, path);
  }
});

Deno.test("router: a long path of slashes is looked up in time that grows with its length", async () => {
  const table = openTable();
  const worked = (length: number) => {
    const path = `/apis${"/".repeat(length)}keys/a`;
    return leastProcessorMs(5, () => {
      for (let time = 0; time < 20; time++) table.find("GET", path);
    });
  };
  const [few, many] = [await worked(4000), await worked(32_000)];
  assert.ok(many < 40 * few + 5, `${few} ms, ${many} ms of a processor`);
});

Deno.test("router: no two declared paths have the same form, so that the first of them hides none", () => {
  const paths = new Set(routeTable.flatMap(({ path, otherPaths = [] }) => [path, ...otherPaths]));
  const forms = new Set([...paths].map((path) => path.replaceAll(/\{\w+\}/g, "{}")));
  assert.equal(forms.size, paths.size);
});
