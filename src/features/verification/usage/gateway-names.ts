import type { Connection } from "../../../storage/storage.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { OTHER } from "../../../contract/checking-gateways.ts";
import { readDoor } from "../gateways/stated-gateway.ts";
import { listDoors, type SeenDoor } from "../gateways/checking-gateways.store.ts";
import type { DoorCell, DoorName } from "./usage-cell.ts";

/** The name of a door that somebody set up in its organisation, `other` for every other one. */
export async function namesOf(db: Connection, cells: readonly DoorCell[]): Promise<DoorName> {
  const known = await knownDoors(db, cells.map(({ org_id }) => org_id));
  return ({ org_id, door }) => known(org_id, door);
}

/** By organisation and what a door said of itself: the name that it goes by. */
export async function knownDoors(
  db: Connection,
  organisations: readonly string[],
): Promise<(org_id: string, said: string) => string> {
  const known = new Map<string, Set<string>>();
  for (const org_id of new Set(organisations)) {
    const doors = await listDoors(db, { org_id });
    known.set(org_id, new Set(doors.map(({ name }) => name)));
  }
  return (org_id, said) => {
    const { name } = readDoor(said);
    return known.get(org_id)?.has(name) ? name : OTHER;
  };
}

/** When doors were first and last heard of, in the one order in which their rows are held. */
export function seenDoors(cells: readonly DoorCell[], nameOf: DoorName): SeenDoor[] {
  const seen = new Map<string, SeenDoor>();
  for (const cell of cells) {
    const name = nameOf(cell);
    if (name === OTHER) continue;
    const { org_id } = cell;
    const key = JSON.stringify([org_id, name]);
    const known = seen.get(key);
    const last = toTimestamp(cell.lastHit);
    const first = toTimestamp(cell.firstHit);
    const { version } = readDoor(cell.door);
    seen.set(key, {
      org_id,
      name,
      first: known !== undefined && known.first < first ? known.first : first,
      last: known !== undefined && known.last > last ? known.last : last,
      version: known !== undefined && known.last > last ? known.version : version,
      minutes: [...known?.minutes ?? [], ...cell.minutes],
    });
  }
  return [...seen].sort(([a], [b]) => a < b ? -1 : 1).map(([, door]) => door);
}
