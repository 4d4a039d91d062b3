import { z } from "zod";
import {
  deleteApprovalPolicy,
  putApprovalPolicy,
  putDefaultApprovalPolicy,
} from "../../key-requests/policies.operations.ts";
import { NO_END } from "../../key-requests/policy.ts";
import { policiesOf, termsIn } from "../../key-requests/policies.store.ts";
import { putUnusedKeyRule } from "../../hygiene/unused/unused.operations.ts";
import { rulesOf, termsIn as unusedTermsIn } from "../../hygiene/unused/rules.store.ts";
import { SWITCHED_OFF } from "../../hygiene/unused/unused-rule.ts";
import { DEFAULT_POLICY } from "../../plans/plan-policies.store.ts";
import { type At, type Kind, type Members, type Present, shapeOf, type Wanted } from "../kind.ts";

const plan = z.string().min(1).max(255).meta({
  description: "The plan's name, or one of its ids.",
});

const CATALOGUE: Members = { outcome: "catalogue", steps: [], not_by_filer: false, ...NO_END };

type Step = { role?: string | null; people?: string[] | null };

/** The policies of plans and the default one, as they are stored. */
async function policies({ ctx, names }: At): Promise<Present[]> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  return (await policiesOf(reader, { org_id })).map((row) => {
    const { outcome, steps, not_by_filer, expires_after_days, remind_before_days } = termsIn(row);
    const named = steps.map(({ name, role, people, need }) => ({
      name,
      ...role === null ? {} : { role: names.roles.nameOf(role) },
      ...people === null ? {} : { people: people.map((id) => names.people.nameOf(id)).sort() },
      need,
    }));
    const members = { outcome, steps: named, not_by_filer, expires_after_days, remind_before_days };
    return row.plan === DEFAULT_POLICY ? { id: org_id, key: "", members } : {
      id: row.plan,
      key: row.plan,
      members: { plan: names.plans.nameOf(row.plan), ...members },
    };
  });
}

function policyBody(names: At["names"], { plan: _, steps = [], ...members }: Members): Members {
  // as: the schema of a declaration has checked them.
  const body = (steps as Step[]).map(({ role, people, ...step }) => ({
    ...step,
    ...role ? { role: names.roles.idOf(role) } : {},
    ...people ? { people: people.map((one) => names.people.idOf(one)) } : {},
  }));
  return { ...members, steps: body };
}

/** Steps go with their outcome. */
function changedPolicy(
  names: At["names"],
  { changed, after }: Pick<Wanted, "changed" | "after">,
): Members {
  const isWithout = after.outcome !== "steps" && changed.steps === undefined;
  return policyBody(names, isWithout ? { ...after, steps: [] } : after);
}

const policyShape = shapeOf(putApprovalPolicy);

const steps = z.array(
  z.strictObject({
    name: z.string(),
    role: z.string().optional(),
    people: z.array(z.string()).overwrite((people) => people.toSorted()).optional(),
    need: z.int(),
  }),
).meta({ description: "In their order, with roles and people by their names." });

/** The approvers of requests for a plan. */
export const approvalPolicies: Kind = {
  name: "approval_policies",
  permission: "plans",
  noun: "approval policy",
  schema: z.strictObject({ plan, ...policyShape, steps }),
  needs: ["plan"],
  keyOf: (declared, _, names) => names.plans.idOf(String(declared.plan)),
  read: async (at) =>
    (await policies(at)).filter(({ key, members }) =>
      // Of a plan that is gone nothing is said.
      key !== "" && members.plan !== key || at.names.plans.idFor(key) !== undefined
    ),
  objectId: (key) => key,
  create: ({ names }, id, after) => [
    { operation: putApprovalPolicy, params: { id }, body: policyBody(names, after) },
  ],
  change: ({ names }, { present: { key: id }, ...wanted }) => [
    { operation: putApprovalPolicy, params: { id }, body: changedPolicy(names, wanted) },
  ],
  remove: (_, { key: id }) => [{ operation: deleteApprovalPolicy, params: { id } }],
};

/** The approvers of requests for plans without a policy of their own. */
export const defaultApprovalPolicy: Kind = {
  name: "default_approval_policy",
  permission: "plans",
  noun: "default approval policy",
  single: true,
  schema: z.strictObject({ ...policyShape, steps }),
  keyOf: () => "",
  async read(at) {
    const set = (await policies(at)).find(({ key }) => key === "");
    return [set ?? { id: at.ctx.principal.org_id, key: "", members: CATALOGUE }];
  },
  change: ({ names }, wanted) => [
    { operation: putDefaultApprovalPolicy, body: changedPolicy(names, wanted) },
  ],
};

/** The rules for unused keys of plans. */
export const unusedKeyRules: Kind = {
  name: "unused_key_rules",
  permission: "plans",
  noun: "rule for unused keys",
  schema: z.strictObject({ plan, ...shapeOf(putUnusedKeyRule) }),
  needs: ["plan"],
  keyOf: (declared, _, names) => names.plans.idOf(String(declared.plan)),
  async read({ ctx, names }) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    return (await rulesOf(reader, { org_id })).flatMap((row) => {
      // Of a plan that is gone nothing is said, and a rule that is as usual is as good as none.
      if (names.plans.idFor(row.plan) === undefined) return [];
      const { action, after_days, warn_days, imported } = unusedTermsIn(row);
      const members = {
        plan: names.plans.nameOf(row.plan),
        action,
        after_days,
        warn_days,
        imported,
      };
      const isUsual = action === SWITCHED_OFF.action && after_days === SWITCHED_OFF.after_days &&
        warn_days === SWITCHED_OFF.warn_days && imported === SWITCHED_OFF.imported;
      return isUsual ? [] : [{ id: row.plan, key: row.plan, members }];
    });
  },
  usual: { ...SWITCHED_OFF },
  objectId: (key) => key,
  create: (_, id, { plan: __, ...body }) => [{ operation: putUnusedKeyRule, params: { id }, body }],
  change: (_, { present: { key: id }, after: { plan: __, ...body } }) => [
    { operation: putUnusedKeyRule, params: { id }, body },
  ],
  remove: (_, { key: id }) => [
    { operation: putUnusedKeyRule, params: { id }, body: { ...SWITCHED_OFF } },
  ],
};
