import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { exportActivity, listActivity } from "../../api/endpoints.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { useFilters } from "../../parts/filters.ts";
import { idOf, useListPlace } from "../../parts/list-place.ts";
import { type Column, ListTable } from "../../parts/list-table.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { PAGE, useList } from "../../parts/use-list.ts";
import { filterNames, isNarrowed, noFilters, queryOf } from "./activity-filters.ts";
import { EventDrawer } from "./event-drawer.tsx";
import type { Event } from "./event.ts";
import { ActivityFilters } from "./filter-line.tsx";
import { actorOf, deedOf, kinds, noteOf } from "./words.ts";

/** Who did what and when, newest first. */
export default function ActivityScreen() {
  const [filters, setFilters] = useFilters(filterNames);
  const [turn, setTurn] = useState(0);
  const name = `${JSON.stringify(filters)} ${turn}`;
  // One time for all pages of a list: "the last hour" must not move while one scrolls.
  const [began] = useState(() => new Map<string, number>());
  if (!began.has(name)) began.clear();
  const now = began.get(name) ?? Date.now();
  began.set(name, now);
  const list = useList<Event>(
    name,
    idOf,
    (cursor) =>
      api.call(listActivity, { query: { ...queryOf(filters, now), limit: PAGE, cursor } }),
  );
  const { openId, current, close, hrefOf } = useListPlace("Activity", "/activity", list);
  const query = new URLSearchParams(queryOf(filters, now)).toString();
  return (
    <Page
      title="Activity"
      tools={
        <>
          <Button kind="quiet" onClick={() => setTurn((one) => one + 1)}>Refresh</Button>
          <a class="button" href={`${exportActivity.path}?${query}`} download="activity.jsonl">
            Export
          </a>
        </>
      }
      filters={<ActivityFilters filters={filters} onChange={setFilters} />}
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
        label="Activity"
        list={list}
        columns={columns}
        keyOf={idOf}
        hrefOf={hrefOf}
        nameOf={(event) => `${actorOf(event)} ${deedOf(event)}`}
        lead={(event) => <Avatar name={event.actor_name} id={event.actor} />}
        current={current}
        empty={isNarrowed(filters)
          ? (
            <Empty
              title="Nothing matches"
              action={<Button onClick={() => setFilters(noFilters)}>Clear filters</Button>}
            >
              Nobody did anything that fits these filters.
            </Empty>
          )
          : (
            <Empty title="Nothing happened yet">
              Every change to requests, keys, certificates and people stands here as soon as it is
              made.
            </Empty>
          )}
      />
    </Page>
  );
}

const columns: readonly Column<Event>[] = [
  {
    title: "What happened",
    class: "event-deed",
    cell: (event) => (
      <>
        <span class="line-1 event-line">
          <b>{actorOf(event)}</b> {deedOf(event)}
        </span>
        <span class="line-2">{noteOf(event) || event.object_id}</span>
      </>
    ),
  },
  {
    title: "About",
    class: "event-about",
    cell: (event) => (
      <>
        <span class="line-1">{kinds[event.object]?.one ?? event.object}</span>
        <span class="line-2">
          <code>{endOf(event.object_id)}</code>
        </span>
      </>
    ),
  },
  { title: "When", class: "event-when is-end", cell: (event) => <Time at={event.at} /> },
];

/** The end of a long id: there they differ. */
function endOf(id: string): string {
  return id.length > 12 ? `…${id.slice(-10)}` : id;
}
