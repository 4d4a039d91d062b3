import { Link } from "wouter-preact";
import type { z } from "zod";
import type { getBusiest } from "../../../src/features/insight/insight.contract.ts";
import { api } from "../../api/client.ts";
import { getBusiest as endpoint } from "../../api/endpoints.ts";
import { usePlans } from "../../api/plans.ts";
import { useQuery } from "../../api/queries.ts";
import { lengthOf } from "../../parts/relative-words.ts";
import { listed } from "../../said.ts";
import { calledKey, ownerOf } from "./key-words.ts";
import { EVERY_MS, Panel, short } from "./panel.tsx";

type Busiest = z.output<typeof getBusiest.response>;
type Plan = Busiest["plans"][number];

function useBusiest() {
  return useQuery({
    queryKey: ["insight", "usage"],
    queryFn: () => api.call(endpoint, {}),
    refetchInterval: EVERY_MS,
  });
}

const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const DAY_MS = 24 * 60 * 60 * 1000;

/** Calls by plan, each day of the last 30 whole ones. */
export function CallsPanel() {
  const read = useBusiest();
  return (
    <Panel title="Calls" name="calls" note="The last 30 whole days, UTC" read={read}>
      {({ plans, all, today, from, to }) =>
        plans.length === 0
          ? <NoCalls today={today} before={all.before} />
          : (
            <table class="home-calls">
              <thead>
                <tr>
                  <th scope="col">Plan</th>
                  <th scope="col" class="home-wide">Each day</th>
                  <th scope="col">30 days</th>
                  <th scope="col" class="home-wide">Change</th>
                  <th scope="col" class="home-wide home-busiest">Busiest day</th>
                  <th scope="col">Over limits</th>
                </tr>
              </thead>
              <tbody>
                {plans.map((plan) => <PlanRow key={plan.id} plan={plan} from={from} />)}
              </tbody>
              <tfoot>
                <tr>
                  <th scope="row">All plans</th>
                  <td class="home-wide home-axis">
                    <span>{date.format(Date.parse(from))}</span>
                    <span>{date.format(Date.parse(to))}</span>
                  </td>
                  <td>{short(all.success)}</td>
                  <td class="home-wide">{changeOf(all)}</td>
                  <td class="home-wide home-busiest" />
                  <td>{shareOf(all)}</td>
                </tr>
              </tfoot>
            </table>
          )}
    </Panel>
  );
}

function PlanRow({ plan, from }: { plan: Plan; from: string }) {
  const most = Math.max(...plan.days, 1);
  const busiest = plan.days.indexOf(most);
  const word = turnOf(plan.days);
  return (
    <tr>
      <th scope="row">
        <Link class="home-link" href={`/plans/${encodeURIComponent(plan.id)}`}>{plan.name}</Link>
        {word && <span class="home-small is-soon">{word}</span>}
      </th>
      <td class="home-wide">
        <svg class="home-bars" width="100%" height="26" aria-hidden="true">
          {plan.days.map((n, at) =>
            n > 0 && (
              <rect
                key={at}
                x={`${(at + 0.12) / plan.days.length * 100}%`}
                width={`${76 / plan.days.length}%`}
                y={26 - Math.max(1, n / most * 26)}
                height={Math.max(1, n / most * 26)}
              />
            )
          )}
        </svg>
      </td>
      <td>
        <b>{short(plan.success)}</b>
      </td>
      <td class="home-wide">{changeOf(plan)}</td>
      <td class="home-wide home-busiest">
        {busiest >= 0 && `${short(most)} on ${date.format(Date.parse(from) + busiest * DAY_MS)}`}
      </td>
      <td>{shareOf(plan)}</td>
    </tr>
  );
}

/** "+9%" against the 30 days before; nothing where there were none. */
function changeOf({ success, before }: { success: number; before: number }): string {
  if (before === 0) return "";
  const percent = Math.round((success / before - 1) * 100);
  return percent > 999
    ? `${Math.round(success / before)} times`
    : `${percent > 0 ? "+" : ""}${percent}%`;
}

/** The share of calls that were over a limit. */
function shareOf({ success, limited, refused }: Pick<Plan, "success" | "limited" | "refused">) {
  const all = success + limited + refused;
  return all === 0 ? "" : `${Math.round(limited / all * 1000) / 10}%`;
}

/** What has become of a plan: three days far from the same weekdays of the three weeks before. */
function turnOf(days: readonly number[]): string {
  const newest = days.slice(-3);
  const weeks = [7, 14, 21].map((back) => sum(days.slice(-3 - back, -back)));
  const usual = sum(weeks) / weeks.length;
  if (usual === 0 || weeks.includes(0)) return "";
  const ratio = sum(newest) / usual;
  if (ratio > 3) return `Up to ${Math.round(ratio)} times as many in 3 days`;
  return ratio < 1 / 3 ? `Down to ${Math.round(ratio * 100)}% in 3 days` : "";
}

const sum = (all: readonly number[]) => all.reduce((total, n) => total + n, 0);

/** In words where there is no whole day with calls: none ever, none of late, or the first day. */
function NoCalls({ today, before }: { today: Calls; before: number }) {
  const counted = countedIn(today);
  if (counted > 0) {
    return (
      <p class="home-none">
        {counted.toLocaleString("en")} {counted === 1 ? "call" : "calls"}{" "}
        today so far. Each day stands here when it is over.
      </p>
    );
  }
  if (before > 0) return <p class="home-none">No calls in the last 30 whole days.</p>;
  return (
    <p class="home-none">
      No calls yet. They are counted where a gateway asks Keydesk about each of them.{" "}
      <Link class="text-link" href="/start">How to set it up</Link>
    </p>
  );
}

type Calls = Busiest["today"];

const countedIn = ({ success, limited, refused }: Calls) => success + limited + refused;

/** The keys with the most calls, and those that nobody uses. */
export function KeysPanel() {
  const read = useBusiest();
  const plans = usePlans();
  return (
    <Panel
      title="Busiest keys"
      name="keys"
      note="30 days, and their share of the quota"
      read={read}
    >
      {({ keys, silent, today }) => (
        <>
          {keys.length === 0 && (
            <p class="home-none">
              {countedIn(today) > 0
                ? "Today’s keys appear here when the day is over."
                : "No key was used."}
            </p>
          )}
          <ol class="home-keys">
            {keys.map((key) => (
              <li key={key.key_id}>
                <KeyLink of={key} />
                <span class="home-cut">{ownerOf(key)}</span>
                <span class="home-number">{short(key.success)}</span>
                <Share of={key.of_quota} />
              </li>
            ))}
          </ol>
          <h2 class="home-title is-second">
            Silent keys{" "}
            <span class="home-note">
              {silent.count === 0
                ? "None without a call for 90 days"
                : `${silent.count.toLocaleString("en")} without a call for 90 days`}
            </span>
          </h2>
          <ol class="home-keys">
            {silent.keys.map((key) => (
              <li key={key.key_id}>
                <KeyLink of={key} />
                <span class="home-cut">{ownerOf(key)}</span>
                <span class="home-cut home-wide">
                  {listed(key.plans.map((id) => plans.get(id)?.name ?? id))}
                </span>
                <span class="home-number">{lengthOf(Date.now() - Date.parse(key.since))}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </Panel>
  );
}

function KeyLink({ of: key }: { of: Busiest["keys"][number] | Busiest["silent"]["keys"][number] }) {
  return (
    <Link
      class={`text-link ${key.name ? "home-named" : "home-mask"}`}
      href={`/keys/${encodeURIComponent(key.key_id)}`}
    >
      {calledKey(key)}
    </Link>
  );
}

/** A bar and its percent; nothing where there is no quota. */
function Share({ of }: { of: number | null }) {
  if (of === null) return <span class="home-share">no quota</span>;
  const tone = of >= 1 ? "is-bad" : of >= 0.9 ? "is-soon" : "";
  return (
    <span class={`home-share ${tone}`}>
      <svg class="home-wide" width="96" height="6" aria-hidden="true">
        <rect class="is-all" width="100%" height="6" rx="3" />
        <rect class="is-part" width={`${Math.min(of, 1) * 100}%`} height="6" rx="3" />
      </svg>
      <span class="home-percent">{Math.round(of * 100)}%</span>
    </span>
  );
}
