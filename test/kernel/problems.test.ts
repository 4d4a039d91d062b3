import assert from "node:assert/strict";
import { Problems } from "../../src/kernel/problems.ts";

Deno.test("problems: each is told once when it begins and once when it ends", () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const problems = new Problems({ now: () => now });
  const told: unknown[] = [];
  problems.listen((event, { name, reason }, lastedMs) =>
    told.push([event, name, reason, lastedMs])
  );
  problems.begin("writes_fail", { reason: "SQLITE_FULL", stops: "writes" });
  now += 1000;
  problems.begin("writes_fail", { reason: "EIO", stops: "all" });
  assert.deepEqual(problems.current(), [
    { name: "writes_fail", reason: "EIO", stops: "all", since: "2026-01-01T00:00:00.000Z" },
  ]);
  now += 500;
  problems.end("writes_fail");
  problems.end("writes_fail");
  problems.end("never_began");
  assert.deepEqual(problems.current(), []);
  assert.deepEqual(told, [
    ["begins", "writes_fail", "SQLITE_FULL", undefined],
    ["ends", "writes_fail", "EIO", 1500],
  ]);
});

Deno.test("problems: what stops changes leaves reads, what stops nothing leaves both", () => {
  const problems = new Problems({ now: () => 0 });
  const stopped = () => [problems.stops("reads"), problems.stops("writes")];
  problems.begin("damage_found", { reason: "one key", stops: "nothing" });
  assert.deepEqual(stopped(), [false, false]);
  problems.begin("writes_fail", { reason: "SQLITE_FULL", stops: "writes" });
  assert.deepEqual(stopped(), [false, true]);
  problems.begin("store_gone", { reason: "removed", stops: "all" });
  assert.deepEqual(stopped(), [true, true]);
});
