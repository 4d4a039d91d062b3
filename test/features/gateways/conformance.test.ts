/** Every kind of gateway passes one suite; a kind that believes what it is told does not. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { HashGateway } from "../../../src/features/gateways/hashes/hash-gateway.ts";
import { filesOf, type MapSettings } from "../../../src/features/gateways/hashes/map-settings.ts";
import type { Kind } from "../../../src/features/gateways/kind.ts";
import { TykCalls } from "../../../src/features/gateways/tyk/tyk-calls.ts";
import { TykGateway } from "../../../src/features/gateways/tyk/tyk-gateway.ts";
import { openOutbound } from "../../../src/kernel/outbound/open-outbound.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { standIn } from "../../support/gateway.ts";
import { broken, checks, type Place, testKind } from "./conformance.ts";

const ORG = "5e9d9544a1dcd60001d0ed20";

function tyk(): Promise<Place> {
  const door = standIn(ORG);
  const outbound = openOutbound({ entries: [door.host] });
  return Promise.resolve({
    org_id: ORG,
    plan: "plan-free",
    kind: () => new TykGateway(new TykCalls(outbound, door), ORG),
    opens: async (key) => await door.open(key) === 200,
    take: (key_id) => Promise.resolve(door.gateway.revoke(key_id)),
    lose: () => Promise.resolve(door.gateway.loseRecords()),
    away: () => Promise.resolve(void (door.gateway.redisIsAway = true)),
    [Symbol.asyncDispose]: () => door[Symbol.asyncDispose](),
  });
}

/** A door that reads its file at each call. */
async function hashes(form: MapSettings["form"], kindOf: (kind: Kind) => Kind): Promise<Place> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-hashes-" });
  const id = "01J0000000000000000000000A";
  const { map: name, template, config } = filesOf(id);
  const map = { api: "", form, socket: "" };
  await Deno.writeTextFile(join(folder, template), "keys:\n  # keys of Keydesk\nmode: strict\n");
  const file = join(folder, form === "haproxy" ? name : config);
  const lines = async () => (await Deno.readTextFile(file)).split("\n");
  return {
    org_id: ORG,
    plan: "plan-free",
    kind: () => kindOf(new HashGateway({ folder, id, map, socket: undefined })),
    opens: async (key) => (await lines()).some((line) => line.includes(sha256(key))),
    take: async (key_id) => {
      const path = join(folder, name);
      const kept = (await Deno.readTextFile(path)).split("\n").filter((one) =>
        !one.startsWith(key_id)
      );
      await Deno.writeTextFile(path, kept.join("\n"));
    },
    lose: () => Deno.writeTextFile(join(folder, name), ""),
    away: () => Deno.remove(folder, { recursive: true }),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }).catch(() => {}),
  };
}

testKind("tyk", tyk);
testKind("hashes, as lines", () => hashes("haproxy", (kind) => kind));
testKind("hashes, of an agentgateway", () => hashes("agentgateway", (kind) => kind));

Deno.test("gateways: a kind that takes what it did for what stands there breaks the suite's promises", async () => {
  const naive = (kind: Kind): Kind => ({
    atOnce: 1,
    open: (canary) => kind.open(canary).catch(() => ({ canary, date: NaN })),
    nameOf: (key) => kind.nameOf(key),
    nameIn: (row) => kind.nameIn(row),
    bring: (key, wanted) => kind.bring(key, wanted).catch(() => ({})),
    compare: () => Promise.resolve(""),
    names: () => kind.names(),
    check: () => Promise.resolve({ findings: [] }),
    writePlans: () => Promise.resolve([]),
    trial: (...of) => kind.trial(...of),
    finish: () => Promise.resolve(),
  });
  const found = await broken(() => hashes("haproxy", naive));
  assert.deepEqual(found, [
    "a key that is closed opens nothing, and opens again",
    "another end is told",
    "a key that was taken away there is told, and put back",
    "while it is away nothing counts as done",
  ]);
  assert.ok(found.length < Object.keys(checks).length);
});
