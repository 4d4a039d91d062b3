import type { ComponentChildren } from "preact";
import { useLocation } from "wouter-preact";
import { api } from "../../api/client.ts";
import { listMeterKeys } from "../../api/meter-endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { type PlanFacts, usePlans } from "../../api/plans.ts";
import { saidOf, useFilters } from "../../parts/filters.ts";
import { FindKey } from "../../parts/find-key.tsx";
import { usePointedRow } from "../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { FilterLine, NothingMatches, usePlanFilter } from "../../parts/filter-line.tsx";
import { DeveloperChip } from "../../parts/narrowing.tsx";
import { Page } from "../../parts/page.tsx";
import { Pill } from "../../parts/pill.tsx";
import { Empty } from "../../parts/states.tsx";
import { limitOf, useList } from "../../parts/use-list.ts";
import { listed, say } from "../../said.ts";
import type { KeyOfMeter } from "./words.ts";

const keyOf = ({ key_id }: KeyOfMeter): string => key_id;
const hrefOf = ({ key_id }: KeyOfMeter): string => `/keys/${encodeURIComponent(key_id)}`;
const called = ({ name, mask }: KeyOfMeter): string => name || mask;

const words = {
  there: {
    note: "They called the old gateway yesterday.",
    none: "No key called the old gateway yesterday",
  },
  never: {
    note: "They came over and should work, but nothing proves it: no call was seen, here or there.",
    none: "Every key was seen, here or there",
  },
};

/** Keys that called the old gateway yesterday, or were never seen at either. */
export function KeysOfMeter({ seen, tabs }: { seen: "there" | "never"; tabs: ComponentChildren }) {
  const [filters, setFilters] = useFilters(["plan", "developer"]);
  const [, navigate] = useLocation();
  const plans = usePlans();
  const { plan, developer } = filters;
  const list = useList<KeyOfMeter>(
    `meter ${JSON.stringify([seen, plan, developer])}`,
    keyOf,
    (cursor) => {
      const query = {
        seen,
        ...saidOf(filters, "plan", "developer"),
        limit: limitOf(cursor),
        cursor,
      };
      return api.call(listMeterKeys, { query });
    },
  );
  list.version.value;
  const current = usePointedRow("Keys", list, hrefOf);
  const planFilter = usePlanFilter();
  const isNarrowed = plan !== "" || developer !== "";
  const clear = () => setFilters({ plan: "", developer: "" });
  return (
    <Page
      title="Moving in"
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
        label={seen === "there" ? "Keys that called the old gateway" : "Keys never seen"}
        list={list}
        columns={columnsOf(seen, plans)}
        hrefOf={hrefOf}
        nameOf={(one) => say`${called(one)} of ${one.developer_name || "nobody known"}`}
        current={current}
        empty={isNarrowed
          ? <NothingMatches onClear={clear}>No such key fits these filters.</NothingMatches>
          : <Empty title={words[seen].none} />}
      />
    </Page>
  );
}

const columnsOf = (
  seen: "there" | "never",
  plans: ReadonlyMap<string, PlanFacts>,
): Column<KeyOfMeter>[] => [
  {
    title: "Key",
    class: "moving-col-key",
    cell: ({ name, mask }) =>
      lines(name || <code>{mask}</code>, name !== "" && <code>{mask}</code>),
  },
  {
    title: "Developer",
    class: "moving-col-owner",
    cell: ({ developer_name, developer_id }) =>
      lines(developer_name || "Nobody known", developer_id),
  },
  {
    title: "Plans",
    class: "moving-col-plans",
    cell: (one) => listed(one.plans.map((id) => plans.get(id)?.name ?? id)),
  },
  seen === "there"
    ? {
      title: "Calls there yesterday",
      class: "moving-col-calls is-end",
      cell: ({ calls }) => grouped(calls),
    }
    : { title: "Proof", class: "moving-col-calls", cell: () => <Pill tone="quiet">No proof</Pill> },
];
