import type { z } from "zod";
import type { listCanaryRuns } from "../../src/features/gateways/canary.operations.ts";
import type { gateway } from "../../src/features/gateways/gateways.contract.ts";
import type { listKeysAtGateway } from "../../src/features/gateways/synced-gateways.operations.ts";
import type { lazyMigration } from "../../src/features/migration/lazy-migration/lazy-migration.contract.ts";
import { api } from "./client.ts";
import { listGateways } from "./gateway-endpoints.ts";

/** A gateway, however it is connected, as the server shows it. */
export type Gateway = z.output<typeof gateway>;

/** One that checks each call with Keydesk. */
export type CheckingGateway = Extract<Gateway, { connection: "checks" }>;

/** One that keys are written into, or that goes by a map of them. */
export type SyncedGateway = Exclude<Gateway, { connection: "checks" }>;

/** Whether keys are learned from a gateway. */
export type LazyMigration = z.output<typeof lazyMigration>;

/** A run of the canary. */
export type CanaryRun = z.output<typeof listCanaryRuns.response>["data"][number];

/** A key at a gateway. */
export type KeyThere = z.output<typeof listKeysAtGateway.response>["data"][number];

/** All gateways that the caller may read, by name; they are few. */
export async function readGateways(): Promise<Gateway[]> {
  return (await api.call(listGateways, {})).data;
}

/** Those that check each call, by name. */
export async function readCheckingGateways(): Promise<CheckingGateway[]> {
  const { data } = await api.call(listGateways, { query: { connection: "checks" } });
  return data.flatMap((one) => one.connection === "checks" ? one : []);
}
