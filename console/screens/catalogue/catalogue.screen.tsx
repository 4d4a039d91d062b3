import { useState } from "preact/hooks";
import type { Api } from "../../api/apis.ts";
import { api } from "../../api/client.ts";
import { listApis } from "../../api/endpoints.ts";
import { may } from "../../api/session.ts";
import { ApiForm } from "../../parts/api-form.tsx";
import { Button } from "../../parts/button.tsx";
import { NothingMatches } from "../../parts/filter-line.tsx";
import { useFilters } from "../../parts/filters.ts";
import { idOf, keepRow, useListPlace } from "../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { SearchBox } from "../../parts/search-box.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty } from "../../parts/states.tsx";
import { PAGE, useList } from "../../parts/use-list.ts";
import { useWanted } from "../../parts/wanted.ts";
import { ApiDrawer } from "./api-drawer.tsx";
import { countOf, decisionsOf, keysOf, planNamesOf, questionsOf, waitingOf } from "./api-words.ts";
import styles from "./catalogue.css?url";
import { OfferedPill } from "./offered-pill.tsx";

/** Its styles, on their way. */
export const styled = readStyles(styles);

/** What is offered, on which terms, and what is asked for it. */
export default function CatalogueScreen() {
  const [filters, setFilters] = useFilters(["q"]);
  const [turn, setTurn] = useState(0);
  const [adds, setAdds] = useState(false);
  const list = useList<Api>(
    `${turn} ${filters.q}`,
    idOf,
    (cursor) => api.call(listApis, { query: { limit: PAGE, cursor, q: filters.q || undefined } }),
  );
  const { openId, current, open, close, hrefOf } = useListPlace("Catalogue", "/catalogue", list);
  const writes = may("plans");
  useShortcuts("Catalogue", [
    { keys: ["n"], label: "Add an API", run: () => setAdds(true), when: () => writes },
  ]);
  useWanted("/catalogue", () => setAdds(true));
  return (
    <Page
      title="Catalogue"
      tools={
        <>
          <SearchBox
            label="Search names, ids"
            value={filters.q}
            list={list}
            onSearch={(q) => setFilters({ q }, true)}
            onOpen={open}
          />
          {writes && (
            <Button kind="primary" shortcut="N" onClick={() => setAdds(true)}>Add an API</Button>
          )}
        </>
      }
      drawer={openId !== undefined && (
        <ApiDrawer
          id={openId}
          onRead={(one) => keepRow(list, one)}
          onRemoved={() => {
            list.remove(openId);
            open(undefined);
          }}
          onClose={close}
        />
      )}
    >
      <ListTable
        label="APIs"
        list={list}
        columns={columns}
        hrefOf={hrefOf}
        nameOf={nameOf}
        current={current}
        empty={filters.q !== ""
          ? (
            <NothingMatches clear="Show all APIs" onClear={() => setFilters({ q: "" })}>
              No API fits this search.
            </NothingMatches>
          )
          : (
            <Empty
              title="No API yet"
              action={writes && <Button onClick={() => setAdds(true)}>Add an API</Button>}
            >
              The catalogue says which APIs developers can ask for, and by which plans.
            </Empty>
          )}
      />
      {adds && (
        <ApiForm
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

const nameOf = ({ id, name }: Api) => name || id;

const columns: readonly Column<Api>[] = [
  {
    title: "API",
    class: "api-name",
    cell: (one) => lines(nameOf(one), one.short_description || one.id),
  },
  {
    title: "Plans",
    class: "api-plans",
    cell: (one) =>
      lines(
        countOf(one.plans, "plan") || "No plan yet",
        planNamesOf(one) || "Can’t be requested",
      ),
  },
  {
    title: "Questions asked",
    class: "api-questions",
    cell: ({ plans }) =>
      lines(countOf(questionsOf(plans), "question") || "None", decisionsOf(plans)),
  },
  {
    title: "Keys",
    class: "api-keys is-end",
    cell: ({ plans }) => lines(keysOf(plans), waitingOf(plans)),
  },
  { title: "State", class: "api-state is-end", cell: (one) => <OfferedPill api={one} /> },
];
