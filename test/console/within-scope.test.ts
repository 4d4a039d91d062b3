/** What the console leaves to somebody with a scope is what the server opens to them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withinScope } from "../../src/contract/permission-meanings.ts";
import { repository } from "../support/command.ts";

Deno.test("scopes: the console offers what is open within one, but to file and change requests", () => {
  const text = readFileSync(join(repository, "console/api/session.ts"), "utf8");
  const [, list = ""] = /openWithinScope: readonly Permission\[\] = \[([^\]]*)\]/.exec(text) ?? [];
  const offered = withinScope.filter((permission) => permission !== "portal:write");
  assert.deepEqual((list.match(/[\w:]+/g) ?? []).sort(), offered.sort());
});
