import type { RequestContext } from "../../../calls/context.ts";
import { findPosition } from "../../../changes/invalidations.store.ts";
import { Answer, type Pieces } from "../../../kernel/answer.ts";
import { revisionOf } from "../../../kernel/entity-tag.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { GatewayRow } from "../gateway.ts";
import { findGateway } from "../gateways.store.ts";
import { newKeysOf } from "../new-keys.store.ts";
import { provisionedOfState } from "../provisioned-keys.store.ts";
import { configOf } from "./agentgateway-config.ts";
import { MARK } from "./map-file.ts";
import { mapOf, type MapSettings } from "./map-settings.ts";
import { presentMap } from "./present-map.ts";

/** While more keys than this wait for the next edition the map has no tag. */
const MOST_WAITING = 1000;

/**
 * The map of a gateway as its keys are by now, or 304 where the caller has what this tag names.
 * Throws `not_found` also for a gateway of another kind.
 */
export async function fetchMap(
  ctx: RequestContext,
  id: string,
  has: (etag: string) => boolean,
): Promise<Answer<Pieces | null>> {
  const { gateway, map, mark } = await stateOf(ctx, id);
  const tagged: Record<string, string> = mark === "" ? {} : { etag: `"${mark}"` };
  const { etag } = tagged;
  if (etag !== undefined && has(etag)) return new Answer(null, tagged, 304);
  const isHaproxy = map.form === "haproxy";
  const type = isHaproxy ? "text/plain; charset=utf-8" : "application/yaml";
  const told = mark === "" ? "untagged" : mark;
  const lines = isHaproxy ? mapLines(ctx, gateway, told) : configOf(
    `# ${told}\n# keys of Keydesk\n`,
    presentMap(ctx, gateway),
  );
  return new Answer(lines, { ...tagged, "content-type": type });
}

/**
 * A gateway, and a mark of all that its map is made of. Each part is read before what is raised
 * behind it, and all before the map: a map may be newer than its mark, and never older. What
 * changes a key or a plan raises the position; a new key is new, then its row waits, and the
 * edition is raised before it does not any more.
 */
async function stateOf(
  { storage: { reader }, principal: { org_id }, settings: { unknownPlan } }: RequestContext,
  id: string,
): Promise<{ gateway: GatewayRow; map: MapSettings; mark: string }> {
  const fresh = await newKeysOf(reader, { org_id }, MOST_WAITING);
  const place = { org_id, gateway_id: id, behind: "", state: "waiting" as const };
  const rows = await provisionedOfState(reader, place, MOST_WAITING);
  const gateway = await findGateway(reader, { org_id, id });
  const map = gateway && mapOf(gateway);
  if (!map || gateway.unconfirmed_since !== null) throw new Failure("not_found");
  const position = await findPosition(reader);
  // As its row begins: that it is taken in changes nothing.
  const waiting = new Map(fresh.map(({ key_id }) => [key_id, 1]));
  for (const { key_id, wanted } of rows) waiting.set(key_id, Number(wanted));
  if (Math.max(fresh.length, rows.length) === MOST_WAITING) return { gateway, map, mark: "" };
  const { plans, certificates, edition } = gateway;
  const mark = revisionOf([
    [id, map.api, map.form, plans, certificates, gateway.state === "ending", unknownPlan],
    [Number(edition), Number(position)],
    [...waiting].sort(([a], [b]) => a < b ? -1 : 1),
  ]);
  return { gateway, map, mark };
}

async function* mapLines(ctx: RequestContext, gateway: GatewayRow, mark: string): Pieces {
  yield `${MARK} ${mark}\n`;
  for await (const group of presentMap(ctx, gateway)) {
    yield group.map(([hash, entry]) => `${hash} ${entry}\n`).join("");
  }
}
