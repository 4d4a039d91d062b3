import type { Actor } from "../../../changes/audit.ts";
import { changedMembers } from "../../../changes/changed-members.ts";
import { type IdempotentCall, once } from "../../../changes/idempotent-answers.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { requireRevision } from "../../../kernel/entity-tag.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { lockOrganisation } from "../../people/organisations.store.ts";
import { raiseRevision } from "../catalogue-revision.store.ts";
import { namesOfPlans } from "../plan-counts.store.ts";
import { planIdsOf } from "../plan-ids.store.ts";
import {
  type ApiChange,
  apiRevision,
  apisOf,
  type CatalogueApi,
  describe,
  withChangedApi,
} from "./catalogue-api.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import { changedVisibility, visibilityIn, visibilityRow } from "./api-visibility.ts";
import { putVisibility, removeVisibility, visibilitiesOf } from "./api-visibilities.store.ts";
import { findCatalogue, listEntries, putCatalogue } from "./catalogue.store.ts";
import { portalId } from "./portal-ids.ts";

/**
 * Adds an API to the catalogue, also as its first, and gives its id. Throws `api_exists`,
 * `unknown_plan`, `invalid_input`.
 */
export const addApi = defineTransaction(
  "catalogue.add-api",
  async (
    tx,
    input: {
      actor: Actor;
      id: string;
      members: ApiChange;
      blank: CatalogueEntry;
      idempotency: IdempotentCall | null;
    },
  ): Promise<string> => {
    const { actor, id, members, blank, idempotency } = input;
    return await once(tx, idempotency, async () => {
      const locked = await lockCatalogue(tx, actor.org_id);
      if (locked.entries.some(({ api_id }) => api_id === id)) throw new Failure("api_exists");
      // A row may be left of an API that a client of the older interface took out.
      await removeVisibility(tx, { org_id: actor.org_id, api_id: id });
      locked.visibilities.delete(id);
      await change(tx, { actor, id, members, blank, locked, action: "api.created" });
      return id;
    });
  },
);

/**
 * Changes an API. `ifMatch` as ifMatchOf gives it. Throws `not_found`, `precondition_failed`,
 * `unknown_plan`, `invalid_input`.
 */
export const changeApi = defineTransaction(
  "catalogue.change-api",
  async (
    tx,
    input: {
      actor: Actor;
      id: string;
      members: ApiChange;
      blank: CatalogueEntry;
      ifMatch: string[] | null;
    },
  ) => {
    const { actor, id, members, blank, ifMatch } = input;
    const locked = await lockCatalogue(tx, actor.org_id);
    const known = apisOf(locked.entries, locked.visibilities).find((api) => api.id === id);
    if (!known) throw new Failure("not_found");
    requireRevision(ifMatch, apiRevision(known));
    await change(tx, { actor, id, members, blank, locked, action: "api.updated" });
  },
);

/** Takes an API out of the catalogue. Throws `not_found_for_deletion` and `precondition_failed`. */
export const removeApi = defineTransaction(
  "catalogue.remove-api",
  async (tx, input: { actor: Actor; id: string; ifMatch: string[] | null }) => {
    const { actor, id, ifMatch } = input;
    const { org_id } = actor;
    const { entries, visibilities, ...catalogue } = await lockCatalogue(tx, org_id);
    const known = apisOf(entries, visibilities).find((api) => api.id === id);
    if (!known) throw new Failure("not_found_for_deletion");
    requireRevision(ifMatch, apiRevision(known));
    const left = entries.filter(({ api_id }) => api_id !== id);
    await putCatalogue(tx, { org_id, ...catalogue, entries: left });
    await removeVisibility(tx, { org_id, api_id: id });
    await recordChange(tx, actor, {
      action: "api.deleted",
      object_id: id,
      detail: changedMembers(logged(known), {}),
    });
  },
);

/**
 * The catalogue, or an empty one, behind whoever else changes it: its entries are read and written
 * whole.
 */
async function lockCatalogue(tx: Tx, org_id: string) {
  await lockOrganisation(tx, { org_id });
  await raiseRevision(tx, { org_id });
  const { id = portalId(org_id, "catalogue"), email = "" } = await findCatalogue(tx, { org_id }) ??
    {};
  const visibilities = new Map(await visibilitiesOf(tx, org_id));
  return { id, email, entries: await listEntries(tx, { org_id }), visibilities };
}

async function change(
  tx: Tx,
  { actor, id, members, blank, locked, action }: {
    actor: Actor;
    id: string;
    members: ApiChange;
    blank: CatalogueEntry;
    locked: Awaited<ReturnType<typeof lockCatalogue>>;
    action: string;
  },
) {
  const { org_id } = actor;
  const { visibility, invited, invited_tags, ...texts } = members;
  const before = apisOf(locked.entries, locked.visibilities).find((api) => api.id === id);
  const offered = before ? describe(before).plans : [];
  const plans = members.plans ?? [];
  const ids = await planIdsOf(tx, org_id, [...new Set([...offered, ...plans])]);
  const idOf = (plan: string) => ids.get(plan)?._id ?? plan;
  const there = new Set(offered.map(idOf));
  const added = plans.filter((plan) => !there.has(idOf(plan)));
  const names = await namesOfPlans(tx, org_id, added);
  if (added.some((plan) => !names.has(plan))) throw new Failure("unknown_plan");
  const entries = withChangedApi(locked.entries, id, texts, {
    idOf,
    nameOf: (plan) => names.get(plan),
    blank,
  });
  await putCatalogue(tx, { org_id, id: locked.id, email: locked.email, entries });
  const seen = changedVisibility(before?.seen ?? visibilityIn(undefined), {
    visibility,
    invited,
    invited_tags,
  });
  await putVisibility(tx, { org_id, api_id: id, ...visibilityRow(seen) });
  const after = apisOf(entries, new Map([[id, seen]])).find((api) => api.id === id);
  await recordChange(tx, actor, {
    action,
    object_id: id,
    detail: changedMembers(logged(before), logged(after)),
  });
}

/** An API as the audit log tells of it. */
function logged(api: CatalogueApi | undefined): Record<string, unknown> {
  if (!api) return {};
  const { names: _, ...members } = describe(api);
  return members;
}
