import type { RequestContext } from "../../../calls/context.ts";
import type { Mark } from "../../../kernel/read-cache.ts";
import type { Connection, Storage } from "../../../storage/storage.ts";
import { type Part, rowsOf } from "../../../storage/touched-rows.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import { findPortalState, listLiveEntries, type PortalState } from "./catalogue.store.ts";

/** Specification 2.6. */
export type CatalogueConfig = CatalogueEntry["config"];

/** The context of a service that reads the catalogue. */
export interface WithCatalogue {
  readonly liveCatalogue: LiveCatalogue;
}

/** The context of features that do. */
export type CatalogueContext = RequestContext & WithCatalogue;

/**
 * The JSON text of the first live entry of each plan, by either of its ids; of members that Keydesk
 * knows alone.
 */
export type LiveEntries = ReadonlyMap<string, string>;

const NONE: LiveEntries = new Map();
/** Catalogues kept in memory; a catalogue is small, organisations may be many. */
const KEPT = 64;

/**
 * Keeps organisations' catalogues in memory. It is never stale: a reader brings the revision that
 * it saw in the row's own statement, and another revision than the kept one loads the catalogue
 * again. The revision itself is asked for again once the catalogue or the portal's configuration
 * has changed.
 */
export class LiveCatalogue {
  readonly #kept = new Map<string, KeptCatalogue>();
  readonly #states = new Map<string, { mark: Mark; parts: Part[]; state: PortalState }>();
  readonly #configurations = new Map<string, { text: string; config: CatalogueConfig }>();

  /** The live entries of an organisation at this revision; null where it has no catalogue. */
  async at(db: Connection, org_id: string, revision: number | null): Promise<LiveEntries> {
    return revision === null ? NONE : (await this.#catalogueAt(db, org_id, revision)).entries;
  }

  async #catalogueAt(db: Connection, org_id: string, revision: number): Promise<KeptCatalogue> {
    const kept = this.#kept.get(org_id);
    if (kept && kept.revision === revision) return kept;
    const entries = new Map<string, string>();
    // Schemas are loaded where they are needed first, not at the start.
    const { catalogueEntry } = await import("./catalogue.contract.ts");
    // The members of an entry that key requests show: the others are shown with the catalogue
    // itself.
    const knownMembers = (document: string) =>
      JSON.stringify(catalogueEntry.input.parse(JSON.parse(document)));
    // An entry without a plan (a key-less API has none) describes no other entry without a plan.
    for (
      const { policy_id, plan_id, given_id, document } of await listLiveEntries(db, { org_id })
    ) {
      const text = knownMembers(document);
      for (const id of [policy_id, plan_id, given_id]) {
        if (id !== null && !entries.has(id)) entries.set(id, text);
      }
    }
    const catalogue = { revision, entries, configs: new Map() };
    keep(this.#kept, org_id, catalogue);
    return catalogue;
  }

  /**
   * The config that holds for each of these plans: that of the live entry where it overrides, else
   * the organisation's; undefined where there is neither.
   */
  async configsOf(
    storage: Storage,
    org_id: string,
    plans: readonly string[],
  ): Promise<(CatalogueConfig | undefined)[]> {
    const { revision, configuration } = await this.#stateOf(storage, org_id);
    const catalogue = revision === null
      ? undefined
      : await this.#catalogueAt(storage.reader, org_id, revision);
    const ofOrganisation = configuration === null
      ? undefined
      : this.#configuration(org_id, configuration);
    return plans.map((plan) => {
      const own = catalogue && configOf(catalogue, plan);
      return own?.override ? own : ofOrganisation;
    });
  }

  async #stateOf(storage: Storage, org_id: string): Promise<PortalState> {
    const { reader } = storage;
    // A server elsewhere tells the state itself as soon as whether it has changed.
    const changes = reader.dialect === "sqlite" ? storage.changes : undefined;
    const kept = this.#states.get(org_id);
    if (kept && await changes?.holds(kept.mark, kept.parts)) return kept.state;
    const mark = changes?.mark();
    const state = await findPortalState(reader, org_id);
    if (mark !== undefined) {
      const parts = [...rowsOf("catalogues", org_id), ...rowsOf("portal_configurations", org_id)];
      keep(this.#states, org_id, { mark, parts, state });
    }
    return state;
  }

  #configuration(org_id: string, text: string): CatalogueConfig {
    const kept = this.#configurations.get(org_id);
    if (kept?.text === text) return kept.config;
    // as: the store's documents are written from the contract's own type.
    const config = JSON.parse(text) as CatalogueConfig;
    keep(this.#configurations, org_id, { text, config });
    return config;
  }
}

/**
 * One state of an organisation's catalogue. A caller who has it keeps to it, whatever has replaced
 * it meanwhile.
 */
interface KeptCatalogue {
  revision: number;
  entries: LiveEntries;
  /** Of the entries that a person asked about. */
  configs: Map<string, CatalogueConfig>;
}

/** The config of a plan's live entry; undefined where there is none. */
function configOf({ entries, configs }: KeptCatalogue, plan: string): CatalogueConfig | undefined {
  const text = entries.get(plan);
  const known = configs.get(plan);
  if (known || text === undefined) return known;
  // as: the store's documents are written from the contract's own type.
  const { config } = JSON.parse(text) as CatalogueEntry;
  configs.set(plan, config);
  return config;
}

/** Keeps a value as the newest of at most KEPT. */
function keep<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
  for (const oldest of map.keys()) {
    if (map.size <= KEPT) break;
    map.delete(oldest);
  }
}
