/** What temporary access opens, endpoint by endpoint: nothing that does not say so. */
import assert from "node:assert/strict";
import type { Endpoint } from "../../../../src/contract/endpoint.ts";
import { takesSessions } from "../../../../src/contract/envelope.ts";
import { permissionsOf } from "../../../../src/contract/permissions.ts";
import { assertFailure } from "../../../support/answers.ts";
import { testOnEngines } from "../../../support/desk.ts";
import {
  heldBy,
  insider,
  ruleFor,
  takeTemporaryAccess,
} from "../../../support/temporary-access.ts";
import { guardedCalls, pathWith } from "../../../support/walk.ts";
import { bySession } from "../../../support/sign-in.ts";

const bySessions = guardedCalls.filter(({ endpoint }) => takesSessions(endpoint));

/** What decides who may do what, and who is told of it. */
const WHO_MAY = new RegExp(
  "^/v1/(people|access-tokens|roles|temporary-access-rules|identity-providers|identities|passkeys|" +
    "sign-in-rules|settings|channels|organisations|developer-pages|developer-invitations|" +
    "approval-polic|views|sessions|branding|doors)|" +
    "/(approval-policy|sign-in-links|views|approval)$",
);

Deno.test("temporary access: nothing that decides who may do what is open to one", () => {
  const open = bySessions.filter(({ endpoint, method }) =>
    endpoint.withinTemporaryAccess && method !== "GET"
  );
  assert.ok(open.length > 10);
  for (const { endpoint, name } of open) {
    assert.doesNotMatch(endpoint.path, WHO_MAY, name);
    // Its own end alone: nobody starts or prolongs one in one.
    if (endpoint.path.startsWith("/v1/temporary-access")) {
      assert.equal(endpoint.id, "endTemporaryAccess");
    }
    const needs: readonly string[] = permissionsOf(endpoint.permission);
    assert.ok(
      !needs.includes("admin") || endpoint.id === "endTemporaryAccess" || needs.length > 5,
      name,
    );
  }
});

/** Whether a person who holds `portal:read` alone may call it. */
function isOwn({ permission, permissionBesides }: Endpoint): boolean {
  return permission !== "public" && permission !== "developer" &&
    permission.includes("portal:read") && permissionBesides === undefined;
}

testOnEngines(
  "temporary access: every endpoint that does not say so is closed to its power",
  async (desk) => {
    const grace = await insider(desk);
    const rule = await ruleFor(desk, [grace.id], { role: "administrator" });
    await takeTemporaryAccess(desk, grace, rule);
    const before = await heldBy(desk, grace.browser);
    assert.ok(before.includes("admin:read") && before.includes("secrets"));
    for (const { endpoint, method, name } of bySessions) {
      if (endpoint.withinTemporaryAccess) continue;
      if (method === "GET" && isOwn(endpoint)) continue;
      const path = pathWith(endpoint, "f".repeat(24));
      const response = await bySession(desk, grace.browser, method, path);
      await assertFailure(response, "access_denied", {
        message: `access denied: You do not have permission to access  ${path}`,
      }).catch((error) => {
        throw new Error(name, { cause: error });
      });
    }
    assert.deepEqual(await heldBy(desk, grace.browser), before);
  },
);
