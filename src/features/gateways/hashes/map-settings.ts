import type { MapForm } from "../../../contract/gateway-states.ts";
import { Failure } from "../../../kernel/failure.ts";

/** The settings of a gateway that goes by hashes of keys. */
export interface MapSettings {
  /** The API that it is before: keys whose plans do not open it stand in no map; "": any. */
  readonly api: string;
  readonly form: MapForm;
  /**
   * The address of HAProxy's commands: `unix`, or a host of this machine with a port; "": none;
   * `fetched`: nothing is written either.
   */
  readonly socket: string;
  /**
   * For a gateway whose file alone is written: its proxy reads that again so soon; absent: not
   * known.
   */
  readonly reload_seconds?: number | null;
}

/** A proxy that fetches its map: no file of it is written anywhere. */
export const FETCHED = "fetched";

/** The stored form; null: the gateway is of another kind. */
export function mapText(map: MapSettings | null): string | null {
  if (map === null) return null;
  const { reload_seconds = null, ...others } = map;
  return JSON.stringify(reload_seconds === null ? others : { ...others, reload_seconds });
}

/** Whether another map is to be made by these settings than by those that a gateway stores. */
export function isOtherMap(row: { map: string | null }, map: MapSettings | null): boolean {
  const without = (of: MapSettings | null) => mapText(of && { ...of, reload_seconds: null });
  return without(mapOf(row) ?? null) !== without(map);
}

/** Throws `invalid_input` where a file would stay that no one changes any more, or the reverse. */
export function requireSameWay(row: { map: string | null }, map: MapSettings | null): void {
  if ((mapOf(row)?.socket === FETCHED) === (map?.socket === FETCHED)) return;
  const message = "map.socket: fetched or not is settled when a gateway is added; add another one";
  throw new Failure("invalid_input", { message, details: [message] });
}

/** The settings that a gateway stores; "": it is of another kind. */
export function mapOf({ map }: { map: string | null }): MapSettings | undefined {
  // as: transactions store nothing else.
  return map === null ? undefined : JSON.parse(map) as MapSettings;
}

/** The names of a gateway's files in the operator's folder: made of its id, so no one chooses. */
export function filesOf(id: string): Record<"map" | "socket" | "template" | "config", string> {
  return {
    map: `${id}.map`,
    socket: `${id}.sock`,
    template: `${id}.template.yaml`,
    config: `${id}.yaml`,
  };
}
