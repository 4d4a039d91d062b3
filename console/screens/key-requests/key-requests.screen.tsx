import { useMemo, useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { useCounts } from "../../api/counts.ts";
import { listKeyRequests } from "../../api/endpoints.ts";
import { may } from "../../api/session.ts";
import { useBulkSelection } from "../../parts/bulk-selection.ts";
import { useFilters } from "../../parts/filters.ts";
import { lazily } from "../../parts/lazily.tsx";
import { useListKeys } from "../../parts/list-keys.ts";
import { ListTools, titleWith, useLook } from "../../parts/list-look.tsx";
import { focusRow } from "../../parts/list-table.tsx";
import { useOpenId } from "../../parts/open-id.ts";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { useList } from "../../parts/use-list.ts";
import { News } from "./news.tsx";
import { type Asked, RequestDialogs } from "./request-dialogs.tsx";
import { RequestDrawer } from "./request-drawer.tsx";
import { RequestFilters } from "./request-filters-bar.tsx";
import {
  cleared,
  filterNames,
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
const JobDrawer = lazily(() => import("../../parts/job-drawer.tsx"));

/** As many as are decided one by one from here; more are a job. */
const FEW = 50;

/** What waits for a decision, and what was decided: a list, a drawer, and what both do. */
export default function KeyRequestsScreen() {
  const [inAddress, setFilters] = useFilters(filterNames);
  const filters = withTurn(inAddress);
  const [look, setLook] = useLook();
  const [{ job, ask: wanted }, setPlace] = useFilters(["job", "ask"]);
  const setJob = (change: { job: string }, isTyped?: boolean) => setPlace(change, isTyped);
  const [openId, open, hrefOf] = useOpenId("/key-requests");
  const [turn, setTurn] = useState(0);
  const [cursor, setCursor] = useState<string>();
  const [asked, setAsked] = useState<Asked>();
  const tab = tabOf(filters);
  const name = `${JSON.stringify(filters)} ${turn}`;
  const list = useList<RequestRow>(name, keyOf, async (at) => {
    const { data, next_cursor } = await api.call(listKeyRequests, { query: queryOf(filters, at) });
    return { data: data.map(toRow), next_cursor };
  });
  const selection = useBulkSelection(list, name, {
    keyOf,
    isFit: ({ state }) => state === "pending",
    refused: "Only pending requests can be selected.",
  });
  const counts = useCounts();
  const current = openId ?? cursor;
  const decides = may("approve");

  const select = (id: string | undefined) => {
    setCursor(id);
    if (openId !== undefined) open(id);
    else if (id !== undefined) focusRow(id);
  };
  const reload = () => setTurn((one) => one + 1);
  const decisions = useDecisions({
    list,
    tab,
    select,
    explain: (requests) => setAsked({ kind: "reason", requests }),
  });

  /** What a key acts on: what is selected, else the row that one is on. */
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
  const decline = (rows: readonly RequestRow[]) => {
    if (rows.length > FEW || selection.matching) return ask("decline", rows);
    selection.clear();
    void decisions.decline(rows);
  };
  const close = () => {
    setCursor(openId);
    open(undefined);
    if (openId !== undefined) focusRow(openId);
  };

  useListKeys({
    title: "Key requests",
    list,
    keyOf,
    current,
    isOpen: openId !== undefined,
    onMove: (id) => openId === undefined ? setCursor(id) : open(id),
    onOpen: open,
    onClose: close,
  });
  useShortcuts("Deciding", [
    {
      keys: ["a"],
      label: "Approve",
      run: () => approve(subjects()),
      when: () => decides && subjects().length > 0,
    },
    {
      keys: ["d"],
      label: "Decline, with undo",
      run: () => decline(subjects()),
      when: () => decides && subjects().length > 0,
    },
    { keys: ["z"], label: "Undo decline", run: decisions.undo, when: decisions.canUndo },
    {
      keys: ["x"],
      label: "Select; with Shift up to the one before",
      run: ({ shiftKey }) => current !== undefined && selection.toggle(current, shiftKey),
      when: () => decides && current !== undefined,
    },
    {
      keys: ["m"],
      label: "Select all that match",
      run: () =>
        void bulkBar().then(
          ({ selectMatching }) => selectMatching(jobFilterOf(filters), selection),
          () => {},
        ),
      when: () =>
        decides && tab === "pending" && list.length > 0 && !selection.matching &&
        isOfJobs(filters),
    },
    { keys: ["Escape"], label: "", run: selection.clear, when: () => selection.ids.size > 0 },
    ...tabs.map(({ value, text }, index) => ({
      keys: [String(index + 1)],
      label: text,
      run: () => setFilters({ state: value === "pending" ? "" : value }),
    })),
  ]);

  const openRow = useMemo(
    () => openId === undefined ? undefined : list.at(list.indexOf(openId)),
    [openId, list.version.value],
  );
  return (
    <Page
      title={titleWith("Key requests", look)}
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
      drawer={openId === undefined
        ? job && (
          <JobDrawer
            id={job}
            onOpen={(id) => setJob({ job: id })}
            onEnded={reload}
            onClose={() => setJob({ job: "" }, true)}
          />
        )
        : (
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
            onDecline={(row) => decline([row])}
            onAssigned={decisions.settle}
            onReopen={(row) => void decisions.reopen([row])}
            onWithdraw={(row) => void decisions.withdraw(row)}
            onReason={(request) =>
              setAsked({
                kind: "reason",
                requests: [toRow(request)],
                reason: request.reason ?? "",
              })}
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
        selection={decides ? selection : undefined}
        onClearFilters={() => setFilters(cleared())}
      />
      {asked && (
        <RequestDialogs
          asked={asked}
          decisions={decisions}
          tab={tab}
          onSelect={select}
          onClearSelection={selection.clear}
          onStarted={(id) => {
            setAsked(undefined);
            selection.clear();
            setJob({ job: id });
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Page>
  );
}
