/** What the console carries of the contract is what the registry says. */
import assert from "node:assert/strict";
import * as carried from "../../console/api/endpoints.ts";
import { endpoints } from "../../src/reference/registry.ts";

Deno.test("console: every endpoint that it calls has the registry's method and path, and takes sessions", () => {
  const known = endpoints.map(({ method, path }) => `${method} ${path}`);
  const called = Object.values(carried).map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(called.filter((one) => !known.includes(one)), []);
  assert.deepEqual(called.filter((one) => !/ \/v1\//.test(one)), []);
  assert.equal(new Set(called).size, called.length);
});
