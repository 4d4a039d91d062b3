import type { Api, OfferedPlan } from "../../api/apis.ts";
import { amountOf, spanOf } from "../../api/spans.ts";
import { grouped } from "../../api/numbers.ts";
import { listed, say } from "../../said.ts";

/** A question, and the plans whose requests must or may answer it. */
export interface Question {
  readonly name: string;
  readonly label: string;
  readonly required: boolean;
  readonly plans: readonly string[];
}

/** The questions of any of these plans, each once. */
export function questionsOf(plans: readonly OfferedPlan[]): Question[] {
  const questions = new Map<string, Question>();
  for (const { id, name: plan, auth_type, key_request_fields } of plans) {
    if (auth_type === "keyless") continue;
    for (const { name, label, required } of key_request_fields) {
      const known = questions.get(name) ?? { name, label, required: false, plans: [] };
      questions.set(name, {
        name,
        label,
        required: known.required || required,
        plans: [...known.plans, plan || id],
      });
    }
  }
  return [...questions.values()];
}

/** The people who see an API in the developer portal. */
export const seenBy: Readonly<Record<Api["visibility"], string>> = {
  public: "Everyone",
  signed_in: "Signed-in developers",
  invited: "Invited developers",
};

/** "free · professional": without the API's name, where plans begin with it. */
export function planNamesOf({ name: api, plans }: Api): string {
  return listed(
    plans.map(({ id, name }) =>
      name.startsWith(`${api}, `) ? name.slice(api.length + 2) : name || id
    ),
    " · ",
  );
}

/** "2 plans"; "" for none. */
export function countOf(things: readonly unknown[], one: string): string {
  const { length } = things;
  return length === 0 ? "" : say`${length} ${one}${length === 1 ? "" : "s"}`;
}

/** The decision about a request. */
export function decisionsOf(plans: readonly OfferedPlan[]): string {
  const kinds = new Set(plans.map(decisionOf));
  return kinds.size > 1 ? "By plan" : [...kinds][0] ?? "";
}

/** The decision of one plan. */
export function decisionOf({ auth_type, approval }: OfferedPlan): string {
  if (auth_type === "keyless") return "No request needed";
  return approval === "manual" ? "A person decides" : "Approved at once";
}

/** The numbers of a plan. */
type Used = Pick<OfferedPlan, "keys" | "pending_requests">;

/** "keys expire after 90 days". */
export function lifeOf({ key_expires_in: life }: Pick<OfferedPlan, "key_expires_in">): string {
  return life > 0 ? `keys expire after ${amountOf(life)}` : "keys do not expire";
}

/** Keys of all plans; each plan counts up to 1,000. */
export function keysOf(plans: readonly Used[]): string {
  return sumOf(plans, ({ keys }) => keys);
}

/** "3 waiting"; "" if none wait. */
export function waitingOf(plans: readonly Used[]): string {
  const sum = sumOf(plans, ({ pending_requests }) => pending_requests);
  return sum === "0" ? "" : `${sum} waiting`;
}

/** "60 calls a minute, 20,000 in 30 days". */
export function termsOf({ rate, per, quota_max: quota, quota_renewal_rate: renewal }: OfferedPlan) {
  const parts = [
    rate > 0 && per > 0 ? `${grouped(rate)} calls ${spanOf(per)}` : "Any rate",
    ...quota > 0 ? [`${grouped(quota)} ${renewal > 0 ? spanOf(renewal) : "in all"}`] : [],
  ];
  return listed(parts);
}

function sumOf(plans: readonly Used[], of: (plan: Used) => number): string {
  const sum = plans.reduce((all, plan) => all + of(plan), 0);
  return `${grouped(sum)}${plans.some((plan) => of(plan) >= 1000) ? "+" : ""}`;
}
