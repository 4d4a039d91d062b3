import type { Connection } from "../../../storage/storage.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { OTHER } from "../../../contract/checking-gateways.ts";
import { readStatedGateway } from "../gateways/stated-gateway.ts";
import { listCheckingGateways, type SeenGateway } from "../gateways/checking-gateways.store.ts";
import type { GatewayCell, NameOfGateway } from "./usage-cell.ts";

/** The name of a gateway that a person set up in its organisation, `other` for every other one. */
export async function namesOf(
  db: Connection,
  cells: readonly GatewayCell[],
): Promise<NameOfGateway> {
  const known = await knownGateways(db, cells.map(({ org_id }) => org_id));
  return ({ org_id, gateway }) => known(org_id, gateway);
}

/** By organisation and what a gateway said of itself: the name that it goes by. */
export async function knownGateways(
  db: Connection,
  organisations: readonly string[],
): Promise<(org_id: string, said: string) => string> {
  const known = new Map<string, Set<string>>();
  for (const org_id of new Set(organisations)) {
    const gateways = await listCheckingGateways(db, { org_id });
    known.set(org_id, new Set(gateways.map(({ name }) => name)));
  }
  return (org_id, said) => {
    const { name } = readStatedGateway(said);
    return known.get(org_id)?.has(name) ? name : OTHER;
  };
}

/** When gateways were first and last heard of, in the one order in which their rows are held. */
export function seenGateways(cells: readonly GatewayCell[], nameOf: NameOfGateway): SeenGateway[] {
  const seen = new Map<string, SeenGateway>();
  for (const cell of cells) {
    const name = nameOf(cell);
    if (name === OTHER) continue;
    const { org_id } = cell;
    const key = JSON.stringify([org_id, name]);
    const known = seen.get(key);
    const last = toTimestamp(cell.lastHit);
    const first = toTimestamp(cell.firstHit);
    const { version } = readStatedGateway(cell.gateway);
    seen.set(key, {
      org_id,
      name,
      first: known !== undefined && known.first < first ? known.first : first,
      last: known !== undefined && known.last > last ? known.last : last,
      version: known !== undefined && known.last > last ? known.version : version,
      minutes: [...known?.minutes ?? [], ...cell.minutes],
    });
  }
  return [...seen].sort(([a], [b]) => a < b ? -1 : 1).map(([, gateway]) => gateway);
}
