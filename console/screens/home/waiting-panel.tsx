import { useRef } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { z } from "zod";
import type { getDecisions as decisions } from "../../../src/features/insight/insight.operations.ts";
import { useCounts } from "../../api/counts.ts";
import { getDecisions, listKeyRequests } from "../../api/endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { askedPlans, titleOf, usePlans } from "../../api/plans.ts";
import { useCall } from "../../api/queries.ts";
import { hasScope, may } from "../../api/session.ts";
import { isMineFirst } from "../../api/turn.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Key } from "../../parts/button.tsx";
import { changeInWords } from "../../parts/compared-words.ts";
import { developerName, whyOf } from "../../parts/request-words.ts";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { exactTime } from "../../parts/time.tsx";
import { lengthOf } from "../../parts/relative-words.ts";
import { say } from "../../said.ts";
import { EVERY_MS, Panel } from "./panel.tsx";

/** Requests that are shown; on a phone some are hidden. */
const ROWS = 7;

type Decided = Pick<z.output<typeof decisions.response>, "median_seconds" | "approved_share">;

const hrefOf = (id: string) => `/requests/${encodeURIComponent(id)}?sort=oldest`;

/** The oldest requests that wait; read once for everybody on the page. */
export function useWaiting() {
  const isMine = isMineFirst();
  const query = {
    state: "pending",
    ...isMine ? { waits_for: "me" } : {},
    sort: "oldest",
    limit: ROWS,
  } as const;
  return useCall(["key-requests", isMine ? "mine" : "home"], listKeyRequests, { query }, {
    refetchInterval: EVERY_MS,
    enabled: may("portal:read"),
  });
}

/** How often requests without any approver are looked for, which takes a while. */
const STUCK_MS = 5 * 60_000;

/** Requests that no one may decide now; empty while unknown. */
function useStuck(waits: boolean) {
  const query = { waits_for: "nobody", limit: 10 } as const;
  return useCall(["key-requests", "stuck"], listKeyRequests, { query }, {
    refetchInterval: STUCK_MS,
    enabled: waits && may("portal:read"),
  }).data?.data ?? [];
}

/** How people decided, and how many requested; read once for everybody on the page. */
export function usePace() {
  return useCall(["decisions"], getDecisions, {}, {
    refetchInterval: STUCK_MS,
    enabled: may("portal:read") && !hasScope(),
  });
}

/** The pace, each number beside the previous one; nothing of too few. */
function Pace() {
  const { data } = usePace();
  if (!data) return null;
  const { requested, before, ...now } = data;
  const took = ({ median_seconds }: Decided) =>
    median_seconds === null ? "too few to compare" : lengthOf(median_seconds * 1000);
  const approved = ({ approved_share }: Decided) =>
    approved_share === null ? "too few to compare" : `${Math.round(approved_share * 100)}%`;
  if (now.median_seconds === null && requested.week + requested.before === 0) return null;
  const facts = [
    ["Half were decided within", took(now), say`30 days; in the 30 before ${took(before)}`],
    ["Approved", approved(now), say`30 days; in the 30 before ${approved(before)}`],
    [
      "Requests a week",
      grouped(requested.week),
      say`7 days; ${changeInWords(requested.week, requested.before, "in the 7 before")}`,
    ],
  ];
  return (
    <dl class="home-pace">
      {facts.map(([title, figure, note]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            <b>{figure}</b>
            <span class="home-small">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Requests that wait for a decision, the oldest first. J and K walk it, Enter opens the oldest. */
export function WaitingPanel() {
  const counts = useCounts();
  const plans = usePlans();
  const [, navigate] = useLocation();
  const list = useRef<HTMLOListElement>(null);
  const read = useWaiting();
  const oldest = read.data?.data[0];
  const stuck = useStuck(oldest !== undefined);
  const move = (by: number) => {
    const links = [...list.current?.querySelectorAll("a") ?? []];
    const at = links.findIndex((link) => link === document.activeElement);
    links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  useShortcuts("What waits", [
    { keys: ["j", "ArrowDown"], label: "Next", run: () => move(1) },
    { keys: ["k", "ArrowUp"], label: "Previous", run: () => move(-1) },
    {
      keys: ["Enter"],
      label: "Open the oldest",
      run: () => oldest && navigate(hrefOf(oldest.id)),
      when: () => oldest !== undefined,
    },
  ]);
  return (
    <Panel
      title={isMineFirst() ? "Waiting for you" : "Waiting for a decision"}
      name="waiting"
      note={read.data?.data.length ? "Oldest first" : undefined}
      read={read}
    >
      {({ data }) => (
        <>
          {data.length === 0
            ? (
              <p class="home-none">
                {isMineFirst() ? "Nothing waits for you." : "Nothing waits."}{" "}
                {isMineFirst() && counts && counts.pending > 0
                  ? (
                    <Link class="text-link" href="/requests?turn=all&sort=oldest">
                      {counts.pending.toLocaleString("en")} for others
                    </Link>
                  )
                  : <Link class="text-link" href="/requests?state=all">All requests</Link>}
              </p>
            )
            : (
              <>
                <ol class="home-rows" ref={list}>
                  {data.map((one) => {
                    const { portal_developer: developer } = one;
                    const name = developerName(developer.fields, developer.email || one.by_user);
                    const title = titleOf(one.catalogue_entry.name, askedPlans(one), plans);
                    return (
                      <li key={one.id} class="home-row">
                        <Avatar id={one.by_user} name={name} />
                        <span class="home-who">
                          <Link
                            class="home-link"
                            href={hrefOf(one.id)}
                            aria-label={say`${name}, ${title}`}
                          >
                            {name}
                          </Link>
                          <span class="home-small">{title}</span>
                        </span>
                        <span class="home-why">{whyOf(one.fields)}</span>
                        <time
                          class="home-age"
                          dateTime={one.date_created}
                          title={exactTime(one.date_created)}
                        >
                          {lengthOf(Date.now() - Date.parse(one.date_created))}
                        </time>
                      </li>
                    );
                  })}
                </ol>
                <footer class="home-foot">
                  {oldest && (
                    <Link class="button is-primary" href={hrefOf(oldest.id)}>
                      {"Decide the oldest "}
                      <Key name="Enter" />
                    </Link>
                  )}
                  {counts && counts.pending > data.length && (
                    <Link class="text-link" href="/requests?turn=all&sort=oldest">
                      All {counts.pending.toLocaleString("en")}
                    </Link>
                  )}
                  {stuck.length > 0 && (
                    <Link class="text-link" href="/requests?turn=nobody">
                      <span class="is-bad">
                        {stuck.length === 10 ? "10 or more" : stuck.length} that no one can decide
                      </span>
                    </Link>
                  )}
                </footer>
              </>
            )}
          <Pace />
        </>
      )}
    </Panel>
  );
}
