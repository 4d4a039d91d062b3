import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { keyFilters } from "../../../src/contract/list-filters.ts";
import { api } from "../../api/client.ts";
import { exportKeys, listKeys } from "../../api/endpoints.ts";
import { useExpiries } from "../../api/expiries.ts";
import { queries } from "../../api/queries.ts";
import { grouped } from "../../api/numbers.ts";
import { may, mayYet } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ExportButton } from "../../parts/export-button.tsx";
import { FindKey } from "../../parts/find-key.tsx";
import { FilterLine, usePlanFilter } from "../../parts/filter-line.tsx";
import { saidOf, useFilters } from "../../parts/filters.ts";
import { lazily } from "../../parts/lazily.tsx";
import { useListPlace } from "../../parts/list-place.ts";
import { ListTools, titleWith, useLook } from "../../parts/list-look.tsx";
import { DeveloperChip } from "../../parts/narrowing.tsx";
import { Page } from "../../parts/page.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { tabKeys, Tabs } from "../../parts/tabs.tsx";
import { toast } from "../../parts/toasts.tsx";
import { limitOf, useList } from "../../parts/use-list.ts";
import { useWanted } from "../../parts/wanted.ts";
import { selectionKeys, useBulkSelection, useJobs } from "../../parts/bulk-selection.tsx";
import type { Asked } from "../../parts/keys/key-dialogs.tsx";
import type { BulkAct } from "./bulk-dialog.tsx";
import { KeyDrawer } from "./key-drawer.tsx";
import { keepKey } from "./keep-key.ts";
import { leakFilter } from "./leak.ts";
import { KeyTable } from "./key-table.tsx";
import { isStep, unusedOf, uses } from "./use-filter.ts";
import { can, type Key, keyOf } from "../../parts/keys/key.ts";

const tabs = [
  { value: "all", text: "All" },
  { value: "active", text: "Active" },
  { value: "suspended", text: "Suspended" },
  { value: "expired", text: "Expired" },
  { value: "revoked", text: "Revoked" },
] as const;
type Tab = typeof tabs[number]["value"];

/** Every filter besides the tab, cleared: each alone, or `use` for those of use. */
const nothing: Record<
  Exclude<keyof typeof keyFilters, "state" | "unused_since" | "schedule"> | "use",
  string
> = { plan: "", developer: "", environment: "", tag: "", q: "", leaked: "", use: "" };
// as: the keys of exactly this object.
const narrowing = Object.keys(nothing) as (keyof typeof nothing)[];

const KeyDialogs = lazily(
  () => import("../../parts/keys/key-dialogs.tsx"),
  ({ onClose }) => onClose(),
);
const bulkBar = () => import("./bulk-bar.tsx");
const BulkBar = lazily(bulkBar);
const BulkDialog = lazily(() => import("./bulk-dialog.tsx"), ({ onClose }) => onClose());
const LeakReports = lazily(async () => {
  const reports = await import("./leak-reports.tsx");
  await reports.styled;
  return reports;
}, () => toast({ text: "This could not be loaded. Reload the page.", kind: "bad" }));
const LabelFilters = lazily(() => import("../../parts/labels/label-filters.tsx"));

/** Keys, and the reports of those that were found in public. */
export default function KeysScreen() {
  const [path] = useLocation();
  const [{ leaked }] = useFilters(["leaked"]);
  return leaked === "reports" && path === "/keys" ? <LeakReports /> : <Keys />;
}

/** Keys that were issued: found, looked at, suspended, rotated, revoked. */
function Keys() {
  const [filters, setFilters] = useFilters([...narrowing, "state", "sort"]);
  const [look, setLook] = useLook();
  const [turn, setTurn] = useState(0);
  const [asked, setAsked] = useState<Asked>();
  const state = tabs.find(({ value }) => value === filters.state)?.value ?? "all";
  const query = {
    state: state === "all" ? undefined : state,
    ...saidOf(filters, "plan", "developer", "environment", "tag", "q"),
    leaked: filters.leaked === "yes" ? "true" as const : undefined,
    ...unusedOf(filters.use),
    ...orderOf(filters),
  };
  const name = `${JSON.stringify(filters)} ${turn}`;
  const list = useList<Key>(
    name,
    keyOf,
    (at) => api.call(listKeys, { query: { ...query, limit: limitOf(at), cursor: at } }),
  );
  list.version.value;
  const { openId, current, open, close, hrefOf } = useListPlace("Keys", "/keys", list);
  const row = current === undefined ? undefined : list.at(list.indexOf(current));
  // A key that was found, or that a link leads to, stands in no row.
  const [opened, setOpened] = useState<Key>();
  const subject = openId !== undefined && opened?.key_id === openId ? opened : row;
  const decides = may("approve");
  const selection = useBulkSelection(list, name);
  const jobs = useJobs<BulkAct, Key>(selection, () => {
    setTurn((one) => one + 1);
    void queries.invalidateQueries({ queryKey: ["keys"] });
  });
  const { sort: _, direction: __, ...filter } = { sort: "", direction: "", ...query };

  const choose = (value: Tab) => setFilters({ state: value === "all" ? "" : value });
  const changed = (key: Key) => {
    list.replace(key);
    queries.setQueryData(["keys", key.key_id], key);
    void queries.invalidateQueries({ queryKey: ["keys"] });
    void queries.invalidateQueries({ queryKey: ["audit-log"] });
  };
  const act = (
    key: string,
    label: string,
    ...choices: [Asked["kind"], (key: Key) => boolean][]
  ) => {
    const kind = () =>
      subject && decides ? choices.find(([, allowed]) => allowed(subject))?.[0] : undefined;
    return {
      keys: [key],
      label,
      when: () => kind() !== undefined,
      run: () => {
        const chosen = kind();
        // as: "issue" is the one that is about no key, and none of the choices.
        if (chosen && subject) setAsked({ kind: chosen, key: subject } as Asked);
      },
    };
  };
  useShortcuts("This key", [
    ...selectionKeys(selection, {
      current,
      may: decides,
      mayAll: list.length > 0,
      selectMatching: () =>
        bulkBar().then(({ selectMatching }) => selectMatching(filter, selection)),
    }),
    act("s", "Suspend or resume", ["suspend", can.suspend], ["resume", can.resume]),
    act("r", "Rotate", ["rotate", can.rotate]),
    act("p", "Change plans", ["plans", can.change]),
    act("e", "Change its expiry", ["expiry", can.change]),
    act("d", "Revoke", ["revoke", can.revoke]),
    {
      keys: ["k"],
      label: "Keep: it is needed",
      when: () => decides && openId !== undefined && subject !== undefined,
      run: () => {
        if (subject) void keepKey(subject, changed);
      },
    },
    {
      keys: ["n"],
      label: "Issue a key",
      run: () => setAsked({ kind: "issue" }),
      when: () => decides,
    },
    ...tabKeys(tabs, choose),
  ]);
  useWanted("/keys", (act, id) => {
    if (act === "issue") setAsked({ kind: act });
    // One went on to another key meanwhile.
    else if (openId !== id) return;
    else if (subject?.key_id !== id) return false;
    // as: whoever wants it names one of the kinds.
    else setAsked({ kind: act, key: subject } as Asked);
  });
  const isNarrowed = isAny(filters);
  const planFilter = usePlanFilter();
  return (
    <Page
      title={titleWith("Keys", look)}
      tabs={<Tabs label="State" value={state} tabs={tabs} onChange={choose} />}
      tools={
        <>
          <FindKey
            onFound={open}
            onDeveloper={(developer) => setFilters({ developer })}
            onSearch={(q) => setFilters({ q })}
          />
          {decides && (
            <Button shortcut="N" onClick={() => setAsked({ kind: "issue" })}>Issue key</Button>
          )}
        </>
      }
      filters={
        <FilterLine
          filters={filters}
          onChange={setFilters}
          of={[
            planFilter,
            {
              ...leakFilter,
              // Reports have filters of their own.
              change: (leaked) =>
                leaked === "reports" ? { ...nothing, state: "", leaked } : { leaked },
            },
            {
              of: "use",
              label: "Use",
              options: uses,
              change: (use) => ({ use, ...isStep(use) ? { q: "" } : {} }),
            },
            <LabelFilters key="labels" filters={filters} onChange={setFilters} />,
            <DeveloperChip
              key="developer"
              what="Keys"
              id={filters.developer}
              onClear={() => setFilters({ developer: "" })}
            />,
          ]}
          cleared={isNarrowed && nothing}
        >
          <ListTools list="keys" onLook={setLook} />
          <ExportButton of={exportKeys.path} query={query} />
        </FilterLine>
      }
      bar={selection.ids.size > 0 && (
        <BulkBar filter={filter} selection={selection} onAct={jobs.ask} />
      )}
      drawer={openId === undefined ? jobs.drawer : (
        <KeyDrawer
          id={openId}
          row={row}
          onRead={(key) => {
            setOpened(key);
            if (JSON.stringify(list.at(list.indexOf(key.key_id))) !== JSON.stringify(key)) {
              list.replace(key);
            }
          }}
          onAsk={setAsked}
          onKept={changed}
          onDeveloper={(developer) => setFilters({ developer, state: "" })}
          onClose={close}
        />
      )}
    >
      {filters.leaked === "" && <LeakBanner />}
      <KeyTable
        list={list}
        current={current}
        hrefOf={hrefOf}
        state={state}
        isNarrowed={isNarrowed}
        look={look}
        selection={mayYet("approve") ? selection : undefined}
        onIssue={decides ? () => setAsked({ kind: "issue" }) : undefined}
        onClear={() => setFilters({ ...nothing, state: "" })}
      />
      {jobs.asked && <BulkDialog {...jobs.asked} />}
      {asked && (
        <KeyDialogs
          asked={asked}
          onChanged={changed}
          onIssued={(id) => {
            // The newest stands first, in whatever order one looks.
            setTurn((one) => one + 1);
            void queries.invalidateQueries({ queryKey: ["keys"] });
            setAsked(undefined);
            open(id);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Page>
  );
}

/** Leads to the leaks that are open, while there are any. */
function LeakBanner() {
  const count = useExpiries(60_000, may("portal:read")).data?.keys?.leaked.count ?? 0;
  if (count === 0) return null;
  return (
    <p class="notice is-bad" role="status">
      <span>
        {grouped(count)} {count === 1 ? "key was" : "keys were"} found in public places:{" "}
        <Link class="text-link" href="/keys?leaked=reports&state=open">
          look at {count === 1 ? "it" : "them"}
        </Link>
      </span>
    </p>
  );
}

const isAny = (filters: typeof nothing) => narrowing.some((name) => filters[name] !== "");

const orders: Readonly<
  Record<string, { sort: "created" | "expires_at"; direction: "asc" | "desc" }>
> = {
  oldest: { sort: "created", direction: "asc" },
  ends: { sort: "expires_at", direction: "asc" },
  "ends-last": { sort: "expires_at", direction: "desc" },
};

/**
 * The order that goes with these filters; what ended, what is narrowed and what was found have
 * their own.
 */
function orderOf(filters: Readonly<Record<keyof typeof nothing | "sort" | "state", string>>) {
  return filters.state === "expired" || isAny(filters) ? {} : orders[filters.sort] ?? {};
}
