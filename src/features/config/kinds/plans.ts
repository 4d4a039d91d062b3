import { newId } from "../../../kernel/ids.ts";
import { questionsInput } from "../../plans/catalogue/questions.contract.ts";
import {
  createPlan,
  deletePlan,
  editPlan,
  setPlanApproval,
} from "../../plans/catalogue/v1.operations.ts";
import { additionsOf, leakActionIn, newPlanIds } from "../../plans/plan.ts";
import { readPlan } from "../../plans/plans.store.ts";
import { listEntries } from "../../plans/catalogue/catalogue.store.ts";
import type { CatalogueEntry } from "../../plans/catalogue/catalogue-entry.ts";
import { questionsIn } from "../../plans/catalogue/questions.ts";
import { z } from "zod";
import { id, json } from "../../../contract/values.ts";
import { everyPlan } from "../names.ts";
import type { Doing, Kind, Members } from "../kind.ts";
import { shapeOf } from "../kind.ts";

/** The members that `setPlanApproval` sets. */
const ASKING = ["approval", "key_request_fields"];

const KNOWN = Object.keys(shapeOf(createPlan));

/** Plans, each with how its requests are decided where an API offers it. */
export const plans: Kind = {
  name: "plans",
  permission: "plans",
  noun: "plan",
  schema: z.strictObject({
    ...shapeOf(createPlan),
    approval: z.enum(["manual", "automatic"], { error: "expected manual or automatic" }),
    key_request_fields: questionsInput,
    extra: z.record(id, json).meta({
      description:
        "Members that Keydesk keeps without knowing them, as clients of `/api` write them.",
    }),
  }),
  needs: ["name"],
  partial: ["key_request_fields", "extra"],
  givenOnce: ["_id", "id"],
  keyOf({ _id, id, name }, present, names) {
    const known = [_id, id].flatMap((one) =>
      typeof one === "string" ? names.plans.idFor(one) ?? [] : []
    );
    const found = [...known, names.plans.idOf(String(name ?? ""))].find((one) => present.has(one));
    return found ?? String(_id || id || name);
  },
  async read({ ctx }) {
    const { storage: { reader }, settings, principal: { org_id } } = ctx;
    const isStrict = settings.references === "strict";
    const own = new Map<string, CatalogueEntry["config"]>();
    for (const { policy_id, document } of await listEntries(reader, { org_id })) {
      // as: the documents are written from the contract's own types.
      const { config } = JSON.parse(document) as CatalogueEntry;
      if (policy_id !== "" && !own.has(policy_id)) own.set(policy_id, config);
    }
    return (await everyPlan(ctx)).reverse().map((row) => {
      const { _id, id, name, is_inactive: _, ...rest } = readPlan(row);
      const others = Object.entries(rest).filter(([member]) => !KNOWN.includes(member));
      const { expiry_applies_to, max_keys_per_developer, price_text } = additionsOf(row);
      const config = own.get(_id) ?? own.get(id);
      return {
        id,
        key: _id,
        members: {
          _id,
          ...id === _id ? {} : { id },
          name,
          ...Object.fromEntries(Object.entries(rest).filter(([member]) => KNOWN.includes(member))),
          ...others.length > 0 ? { extra: Object.fromEntries(others) } : {},
          when_leaked: leakActionIn(rest),
          expiry_applies_to,
          ...max_keys_per_developer === null ? {} : { max_keys_per_developer },
          price_text,
          ...config?.override
            ? {
              approval: config.require_key_approval ? "manual" : "automatic",
              key_request_fields: questionsIn(config.key_request_fields, isStrict),
            }
            : {},
        },
      };
    });
  },
  foresee({ ctx, names }, { _id, id, name }) {
    const given = (one: unknown) => typeof one === "string" ? one : undefined;
    const ids = newPlanIds({ _id: given(_id), id: given(id) }, newId(ctx.clock.now()));
    names.plans.add(String(name), ids._id, ids.id);
    return ids._id;
  },
  objectId: (key, { id }) => typeof id === "string" && id !== "" ? id : key,
  create: (_, _id, after) => {
    const { asking, ...plan } = apart({ ...after, _id });
    return [{ operation: createPlan, ...plan }, ...askingOf(_id, asking)];
  },
  change(_, { present: { key: id }, changed }) {
    const { asking, ...plan } = apart(changed);
    const isEdited = Object.keys(plan.body).length + Object.keys(plan.unknown).length > 0;
    const edit = isEdited ? [{ operation: editPlan, params: { id }, ...plan }] : [];
    return [...edit, ...askingOf(id, asking)];
  },
  remove: (_, { key: id }) => [{ operation: deletePlan, params: { id }, last: true }],
};

/** Members of a plan, members that it keeps without knowing them, and those of its requests. */
function apart({ extra, ...members }: Members) {
  const those = (are: (name: string) => boolean): Members =>
    Object.fromEntries(
      Object.entries(members).filter(([name, value]) => value !== undefined && are(name)),
    );
  const isAsking = (name: string) => ASKING.includes(name);
  return {
    asking: those(isAsking),
    body: those((name) => !isAsking(name)),
    // as: the schema says that it is an object.
    unknown: (extra ?? {}) as Members,
  };
}

/**
 * Steps that set the requests of declared plans again, which other APIs offer: what an entry
 * of the catalogue says goes with it.
 */
export function askedAgain(
  all: readonly { readonly members: Members; readonly id: string }[],
  offered: ReadonlySet<string>,
): Doing[] {
  return all.filter(({ members }) => offered.has(String(members.name)))
    .flatMap(({ members, id }) => askingOf(id, apart(members).asking));
}

/** Behind the APIs: only a plan that one offers has questions. */
function askingOf(id: string, body: Members): Doing[] {
  if (Object.keys(body).length === 0) return [];
  return [{ operation: setPlanApproval, params: { id }, body, last: true }];
}
