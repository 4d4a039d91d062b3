import assert from "node:assert/strict";
import { Troubles } from "../../src/kernel/problems.ts";

Deno.test("troubles: each is told once when it begins and once when it ends", () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const troubles = new Troubles({ now: () => now });
  const told: unknown[] = [];
  troubles.listen((event, { name, reason }, lastedMs) =>
    told.push([event, name, reason, lastedMs])
  );
  troubles.begin("writes_fail", { reason: "SQLITE_FULL", stops: "writes" });
  now += 1000;
  troubles.begin("writes_fail", { reason: "EIO", stops: "all" });
  assert.deepEqual(troubles.current(), [
    { name: "writes_fail", reason: "EIO", stops: "all", since: "2026-01-01T00:00:00.000Z" },
  ]);
  now += 500;
  troubles.end("writes_fail");
  troubles.end("writes_fail");
  troubles.end("never_began");
  assert.deepEqual(troubles.current(), []);
  assert.deepEqual(told, [
    ["begins", "writes_fail", "SQLITE_FULL", undefined],
    ["ends", "writes_fail", "EIO", 1500],
  ]);
});

Deno.test("troubles: what stops changes leaves reads, what stops nothing leaves both", () => {
  const troubles = new Troubles({ now: () => 0 });
  const stopped = () => [troubles.stops("reads"), troubles.stops("writes")];
  troubles.begin("damage_found", { reason: "one key", stops: "nothing" });
  assert.deepEqual(stopped(), [false, false]);
  troubles.begin("writes_fail", { reason: "SQLITE_FULL", stops: "writes" });
  assert.deepEqual(stopped(), [false, true]);
  troubles.begin("store_gone", { reason: "removed", stops: "all" });
  assert.deepEqual(stopped(), [true, true]);
});
