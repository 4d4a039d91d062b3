/**
 * A gateway that is cut off, restarts and loses its Redis while keys change and two nodes take
 * turns: at the end no key opens there that does not open here, and none is lost that can be made.
 */
import assert from "node:assert/strict";
import { testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { Random } from "../../support/random.ts";

const clock = movableClock();

testOnEngines(
  "gateways: under cuts, lost answers and calls in flight no revoked key stays open, and none is lost",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    await addGateway(desk, door);
    const numbers = new Random(41);
    const random = () => numbers.next();
    let faulty = true;
    door.instead = async (request) => {
      if (!faulty || random() > 0.15) return undefined;
      const roll = random();
      if (roll < 0.3) return new Response("", { status: 502 });
      if (roll < 0.5) door.gateway.redisIsAway = !door.gateway.redisIsAway;
      if (roll < 0.7) return undefined;
      // The gateway does it, and its answer is lost.
      const { atGateway } = await import("../../../examples/moving/gateway-interface.ts");
      await (await atGateway(door.gateway, request)).body?.cancel();
      return new Response("", { status: 504 });
    };
    const keys: { key_id: string; RawKey: string; state: "active" | "suspended" | "revoked" }[] =
      [];
    const turn = async () => {
      // A node of its own each time: whatever it knew is lost with it.
      const engine = engineOf(desk, door);
      await engine.turn();
      await engine.giveBack();
      clock.at += 1000;
    };
    for (let n = 0; n < 60; n++) {
      const roll = random();
      const key = keys[Math.floor(random() * keys.length)];
      if (!key || roll < 0.35) {
        const { key_id, RawKey } = await issue(desk, [roll < 0.2 ? "plan-quota" : "plan-free"]);
        keys.push({ key_id, RawKey, state: "active" });
      } else if (key.state === "active") {
        const [move, state] = roll < 0.6
          ? ["suspend", "suspended"] as const
          : ["revoke", "revoked"] as const;
        await call(desk, "POST", `/v1/keys/${key.key_id}/${move}`, { reason: "so" });
        key.state = state;
      } else if (key.state === "suspended") {
        await call(desk, "POST", `/v1/keys/${key.key_id}/resume`, { reason: "so" });
        key.state = "active";
      }
      const used = keys[Math.floor(random() * keys.length)];
      if (used && random() < 0.5) await door.open(used.RawKey, turn);
      else await turn();
    }
    faulty = false;
    door.gateway.redisIsAway = false;
    for (let n = 0; n < 3; n++) {
      const engine = engineOf(desk, door);
      await provision(engine);
      await engine.giveBack();
      clock.at += 61_000;
    }
    for (const { key_id, RawKey, state } of keys) {
      const [there] = await keyThere(desk, key_id);
      const isOpen = await door.open(RawKey) === 200;
      assert.equal(isOpen, state === "active", `${key_id} is ${state} here, ${there} there`);
      assert.equal(there, state === "revoked" ? "gone" : "delivered");
    }
  },
  { clock },
);
