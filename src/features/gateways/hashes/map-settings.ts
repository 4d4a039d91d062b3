import type { MapForm } from "../../../contract/gateway-states.ts";

/** What somebody sets of a gateway that goes by hashes of keys. */
export interface MapSettings {
  /** The API that it stands before: keys whose plans do not open it stand in no map; "": any. */
  readonly api: string;
  readonly form: MapForm;
  /**
   * Where HAProxy takes commands: `unix`, or a host of this machine with a port; "": nowhere;
   * `fetched`: nothing is written either.
   */
  readonly socket: string;
}

/** A door that fetches its map: no file of it is written anywhere. */
export const FETCHED = "fetched";

/** What a gateway stores of them; "": it is of another kind. */
export function mapOf({ map }: { map: string | null }): MapSettings | undefined {
  // as: transactions store nothing else.
  return map === null ? undefined : JSON.parse(map) as MapSettings;
}

/** The names of a gateway's files in the operator's folder: made of its id, so nobody chooses. */
export function filesOf(id: string): Record<"map" | "socket" | "template" | "config", string> {
  return {
    map: `${id}.map`,
    socket: `${id}.sock`,
    template: `${id}.template.yaml`,
    config: `${id}.yaml`,
  };
}
