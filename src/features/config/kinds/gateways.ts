import { z } from "zod";
import { createGateway, deleteGateway, updateGateway } from "../../gateways/gateways.operations.ts";
import { secretsOf } from "../../gateways/gateway.ts";
import { listGateways } from "../../gateways/gateways.store.ts";
import { mapOf } from "../../gateways/hashes/map-settings.ts";
import { listCheckingGateways } from "../../verification/gateways/checking-gateways.store.ts";
import { toCheckingGateway } from "../../verification/gateways/show-checking-gateway.ts";
import { type At, type Kind, type Members, type Present, shapeOf } from "../kind.ts";

/** Gateways, however they are connected. */
export const gateways: Kind = {
  name: "gateways",
  permission: "admin",
  noun: "gateway",
  schema: z.strictObject(shapeOf(createGateway)),
  needs: ["connection", "name"],
  sets: ["plans"],
  fixed: ["connection"],
  secrets: ["secret", "redis_password"],
  maySame: true,
  keyOf: ({ connection, name }) => `${connection === "checks" ? "checks" : "keys"} ${String(name)}`,
  async read({ ctx, names }) {
    const { storage: { reader }, sealer, principal: { org_id }, clock } = ctx;
    const checking = (await listCheckingGateways(reader, { org_id })).map((row): Present => {
      const { id, name, connection, kind, silent_minutes } = toCheckingGateway(row, clock.now());
      return { id, key: `checks ${name}`, members: { connection, kind, name, silent_minutes } };
    });
    const others = (await listGateways(reader, { org_id })).flatMap((row): Present[] => {
      // One that is ending is as good as gone.
      if (row.state === "ending") return [];
      const { id, name, url, probe_url, redis_url, calls_per_second, policies } = row;
      const map = mapOf(row);
      const { api = "", socket = "", reload_seconds = null, form } = map ?? {};
      // as: transactions store lists of ids.
      const plans = row.plans === null ? null : JSON.parse(row.plans) as string[];
      const members = {
        connection: map ? "map" : "synced",
        kind: form ?? "tyk",
        name,
        ...map ? { map: { api, socket, reload_seconds } } : { url, redis_url },
        probe_url,
        plans: plans && plans.map((plan) => names.plans.nameOf(plan)).sort(),
        calls_per_second,
        policies,
        certificates: Boolean(row.certificates),
      };
      const secrets = { secret: "", redis_password: "", ...secretsOf(sealer, row) };
      return [{ id, key: `keys ${name}`, members, secrets }];
    });
    return [...checking, ...others];
  },
  create: ({ names }, _, after) => [{ operation: createGateway, body: bodyOf(names, after) }],
  change: ({ names }, { present: { id, members }, after, changed }) => {
    const { connection: _, ...body } = bodyOf(
      names,
      members.connection === "checks" ? changed : after,
    );
    return [{ operation: updateGateway, params: { id }, body }];
  },
  remove: (_, { id }) => [{ operation: deleteGateway, params: { id } }],
};

function bodyOf(names: At["names"], { plans, ...members }: Members): Members {
  if (!Array.isArray(plans)) return members;
  return { ...members, plans: plans.map((plan) => names.plans.idOf(String(plan))) };
}
