import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { listPlans } from "../../api/endpoints.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { NothingMatches } from "../../parts/filter-line.tsx";
import { useFilters } from "../../parts/filters.ts";
import { idOf, keepRow, useListPlace } from "../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { ActivePill, stateOf, StateTabs } from "../../parts/state-tabs.tsx";
import { Empty } from "../../parts/states.tsx";
import { PAGE, useList } from "../../parts/use-list.ts";
import { useWanted } from "../../parts/wanted.ts";
import { lazily } from "../../parts/lazily.tsx";
import { PlanDrawer } from "./plan-drawer.tsx";
import { PlanForm } from "./plan-form.tsx";
import { decisionOf } from "./policy-words.ts";
import { usePolicies } from "./use-policies.ts";
import { apisOf, approvalOf, authName, countOf, type Plan, quotaOf, rateOf } from "./plan.ts";

const PolicyForm = lazily(() => import("./policy-form.tsx"));

/** Plans with their limits, and what there is of each. */
export default function PlansScreen() {
  const [filters, setFilters] = useFilters(["state", "q", "show"]);
  const [turn, setTurn] = useState(0);
  const [adds, setAdds] = useState(false);
  const state = stateOf(filters.state);
  const list = useList<Plan>(
    `${filters.state} ${turn} ${filters.q}`,
    idOf,
    (cursor) =>
      api.call(listPlans, { query: { limit: PAGE, cursor, q: filters.q || undefined, state } }),
  );
  const { openId, current, open, close, hrefOf } = useListPlace("Plans", "/plans", list);
  const writes = may("plans");
  useShortcuts("Plans", [
    { keys: ["n"], label: "Add a plan", run: () => setAdds(true), when: () => writes },
  ]);
  useWanted("/plans", () => setAdds(true));
  return (
    <Page
      title="Plans"
      tabs={
        <StateTabs
          title="Plans"
          value={state}
          onChange={(value) => setFilters({ state: value })}
        />
      }
      tools={
        <>
          <SearchBox
            label="Search names, tags, ids"
            value={filters.q}
            list={list}
            onSearch={(q) => setFilters({ q }, true)}
            onOpen={open}
          />
          {writes && (
            <Button kind="quiet" onClick={() => setFilters({ show: "policy" })}>
              Default approval
            </Button>
          )}
          {writes && (
            <Button kind="primary" shortcut="N" onClick={() => setAdds(true)}>Add a plan</Button>
          )}
        </>
      }
      drawer={openId !== undefined && (
        <PlanDrawer
          id={openId}
          onRead={(plan) => keepRow(list, plan)}
          onDeleted={() => {
            list.remove(openId);
            open(undefined);
          }}
          onClose={close}
        />
      )}
    >
      <ListTable
        label="Plans"
        list={list}
        columns={columns}
        hrefOf={hrefOf}
        nameOf={({ name }) => name}
        current={current}
        empty={filters.q !== "" || state !== undefined
          ? (
            <NothingMatches clear="Show all plans" onClear={() => setFilters({ q: "", state: "" })}>
              No plan fits this search and this state.
            </NothingMatches>
          )
          : (
            <Empty
              title="No plans yet"
              action={writes && <Button onClick={() => setAdds(true)}>Add a plan</Button>}
            >
              A plan says which APIs a key is valid for, how often, and for how long.
            </Empty>
          )}
      />
      {writes && filters.show === "policy" && (
        <DefaultPolicy onClose={() => setFilters({ show: "" })} />
      )}
      {adds && (
        <PlanForm
          onSaved={({ id }) => {
            setTurn((one) => one + 1);
            open(id);
          }}
          onClose={() => setAdds(false)}
        />
      )}
    </Page>
  );
}

/** Who must approve where a plan says nothing; opens once it is read. */
function DefaultPolicy({ onClose }: { onClose: () => void }) {
  const policies = usePolicies();
  const policy = policies?.find(({ plan }) => plan === null);
  return policy ? <PolicyForm plan={null} policy={policy} onClose={onClose} /> : null;
}

/** Who decides what asks for a plan: as its policy says, or the default one, or the catalogue. */
function Decision({ plan }: { plan: Plan }) {
  const policies = usePolicies();
  const policy = policies?.find((one) => one.plan === plan._id) ??
    policies?.find((one) => one.plan === null);
  return <>{(plan.auth_type !== "keyless" && policy && decisionOf(policy)) || approvalOf(plan)}</>;
}

const columns: readonly Column<Plan>[] = [
  {
    title: "Plan",
    class: "plan-name",
    cell: (plan) => lines(plan.name, apisOf(plan) || "For no API yet"),
  },
  { title: "Limits", class: "plan-limits", cell: (plan) => lines(rateOf(plan), quotaOf(plan)) },
  {
    title: "Requests",
    class: "plan-approval",
    cell: (plan) => lines(<Decision plan={plan} />, authName(plan.auth_type)),
  },
  { title: "Keys", class: "plan-count is-end", cell: ({ keys }) => countOf(keys) },
  {
    title: "Pending",
    class: "plan-count is-end",
    cell: ({ pending_requests }) => countOf(pending_requests),
  },
  {
    title: "State",
    class: "plan-state is-end",
    cell: ({ active }) => <ActivePill active={active} />,
  },
];
