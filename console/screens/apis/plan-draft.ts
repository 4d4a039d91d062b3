import type { z } from "zod";
import type { editPlan } from "../../../src/features/plans/catalogue/v1.operations.ts";
import { Unfit } from "../../parts/form-problems.ts";
import type { Plan } from "./plan.ts";

/** A plan as the form holds it: texts, "" where there is no limit. */
export interface PlanDraft {
  name: string;
  auth_type: string;
  rate: string;
  per: string;
  quota: string;
  renewal: string;
  life: string;
  /** The start of that time. */
  applies: Plan["expiry_applies_to"];
  /** Live keys a developer; "": as usual. */
  most: string;
  price: string;
  when_leaked: Plan["when_leaked"];
  apis: readonly string[];
  tags: string;
  /** Whether a new one is offered in the catalogue. */
  offered: boolean;
}

/** The body that the server takes. */
export type PlanBody = z.input<typeof editPlan.body & z.ZodType>;

/** The first draft of a new plan. */
export const freshDraft: PlanDraft = {
  name: "",
  auth_type: "authToken",
  rate: "60",
  per: "60",
  quota: "",
  renewal: "2592000",
  life: "0",
  applies: "key",
  most: "",
  price: "",
  when_leaked: "notify",
  apis: [],
  tags: "",
  offered: true,
};

/** A plan for the form. */
export function draftOf(plan: Plan): PlanDraft {
  const { name, auth_type, rate, per, quota_max, quota_renewal_rate, key_expires_in } = plan;
  const hasRate = rate > 0 && per > 0;
  return {
    name,
    auth_type,
    rate: hasRate ? String(rate) : "",
    per: hasRate ? String(per) : freshDraft.per,
    quota: quota_max > 0 ? String(quota_max) : "",
    renewal: quota_max > 0 ? String(Math.max(quota_renewal_rate, 0)) : freshDraft.renewal,
    life: String(Math.max(key_expires_in, 0)),
    applies: plan.expiry_applies_to,
    most: plan.max_keys_per_developer === null ? "" : String(plan.max_keys_per_developer),
    price: plan.price_text,
    when_leaked: plan.when_leaked,
    apis: Object.keys(plan.access_rights),
    tags: plan.tags.join(", "),
    offered: false,
  };
}

/** The body of a plan. `names` are those of the APIs. Throws Unfit for text that is no number. */
export function bodyOf(
  draft: PlanDraft,
  known: Plan | undefined,
  names: ReadonlyMap<string, string>,
): PlanBody {
  const name = draft.name.trim();
  const [rate, quota] = [numberOf(draft.rate), numberOf(draft.quota)];
  const most = draft.most.trim() === "" ? null : mostOf(draft.most);
  const problems = {
    ...name === "" ? { name: "Write a name here." } : {},
    ...rate === undefined ? { rate: NUMBER } : {},
    ...quota === undefined ? { quota: NUMBER } : {},
    ...most === undefined ? { most: "Write a whole number up to 10,000, or nothing." } : {},
  };
  if (rate === undefined || quota === undefined || most === undefined || name === "") {
    throw new Unfit(problems);
  }
  return {
    name,
    auth_type: draft.auth_type,
    ...rate === 0 ? { rate: 0, per: 0 } : { rate, per: Number(draft.per) },
    ...quota === 0
      ? { quota_max: -1 }
      : { quota_max: quota, quota_renewal_rate: Number(draft.renewal) },
    key_expires_in: Number(draft.life),
    expiry_applies_to: draft.applies,
    ...most === null ? {} : { max_keys_per_developer: most },
    price_text: draft.price.trim(),
    when_leaked: draft.when_leaked,
    access_rights: Object.fromEntries(
      draft.apis.map((id) => [id, known?.access_rights[id] ?? rightOf(id, names.get(id) ?? "")]),
    ),
    tags: draft.tags.split(",").map((tag) => tag.trim()).filter((tag) => tag !== ""),
  };
}

/** Undefined: that was no number of keys. */
function mostOf(text: string): number | undefined {
  const most = numberOf(text);
  return most !== undefined && most <= 10_000 ? most : undefined;
}

const NUMBER = "Write a whole number, or nothing for no limit.";

/** 0: no limit. Undefined: that was no number. */
function numberOf(text: string): number | undefined {
  const plain = text.replaceAll(/[\s,_]/g, "");
  if (plain === "") return 0;
  return /^\d{1,12}$/.test(plain) ? Number(plain) : undefined;
}

function rightOf(api_id: string, api_name: string) {
  return { api_id, api_name, versions: ["Default"] };
}
