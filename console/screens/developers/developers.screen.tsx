import { useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import {
  exportDevelopers,
  listDeletedDevelopers,
  listDevelopers,
  restoreDeveloper,
} from "../../api/endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { hasScope, may, mayYet } from "../../api/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { selectionKeys, useBulkSelection, useJobs } from "../../parts/bulk-selection.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Email } from "../../parts/email.tsx";
import { NothingMatches } from "../../parts/filter-line.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { standingOf } from "./confirm-email.tsx";
import { saidOf, useFilters } from "../../parts/filters.ts";
import { lazily } from "../../parts/lazily.tsx";
import { idOf, keepRow, useListPlace } from "../../parts/list-place.ts";
import { ListTools, titleWith, useLook } from "../../parts/list-look.tsx";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { ExportButton } from "../../parts/export-button.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { ActivePill, stateOf, StateTabs } from "../../parts/state-tabs.tsx";
import { Empty, Loading, Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { PAGE, useList } from "../../parts/use-list.ts";
import { listed, say } from "../../said.ts";
import { useWanted } from "../../parts/wanted.ts";
import type { BulkAct } from "./bulk-dialog.tsx";
import { DeveloperDrawer } from "./developer-drawer.tsx";
import { DeveloperForm } from "./developer-form.tsx";
import {
  companyOf,
  countOf,
  type DeveloperRow,
  forgetDevelopers,
  nameOf,
  toRow,
} from "./developer.ts";

const TagFilter = lazily(() => import("./tag-filter.tsx"));
const bulkBar = () => import("./bulk-bar.tsx");
const BulkBar = lazily(bulkBar);
const BulkDialog = lazily(() => import("./bulk-dialog.tsx"), ({ onClose }) => onClose());

/** Developers and the keys they have. */
export default function DevelopersScreen() {
  const [filters, setFilters] = useFilters(["state", "q", "tag", "sort"]);
  const [look, setLook] = useLook();
  const [turn, setTurn] = useState(0);
  const [adds, setAdds] = useState(false);
  const [showsDeleted, setShowsDeleted] = useState(false);
  const state = stateOf(filters.state);
  const filter = { ...saidOf(filters, "q", "tag"), state };
  const query = { ...filter, ...orders[filters.sort] };
  const name = `${filters.state} ${turn} ${filters.q} ${filters.tag} ${filters.sort}`;
  const list = useList<DeveloperRow>(
    name,
    idOf,
    (cursor) => api.call(listDevelopers, { query: { ...query, limit: PAGE, cursor } }),
  );
  const { openId, current, open, close, hrefOf } = useListPlace("Developers", "/developers", list);
  const writes = may("portal:write");
  const selects = writes && !hasScope();
  const selection = useBulkSelection(list, name);
  const jobs = useJobs<BulkAct, DeveloperRow>(selection, () => {
    setTurn((one) => one + 1);
    void queries.invalidateQueries({ queryKey: ["developers"] });
  });
  useShortcuts("Developers", [
    ...selectionKeys(selection, {
      current,
      may: selects,
      mayAll: list.length > 0,
      selectMatching: () =>
        bulkBar().then(({ selectMatching }) => selectMatching(filter, selection)),
    }),
    { keys: ["n"], label: "Register a developer", run: () => setAdds(true), when: () => writes },
  ]);
  useWanted("/developers", () => setAdds(true));
  return (
    <Page
      title={titleWith("Developers", look)}
      tabs={
        <StateTabs
          title="Developers"
          value={state}
          onChange={(value) => setFilters({ state: value })}
        />
      }
      tools={
        <>
          <SearchBox
            label="Search people, domains"
            value={filters.q}
            list={list}
            onSearch={(q) => setFilters({ q }, true)}
            onOpen={open}
          />
          {may("approve") && !hasScope() && (
            <Button onClick={() => setShowsDeleted(true)}>Deleted</Button>
          )}
          {writes && (
            <Button kind="primary" shortcut="N" onClick={() => setAdds(true)}>Register</Button>
          )}
        </>
      }
      filters={
        <>
          <TagFilter tag={filters.tag} onChange={(tag) => setFilters({ tag })} />
          <ListTools list="developers" onLook={setLook} />
          <ExportButton of={exportDevelopers.path} query={query} />
        </>
      }
      bar={selection.ids.size > 0 && (
        <BulkBar filter={filter} selection={selection} onAct={jobs.ask} />
      )}
      drawer={openId === undefined ? jobs.drawer : (
        <DeveloperDrawer
          id={openId}
          onRead={(developer) => keepRow(list, toRow(developer))}
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
        look={look}
        hrefOf={hrefOf}
        nameOf={nameOf}
        lead={(developer) => <Avatar name={nameOf(developer)} id={developer.id} />}
        current={current}
        selection={mayYet("portal:write") && !hasScope() ? selection : undefined}
        empty={filters.q !== "" || filters.tag !== "" || state !== undefined
          ? (
            <NothingMatches
              title="No one matches"
              clear="Show everybody"
              onClear={() => setFilters({ q: "", tag: "", state: "" })}
            >
              A search takes the beginnings of words: of names, addresses, domains, ids and tags.
            </NothingMatches>
          )
          : (
            <Empty
              title="No developers yet"
              action={writes && <Button onClick={() => setAdds(true)}>Register one</Button>}
            >
              They register in your developer portal, or you register them on this page.
            </Empty>
          )}
      />
      {jobs.asked && <BulkDialog {...jobs.asked} />}
      {showsDeleted && (
        <DeletedDevelopers
          onClose={() => {
            setShowsDeleted(false);
            setTurn((one) => one + 1);
          }}
        />
      )}
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

const orders: Readonly<Record<string, { sort: "oldest" | "email"; direction?: "desc" }>> = {
  oldest: { sort: "oldest" },
  email: { sort: "email" },
  "email-last": { sort: "email", direction: "desc" },
};

const columns: readonly Column<DeveloperRow>[] = [
  {
    title: "Developer",
    class: "dev-name",
    cell: (developer) =>
      lines(nameOf(developer), <Email of={developer.email} standing={standingOf(developer)} />),
  },
  { title: "Company", class: "dev-company", cell: companyOf },
  { title: "Tags", class: "dev-tags", cell: ({ tags }) => listed(tags) },
  { title: "Keys", class: "dev-count is-end", cell: ({ keys }) => countOf(keys) },
  { title: "Requests", class: "dev-count is-end", cell: ({ requests }) => countOf(requests) },
  { title: "State", class: "dev-state", cell: ({ inactive }) => <ActivePill active={!inactive} /> },
  {
    title: "Last sign-in",
    class: "dev-seen is-end",
    cell: ({ last_login_date }) => <Time at={last_login_date} inRow />,
  },
];

/** The latest developers who were deleted and can be brought back. */
function DeletedDevelopers({ onClose }: { onClose: () => void }) {
  const read = useCall(
    ["developers", "deleted"],
    listDeletedDevelopers,
    { query: { limit: 100 } },
    { gcTime: 0 },
  );
  const restore = async (id: string, deletion: string, name: string) => {
    try {
      await api.call(restoreDeveloper, {
        params: { id },
        body: { deletion },
        headers: decisionKey(),
      });
      toast({ text: say`${name} is back.` });
      onClose();
    } catch (error) {
      toastFailure(error);
    } finally {
      forgetDevelopers();
    }
  };
  return (
    <Dialog
      title="Deleted developers"
      note="They can be restored for 7 days, with the keys that were revoked with them."
      wide
      onClose={onClose}
    >
      {read.error !== null && <Problem error={read.error} onRetry={() => void read.refetch()} />}
      {read.error === null && !read.data && <Loading />}
      {read.data?.data.length === 0 && (
        <Empty title="None">No developer was deleted within the last 7 days.</Empty>
      )}
      <ul class="mini-list">
        {read.data?.data.map(({ deletion, id, email, fields, keys, until }) => {
          const name = nameOf({ id, email, fields });
          return (
            <li key={deletion}>
              <span>
                {name} <span class="muted">{id}, {keys} {keys === 1 ? "key" : "keys"}, until</span>
                {" "}
                <Time at={until} />
              </span>
              <Button onClick={() => void restore(id, deletion, name)}>Restore</Button>
            </li>
          );
        })}
      </ul>
      <DialogButtons>
        <Button onClick={onClose} autoFocus>Close</Button>
      </DialogButtons>
    </Dialog>
  );
}
