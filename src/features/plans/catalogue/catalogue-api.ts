import { revisionOf } from "../../../kernel/entity-tag.ts";
import { Failure } from "../../../kernel/failure.ts";
import { type ApiVisibility, type VisibilityChange, visibilityIn } from "./api-visibility.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import type { EntryRow } from "./catalogue.store.ts";

/**
 * An API of the catalogue: all entries with its `api_id`, in the catalogue's order. There is at
 * least one.
 */
export interface CatalogueApi {
  readonly id: string;
  readonly entries: readonly EntryRow[];
  readonly seen: ApiVisibility;
}

/** The common members of an API's entries: its texts, and whether portals show it. */
interface ApiTexts {
  name: string;
  short_description: string;
  long_description: string;
  documentation: string;
  version: string;
  /** The address of the gateway before it; "": the organisation's. */
  base_url: string;
  show: boolean;
}

/** The changeable members of an API's entries. Absent ones stay. */
type EntryChange =
  & { [K in keyof ApiTexts]?: ApiTexts[K] | undefined }
  & {
    /** Those that it is offered by, by either of their ids; others are no longer. */
    plans?: string[] | undefined;
  };

/** The changeable members of an API. Absent ones stay. */
export type ApiChange = EntryChange & VisibilityChange;

/** Entries of one catalogue. */
const MOST_ENTRIES = 1000;

/**
 * The APIs of a catalogue, each in the place of its first entry. Entries without an API are none.
 */
export function apisOf(
  entries: readonly EntryRow[],
  visibilities: ReadonlyMap<string, ApiVisibility>,
): CatalogueApi[] {
  const apis = Map.groupBy(entries, ({ api_id }) => api_id);
  apis.delete("");
  return [...apis].map(([id, its]) => ({
    id,
    entries: its,
    seen: visibilities.get(id) ?? visibilityIn(undefined),
  }));
}

/**
 * An API as its entries say: the first one's texts, and the plans that it is offered by. It is
 * shown where an entry is. `names`: what its entries are called; portals name each after its plan,
 * too.
 */
export function describe({ id, entries, seen }: CatalogueApi) {
  const [first] = entries;
  return {
    id,
    ...textsOf(first),
    show: entries.some((entry) => textsOf(entry).show),
    ...seen,
    plans: [...new Set(entries.map(({ policy_id }) => policy_id).filter((plan) => plan !== ""))],
    names: [...new Set(entries.map((entry) => textsOf(entry).name))],
  };
}

/**
 * The name that an API's plans give it, the first that does; undefined: none does. Entries that are
 * named after their plans leave the API's name to them.
 */
export function nameByPlans(
  api_id: string,
  plans: readonly { access_rights: Readonly<Record<string, Readonly<Record<string, unknown>>>> }[],
): string | undefined {
  return plans.map(({ access_rights }) => access_rights[api_id]?.api_name)
    .find((name): name is string => typeof name === "string" && name !== "");
}

/** The revision in the entity tag of an API: all that a client may set of it. */
export function apiRevision({ entries, seen }: CatalogueApi): string {
  return revisionOf([...entries.map((entry) => [entry.policy_id, textsOf(entry)]), seen]);
}

/**
 * A whole catalogue in which one API was changed, or, where it has no entry yet, added behind the
 * others. The sent values are in all its entries then. `idOf` gives one name for both ids of a
 * plan, `nameOf` a new plan's name, which its entry has where entries are named one by one. `blank`
 * is an entry of which no one has said anything: how requests for a plan that is new to the API are
 * decided, says the configuration. Throws `invalid_input` for more entries than a catalogue takes.
 */
export function withChangedApi(
  all: readonly EntryRow[],
  api_id: string,
  change: EntryChange,
  { idOf, nameOf, blank }: {
    idOf: (plan: string) => string;
    nameOf: (plan: string) => string | undefined;
    blank: CatalogueEntry;
  },
): EntryRow[] {
  const { plans, ...rest } = change;
  const texts = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const before = all.filter((entry) => entry.api_id === api_id);
  const wanted = plans && new Map(plans.map((plan) => [idOf(plan), plan]));
  const kept = before.filter(({ policy_id }) => wanted?.has(idOf(policy_id)) ?? true);
  const there = new Set(kept.map(({ policy_id }) => idOf(policy_id)));
  const added = [...wanted ?? []].filter(([id]) => !there.has(id)).map(([, plan]) => plan);
  // An API that no plan offers is one entry without a plan.
  const fresh = kept.length + added.length === 0 ? [""] : added;
  const names = [...new Set(before.map((entry) => textsOf(entry).name))];
  const likeFirst = (policy_id: string) => ({
    ...blank,
    // An entry that replaces all others keeps the members that its client put there.
    ...before[0] && (kept.length === 0 ? JSON.parse(before[0].document) : sharedOf(before[0])),
    ...names.length > 1 ? { name: nameOf(policy_id) ?? names[0] } : {},
    ...texts,
    config: blank.config,
    api_id,
    policy_id,
  });
  const entries: EntryRow[] = [
    ...kept.map((entry) => ({
      ...entry,
      document: JSON.stringify({ ...JSON.parse(entry.document), ...texts }),
    })),
    ...fresh.map((policy_id) => ({
      api_id,
      policy_id,
      document: JSON.stringify(likeFirst(policy_id)),
    })),
  ];
  const at = all.findIndex((entry) => entry.api_id === api_id);
  const after = [
    ...all.slice(0, at < 0 ? all.length : at),
    ...entries,
    ...all.slice(at < 0 ? all.length : at).filter((entry) => entry.api_id !== api_id),
  ];
  if (after.length > MOST_ENTRIES && after.length > all.length) {
    const message =
      `plans: the catalogue takes ${MOST_ENTRIES} entries, one for each plan of an API`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return after;
}

/**
 * The texts for a further entry: a member that the older interface does not know only where set.
 */
function sharedOf(entry: EntryRow): Partial<ApiTexts> {
  const { base_url, ...texts } = textsOf(entry);
  return base_url === "" ? texts : { ...texts, base_url };
}

function textsOf(entry: EntryRow | undefined): ApiTexts {
  // as: the catalogue's store holds the contract's own type, and what else its client sent.
  const read = JSON.parse(entry?.document ?? "{}") as Partial<ApiTexts>;
  const { name = "", short_description = "", long_description = "", documentation = "" } = read;
  const { version = "", base_url = "", show = false } = read;
  return { name, short_description, long_description, documentation, version, base_url, show };
}
