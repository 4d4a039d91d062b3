import { useEffect, useMemo, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../../api/client.ts";
import { listDeniedCalls } from "../../api/endpoints.ts";
import type { PagedList } from "../../api/paged-list.ts";
import { useQuery } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import {
  byText,
  FilterLine,
  NothingMatches,
  useApiFilter,
  usePlanFilter,
} from "../../parts/filter-line.tsx";
import { useFilters } from "../../parts/filters.ts";
import { FindKey } from "../../parts/find-key.tsx";
import { ListTools, titleWith, useLook } from "../../parts/list-look.tsx";
import { idOf, useListPlace } from "../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { DeveloperChip, KeyChip } from "../../parts/narrowing.tsx";
import { Page } from "../../parts/page.tsx";
import { Pill } from "../../parts/pill.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty } from "../../parts/states.tsx";
import { TimeFilter } from "../../parts/time-filter.tsx";
import { Time } from "../../parts/time.tsx";
import { limitOf, useList } from "../../parts/use-list.ts";
import { say } from "../../said.ts";
import { CallDrawer } from "./call-drawer.tsx";
import { AskDialog } from "./check-dialog.tsx";
import styles from "./logs.css?url";
import { reasonTitles } from "../../parts/denied-calls/reason-titles.ts";
import { calledKey, type DeniedCall, sentenceOf } from "../../parts/denied-calls/words.ts";
import { fixOf } from "./fix.ts";
import { filterNames, type Filters, isNarrowed, noFilters, queryOf, reasons } from "./filters.ts";
import { useFixes } from "./fixes.tsx";
import { Results } from "./results.tsx";

/** Its styles, on their way. */
export const styled = readStyles(styles);

/** How often new denied calls are looked for. */
const EVERY_MS = 700;

/** Which calls were allowed and denied lately, why, and the one thing that fixes it. */
export default function LogsScreen() {
  const [filters, setFilters] = useFilters(filterNames);
  const [isAsking, setAsking] = useState(false);
  const [look, setLook] = useLook();
  const reason = reasons.find((one) => one === filters.reason);
  const [newest, setNewest] = useState("");
  const name = `denied-calls ${JSON.stringify(filters)} ${newest}`;
  // One time for all pages of a list: "the last hour" must not move while one scrolls.
  const narrowed = useMemo(() => queryOf(filters, Date.now()), [name]);
  const list = useList<DeniedCall>(
    name,
    idOf,
    (cursor) =>
      api.call(listDeniedCalls, { query: { ...narrowed, limit: limitOf(cursor), cursor } }),
  );
  list.version.value;
  useNewest(list, narrowed, setNewest);
  const { openId, current, close, hrefOf } = useListPlace("Denied calls", "/logs", list);
  const rights = { approve: may("approve"), plans: may("plans") };
  const fixes = useFixes();
  const row = current === undefined ? undefined : list.at(list.indexOf(current));
  // One that a link leads to is in no row.
  const [opened, setOpened] = useState<DeniedCall>();
  const subject = row ?? (opened?.id === openId ? opened : undefined);
  const actionOf = (one: DeniedCall | undefined) => {
    const fix = one && fixOf(one, rights);
    return fix && "act" in fix ? fix.act : undefined;
  };
  useShortcuts("Logs", [
    { keys: ["a"], label: "Check a key", run: () => setAsking(true) },
    {
      keys: ["m"],
      label: "Fix this denied call",
      when: () => actionOf(subject) !== undefined,
      run: () => {
        const act = actionOf(subject);
        if (subject && act) fixes.begin(subject, act);
      },
    },
  ]);
  const fixButton = (one: DeniedCall, isPrimary?: boolean) => (
    <FixButton of={one} rights={rights} fixes={fixes} isPrimary={isPrimary} />
  );
  const dressed = useMemo(
    () => look.dress(columnsOf(fixButton)),
    [look, fixes.mended, rights.approve, rights.plans],
  );
  return (
    <Page
      title={titleWith("Logs", look)}
      tools={
        <>
          <FindKey
            onFound={(key) => setFilters({ key, developer: "" })}
            onDeveloper={(developer) => setFilters({ developer, key: "" })}
          />
          <Button shortcut="A" onClick={() => setAsking(true)}>Check a key</Button>
        </>
      }
      drawer={openId === undefined
        ? undefined
        : <CallDrawer id={openId} row={row} onRead={setOpened} fix={fixButton} onClose={close} />}
      filters={
        <>
          <LogFilters filters={filters} onChange={setFilters} />
          <ListTools list="denied-calls" onLook={setLook} />
        </>
      }
    >
      <Results
        of={filters}
        chosen={reason}
        onChoose={(one) => setFilters({ reason: one === reason ? "" : one })}
      />
      <ListTable
        label="Denied calls"
        list={list}
        columns={dressed}
        hrefOf={hrefOf}
        nameOf={(one) => say`${calledKey(one)}: ${sentenceOf(one)}`}
        current={current}
        empty={isNarrowed(filters)
          ? (
            <NothingMatches onClear={() => setFilters(noFilters)}>
              No denied call of the last 30 days fits these filters.
            </NothingMatches>
          )
          : (
            <Empty title="No call was denied">
              Calls that a gateway denies appear two seconds later, with the reason and the fix.
            </Empty>
          )}
      />
      {fixes.dialog}
      {isAsking && <AskDialog onClose={() => setAsking(false)} />}
    </Page>
  );
}

/**
 * Tells the id of the newest denied call where the list has another; looks while the page is seen.
 */
function useNewest(
  list: PagedList<DeniedCall>,
  query: Readonly<Record<string, string>>,
  onNew: (id: string) => void,
): void {
  useEffect(() => {
    let isOver = false;
    const look = async () => {
      if (document.visibilityState !== "visible" || list.isFirst) return;
      try {
        const { data } = await api.call(listDeniedCalls, { query: { ...query, limit: 1 } });
        const id = data[0]?.id ?? "";
        const first = list.at(0);
        // A person who reads far below stays at their row.
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

/** The fix of a denied call, by a press, and the news since then. */
function FixButton({ of: one, rights, fixes, isPrimary }: {
  of: DeniedCall;
  rights: { approve: boolean; plans: boolean };
  fixes: ReturnType<typeof useFixes>;
  /** In the drawer. */
  isPrimary: boolean | undefined;
}) {
  const since = fixes.sinceOf(one);
  if (since?.isGood) return <Pill tone="good">{since.text}</Pill>;
  const fix = fixOf(one, rights);
  const name = say`${fix.text}: ${calledKey(one)}`;
  if (!("act" in fix)) return <Link class="text-link gateway-fix" href={fix.href}>{fix.text}</Link>;
  const begin = () => fixes.begin(one, fix.act);
  return (
    <>
      {isPrimary
        ? <Button kind="primary" shortcut="M" onClick={begin}>{fix.text}</Button>
        : <LinkButton class="log-fix" aria-label={name} onClick={begin}>{fix.text}</LinkButton>}
      {since && <span class="line-2">{since.text}</span>}
    </>
  );
}

const columnsOf = (fixCell: Column<DeniedCall>["cell"]): Column<DeniedCall>[] => [
  {
    title: "Why",
    class: "log-col-why",
    cell: (one) => lines(reasonTitles[one.reason], sentenceOf(one)),
  },
  {
    title: "Key",
    class: "log-col-key",
    cell: (one) =>
      lines(
        calledKey(one),
        say`${one.developer_name || one.network || "Unknown"} at ${
          one.gateway === "other" ? "a gateway without a name" : one.gateway
        }`,
      ),
  },
  { title: "What fixes it", class: "log-col-mend", cell: fixCell },
  { title: "When", class: "log-col-at is-end", cell: ({ at }) => <Time at={at} inRow /> },
];

/** The line of filters: of one key or developer by the search beside it, which shows as a chip. */
function LogFilters({ filters, onChange }: {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
}) {
  const { key, developer } = filters;
  const gateways = (useCheckingGateways() ?? []).map(({ name }) => ({ value: name, text: name }));
  const options = byText([...gateways, { value: "other", text: "Gateways without a name" }]);
  return (
    <FilterLine
      filters={filters}
      onChange={onChange}
      cleared={isNarrowed(filters) && noFilters}
      of={[
        {
          of: "reason",
          label: "Reason",
          any: "All reasons",
          options: reasons.map((value) => ({ value, text: reasonTitles[value] })),
        },
        useApiFilter(),
        usePlanFilter(),
        { of: "gateway", label: "Gateway", any: "Any gateway", options, isRead: true },
        <TimeFilter key="time" value={filters} onChange={onChange} />,
        <KeyChip key="key" what="Denied calls" id={key} onClear={() => onChange({ key: "" })} />,
        <DeveloperChip
          key="developer"
          what="Denied calls"
          id={developer}
          onClear={() => onChange({ developer: "" })}
        />,
      ]}
    />
  );
}

/** The gateways that check each call, by name; undefined until they are read. */
function useCheckingGateways() {
  return useQuery({
    queryKey: ["gateways", "checks"],
    // Read with the screen of gateways: the list of denied calls does not wait for it.
    queryFn: async () => await (await import("../../api/gateways.ts")).readCheckingGateways(),
  }).data;
}
