import { useMemo } from "preact/hooks";
import type { PagedList } from "../../api/paged-list.ts";
import { type PlanFacts, usePlans } from "../../api/plans.ts";
import { Button } from "../../parts/button.tsx";
import { NothingMatches } from "../../parts/filter-line.tsx";
import { type Column, ListTable, type TableProps } from "../../parts/list-table.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Pill, Tag } from "../../parts/pill.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { addressOf, calledKey, type Key, kinds, ownerOf, planNames } from "../../parts/keys/key.ts";
import { KeyPill } from "../../parts/keys/key-pill.tsx";

const GatewayMark = lazily(() => import("../../parts/gateways/gateway-mark.tsx"));
const CallsOfKey = lazily(() => import("../../parts/calls-of-keys.tsx"));

/** The list of keys. */
export function KeyTable({ state, isNarrowed, onIssue, onClear, ...table }: TableProps<Key> & {
  state: string;
  isNarrowed: boolean;
  onIssue: (() => void) | undefined;
  onClear: () => void;
}) {
  const plans = usePlans();
  const { list } = table;
  const columns = useMemo(() => columnsOf(plans, list), [plans, list]);
  return (
    <ListTable
      {...table}
      label="Keys"
      columns={columns}
      nameOf={(row) => say`${calledKey(row)} of ${ownerOf(row)}`}
      empty={isNarrowed
        ? <NothingMatches onClear={onClear}>No key fits these filters.</NothingMatches>
        : state === "all"
        ? (
          <Empty
            title="No keys yet"
            action={onIssue && <Button kind="primary" onClick={onIssue}>Issue a key</Button>}
          >
            Approving a key request issues one. Import existing keys by{" "}
            <code>keydesk keys import</code>.
          </Empty>
        )
        : (
          <Empty title={say`No ${state} keys`} action={<Button onClick={onClear}>All keys</Button>}>
            {HINTS[state]}
          </Empty>
        )}
    />
  );
}

const HINTS: Record<string, string> = {
  active: "This tab lists valid keys.",
  suspended: "A suspended key is valid for nothing until you resume it.",
  expired: "This tab lists expired keys. A later expiry makes them valid again.",
  revoked: "This tab lists revoked keys, with the reason.",
};

function columnsOf(
  plans: ReadonlyMap<string, PlanFacts>,
  list: PagedList<Key>,
): Column<Key>[] {
  return [
    {
      title: "Key",
      class: "key-col-key",
      cell: (row) => (
        <>
          <span class="line-1">
            <span class="key-name">{ownerOf(row)}</span>
            {row.environment && <Pill tone="quiet">{row.environment}</Pill>}
          </span>
          <span class="line-2">
            {row.name ? <b class="key-name">{row.name}</b> : kinds[row.kind]}{" "}
            <code>{row.mask || `…${row.key_id.slice(-12)}`}</code>
            {row.tags.map((tag) => <Tag key={tag}>{tag}</Tag>)}
          </span>
        </>
      ),
    },
    {
      title: "Developer",
      class: "key-col-owner",
      cell: (row) => <span title={addressOf(row)}>{addressOf(row)}</span>,
    },
    {
      title: "Plan",
      class: "key-col-plan",
      cell: (row) => <span title={planNames(row, plans)}>{planNames(row, plans)}</span>,
    },
    {
      title: "State",
      class: "key-col-state",
      cell: (row) => (
        <>
          <KeyPill of={row} />
          {row.at_gateways.length > 0 && <GatewayMark of={row} list={list} />}
        </>
      ),
    },
    { title: "Created", class: "key-col-time", cell: (row) => <Time at={row.created} inRow /> },
    {
      title: "Expires",
      class: "key-col-time",
      cell: (row) =>
        row.expires_at
          ? (
            <span class={endsSoon(row) ? "ends-soon" : undefined}>
              <Time at={row.expires_at} inRow />
            </span>
          )
          : <span class="muted">never</span>,
    },
    { title: "Calls", class: "key-col-calls", cell: (row) => <CallsOfKey id={row.key_id} /> },
    {
      title: "Last used",
      class: "key-col-used is-end",
      cell: (row) => (
        <>
          {row.last_used_at
            ? <Time at={row.last_used_at} inRow />
            : <span class="muted">never</span>}
          <span class="key-narrow">
            <KeyPill of={row} />
          </span>
        </>
      ),
    },
  ];
}

const WEEK_MS = 7 * 86_400_000;

function endsSoon({ state, expires_at }: Key): boolean {
  return state === "active" && expires_at !== null && Date.parse(expires_at) - Date.now() < WEEK_MS;
}
