import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { listDevelopers } from "../../api/endpoints.ts";
import { may } from "../../api/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { useFilters } from "../../parts/filters.ts";
import { useListKeys } from "../../parts/list-keys.ts";
import { type Column, focusRow, ListTable } from "../../parts/list-table.tsx";
import { useOpenId } from "../../parts/open-id.ts";
import { Pill } from "../../parts/pill.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Time } from "../../parts/time.tsx";
import { PAGE, useList } from "../../parts/use-list.ts";
import { Page } from "../../shell/page.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { companyOf, countOf, type DeveloperRow, keyOf, nameOf, toRow } from "./developer.ts";
import { DeveloperDrawer } from "./developer-drawer.tsx";
import { DeveloperForm } from "./developer-form.tsx";

const tabs = [
  { value: "", text: "All" },
  { value: "active", text: "Active" },
  { value: "inactive", text: "Inactive" },
];

/** Who has what. */
export default function DevelopersScreen() {
  const [filters, setFilters] = useFilters(["state", "q"]);
  const [openId, open, hrefOf] = useOpenId("/developers");
  const [cursorId, setCursorId] = useState<string>();
  const [turn, setTurn] = useState(0);
  const [adds, setAdds] = useState(false);
  const state = tabs.some(({ value }) => value === filters.state) ? filters.state : "";
  const list = useList<DeveloperRow>(
    `${state} ${turn} ${filters.q}`,
    keyOf,
    (cursor) =>
      api.call(listDevelopers, {
        query: {
          limit: PAGE,
          cursor,
          q: filters.q || undefined,
          // as: one of the tabs.
          state: state === "" ? undefined : state as "active" | "inactive",
        },
      }),
  );
  const current = openId ?? cursorId;
  const writes = may("portal:write");
  const close = () => {
    setCursorId(openId);
    open(undefined);
    if (openId !== undefined) focusRow(openId);
  };
  useListKeys({
    title: "Developers",
    list,
    keyOf,
    current,
    isOpen: openId !== undefined,
    onMove: (id) => openId === undefined ? setCursorId(id) : open(id),
    onOpen: open,
    onClose: close,
  });
  useShortcuts("Developers", [
    { keys: ["n"], label: "Register a developer", run: () => setAdds(true), when: () => writes },
    ...tabs.map(({ value, text }, index) => ({
      keys: [String(index + 1)],
      label: text,
      run: () => setFilters({ state: value }),
    })),
  ]);
  return (
    <Page
      title="Developers"
      tabs={
        <Tabs
          label="State"
          value={state}
          tabs={tabs}
          onChange={(value) => setFilters({ state: value })}
        />
      }
      tools={
        <>
          <SearchBox
            label="Search people, domains"
            value={filters.q}
            onSearch={(q) => setFilters({ q })}
          />
          {writes && (
            <Button kind="primary" shortcut="N" onClick={() => setAdds(true)}>Register</Button>
          )}
        </>
      }
      drawer={openId !== undefined && (
        <DeveloperDrawer
          id={openId}
          onRead={(developer) => {
            const known = list.at(list.indexOf(developer.id));
            const row = toRow(developer);
            if (known && JSON.stringify(known) !== JSON.stringify(row)) list.replace(row);
          }}
          onDeleted={() => {
            list.remove(openId);
            open(undefined);
          }}
          onClose={close}
        />
      )}
    >
      <ListTable
        label="Developers"
        list={list}
        columns={columns}
        keyOf={keyOf}
        hrefOf={({ id }) => hrefOf(id)}
        nameOf={nameOf}
        lead={(developer) => <Avatar name={nameOf(developer)} id={developer.id} />}
        current={current}
        empty={filters.q !== "" || state !== ""
          ? (
            <Empty
              title="Nobody matches"
              action={
                <Button onClick={() => setFilters({ q: "", state: "" })}>Show everybody</Button>
              }
            >
              A search takes the beginnings of words: of names, addresses, domains and ids.
            </Empty>
          )
          : (
            <Empty
              title="No developers yet"
              action={writes && <Button onClick={() => setAdds(true)}>Register one</Button>}
            >
              They register in your developer portal, or you register them here.
            </Empty>
          )}
      />
      {adds && (
        <DeveloperForm
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

const columns: readonly Column<DeveloperRow>[] = [
  {
    title: "Developer",
    class: "dev-name",
    cell: (developer) => (
      <>
        <span class="line-1">{nameOf(developer)}</span>
        <span class="line-2">{developer.email}</span>
      </>
    ),
  },
  { title: "Company", class: "dev-company", cell: companyOf },
  { title: "Keys", class: "dev-count is-end", cell: ({ keys }) => countOf(keys) },
  { title: "Requests", class: "dev-count is-end", cell: ({ requests }) => countOf(requests) },
  {
    title: "State",
    class: "dev-state",
    cell: ({ inactive }) => (
      <Pill tone={inactive ? "quiet" : "good"}>{inactive ? "Inactive" : "Active"}</Pill>
    ),
  },
  {
    title: "Last sign-in",
    class: "dev-seen is-end",
    cell: ({ last_login_date }) => <Time at={last_login_date} />,
  },
];
