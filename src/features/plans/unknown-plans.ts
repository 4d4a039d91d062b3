import type { UnknownPlanChoice } from "../../calls/context.ts";

/** Plans that no one knows are counted up to here. */
export const UNKNOWN_COUNTED = 1000;

/** A plan that active keys name and no one knows. */
export interface UnknownPlan {
  org_id: string;
  id: string;
  /** 1: it was deleted; 0: there never was one. */
  deleted: number;
}

/** How many of them are listed by name. */
export const MOST_NAMED = 20;

/** The warnings of unknown plans, a sentence each, if any. */
export function unknownPlanWarnings(
  choice: UnknownPlanChoice,
  plans: readonly UnknownPlan[],
): string[] {
  const allows = choice === "allow";
  return [
    ...allows ? [ALLOWED] : [],
    ...plans.length > 0
      ? [
        `Active keys name plans that do not exist (${countOf(plans)}): ${namesOf(plans)}. ${
          allows ? "Without that setting they open nothing" : "They open nothing"
        }; create such a plan under its id, or give the keys another.`,
      ]
      : [],
  ];
}

const ALLOWED =
  "KEYDESK_UNKNOWN_PLAN=allow: a key for a plan that never was opens every API without a limit.";

function countOf({ length }: readonly UnknownPlan[]): string {
  return length < UNKNOWN_COUNTED ? String(length) : `${length} or more`;
}

/** A deleted plan has its own message: its id is never given again. */
function namesOf(plans: readonly UnknownPlan[]): string {
  const ofSeveral = plans.some(({ org_id }) => org_id !== plans[0]?.org_id);
  const names = plans.slice(0, MOST_NAMED).map(({ org_id, id, deleted }) => {
    const more = [...deleted === 1 ? ["deleted"] : [], ...ofSeveral ? [`of ${org_id}`] : []];
    return JSON.stringify(id) + (more.length > 0 ? ` (${more.join(", ")})` : "");
  });
  return [...names, ...plans.length > MOST_NAMED ? ["…"] : []].join(", ");
}
