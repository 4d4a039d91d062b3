import type { GatewayRow } from "../gateway.ts";
import type { Brought, Checked, KeyThere, Kind, Opened } from "../kind.ts";
import type { PresentContext } from "../present-key.service.ts";
import { presentMap } from "./present-map.ts";

/** Keys that are settled at once. */
const AT_ONCE = 500;

/**
 * A proxy that fetches its map and is brought nothing. A key is there as soon as it is decided:
 * `delivered` says that it is in the map, not that the proxy has fetched it. One that was ended is
 * closing until the proxy says that it has a map without it.
 */
export class FetchedGateway implements Kind {
  readonly atOnce = AT_ONCE;

  constructor(private readonly ctx: PresentContext, private readonly gateway: GatewayRow) {}

  open(canary: string): Promise<Opened> {
    return Promise.resolve({ canary: canary || "fetched", date: NaN });
  }

  nameOf(key: KeyThere): Promise<string> {
    return Promise.resolve(key.key_id);
  }

  nameIn(row: { key_id: string }): string {
    return row.key_id;
  }

  bring(): Promise<Brought> {
    return Promise.resolve({});
  }

  compare(): Promise<string> {
    return Promise.resolve("");
  }

  async names(): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for await (const group of presentMap(this.ctx, this.gateway)) {
      for (const [hash] of group) names.add(hash);
    }
    return names;
  }

  writePlans(): Promise<string[]> {
    return Promise.resolve([]);
  }

  check(): Promise<Checked> {
    return Promise.resolve({ findings: [] });
  }

  /** No map has a key of Keydesk's own. */
  trial(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }
}
