import { api } from "../../api/client.ts";
import { listLeaks } from "../../api/endpoints.ts";
import { may } from "../../api/session.ts";
import { type Controls, FilterLine, NothingMatches } from "../../parts/filter-line.tsx";
import { useFilters } from "../../parts/filters.ts";
import { idOf, usePointedRow } from "../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { Page } from "../../parts/page.tsx";
import { Pill } from "../../parts/pill.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty } from "../../parts/states.tsx";
import { tabKeys, Tabs } from "../../parts/tabs.tsx";
import { Time } from "../../parts/time.tsx";
import { limitOf, useList } from "../../parts/use-list.ts";
import { say } from "../../said.ts";
import {
  calledLeak,
  filterNames,
  finderOf,
  hrefOf,
  type Leak,
  leakFilter,
  objects,
  ownerOf,
  states,
  timeOf,
} from "./leak.ts";
import styles from "./leaks.css?url";

/** Its styles, on their way. */
export const styled = readStyles(styles);

const tabs = [
  { value: "", text: "All" },
  ...keysOf(states).map((value) => ({ value, text: states[value].text })),
];

/**
 * Reports of what was found in public: by whom, where, what became of it, and how long that took.
 */
export default function LeakReports() {
  const [filters, setFilters] = useFilters(filterNames);
  const state = keysOf(states).find((one) => one === filters.state);
  const object = keysOf(objects).find((one) => one === filters.object);
  const list = useList<Leak>(
    `leaks ${JSON.stringify([state, object])}`,
    idOf,
    async (cursor) => {
      const query = { state, object, limit: limitOf(cursor), cursor };
      const { data, ...page } = await api.call(listLeaks, { query });
      const rows = data.map((one) => ({ ...one, id: one.key_id || one.token_id }));
      return { ...page, data: rows };
    },
  );
  list.version.value;
  const current = usePointedRow("Reports of leaks", list, hrefOf);
  useShortcuts("Reports of leaks", tabKeys(tabs, (value) => setFilters({ state: value })));
  const isNarrowed = state !== undefined || object !== undefined;
  return (
    <Page
      title="Keys"
      tabs={
        <Tabs
          label="State"
          value={state ?? ""}
          tabs={tabs}
          onChange={(value) => setFilters({ state: value })}
        />
      }
      filters={<FilterLine filters={filters} onChange={setFilters} of={controls()} />}
    >
      <ListTable
        label="Reports of leaks"
        list={list}
        columns={columns}
        hrefOf={hrefOf}
        nameOf={(one) => say`${calledLeak(one)} of ${ownerOf(one)}, ${states[one.state].text}`}
        current={current}
        empty={isNarrowed
          ? (
            <NothingMatches onClear={() => setFilters({ state: "", object: "" })}>
              No report fits these filters.
            </NothingMatches>
          )
          : (
            <Empty title="Nothing was found in public">
              This tab lists reports of leaked keys and access tokens, with the finder and the
              location. <code>KEYDESK_LEAK_REPORTS=on</code> lets everybody report.
            </Empty>
          )}
      />
    </Page>
  );
}

const controls = (): Controls<typeof filterNames[number]> => [
  { ...leakFilter, change: (leaked) => ({ leaked, state: "", object: "" }) },
  // Of access tokens administrators alone hear.
  may("admin:read") && {
    of: "object",
    label: "What leaked",
    options: [
      { value: "", text: "Keys and access tokens" },
      { value: "key", text: "Keys" },
      { value: "access_token", text: "Access tokens" },
    ],
  },
];

const columns: Column<Leak>[] = [
  {
    title: "What",
    class: "leak-col-what",
    cell: (one) =>
      lines(
        one.name || <code>{calledLeak(one)}</code>,
        say`${objects[one.object]} of ${ownerOf(one) || "unknown"}`,
      ),
  },
  {
    title: "Found",
    class: "leak-col-where",
    // As text and never as a link: anyone can have named it.
    cell: (one) => (
      <>
        <span class="line-1" title={one.url ?? undefined}>
          {one.url ?? <span class="muted">Location unknown</span>}
        </span>
        <span class="line-2">{finderOf(one)}</span>
      </>
    ),
  },
  {
    title: "State",
    class: "leak-col-state",
    cell: (one) => (
      <>
        <Pill tone={states[one.state].tone}>{states[one.state].text}</Pill>
        <span class="line-2">{timeOf(one)}</span>
      </>
    ),
  },
  {
    title: "Reported",
    class: "leak-col-at is-end",
    cell: ({ reported_at }) => <Time at={reported_at} inRow />,
  },
];

function keysOf<T extends object>(of: T): (keyof T)[] {
  // as: Object.keys forgets that the keys are the names.
  return Object.keys(of) as (keyof T)[];
}
