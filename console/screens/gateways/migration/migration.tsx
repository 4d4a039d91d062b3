import type { ComponentChildren } from "preact";
import { Link, useLocation } from "wouter-preact";
import { type PlanFacts, usePlans } from "../../../api/plans.ts";
import { grouped } from "../../../api/numbers.ts";
import { listMigrationKeys } from "../../../api/migration-endpoints.ts";
import { api } from "../../../api/client.ts";
import { may } from "../../../api/session.ts";
import { DeveloperChip } from "../../../parts/narrowing.tsx";
import { FilterLine, NothingMatches, usePlanFilter } from "../../../parts/filter-line.tsx";
import { type Column, lines, ListTable } from "../../../parts/list-table.tsx";
import { usePointedRow } from "../../../parts/list-place.ts";
import { FindKey } from "../../../parts/find-key.tsx";
import { Page } from "../../../parts/page.tsx";
import { Pill } from "../../../parts/pill.tsx";
import { readStyles } from "../../../parts/read-styles.ts";
import { Empty, Unread } from "../../../parts/states.tsx";
import { tabKeys, Tabs } from "../../../parts/tabs.tsx";
import { saidOf, useFilters } from "../../../parts/filters.ts";
import { useShortcuts } from "../../../parts/shortcuts.ts";
import { limitOf, useList } from "../../../parts/use-list.ts";
import { listed, say } from "../../../said.ts";
import { Differences } from "./differences.tsx";
import { Mails } from "./mails.tsx";
import { useMigrationReport } from "./report.ts";
import { MigrationTabs } from "./migration-tabs.tsx";
import styles from "./migration.css?url";
import { Overview } from "./overview.tsx";
import { dayOf, type KeyOfReport } from "./words.ts";

/** Its styles, on their way. */
export const styled = readStyles(styles);

/** May the old gateway be switched off? What it still decides, and what is missing. */
export default function Migration() {
  const [{ show }, setShown] = useFilters(["show", "plan", "developer", "key"]);
  const read = useMigrationReport();
  const { data: report } = read;
  const tabs = [
    { value: "", text: "Overview" },
    { value: "at_gateway", text: "Still at the gateway", count: report?.keys.at_gateway_yesterday },
    { value: "never", text: "Never seen", count: report?.keys.never_seen },
    { value: "differences", text: "Differences" },
    { value: "mails", text: "Drafts of mails" },
  ];
  const shown = tabs.find(({ value }) => value === show)?.value ?? "";
  // A filter of one list is none of another's.
  const choose = (value: string) => setShown({ show: value, plan: "", developer: "", key: "" });
  useShortcuts("Migration", tabKeys(tabs, choose));
  const choice = (
    <>
      <MigrationTabs />
      <Tabs label="Of the migration" value={shown} tabs={tabs} onChange={choose} />
    </>
  );
  if (shown === "at_gateway" || shown === "never") {
    return <KeysOfReport key={shown} seen={shown} tabs={choice} />;
  }
  if (shown === "differences") return <Differences tabs={choice} />;
  if (shown === "mails") return <Mails tabs={choice} />;
  return (
    <Page
      title="Gateways"
      tabs={choice}
      tools={report?.since && (
        <span class="moving-note">{say`In shadow mode since ${dayOf(report.since)}`}</span>
      )}
    >
      {report === undefined
        ? <Unread of={read} lines={8} />
        : report.connected
        ? <Overview of={report} />
        : (
          <Empty
            title="No old gateway is connected"
            action={may("admin:read") && <Link class="button" href="/gateways">Gateways</Link>}
          >
            Add the gateway that you move away from, or have its plugin ask Keydesk about each call
            (<code>docs/gateways/observe.js</code>). This page then shows the calls that it still
            decides.
          </Empty>
        )}
    </Page>
  );
}

const keyOf = ({ key_id }: KeyOfReport): string => key_id;
const hrefOf = ({ key_id }: KeyOfReport): string => `/keys/${encodeURIComponent(key_id)}`;
const called = ({ name, mask }: KeyOfReport): string => name || mask;

const words = {
  at_gateway: {
    note: "They called the old gateway yesterday.",
    none: "No key called the old gateway yesterday",
  },
  never: {
    note:
      "They were imported and should work, but nothing proves it: no call was seen, in Keydesk or at the gateway.",
    none: "Every key was seen, in Keydesk or at the gateway",
  },
};

/** Keys that called the old gateway yesterday, or were never seen at either. */
function KeysOfReport({ seen, tabs }: { seen: "at_gateway" | "never"; tabs: ComponentChildren }) {
  const [filters, setFilters] = useFilters(["plan", "developer"]);
  const [, navigate] = useLocation();
  const plans = usePlans();
  const { plan, developer } = filters;
  const list = useList<KeyOfReport>(
    `migration ${JSON.stringify([seen, plan, developer])}`,
    keyOf,
    (cursor) => {
      const query = {
        seen,
        ...saidOf(filters, "plan", "developer"),
        limit: limitOf(cursor),
        cursor,
      };
      return api.call(listMigrationKeys, { query });
    },
  );
  list.version.value;
  const current = usePointedRow("Keys", list, hrefOf);
  const planFilter = usePlanFilter();
  const isNarrowed = plan !== "" || developer !== "";
  const clear = () => setFilters({ plan: "", developer: "" });
  return (
    <Page
      title="Gateways"
      tabs={tabs}
      tools={
        <FindKey
          onFound={(id) => navigate(`/keys/${encodeURIComponent(id)}`)}
          onDeveloper={(id) => setFilters({ developer: id })}
        />
      }
      filters={
        <FilterLine
          filters={filters}
          onChange={setFilters}
          cleared={isNarrowed && { plan: "", developer: "" }}
          of={[
            planFilter,
            <DeveloperChip
              key="developer"
              what="Keys"
              id={developer}
              onClear={() => setFilters({ developer: "" })}
            />,
          ]}
        >
          <span class="moving-note">{words[seen].note}</span>
        </FilterLine>
      }
    >
      <ListTable
        label={seen === "at_gateway" ? "Keys that called the old gateway" : "Keys never seen"}
        list={list}
        columns={columnsOf(seen, plans)}
        hrefOf={hrefOf}
        nameOf={(one) => say`${called(one)} of ${one.developer_name || "unknown"}`}
        current={current}
        empty={isNarrowed
          ? <NothingMatches onClear={clear}>No such key fits these filters.</NothingMatches>
          : <Empty title={words[seen].none} />}
      />
    </Page>
  );
}

const columnsOf = (
  seen: "at_gateway" | "never",
  plans: ReadonlyMap<string, PlanFacts>,
): Column<KeyOfReport>[] => [
  {
    title: "Key",
    class: "moving-col-key",
    cell: ({ name, mask }) =>
      lines(name || <code>{mask}</code>, name !== "" && <code>{mask}</code>),
  },
  {
    title: "Developer",
    class: "moving-col-owner",
    cell: ({ developer_name, developer_id }) => lines(developer_name || "Unknown", developer_id),
  },
  {
    title: "Plans",
    class: "moving-col-plans",
    cell: (one) => listed(one.plans.map((id) => plans.get(id)?.name ?? id)),
  },
  seen === "at_gateway"
    ? {
      title: "Calls at the gateway yesterday",
      class: "moving-col-calls is-end",
      cell: ({ calls }) => grouped(calls),
    }
    : { title: "Proof", class: "moving-col-calls", cell: () => <Pill tone="quiet">No proof</Pill> },
];
