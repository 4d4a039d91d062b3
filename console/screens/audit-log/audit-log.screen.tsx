import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { exportAuditLog, listAuditLog, listPeople } from "../../api/endpoints.ts";
import { may } from "../../api/session.ts";
import { useCall } from "../../api/queries.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button, LinkButton } from "../../parts/button.tsx";
import { ExportButton } from "../../parts/export-button.tsx";
import { FilterLine, NothingMatches } from "../../parts/filter-line.tsx";
import { useFilters } from "../../parts/filters.ts";
import { idOf, useListPlace } from "../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { SearchBox } from "../../parts/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { TimeFilter } from "../../parts/time-filter.tsx";
import { relativeTime, Time } from "../../parts/time.tsx";
import { PAGE, useList } from "../../parts/use-list.ts";
import { listed, say } from "../../said.ts";
import {
  filterNames,
  type Filters,
  isNarrowed,
  lastDays,
  noFilters,
  queryOf,
  single,
} from "./audit-log-filters.ts";
import styles from "./audit-log.css?url";
import { EventDrawer } from "./event-drawer.tsx";
import { grouped, type GroupedEvent } from "./grouped.ts";
import { kinds } from "./kinds.ts";
import { fromWhere, Lock, refusedOf } from "./refused.tsx";
import { actionOf, actionsOf, actorOf, noteOf, sentenceOf, throughOf } from "./words.ts";

/** Its styles, on their way. */
export const styled = readStyles(styles);

const tabs = [
  { value: "", text: "Everything" },
  { value: "changes", text: "Changes" },
  { value: "sign_ins", text: "Sign-ins" },
];

/** Every action with its person and time, newest first. */
export default function AuditLogScreen() {
  const [filters, setFilters] = useFilters(filterNames);
  const [turn, setTurn] = useState(0);
  const name = `${JSON.stringify(filters)} ${turn}`;
  // One time for all pages of a list: "the last hour" must not move while one scrolls.
  const [began] = useState(() => new Map<string, number>());
  if (!began.has(name)) began.clear();
  const now = began.get(name) ?? Date.now();
  began.set(name, now);
  const list = useList<GroupedEvent>(
    name,
    idOf,
    async (cursor) => {
      const query = { ...queryOf(filters, now), limit: PAGE, cursor };
      const { data, next_cursor } = await api.call(listAuditLog, { query });
      return { data: grouped(data), next_cursor };
    },
  );
  const { openId, current, open, close, hrefOf } = useListPlace("Audit log", "/audit-log", list);
  const query = new URLSearchParams(queryOf(filters, now)).toString();
  return (
    <Page
      title="Audit log"
      tabs={
        <Tabs
          label="Show"
          value={filters.kind}
          tabs={tabs}
          onChange={(kind) => setFilters({ kind })}
        />
      }
      tools={
        <>
          <SearchBox
            label="Search names, ids, addresses"
            value={filters.q}
            list={list}
            onSearch={(q) => setFilters({ q }, true)}
            onOpen={open}
          />
          <Button kind="quiet" onClick={() => setTurn((one) => one + 1)}>Refresh</Button>
          <ExportButton
            of={exportAuditLog.path}
            query={{ ...queryOf(filters, now), format: "csv" }}
            isQuiet={false}
          />
          <a
            class="button is-quiet"
            href={`${exportAuditLog.path}?${query}`}
            download="audit-log.jsonl"
          >
            <span class="unseen">Export as</span> JSON lines
          </a>
        </>
      }
      filters={<AuditLogFilters filters={filters} onChange={setFilters} />}
      drawer={openId !== undefined && (
        <EventDrawer
          id={openId}
          known={list.at(list.indexOf(openId))}
          onClose={close}
          onNarrow={setFilters}
          onChanged={() => setTurn((one) => one + 1)}
        />
      )}
    >
      <ListTable
        label="Audit log"
        list={list}
        columns={columns}
        hrefOf={hrefOf}
        nameOf={titleOf}
        lead={(event) =>
          event.action === "sign_in.refused"
            ? <Lock />
            : <Avatar name={actorOf(event)} id={event.actor} />}
        current={current}
        empty={isNarrowed(filters)
          ? (
            <NothingMatches onClear={() => setFilters(noFilters)}>
              No event matches these filters.
            </NothingMatches>
          )
          : (
            <Empty title="Nothing happened yet">
              The audit log lists every change to requests, keys, certificates and people as soon as
              it is made.
            </Empty>
          )}
      />
    </Page>
  );
}

const columns: readonly Column<GroupedEvent>[] = [
  {
    title: "What happened",
    class: "event-deed",
    cell: (event) => (
      <>
        <span class="line-1 event-line">
          <Sentence event={event} />
        </span>
        <span class="line-2 event-note">{noteOf(event)}</span>
        <span class="line-2 event-through">
          {listed([throughOf(event), event.client_address].filter(Boolean))}
        </span>
      </>
    ),
  },
  {
    title: "Token and address",
    class: "event-about",
    cell: (event) => lines(throughOf(event), <code>{event.client_address}</code>),
  },
  {
    title: "When",
    class: "event-when is-end",
    cell: ({ at, others = [] }) =>
      lines(
        <Time at={at} inRow />,
        others.length > 0 && <>first {relativeTime(others.at(-1)?.at ?? at)}</>,
      ),
  },
];

/** The event as a sentence, the names in it bold. */
function Sentence({ event }: { event: GroupedEvent }) {
  const number = refusedOf(event);
  if (number !== undefined) {
    return (
      <>
        <b>{number} refused sign-ins</b> {fromWhere(event)}
      </>
    );
  }
  const { before, name, after } = sentenceOf(event);
  return (
    <>
      <b>{actorOf(event)}</b> {before}
      {name !== "" && <b>{name}</b>}
      {after}
    </>
  );
}

/** The sentence without markup. */
function titleOf(event: GroupedEvent): string {
  const number = refusedOf(event);
  return number === undefined
    ? say`${actorOf(event)} ${actionOf(event)}`
    : say`${number} refused sign-ins ${fromWhere(event)}`;
}

/** The line of filters. */
function AuditLogFilters({ filters, onChange }: {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
}) {
  const people = useCall(["people", "names"], listPeople, { query: { limit: 100 } }, {
    // Auditors need no administration.
    enabled: may("admin:read"),
    staleTime: 60_000,
  }).data?.data ?? [];
  const who = [
    ...people.map(({ id, name }) => ({ value: id, text: name })),
    { value: "operator", text: "The server administrator" },
    { value: "unknown", text: "Unknown" },
  ];
  const objects = Object.entries(kinds).map(([value, { plural }]) => ({ value, text: plural }));
  return (
    <>
      <FilterLine
        filters={filters}
        onChange={onChange}
        of={[
          { of: "actor", label: "Who", any: "Anybody", options: who },
          {
            of: "object",
            label: "About what",
            any: "Everything",
            options: objects,
            change: (object) => ({ object, action: "" }),
          },
          {
            of: "action",
            label: "What was done",
            any: "Whatever was done",
            options: actionsOf(filters.object),
            isOptional: true,
          },
        ]}
      />
      <TimeFilter value={filters} onChange={onChange} />
      <span class="event-days" role="group" aria-label="One day">
        {lastDays(Date.now()).map(({ day, name, short }) => {
          const isIt = filters.time === "between" && filters.from === day && filters.to === day;
          return (
            <button
              key={day}
              type="button"
              class="event-day"
              aria-pressed={isIt}
              title={name}
              onClick={() =>
                onChange(
                  isIt ? { time: "", from: "", to: "" } : { time: "between", from: day, to: day },
                )}
            >
              {short}
            </button>
          );
        })}
      </span>
      {filterNames.map((name) =>
        name in single && filters[name] !== "" && (
          <button
            key={name}
            type="button"
            class="chip"
            onClick={() => onChange({ [name]: "" })}
          >
            {Reflect.get(single, name)} <span class="unseen">, show all</span>
            <span aria-hidden="true">×</span>
          </button>
        )
      )}
      {isNarrowed(filters) && <LinkButton onClick={() => onChange(noFilters)}>Clear</LinkButton>}
    </>
  );
}
