import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { useCounts } from "../../api/counts.ts";
import { listKeyRequests } from "../../api/endpoints.ts";
import { useQuery } from "../../api/queries.ts";
import type { PagedList } from "../../api/paged-list.ts";
import { may, mayYet } from "../../api/session.ts";
import { announce } from "../../parts/announcer.tsx";
import { selectionKeys, useBulkSelection, useJobs } from "../../parts/bulk-selection.tsx";
import { useFilters } from "../../parts/filters.ts";
import { lazily } from "../../parts/lazily.tsx";
import { useListPlace } from "../../parts/list-place.ts";
import { ListTools, titleWith, useLook } from "../../parts/list-look.tsx";
import { focusRow } from "../../parts/list-table.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { tabKeys, Tabs } from "../../parts/tabs.tsx";
import { FIRST_PAGE, useList } from "../../parts/use-list.ts";
import { say } from "../../said.ts";
import { type Asked, RequestDialogs } from "./request-dialogs.tsx";
import { RequestDrawer } from "./request-drawer.tsx";
import { RequestFilters } from "./request-filters-bar.tsx";
import {
  cleared,
  filterNames,
  type Filters,
  isOfJobs,
  jobFilterOf,
  keyOf,
  queryOf,
  tabOf,
  tabs,
  withTurn,
} from "./request-filters.ts";
import { RequestTable } from "./request-table.tsx";
import { isOther, type RequestRow, toRow } from "./request.ts";
import { useDecisions } from "./use-decisions.ts";

const bulkBar = () => import("./bulk-bar.tsx");
const BulkBar = lazily(bulkBar);
const ReasonsAhead = lazily(() => import("./reasons-ahead.tsx"));

/** As many as are decided one by one from here; more are a job. */
const FEW = 50;

/** Requests that wait and decided ones: a list, a drawer, and their actions. */
export default function KeyRequestsScreen() {
  const [inAddress, setFilters] = useFilters(filterNames);
  const filters = withTurn(inAddress);
  const [look, setLook] = useLook();
  const [{ ask: wanted }, setPlace] = useFilters(["ask"]);
  const [turn, setTurn] = useState(0);
  const [asked, setAsked] = useState<Asked>();
  const tab = tabOf(filters);
  const name = `${JSON.stringify(filters)} ${turn}`;
  const list = useList<RequestRow>(name, keyOf, async (at) => {
    const { data, next_cursor } = await api.call(listKeyRequests, { query: queryOf(filters, at) });
    return { data: data.map(toRow), next_cursor };
  });
  const selection = useBulkSelection(list, name, {
    isFit: ({ state }) => state === "pending",
    refused: "Only pending requests can be selected.",
  });
  const counts = useCounts();
  const { openId, current, open, close, hrefOf, point } = useListPlace(
    "Requests",
    "/requests",
    list,
  );
  const decides = may("approve");

  const select = (id: string | undefined) => {
    point(id);
    if (openId !== undefined) open(id);
    else if (id !== undefined) focusRow(id);
  };
  const reload = () => setTurn((one) => one + 1);
  const jobs = useJobs(selection, reload);
  const decisions = useDecisions({
    list,
    tab,
    select,
    explain: (requests) => setAsked({ kind: "reason", requests }),
  });

  /** The targets of a shortcut: the selection, else the marked row. */
  const subjects = (): readonly RequestRow[] => {
    if (selection.rows.length > 0) return selection.rows;
    const row = current === undefined ? undefined : list.at(list.indexOf(current));
    return row && row.state === "pending" ? [row] : [];
  };
  const ask = (kind: "approve" | "decline" | "assign", requests: readonly RequestRow[]) =>
    setAsked({ kind: "bulk", bulk: { kind, requests, matching: selection.matching } });
  const approve = (rows: readonly RequestRow[]) => {
    const [one] = rows;
    if (rows.length > 1 || selection.matching) ask("approve", rows);
    else if (one) setAsked({ kind: "approve", request: one });
  };
  const decline = (rows: readonly RequestRow[], reason = "") => {
    if (rows.length > FEW || selection.matching) return ask("decline", rows);
    setAsked({ kind: "decline", requests: rows, reason });
  };

  useShortcuts("Deciding", [
    {
      keys: ["a"],
      label: "Approve",
      run: () => approve(subjects()),
      when: () => decides && subjects().length > 0,
    },
    {
      keys: ["d"],
      label: "Decline, with a reason",
      run: () => decline(subjects()),
      when: () => decides && subjects().length > 0,
    },
    { keys: ["z"], label: "Undo decline", run: decisions.undo, when: decisions.canUndo },
    ...selectionKeys(selection, {
      current,
      may: decides,
      mayAll: tab === "pending" && list.length > 0 && isOfJobs(filters),
      selectMatching: () =>
        bulkBar().then(({ selectMatching }) => selectMatching(jobFilterOf(filters), selection)),
    }),
    ...tabKeys(tabs, (value) => setFilters({ state: value === "pending" ? "" : value })),
  ]);

  const openRow = useMemo(
    () => openId === undefined ? undefined : list.at(list.indexOf(openId)),
    [openId, list.version.value],
  );
  return (
    <Page
      title={titleWith("Requests", look)}
      tabs={
        <Tabs
          label="State"
          value={tab}
          tabs={tabs.map((one) => ({ ...one, count: counts?.[one.value] }))}
          onChange={(value) => setFilters({ state: value === "pending" ? "" : value })}
        />
      }
      tools={
        <>
          <News list={list} filters={filters} onShow={reload} />
          <SearchBox
            label="Search people, APIs, ids"
            value={filters.q}
            list={list}
            onSearch={(q) => setFilters({ q }, true)}
            onOpen={open}
          />
        </>
      }
      filters={
        <RequestFilters filters={filters} onChange={setFilters}>
          <ListTools list="key-requests" onLook={setLook} />
        </RequestFilters>
      }
      bar={selection.ids.size > 0 && (
        <BulkBar
          filters={filters}
          selection={selection}
          onApprove={() => approve(selection.rows)}
          onDecline={() => decline(selection.rows)}
          onAssign={() => ask("assign", selection.rows)}
        />
      )}
      drawer={openId === undefined ? jobs.drawer : (
        <RequestDrawer
          id={openId}
          row={openRow}
          onRead={(request) => {
            // Another administrator may have decided meanwhile: the row says so and stays where
            // it is.
            const row = list.at(list.indexOf(request.id));
            if (row && isOther(row, request)) list.replace(toRow(request));
          }}
          onWhole={(request, isPlain) => {
            if (wanted !== "approve") return;
            setPlace({ ask: "" }, true);
            // A mail leads to the decision itself, unless something is to be looked at first.
            if (decides && isPlain && request.state === "pending") approve([toRow(request)]);
          }}
          onClose={close}
          onApprove={(row) => approve([row])}
          onDecline={(row, reason) => decline([row], reason)}
          onAssigned={decisions.settle}
          onReopen={(row) => void decisions.reopen([row])}
          onWithdraw={(row) => void decisions.withdraw(row)}
          onReason={(request) =>
            setAsked({ kind: "reason", requests: [toRow(request)], reason: request.reason ?? "" })}
        />
      )}
    >
      <RequestTable
        list={list}
        tab={tab}
        filters={filters}
        current={current}
        hrefOf={hrefOf}
        look={look}
        selection={mayYet("approve") ? selection : undefined}
        onClearFilters={() => setFilters(cleared())}
      />
      {decides && current !== undefined && tab === "pending" && <ReasonsAhead />}
      {asked && (
        <RequestDialogs
          asked={asked}
          decisions={decisions}
          tab={tab}
          onSelect={select}
          onClearSelection={selection.clear}
          onStarted={(id) => {
            setAsked(undefined);
            jobs.started(id);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Page>
  );
}

/**
 * "3 new": requests that came since the list was read. They wait for a click, so that nothing moves
 * by itself.
 */
function News({ list, filters, onShow }: {
  list: PagedList<RequestRow>;
  filters: Filters;
  onShow: () => void;
}) {
  const all = useCounts()?.all;
  const base = useRef<{ list: PagedList<RequestRow>; all: number }>(undefined);
  if (all !== undefined && base.current?.list !== list) base.current = { list, all };
  const grown = all !== undefined && base.current !== undefined && all > base.current.all;
  const newest = list.at(0);
  const { data: count = 0 } = useQuery({
    queryKey: ["key-requests", "news", JSON.stringify(filters), newest?.id, all],
    queryFn: async () => {
      const { data } = await api.call(listKeyRequests, { query: queryOf(filters, undefined) });
      return data.filter(({ id, date_created }) =>
        list.indexOf(id) < 0 && (newest === undefined || date_created >= newest.askedAt)
      ).length;
    },
    enabled: grown && filters.sort !== "oldest",
    gcTime: 0,
  });
  const shown = grown && filters.sort !== "oldest" ? count : 0;
  useEffect(() => {
    if (shown === 0) return;
    // An empty list can't move.
    if (list.length === 0) onShow();
    else announce(shown === 1 ? "1 new request" : say`${words(shown)} new requests`);
  }, [shown]);
  if (shown === 0) return null;
  return (
    <button type="button" class="news" onClick={onShow}>
      {words(shown)} new
    </button>
  );
}

function words(count: number): string {
  return count >= FIRST_PAGE ? `${FIRST_PAGE} or more` : String(count);
}
