/** Desks with gateways beside them, and what brings these to what is wanted. */
import assert from "node:assert/strict";
import { GatewayEngine } from "../../src/features/gateways/gateway-engine.ts";
import { openOutbound } from "../../src/kernel/outbound/open-outbound.ts";
import type { TestDesk } from "./desk.ts";
import type { StandIn } from "./gateway.ts";
import { call } from "./people.ts";
import { callInPerson } from "./sign-in.ts";

/** Adds a gateway to a desk, as a person does; gives its id. */
export async function addGateway(
  desk: TestDesk,
  door: StandIn,
  more: object = {},
): Promise<string> {
  const { url, secret } = door;
  const body = { name: "City", connection: "synced", url, secret, ...more };
  return (await callInPerson(desk, "POST", "/v1/gateways", body)).id;
}

/** An engine over a desk, which does nothing by itself and may call these gateways. */
export function engineOf(
  desk: Pick<TestDesk, "app">,
  ...doors: readonly { host: string }[]
): GatewayEngine {
  const outbound = openOutbound({ entries: doors.map(({ host }) => host) });
  return new GatewayEngine({ ...desk.app.ctx, outbound }, (error) => {
    throw error;
  });
}

/** Turns until the gateways have been compared and nothing is due now. */
export async function provision(engine: GatewayEngine): Promise<void> {
  for (let turns = 0; await engine.turn(); turns++) {
    assert.ok(turns < 1000, "the engine comes to an end");
  }
}

/** State and reason of a key at its only gateway. */
export async function keyThere(
  desk: TestDesk,
  key_id: string,
): Promise<[state: string, reason: string]> {
  const { data: [one] } = await call(desk, "GET", `/v1/keys/${key_id}/gateways`);
  return [one?.state ?? "none", one?.reason ?? ""];
}

/** Makes the plans that the stand-in has policies for. */
export async function plansOf(desk: TestDesk): Promise<void> {
  for (const [id, auth_type] of Object.entries(PLANS)) {
    await call(desk, "POST", "/api/portal/policies", { id, name: id, auth_type });
  }
}

const PLANS = {
  "plan-free": "authToken",
  "plan-quota": "authToken",
  "plan-basic": "basic",
  "plan-oauth": "oauth",
};
