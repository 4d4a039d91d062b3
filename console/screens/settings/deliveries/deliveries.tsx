import { useMemo, useState } from "preact/hooks";
import { api } from "../../../api/client.ts";
import { type Delivery, sendAgain, useDeadLetters } from "../../../api/deliveries.ts";
import { listDeliveries } from "../../../api/endpoints.ts";
import { deliverNow } from "../../../api/channel-endpoints.ts";
import { queries } from "../../../api/queries.ts";
import { useChannels } from "../../../api/channels.ts";
import { announce } from "../../../parts/announcer.tsx";
import { may, mayYet } from "../../../api/session.ts";
import { Button } from "../../../parts/button.tsx";
import { FilterLine } from "../../../parts/filter-line.tsx";
import { useFilters } from "../../../parts/filters.ts";
import { idOf, keepRow, useListPlace } from "../../../parts/list-place.ts";
import { readStyles } from "../../../parts/read-styles.ts";
import { SearchBox } from "../../../parts/search-box.tsx";
import { useShortcuts } from "../../../parts/shortcuts.ts";
import { useSoon } from "../../../parts/soon.ts";
import { tabKeys, Tabs } from "../../../parts/tabs.tsx";
import { toast, toastFailure, useBusy } from "../../../parts/toasts.tsx";
import { topicNames } from "../../../parts/topics.ts";
import { useList } from "../../../parts/use-list.ts";
import { DeadLine } from "./dead-line.tsx";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import {
  filterNames,
  type Filters,
  isNarrowed,
  queryOf,
  spans,
  tabOf,
  tabs,
} from "./delivery-filters.ts";
import { DeliveryTable } from "./delivery-table.tsx";
import { SettingsPage } from "../sections.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import styles from "./deliveries.css?url";

/** Its styles, on their way. */
export const styled = readStyles(styles);

/** As many as are sent again at once. */
const MOST = 100;
const NONE = { channel: "", topic: "", object: "", within: "" };

/** The tabs, with the numbers of failed and of waiting deliveries. */
function countedTabs(counts: { dead: number; waiting: number } | undefined) {
  return tabs.map((one) =>
    one.value === "dead"
      ? { ...one, count: counts?.dead }
      : one.value === "waiting"
      ? { ...one, count: counts?.waiting }
      : one
  );
}

/** Deliveries: sent, waiting and failed. */
export default function Deliveries() {
  const [filters, setFilters] = useFilters(filterNames);
  const [asked, setAsked] = useState<readonly Delivery[]>();
  const channels = useChannels();
  const counts = useDeadLetters();
  const isSoon = useSoon(counts !== undefined && (counts.dead === 0 || channels !== undefined));
  const tab = tabOf(filters);
  // A person who only reads sends nothing again.
  const sends = may("admin");
  const name = JSON.stringify(filters);
  const began = useMemo(() => Date.now(), [name]);
  const list = useList<Delivery>(
    `deliveries ${name}`,
    idOf,
    (cursor) => api.call(listDeliveries, { query: queryOf(filters, cursor, began) }),
  );
  list.version.value;
  const { openId, current, open, close, hrefOf } = useListPlace("Deliveries", "/settings", list);
  // Another list begins with none.
  const [chosen, setChosen] = useState<{ of: string; rows: readonly Delivery[] }>();
  const rows = chosen?.of === name ? chosen.rows : [];
  const setRows = (some: readonly Delivery[], of = name) => setChosen({ of, rows: some });
  const ids = new Set(rows.map(({ id }) => id));
  const rowOf = (id: string | undefined) =>
    id === undefined ? undefined : list.at(list.indexOf(id));
  const toggle = (id: string) => {
    if (ids.has(id)) return setRows(rows.filter((one) => one.id !== id));
    const row = rowOf(id);
    if (!row) return;
    if (rows.length === MOST) toast({ text: `${MOST} at a time are enough: send these first.` });
    else setRows([...rows, row]);
  };
  const subjects = (): readonly Delivery[] => {
    if (rows.length > 0) return rows;
    const row = rowOf(current);
    return row ? [row] : [];
  };
  const replay = async (some: readonly Delivery[]) => {
    const [one] = some;
    // A waiting delivery is only tried a little earlier: no confirmation is needed.
    if (some.length !== 1 || one?.state !== "waiting") return setAsked(some);
    try {
      list.replace(await sendAgain(one.id));
      announce("It is tried now.");
    } catch (error) {
      toastFailure(error);
    }
  };
  const selectDead = async () => {
    try {
      const { data } = await api.call(listDeliveries, { query: { state: "dead", limit: MOST } });
      const only = { ...NONE, state: "dead" };
      setFilters(only);
      setRows(data, JSON.stringify({ ...filters, ...only }));
    } catch (error) {
      toastFailure(error);
    }
  };
  useShortcuts("Deliveries", [
    {
      keys: ["r"],
      label: "Send again",
      run: () => void replay(subjects()),
      when: () => sends && subjects().length > 0,
    },
    {
      keys: ["x"],
      label: "Select",
      run: () => current !== undefined && toggle(current),
      when: () => sends && current !== undefined,
    },
    { keys: ["Escape"], label: "", run: () => setRows([]), when: () => rows.length > 0 },
    ...tabKeys(tabs, (value) => setFilters({ state: value === "all" ? "" : value })),
  ]);
  return (
    <SettingsPage
      tools={
        <SearchBox
          label="Id of what it is about"
          value={filters.object}
          list={list}
          onSearch={(object) => setFilters({ object }, true)}
          onOpen={open}
        />
      }
      filters={
        <>
          <Tabs
            label="State"
            value={tab}
            tabs={countedTabs(counts)}
            onChange={(value) => setFilters({ state: value === "all" ? "" : value })}
          />
          <DeliveryFilters filters={filters} onChange={setFilters} />
        </>
      }
      bar={rows.length > 0 && (
        <div class="bulk" role="group" aria-label="Selected deliveries">
          <span class="bulk-count" role="status">{rows.length} selected</span>
          <Button kind="primary" shortcut="R" onClick={() => void replay(rows)}>Send again</Button>
          <Button kind="quiet" onClick={() => setRows([])}>Clear</Button>
        </div>
      )}
      drawer={openId !== undefined && (
        <DeliveryDrawer
          id={openId}
          row={rowOf(openId)}
          channels={channels}
          onRead={(one) => keepRow(list, one)}
          onReplay={(one) => void replay([one])}
          onClose={close}
        />
      )}
    >
      {isSoon && rows.length === 0 && (
        <DeadLine
          channels={channels}
          onSelect={sends ? () => void selectDead() : undefined}
        />
      )}
      {isSoon && rows.length === 0 && ["waiting", "late"].includes(tab) && <WaitingLine />}
      {isSoon && (
        <DeliveryTable
          list={list}
          channels={channels}
          tab={tab}
          current={current}
          hrefOf={hrefOf}
          isNarrowed={isNarrowed(filters)}
          selection={mayYet("admin") ? { ids, toggle } : undefined}
          onClear={() => setFilters(NONE)}
        />
      )}
      {asked && (
        <ReplayDialog
          rows={asked}
          channels={channels}
          onSent={(one) => {
            list.replace(one);
            setChosen((old) => old && { ...old, rows: old.rows.filter(({ id }) => id !== one.id) });
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </SettingsPage>
  );
}

function DeliveryFilters({ filters, onChange }: {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
}) {
  const channels = [...useChannels()?.values() ?? []];
  return (
    <FilterLine
      filters={filters}
      onChange={onChange}
      of={[
        {
          of: "channel",
          label: "Channel",
          any: "Any channel",
          options: channels.map(({ id, name }) => ({ value: id, text: name })),
        },
        {
          of: "topic",
          label: "Topic",
          any: "Any topic",
          options: topicNames.map((value) => ({ value, text: value })),
        },
        { of: "within", label: "Time", options: spans },
        isNarrowed(filters) && (
          <Button kind="quiet" onClick={() => onChange(NONE)}>Clear filters</Button>
        ),
      ]}
    />
  );
}

/**
 * How many wait for their next try, and a way to have them sent at once. Nothing where none waits.
 */
function WaitingLine() {
  const counts = useDeadLetters();
  const [busy, run] = useBusy();
  if (!counts || counts.waiting === 0) return null;
  const { waiting, waiting_by_channel: by } = counts;
  const send = () =>
    run(async () => {
      for (const { channel_id: id } of by) await api.call(deliverNow, { params: { id } });
      announce("What waits is sent within five seconds.");
      void queries.invalidateQueries({ queryKey: ["deliveries"] });
    });
  return (
    <p class="waiting-line muted">
      {many(waiting)} {waiting === 1 ? "delivery waits" : "deliveries wait"}.{" "}
      {may("admin") && <Button busy={busy} onClick={() => void send()}>Deliver now</Button>}
    </p>
  );
}

function many(n: number): string {
  return n < 1000 ? String(n) : "1,000 or more";
}
