import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import { useCounts } from "../../api/counts.ts";
import { grantOf, type PlanFacts, titleOf, usePlans } from "../../api/plans.ts";
import { may } from "../../api/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Email } from "../../parts/email.tsx";
import { NothingMatches } from "../../parts/filter-line.tsx";
import { type Column, lines, ListTable, type TableProps } from "../../parts/list-table.tsx";
import { Pill } from "../../parts/pill.tsx";
import { Empty } from "../../parts/states.tsx";
import { relativeTime, Time } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import { type Filters, isNarrowed, isTurnAlone, type Tab } from "./request-filters.ts";
import { type RequestRow, states, stateView } from "./request.ts";

/** The list of requests. */
export function RequestTable({ tab, filters, onClearFilters, ...table }: TableProps<RequestRow> & {
  tab: Tab;
  filters: Filters;
  onClearFilters: () => void;
}) {
  const plans = usePlans();
  const columns = useMemo(() => columnsOf(tab, plans), [tab, plans]);
  const isPicking = (table.selection?.ids.size ?? 0) > 0;
  return (
    <div class={isPicking ? "requests is-picking" : "requests"}>
      <ListTable
        {...table}
        label="Key requests"
        columns={columns}
        nameOf={(row) => say`${row.developer}, ${titleOf(row.entry, row.planIds, plans)}`}
        lead={(row) => <Avatar name={row.developer} id={row.developerId} />}
        empty={isTurnAlone(filters)
          ? (
            <Empty
              title="Nothing waits for you"
              action={<Button onClick={onClearFilters}>Show all</Button>}
            >
              What others decide waits for them.
            </Empty>
          )
          : isNarrowed(filters)
          ? (
            <NothingMatches onClear={onClearFilters}>
              No request fits this search and these filters.
            </NothingMatches>
          )
          : <NothingIn tab={tab} />}
      />
    </div>
  );
}

/**
 * A value that a tab has for all its rows is not repeated in each. A decided row names the person
 * and the time.
 */
function columnsOf(tab: Tab, plans: ReadonlyMap<string, PlanFacts>): Column<RequestRow>[] {
  const decision: Column<RequestRow>[] = [{
    title: tab === "all" ? "Status" : say`${states[tab].text} by`,
    class: "col-status",
    cell: (row) => <Decision row={row} tab={tab} />,
  }];
  return [
    {
      title: "Developer",
      class: "col-developer",
      cell: (row) => (
        <>
          <span class="line-1">{row.developer}</span>
          <span class="line-2 is-email">
            <Email of={row.email} standing={row.emailStanding} />
          </span>
          <span class="line-2 is-what">{titleOf(row.entry, row.planIds, plans)}</span>
        </>
      ),
    },
    {
      title: "API and plan",
      class: "col-plan",
      cell: (row) => <PlansCell row={row} plans={plans} />,
    },
    {
      title: "Why",
      class: "col-why",
      cell: (row) => tab === "pending" ? <span class="why">{row.why}</span> : row.why,
    },
    ...tab === "pending"
      ? [{ title: "Assigned to", class: "col-assignee", cell: (row: RequestRow) => row.assignee }]
      : decision,
    {
      title: "Asked",
      class: "col-asked is-end",
      // A row that was decided meanwhile stays at its position and says so.
      cell: (row) =>
        tab === "pending" && (row.state !== tab || row.offer) ? <State row={row} /> : (
          <>
            <Time at={row.askedAt} inRow />
            {row.state === "pending" && <Standing row={row} />}
          </>
        ),
    },
  ];
}

/** All that is asked for; of several plans their number first, since a long line is cut. */
function PlansCell({ row: { entry, planIds }, plans }: {
  row: RequestRow;
  plans: ReadonlyMap<string, PlanFacts>;
}) {
  const title = titleOf(entry, planIds, plans);
  const known = planIds.flatMap((id) => plans.get(id) ?? []);
  const several = planIds.length > 1;
  const grants = known.map((plan) => several ? say`${plan.name}: ${grantOf(plan)}` : grantOf(plan));
  return lines(several ? say`${planIds.length} plans: ${title}` : title, listed(grants, "; "));
}

function Decision({ row, tab }: { row: RequestRow; tab: Tab }) {
  if (row.state === tab) {
    return lines(row.decidedBy, <Time at={row.decidedAt} inRow />);
  }
  return (
    <>
      <State row={row} />
      {row.decidedBy
        ? <span class="line-2">by {row.decidedBy}</span>
        : (
          <span class="line-2 is-narrow">
            <Time at={row.askedAt} inRow />
          </span>
        )}
    </>
  );
}

/** Ends that are nearer stand in the list. */
const SOON_MS = 7 * 86_400_000;

/** A dot for each step, given, waiting now or to come, and what ends soon. */
function Standing({ row: { steps, expiresAt } }: { row: RequestRow }) {
  const done = steps.filter(({ missing }) => missing === 0).length;
  const present = steps[done];
  const endsSoon = expiresAt !== null && Date.parse(expiresAt) - Date.now() < SOON_MS;
  if (!present && !endsSoon) return null;
  return (
    <span class="line-2 step-dots">
      {steps.map(({ missing }, at) => (
        <span
          key={at}
          aria-hidden="true"
          class={missing === 0 ? "dot is-done" : at === done ? "dot is-now" : "dot"}
        />
      ))}
      {present && (
        <span class={endsSoon ? "unseen" : undefined}>
          {say`${done} of ${steps.length}`}
          <span class="unseen">{say`steps, waits for ${present.name}`}</span>
        </span>
      )}
      {endsSoon && <span>expires {relativeTime(expiresAt)}</span>}
    </span>
  );
}

function State({ row }: { row: RequestRow }) {
  const { tone, text } = stateView(row);
  return <Pill tone={tone}>{text}</Pill>;
}

function NothingIn({ tab }: { tab: Tab }) {
  const isNew = useCounts()?.all === 0 && may("plans");
  switch (tab) {
    case "pending":
      return (
        <Empty
          title="Nothing waits for you"
          action={isNew && (
            <Link class="button is-primary" href="/home?steps=all">Make the first key</Link>
          )}
        >
          New requests appear as soon as developers file them.
        </Empty>
      );
    case "issued":
      return (
        <Empty title="Nothing approved yet">This tab lists approved requests, newest first.</Empty>
      );
    case "declined":
      return <Empty title="Nothing declined">You can reopen declined requests.</Empty>;
    case "all":
      return (
        <Empty title="No requests yet">
          They come from your developer portal, or by POST /api/portal/requests.
        </Empty>
      );
  }
}
