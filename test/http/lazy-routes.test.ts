import assert from "node:assert/strict";
import { healthRoutes } from "../../src/http/health.routes.ts";
import { type Binding, type RouteHead, routesOf } from "../../src/http/routes.ts";

const head: RouteHead<"health"> = {
  feature: "health",
  id: "healthz",
  methods: ["GET"],
  path: "/healthz",
};

Deno.test("lazy routes: nothing is loaded before the first call, and calls at once get the same binding", async () => {
  let loads = 0;
  const arrived = Promise.withResolvers<void>();
  const health = async (): Promise<readonly Binding[]> => {
    loads++;
    await arrived.promise;
    return healthRoutes;
  };
  const [route] = routesOf([head], { health });
  assert.ok(route);
  assert.equal(loads, 0);
  const early = [route.binding, route.binding, route.binding];
  arrived.resolve();
  const bindings = await Promise.all(early);
  assert.equal(new Set(bindings).size, 1);
  assert.equal(bindings[0]?.endpoint.path, "/healthz");
  // From now on nobody waits.
  assert.equal(route.binding, bindings[0]);
});

Deno.test("lazy routes: a call whose feature does not load fails, and the next one tries again", async () => {
  let loads = 0;
  const health = (): Promise<readonly Binding[]> =>
    ++loads === 1 ? Promise.reject(new Error("unreadable")) : Promise.resolve(healthRoutes);
  const [route] = routesOf([head], { health });
  await assert.rejects(async () => await route?.binding, /unreadable/);
  assert.equal((await route?.binding)?.endpoint.id, "healthz");
});

Deno.test("lazy routes: a table that names what its feature does not bind is told, not served", async () => {
  const [route] = routesOf([{ ...head, id: "elsewhere" }], {
    health: () => Promise.resolve(healthRoutes),
  });
  await assert.rejects(async () => await route?.binding, /health binds no elsewhere/);
});
