/** What the console carries of the contract is what the registry says. */
import assert from "node:assert/strict";
import * as ofAll from "../../console/api/endpoints.ts";
import * as ofJobs from "../../console/api/job-endpoints.ts";
import * as ofViews from "../../console/api/view-endpoints.ts";
import { endpoints } from "../../src/reference/registry.ts";

Deno.test("console: every endpoint that it calls has the registry's method and path, and takes sessions", () => {
  const known = endpoints.map(({ method, path }) => `${method} ${path}`);
  const called = Object.values({ ...ofAll, ...ofJobs, ...ofViews }).map(({ method, path }) =>
    `${method} ${path}`
  );
  assert.deepEqual(called.filter((one) => !known.includes(one)), []);
  assert.deepEqual(called.filter((one) => !/ \/v1\//.test(one)), []);
  assert.equal(new Set(called).size, called.length);
});
