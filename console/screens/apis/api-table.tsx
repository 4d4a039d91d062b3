import type { ComponentChildren } from "preact";
import { type Column, lines } from "../../parts/list-table.tsx";
import { ActivePill } from "../../parts/state-tabs.tsx";
import { say } from "../../said.ts";
import type { Row, RowPlan } from "./api-rows.ts";
import {
  countOf as countedOf,
  decisionsOf,
  keysOf,
  lifeOf,
  planNamesOf,
  questionsOf,
  waitingOf,
} from "./api-words.ts";
import { OfferedPill } from "./offered-pill.tsx";
import { approvalOf, authName, quotaOf, rateOf } from "./plan.ts";
import { decisionOf } from "./policy-words.ts";
import { usePolicies } from "./use-policies.ts";

/** A row's name for screen readers. */
export function nameOf(row: Row): string {
  if (!row.plan) return row.api.name || row.api.id;
  const name = row.plan.name || row.plan.id;
  return row.under ? say`${name}, plan of ${row.under.name}` : say`${name}, plan`;
}

/** The columns of APIs and of the plans under them. */
export const columns: readonly Column<Row>[] = [
  {
    title: "API or plan",
    class: "api-name",
    cell: (row) =>
      row.plan
        ? (
          <span class={row.under && "api-under"}>
            {lines(
              <>
                {row.plan.name || row.plan.id}
                {row.under && <span class="unseen">{say`, plan of ${row.under.name}`}</span>}
              </>,
              underOf(row),
            )}
          </span>
        )
        : lines(row.api.name || row.api.id, row.api.short_description || row.api.id),
  },
  {
    title: "Limits",
    class: "api-plans",
    cell: (row) =>
      row.plan ? ofKnown(row.plan, (plan) => lines(rateOf(plan), quotaOf(plan))) : lines(
        countedOf(row.api.plans, "plan") || "No plan yet",
        planNamesOf(row.api) || "Can’t be requested",
      ),
  },
  {
    title: "Requests",
    class: "api-questions",
    cell: (row) =>
      row.plan
        ? ofKnown(row.plan, (plan) => lines(<Decision plan={plan} />, authName(plan.auth_type)))
        : lines(
          countedOf(questionsOf(row.api.plans), "question") || "No questions",
          decisionsOf(row.api.plans),
        ),
  },
  {
    title: "Keys",
    class: "api-keys is-end",
    cell: (row) => {
      const plans = row.plan ? [row.plan] : row.api.plans;
      return lines(keysOf(plans), waitingOf(plans));
    },
  },
  {
    title: "State",
    class: "api-state is-end",
    cell: (row) =>
      row.plan
        ? ofKnown(row.plan, ({ active }) => <ActivePill active={active} />)
        : <OfferedPill api={row.api} />,
  },
];

/** Says nothing of a plan that an API names and that there is not. */
const ofKnown = (plan: RowPlan, cell: (plan: RowPlan) => ComponentChildren) =>
  plan.name === "" ? "" : cell(plan);

function underOf(row: Exclude<Row, { plan?: undefined }>): string {
  if (row.plan.name === "") return "There is no such plan";
  if (!row.under) return row.apis === "" ? "Plan of no API" : say`Plan, valid for ${row.apis}`;
  return row.under.valid ? lifeOf(row.plan) : "Its keys are not valid for this API";
}

/** The decision about requests for a plan: by its policy, the default one, or the plan. */
function Decision({ plan }: { plan: RowPlan }) {
  const policies = usePolicies();
  const policy = policies?.find((one) => one.plan === plan._id) ??
    policies?.find((one) => one.plan === null);
  return <>{(plan.auth_type !== "keyless" && policy && decisionOf(policy)) || approvalOf(plan)}</>;
}
