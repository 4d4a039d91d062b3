import { useState } from "preact/hooks";
import { may } from "../../api/session.ts";
import { ApiForm } from "../../parts/api-form.tsx";
import { Button } from "../../parts/button.tsx";
import { NothingMatches } from "../../parts/filter-line.tsx";
import { useFilters } from "../../parts/filters.ts";
import { lazily } from "../../parts/lazily.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { SearchBox } from "../../parts/search-box.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { stateOf } from "../../parts/state-tabs.tsx";
import { Empty } from "../../parts/states.tsx";
import { tabKeys, Tabs } from "../../parts/tabs.tsx";
import { useList } from "../../parts/use-list.ts";
import { useWanted } from "../../parts/wanted.ts";
import { ApiDrawer } from "./api-drawer.tsx";
import { useApiPlace } from "./api-place.ts";
import { keepApi, keepPlan, keyOfRow, readRows, type Row } from "./api-rows.ts";
import { columns, nameOf } from "./api-table.tsx";
import styles from "./apis.css?url";
import { PlanDrawer } from "./plan-drawer.tsx";
import { PlanForm } from "./plan-form.tsx";
import { usePolicies } from "./use-policies.ts";

/** Its styles, on their way. */
export const styled = readStyles(styles);

const PolicyForm = lazily(() => import("./policy-form.tsx"));

const tabs = [
  { value: "", text: "All" },
  { value: "active", text: "Active plans" },
  { value: "inactive", text: "Inactive plans" },
];

/** The catalogue: APIs, the plans under each, their terms and questions. */
export default function ApisScreen() {
  const [filters, setFilters] = useFilters(["state", "q", "show"]);
  const [turn, setTurn] = useState(0);
  const [adds, setAdds] = useState<"api" | "plan">();
  const state = stateOf(filters.state);
  const q = filters.q || undefined;
  const list = useList<Row>(
    `apis ${JSON.stringify([state, turn, q])}`,
    keyOfRow,
    (cursor) => readRows({ q, state }, cursor),
  );
  list.version.value;
  const { opened, current, open, close, hrefOf } = useApiPlace(list);
  const writes = may("plans");
  const choose = (value: string) => setFilters({ state: value });
  const anew = () => setTurn((one) => one + 1);
  const removed = () => {
    anew();
    open(undefined);
  };
  useShortcuts("APIs", [
    { keys: ["n"], label: "Add an API", run: () => setAdds("api"), when: () => writes },
    { keys: ["p"], label: "Add a plan", run: () => setAdds("plan"), when: () => writes },
    ...tabKeys(tabs, choose),
  ]);
  useWanted("/apis", (act) => setAdds(act === "add-plan" ? "plan" : "api"));
  return (
    <Page
      title="APIs"
      tabs={<Tabs label="Show" value={state ?? ""} tabs={tabs} onChange={choose} />}
      tools={
        <>
          <SearchBox
            label="Search names, tags, ids"
            value={filters.q}
            list={list}
            onSearch={(q) => setFilters({ q }, true)}
            onOpen={(key) => {
              const row = list.at(list.indexOf(key));
              if (row) open(row.plan ? { of: "plan", id: row.plan.id } : { of: "api", id: key });
            }}
          />
          {writes && (
            <>
              <Button kind="quiet" onClick={() => setFilters({ show: "policy" })}>
                Default approval
              </Button>
              <Button shortcut="P" onClick={() => setAdds("plan")}>Add a plan</Button>
              <Button kind="primary" shortcut="N" onClick={() => setAdds("api")}>Add an API</Button>
            </>
          )}
        </>
      }
      drawer={opened &&
        (opened.of === "plan"
          ? (
            <PlanDrawer
              id={opened.id}
              onRead={(plan) => keepPlan(list, plan)}
              onDeleted={removed}
              onClose={close}
            />
          )
          : (
            <ApiDrawer
              id={opened.id}
              onRead={(one) => {
                if (!keepApi(list, one)) anew();
              }}
              onRemoved={removed}
              onClose={close}
            />
          ))}
    >
      <ListTable
        label="APIs and plans"
        list={list}
        columns={columns}
        hrefOf={hrefOf}
        nameOf={nameOf}
        current={current}
        empty={q !== undefined || state !== undefined
          ? (
            <NothingMatches
              clear="Show all APIs and plans"
              onClear={() => setFilters({ q: "", state: "" })}
            >
              No API and no plan fits this search and this state.
            </NothingMatches>
          )
          : (
            <Empty
              title="No API yet"
              action={writes && <Button onClick={() => setAdds("api")}>Add an API</Button>}
            >
              These are the APIs to which developers can request access. A plan says for which of
              them a key is valid, how many calls it allows, and for how long.
            </Empty>
          )}
      />
      {writes && filters.show === "policy" && (
        <DefaultPolicy onClose={() => setFilters({ show: "" })} />
      )}
      {adds && <Adds what={adds} onSaved={anew} open={open} onClose={() => setAdds(undefined)} />}
    </Page>
  );
}

/** Adds an API or a plan, and opens it. */
function Adds({ what, onSaved, open, onClose }: {
  what: "api" | "plan";
  onSaved: () => void;
  open: ReturnType<typeof useApiPlace>["open"];
  onClose: () => void;
}) {
  const saved = ({ id }: { id: string }) => {
    onSaved();
    open({ of: what, id });
  };
  return what === "api"
    ? <ApiForm onSaved={saved} onClose={onClose} />
    : <PlanForm onSaved={saved} onClose={onClose} />;
}

/** The approvers for plans without a policy; opens once it is read. */
function DefaultPolicy({ onClose }: { onClose: () => void }) {
  const policies = usePolicies();
  const policy = policies?.find(({ plan }) => plan === null);
  return policy ? <PolicyForm plan={null} policy={policy} onClose={onClose} /> : null;
}
