/** The table of moves in key.ts is what really happens: each move, made to a key of each kind. */
import assert from "node:assert/strict";
import {
  type KeyMove,
  type KeyMoveName,
  keyMoves,
  obstacles,
} from "../../../src/features/keys/key.ts";
import { endpoints } from "../../../src/reference/registry.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call, issue, KEYS, movableClock, readKey } from "../../support/keys.ts";

type Kind = typeof obstacles[number];

const DAY = 86_400_000;
const clock = movableClock();
const start = clock.at;
const at = (ms: number) => new Date(start + ms).toISOString();

/** The endpoint by which each move is made, and its call. */
const CALLS: Readonly<
  Record<KeyMoveName, { endpoint: string; method: "POST" | "PUT"; path: string; body: unknown }>
> = {
  suspend: { endpoint: "suspendKey", method: "POST", path: "suspend", body: { reason: "x" } },
  resume: { endpoint: "resumeKey", method: "POST", path: "resume", body: { reason: "x" } },
  revoke: { endpoint: "revokeKey", method: "POST", path: "revoke", body: { reason: "x" } },
  restore: { endpoint: "restoreKey", method: "POST", path: "restore", body: { reason: "x" } },
  setPlans: { endpoint: "setKeyPlans", method: "PUT", path: "plans", body: { plans: ["other"] } },
  setExpiry: {
    endpoint: "setKeyExpiry",
    method: "PUT",
    path: "expiry",
    body: { expires_at: at(9 * DAY) },
  },
  clearExpiry: {
    endpoint: "setKeyExpiry",
    method: "PUT",
    path: "expiry",
    body: { expires_at: null },
  },
  rotate: {
    endpoint: "rotateKey",
    method: "POST",
    path: "rotate",
    body: { overlap_seconds: 60 },
  },
};

/** How a fresh key becomes one of this kind. */
const MADE: Readonly<Record<Kind, (desk: TestDesk, path: string) => Promise<unknown>>> = {
  active: () => Promise.resolve(),
  suspended: (desk, path) => call(desk, "POST", `${path}/suspend`, { reason: "x" }),
  // By an access token that can't approve, so that it can be restored.
  revoked: async (desk, path) => {
    const credential = await desk.token(["portal:read", "revoke"]);
    await call(desk, "POST", `${path}/revoke`, { reason: "x" }, { credential });
  },
  rotated: (desk, path) => call(desk, "POST", `${path}/rotate`, { overlap_seconds: 3600 }),
  expired: async (desk, path) => {
    await call(desk, "PUT", `${path}/expiry`, { expires_at: at(DAY) });
    clock.at = start + 2 * DAY;
  },
};

/** What is true of a key of this kind, in the order in which it is looked for. */
const TRUE_OF: Readonly<Record<Kind, readonly Kind[]>> = {
  active: ["active"],
  suspended: ["suspended"],
  revoked: ["revoked"],
  rotated: ["rotated", "active"],
  expired: ["expired", "active"],
};

for (const [name, move] of Object.entries(keyMoves) as [KeyMoveName, KeyMove][]) {
  const { endpoint, method, path, body } = CALLS[name];

  testOnEngines(
    `key moves: ${name} does to each kind of key what the table says`,
    async (desk) => {
      for (const kind of obstacles) {
        clock.at = start;
        const { key_id } = await issue(desk);
        const key = `${KEYS}/${key_id}`;
        await MADE[kind](desk, key);
        const before = await readKey(desk, key_id);
        const response = await desk.send(method, `${key}/${path}`, { body });
        await response.body?.cancel();
        const refused = TRUE_OF[kind].map((one) => move.refused[one]).find(Boolean);
        const what = `${name} of a key that is ${kind}`;
        assert.equal(response.headers.get("x-keydesk-error") ?? undefined, refused, what);
        assert.equal(response.ok, refused === undefined, what);
        clock.at = start;
        const after = await readKey(desk, key_id);
        const done = move.to === "same" ? before.state : move.to === "former" ? "active" : move.to;
        const wanted = refused !== undefined ? before.state : done;
        // What had expired is seen at the start again, when it had not.
        assert.equal(after.state, wanted === "expired" ? "active" : wanted, what);
      }
    },
    { clock },
  );

  Deno.test(`key moves: ${name} needs the permission that its endpoint asks for`, () => {
    const permission = endpoints.find(({ id }) => id === endpoint)?.permission ?? "public";
    assert.ok(
      typeof permission !== "string" && permission.includes(move.needs),
      String(permission),
    );
  });
}
