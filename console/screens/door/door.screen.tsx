import { useEffect, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { api } from "../../api/client.ts";
import { getUsage, listRefusals } from "../../api/endpoints.ts";
import type { PagedList } from "../../api/paged-list.ts";
import { useQuery } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Filter } from "../../parts/fields.tsx";
import { useFilters } from "../../parts/filters.ts";
import { useListKeys } from "../../parts/list-keys.ts";
import { idOf } from "../../parts/list-place.ts";
import { type Column, ListTable } from "../../parts/list-table.tsx";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { limitOf, useList } from "../../parts/use-list.ts";
import { say } from "../../said.ts";
import { AskDialog } from "./ask-dialog.tsx";
import {
  calledKey,
  filterNames,
  mendOf,
  type Reason,
  reasonTitles,
  type Refusal,
  sentenceOf,
} from "./door.ts";
import styles from "./door.css?url";

/** Its styles, on their way. */
export const styled = readStyles(styles);

/** How often is looked for new refusals. */
const EVERY_MS = 2000;

/** Counts are written every five seconds. */
const COUNTED_MS = 5000;

const reasons = keysOf(reasonTitles).filter((one): one is Reason => one !== "unsure");

/** Which calls were let in and refused today, why, and the one thing that mends it. */
export default function DoorScreen() {
  const [filters, setFilters] = useFilters(filterNames);
  const [, navigate] = useLocation();
  const [current, setCurrent] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const { reason: _, ...others } = filters;
  const reason = reasons.find((one) => one === filters.reason);
  const narrowed: Record<string, string> = Object.fromEntries(
    Object.entries({ reason: reason ?? "", ...others }).filter(([, value]) => value !== ""),
  );
  const [newest, setNewest] = useState("");
  const list = useList<Refusal>(
    `refusals ${JSON.stringify(narrowed)} ${newest}`,
    idOf,
    (cursor) => api.call(listRefusals, { query: { ...narrowed, limit: limitOf(cursor), cursor } }),
  );
  list.version.value;
  useNewest(list, narrowed, setNewest);
  useListKeys({
    title: "Refusals",
    list,
    keyOf: idOf,
    current,
    isOpen: false,
    onMove: setCurrent,
    onOpen: (id) => {
      const row = list.at(list.indexOf(id));
      if (row) navigate(hrefOf(row));
    },
    onClose: () => {},
  });
  useShortcuts("Door", [
    { keys: ["a"], label: "Ask as the door would", run: () => setAsking(true) },
  ]);
  const cleared = Object.fromEntries(filterNames.map((name) => [name, ""]));
  return (
    <Page
      title="Door"
      tools={<Button shortcut="A" onClick={() => setAsking(true)}>Ask as the door would</Button>}
      filters={
        <>
          <Filter
            label="Reason"
            value={reason ?? ""}
            options={[
              { value: "", text: "All reasons" },
              ...reasons.map((value) => ({ value, text: reasonTitles[value] })),
            ]}
            onChange={(value) => setFilters({ reason: value })}
          />
          {Object.entries(others).filter(([, value]) => value).map(([name, value]) => (
            <Button
              key={name}
              kind="quiet"
              onClick={() => setFilters({ [name]: "" })}
            >
              {say`${names[name] ?? name} ${value.length > 14 ? `…${value.slice(-8)}` : value} ×`}
            </Button>
          ))}
        </>
      }
    >
      <Verdicts
        of={others}
        chosen={reason}
        onChoose={(one) => setFilters({ reason: one === reason ? "" : one })}
      />
      <ListTable
        label="Refusals"
        list={list}
        columns={columns}
        keyOf={idOf}
        hrefOf={hrefOf}
        nameOf={(one) => say`${calledKey(one)}: ${sentenceOf(one)}`}
        current={current}
        empty={Object.keys(narrowed).length > 0
          ? (
            <Empty
              title="Nothing matches"
              action={<Button onClick={() => setFilters(cleared)}>Clear filters</Button>}
            >
              No refusal of the last 30 days fits these filters.
            </Empty>
          )
          : (
            <Empty title="No call was refused">
              What a door refuses stands here two seconds later, with the reason and what mends it.
            </Empty>
          )}
      />
      {isAsking && <AskDialog onClose={() => setAsking(false)} />}
    </Page>
  );
}

const names: Readonly<Record<string, string>> = {
  key: "Key",
  plan: "Plan",
  api: "API",
  developer: "Developer",
  door: "Door",
};

/** Tells the id of the newest refusal where the list has another; looks while the page is seen. */
function useNewest(
  list: PagedList<Refusal>,
  query: Readonly<Record<string, string>>,
  onNew: (id: string) => void,
): void {
  useEffect(() => {
    let isOver = false;
    const look = async () => {
      if (document.visibilityState !== "visible" || list.isFirst) return;
      try {
        const { data } = await api.call(listRefusals, { query: { ...query, limit: 1 } });
        const id = data[0]?.id ?? "";
        const first = list.at(0);
        // Whoever reads far below stays there.
        const isBelow = first === undefined && list.length > 0;
        if (!isOver && !isBelow && id !== (first?.id ?? "")) onNew(id);
      } catch {
        // The banner tells of it; the next look is soon.
      }
    };
    const timer = setInterval(() => void look(), EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [list]);
}

/** A bar for each verdict of yesterday and today; a click narrows the list to it. */
function Verdicts({ of, chosen, onChoose }: {
  of: Readonly<Record<string, string>>;
  chosen: Reason | undefined;
  onChoose: (reason: Reason) => void;
}) {
  const query = useOf(of);
  const { data } = useQuery({
    queryKey: ["usage", "door", JSON.stringify(query)],
    queryFn: () => api.call(getUsage, { query: { ...query, from: yesterday() } }),
    gcTime: 30_000,
    refetchInterval: COUNTED_MS,
  });
  if (!data || data.total.hits + data.total.reasons.length === 0) return null;
  const { success, reasons: refused } = data.total;
  const most = Math.max(success, ...refused.map(({ calls }) => calls), 1);
  return (
    <>
      <h2 class="unseen">Verdicts of yesterday and today</h2>
      <ul class="door-bars">
        <li>
          <span class="door-bar is-good">
            <span>Let in</span>
            <Bar share={success / most} />
            <b>{success.toLocaleString("en")}</b>
          </span>
        </li>
        {refused.map(({ reason, calls }) => (
          <li key={reason}>
            <button
              type="button"
              class="door-bar"
              disabled={reason === "unsure"}
              aria-pressed={reason === chosen}
              onClick={() => reason !== "unsure" && onChoose(reason)}
            >
              <span>{reasonTitles[reason]}</span>
              <Bar share={calls / most} />
              <b>{calls.toLocaleString("en")}</b>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** What use is told of: what the list is narrowed to where it can be, else all doors. */
function useOf({ key, plan, developer, api: apiId, door }: Readonly<Record<string, string>>) {
  if (key) return { key };
  if (developer) return { developer };
  if (plan) return { plan };
  if (apiId && !door) return { api: apiId };
  return { door: door || "all", ...apiId ? { api: apiId } : {} };
}

function Bar({ share }: { share: number }) {
  return (
    <svg width="100%" height={10} aria-hidden="true">
      <rect width={`${Math.max(share * 100, 0.5)}%`} height={10} />
    </svg>
  );
}

function yesterday(): string {
  return new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}

function hrefOf(one: Refusal): string {
  return mendOf(one)?.href ?? "/keys";
}

const columns: Column<Refusal>[] = [
  {
    title: "Why",
    class: "door-col-why",
    cell: (one) => (
      <>
        <span class="line-1">{reasonTitles[one.reason]}</span>
        <span class="line-2">{sentenceOf(one)}</span>
      </>
    ),
  },
  {
    title: "Key",
    class: "door-col-key",
    cell: (one) => (
      <>
        <span class="line-1">{calledKey(one)}</span>
        <span class="line-2">
          {say`${one.developer_name || one.network || "Nobody known"} at ${one.door}`}
        </span>
      </>
    ),
  },
  {
    title: "What mends it",
    class: "door-col-mend",
    cell: (one) => <span class="line-1">{mendOf(one)?.text ?? ""}</span>,
  },
  {
    title: "When",
    class: "door-col-at is-end",
    cell: ({ at }) => <Time at={at} inRow />,
  },
];

function keysOf<T extends object>(of: T): (keyof T)[] {
  // as: Object.keys forgets that the keys are the names.
  return Object.keys(of) as (keyof T)[];
}
