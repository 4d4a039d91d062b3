import { planInput } from "../../features/plans/plans.contract.ts";
import { changedPlan, emptyPlan, newPlanIds } from "../../features/plans/plan.ts";
import {
  catalogueInput,
  configurationInput,
} from "../../features/plans/catalogue/portal.contract.ts";
import { portalId } from "../../features/plans/catalogue/portal-ids.ts";
import { newId } from "../../kernel/ids.ts";
import { digestOf } from "./digests.ts";
import type { Reading } from "./items.ts";
import { droppedOf, emptyReading, idOf, madeAt, parsed, type ReadBy } from "./read-common.ts";
import type { Members } from "./source.ts";

/** A plan, with both ids and whatever else is in it. Throws Refused, or Failure. */
export function readPlan(members: Members, { now, authTypes }: ReadBy): Reading {
  const id = idOf({ id: members._id || members.id });
  const { _id, id: free, ...change } = parsed(planInput, members);
  const ids = newPlanIds({ _id, id: free }, newId(now));
  const auth_type = change.auth_type || authTypes.get(ids._id) || authTypes.get(ids.id);
  const given = { ...change, ...auth_type ? { auth_type } : {} };
  const plan = changedPlan(emptyPlan(ids, change.name ?? ids.id), given);
  const date_created = madeAt(members.date_created, ids._id, now);
  const item = {
    kind: "plan",
    id,
    there: digestOf([members, auth_type ?? ""]),
    plan,
    date_created,
  } as const;
  return { ...emptyReading(), items: [item] };
}

/** The portal's configuration. */
export function readConfiguration(members: Members, { org_id }: ReadBy): Reading {
  const given = parsed(configurationInput, withoutOwnId(members));
  const id = idOr(members, portalId(org_id, "configuration"));
  const document = JSON.stringify({ ...given, id, org_id });
  const there = digestOf(members);
  return { ...emptyReading(), items: [{ kind: "configuration", id: "", there, document }] };
}

/** The catalogue with its entries. */
export function readCatalogue(members: Members): Reading {
  const { email, apis } = parsed(catalogueInput, members);
  const entries = apis.map((entry) => {
    const { api_id, policy_id } = entry;
    return { api_id, policy_id, document: JSON.stringify(entry) };
  });
  const there = digestOf(members);
  return {
    ...emptyReading(),
    items: [{ kind: "catalogue", id: "", there, email, entries }],
    dropped: droppedOf(members, { email, apis }, ["_id", "id", "org_id"]),
  };
}

/** A document that catalogue entries name. */
export function readDocumentation(members: Members, { now }: ReadBy): Reading {
  const id = idOf({ id: members._id ?? members.id });
  const text = (name: string) => typeof members[name] === "string" ? members[name] : "";
  const document = {
    id,
    api_id: text("api_id"),
    doc_type: text("doc_type"),
    documentation: text("documentation"),
  };
  const date_created = madeAt(members.date_created, id, now);
  const there = digestOf(members);
  return {
    ...emptyReading(),
    items: [{ kind: "documentation", id, there, document, date_created }],
    dropped: droppedOf(members, document, ["_id", "org_id", "date_created"]),
  };
}

function idOr(members: Members, otherwise: string): string {
  const id = members.id ?? members._id;
  return typeof id === "string" && id !== "" ? id : otherwise;
}

function withoutOwnId({ _id: _, ...members }: Members): Members {
  return members;
}
