/** What a desk offers: the demo's developers, APIs and plans, and its brand. */
import { world } from "../fixed-world.ts";
import { makeDemo } from "../../../../src/maintenance/seed/demo.ts";
import { seedTransaction } from "../../../../src/maintenance/seed/seed.transactions.ts";
import { DAY_MS, type Desk, NOW } from "../picture-desk.ts";

/** Makes what the demo offers, and its developers: all else is done later, at its time. */
export async function makeOffer(desk: Desk): Promise<void> {
  const { ctx, first } = desk.app;
  const offer = makeDemo(first.org_id, NOW);
  const calls = { rows: [], uses: [], quotas: [], denied: [] };
  const nothing = { channel: null, leaks: [] };
  const demo = { ...offer, ...nothing, certificates: [], keys: [], requests: [], calls };
  world.now = NOW - 240 * DAY_MS;
  await ctx.storage.commit(seedTransaction, demo);
  await desk.call("PUT", "/v1/branding", {
    name: "Riverline open services",
    colour: "#0f6b5c",
    support: "apis@riverline.example",
    documentation: "https://developers.riverline.example",
    base_url: "https://api.riverline.example",
  });
}
