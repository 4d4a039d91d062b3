/** What the console carries of the contract is what the registry says. */
import assert from "node:assert/strict";
import * as ofAlerts from "../../console/api/alert-endpoints.ts";
import * as ofDecisions from "../../console/api/decision-endpoints.ts";
import * as ofAll from "../../console/api/endpoints.ts";
import * as ofTemporaryAccesses from "../../console/api/temporary-access-endpoints.ts";
import * as ofIdentities from "../../console/api/identity-endpoints.ts";
import * as ofJobs from "../../console/api/job-endpoints.ts";
import * as ofPolicies from "../../console/api/policy-endpoints.ts";
import * as ofSessions from "../../console/api/session-endpoints.ts";
import * as ofSignIns from "../../console/api/sign-in-endpoints.ts";
import * as ofChannels from "../../console/api/channel-endpoints.ts";
import * as ofTokens from "../../console/api/token-endpoints.ts";
import * as ofViews from "../../console/api/view-endpoints.ts";
import { endpoints } from "../../src/reference/registry.ts";

Deno.test("console: every endpoint that it calls has the registry's method and path, and takes sessions", () => {
  const known = endpoints.map(({ method, path }) => `${method} ${path}`);
  const all = [
    ofAll,
    ofAlerts,
    ofDecisions,
    ofTemporaryAccesses,
    ofIdentities,
    ofJobs,
    ofPolicies,
    ofSessions,
    ofSignIns,
    ofChannels,
    ofTokens,
    ofViews,
  ];
  const called = all.flatMap((one) => Object.values(one)).map(({ method, path }) =>
    `${method} ${path}`
  );
  assert.deepEqual(called.filter((one) => !known.includes(one)), []);
  assert.deepEqual(called.filter((one) => !/ \/v1\//.test(one)), []);
  assert.equal(new Set(called).size, called.length);
});
