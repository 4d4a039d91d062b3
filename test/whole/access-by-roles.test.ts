/**
 * Walks the registry with every role, and with people who have a scope: each endpoint is open to
 * exactly those whom its declaration names.
 */
import assert from "node:assert/strict";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { allows, type Permission } from "../../src/contract/permissions.ts";
import { rolePresets } from "../../src/contract/roles.ts";
import { openTestDesk } from "../support/desk.ts";
import { call } from "../support/people.ts";
import {
  acceptedBody,
  guardedCalls,
  pathWith,
  presenting,
  type WalkedCall,
} from "../support/walk.ts";

/** What asks for more where a call says more; `access-to-every-endpoint.test.ts` says what. */
const MORE_BY_WHAT_IS_SAID = [
  "startJob",
  "countSelection",
  "createView",
  "putColumns",
  "deactivateDeveloper",
  "reactivateDeveloper",
  "confirmConfigReview",
];

/** Whether the declaration opens an endpoint to whoever holds this. */
function isOpen({ permission, permissionBesides }: Endpoint, held: readonly Permission[]): boolean {
  if (typeof permission === "string") return true;
  return permission.some((one) => allows(held, one)) &&
    (permissionBesides === undefined || allows(held, permissionBesides));
}

const weather = { plans: ["plan-weather"], apis: ["payments"], tags: ["payments"] };

Deno.test("every endpoint: each role, with a scope and without, opens what is declared, and nothing else", async () => {
  await using desk = await openTestDesk("sqlite");
  const own = await call(desk, "POST", "/v1/roles", {
    name: "First line",
    permissions: ["portal:read", "revoke", "audit"],
  });
  const roles = [...rolePresets, own];
  const wrong: string[] = [];
  for (const { id: role, permissions } of roles) {
    for (const scope of [undefined, weather]) {
      const body = { name: role, role, ...scope && { scope } };
      const person = await call(desk, "POST", "/v1/people", body);
      const issue = { name: "laptop", deliver: "answer" };
      const path = `/v1/people/${person.id}/access-tokens`;
      const { access_token: credential } = await call(desk, "POST", path, issue);
      const refuses = async ({ endpoint, method }: WalkedCall) => {
        const { headers, ...accepted } = acceptedBody(endpoint);
        const by = presenting(endpoint, credential);
        const init = { ...accepted, ...by, headers: { ...headers, ...by.headers } };
        const answer = await desk.send(method, pathWith(endpoint, "f".repeat(24)), init);
        await answer.body?.cancel();
        return answer.headers.get("x-keydesk-error") === "access_denied";
      };
      for (const walked of guardedCalls) {
        const { endpoint, name } = walked;
        if (typeof endpoint.permission === "string" || endpoint.id === "signOut") continue;
        const open = isOpen(endpoint, permissions) && (!scope || endpoint.withinScope === true);
        if (open && MORE_BY_WHAT_IS_SAID.includes(endpoint.id)) continue;
        // Within a scope it is of one key or plan, which a call without a query does not name.
        if (open && scope && endpoint.id === "getUsage") continue;
        if (await refuses(walked) === open) {
          wrong.push(
            `${name} by ${role}${scope ? " with a scope" : ""}: ${open ? "closed" : "open"}`,
          );
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("every endpoint: an auditor changes nothing", () => {
  const auditor = rolePresets.find(({ id }) => id === "auditor");
  // Their own account, and what asks without changing.
  const theirs = guardedCalls.filter(({ endpoint, method }) =>
    method !== "GET" && typeof endpoint.permission !== "string" &&
    !endpoint.permission.includes("operator") && isOpen(endpoint, auditor?.permissions ?? [])
  ).map(({ endpoint }) => endpoint.id);
  assert.deepEqual([...new Set(theirs)].sort(), ["checkKey", "diffConfig", "findKey"]);
});
