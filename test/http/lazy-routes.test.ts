import assert from "node:assert/strict";
import { healthz } from "../../src/http/health.operations.ts";
import type { Operation } from "../../src/http/operation.ts";
import { type RouteHead, routesOf } from "../../src/http/routes.ts";

const head: RouteHead<"health"> = {
  feature: "health",
  id: "healthz",
  methods: ["GET"],
  path: "/healthz",
};

Deno.test("lazy routes: nothing is loaded before the first call, and calls at once get the same operation", async () => {
  let loads = 0;
  const arrived = Promise.withResolvers<void>();
  const health = async (): Promise<readonly Operation[]> => {
    loads++;
    await arrived.promise;
    return [healthz];
  };
  const [route] = routesOf([head], { health });
  assert.ok(route);
  assert.equal(loads, 0);
  const early = [route.operation, route.operation, route.operation];
  arrived.resolve();
  const operations = await Promise.all(early);
  assert.equal(new Set(operations).size, 1);
  assert.equal(operations[0]?.path, "/healthz");
  // From now on nobody waits.
  assert.equal(route.operation, operations[0]);
});

Deno.test("lazy routes: a call whose feature does not load fails, and the next one tries again", async () => {
  let loads = 0;
  const health = (): Promise<readonly Operation[]> =>
    ++loads === 1 ? Promise.reject(new Error("unreadable")) : Promise.resolve([healthz]);
  const [route] = routesOf([head], { health });
  await assert.rejects(async () => await route?.operation, /unreadable/);
  assert.equal((await route?.operation)?.id, "healthz");
});

Deno.test("lazy routes: a table that names what its feature does not have is told, not served", async () => {
  const [route] = routesOf([{ ...head, id: "elsewhere" }], {
    health: () => Promise.resolve([healthz]),
  });
  await assert.rejects(async () => await route?.operation, /health has no elsewhere/);
});
