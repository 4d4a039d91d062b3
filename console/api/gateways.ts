import type { z } from "zod";
import type { listCanaryRuns } from "../../src/features/gateways/canary.operations.ts";
import type { gateway } from "../../src/features/gateways/gateways.contract.ts";
import type { listKeysAtGateway } from "../../src/features/gateways/gateways.operations.ts";
import type { learning } from "../../src/features/migration/lazy-migration/learning.contract.ts";
import { api } from "./client.ts";
import { listGateways } from "./gateway-endpoints.ts";

/** A gateway that holds keys of its own, as the server shows it. */
export type Gateway = z.output<typeof gateway>;

/** Whether keys are learned from a gateway. */
export type Learning = z.output<typeof learning>;

/** A run of the canary. */
export type CanaryRun = z.output<typeof listCanaryRuns.response>["data"][number];

/** A key at a gateway. */
export type KeyThere = z.output<typeof listKeysAtGateway.response>["data"][number];

/** All gateways, by name; they are few. */
export async function readGateways(): Promise<Gateway[]> {
  return (await api.call(listGateways, {})).data;
}
