import { Link } from "wouter-preact";
import { type Expiries, useExpiries } from "../../api/expiries.ts";
import { titleOf, usePlans } from "../../api/plans.ts";
import { dayOf } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { lengthOf } from "../../parts/relative-words.ts";
import { calledKey, ownerOf } from "./key-words.ts";
import { EVERY_MS, Panel } from "./panel.tsx";
import { EndAct } from "./end-act.tsx";

type Lane = NonNullable<Expiries["keys"]>;

const DAY_MS = 24 * 60 * 60 * 1000;
const [WEEK, LAST] = [7, 1826];
/**
 * Percent of the width: what has ended, what ends within the week, and from where on the scale
 * goes.
 */
const [NOW, SCALE, END] = [9, 18, 97];

const placeOf = (days: number) =>
  SCALE + (END - SCALE) * Math.log(days / WEEK) / Math.log(LAST / WEEK);

const bands = [
  { name: "Expired", mark: "past", of: "expired", tone: "is-bad" },
  { name: "Within 7 days", mark: "7 d", of: "within_7_days", tone: "is-bad" },
  { name: "Within 30 days", mark: "30 d", of: "within_30_days", tone: "is-soon" },
  { name: "Within 90 days", mark: "90 d", of: "within_90_days", tone: "" },
  { name: "Within a year", mark: "1 year", of: "within_1_year", tone: "" },
  { name: "Later", mark: "later", of: "later", tone: "" },
] as const;

/** The list of each band; "" without one. */
const lists = {
  keys: { expired: "/keys?state=expired" },
  certificates: {
    expired: "/certificates?ends=over&ca=no",
    within_7_days: "/certificates?ends=7&ca=no",
    within_30_days: "/certificates?ends=30&ca=no",
    within_90_days: "/certificates?ends=90&ca=no",
  },
} as const;

/** Expiry: two lanes on a scale from a week to five years, and the next to expire. */
export function EndsPanel() {
  const read = useExpiries(EVERY_MS);
  return (
    <Panel title="Expires soon" name="ends" note={<Sizes />} read={read}>
      {(ends) =>
        isNothing(ends) ? NOTHING : (
          <>
            <div class="home-lanes">
              {ends.keys && <LaneOf name="Keys" of={ends.keys} hrefs={lists.keys} />}
              {ends.certificates && (
                <LaneOf name="Certificates" of={ends.certificates} hrefs={lists.certificates} />
              )}
              <p class="home-bands is-axis" aria-hidden="true">
                {bands.map(({ mark }) => <span key={mark}>{mark}</span>)}
              </p>
            </div>
            <Table ends={ends} />
            <Next ends={ends} />
            {ends.certificates && <Authorities count={ends.certificates.authorities.all} />}
          </>
        )}
    </Panel>
  );
}

const NOTHING = <p class="home-none">Nothing that Keydesk knows expires.</p>;

const isNothing = ({ keys, certificates }: Expiries) =>
  [keys, certificates].every((lane) => !lane || (lane.expired === 0 && totalOf(lane) === 0)) &&
  !certificates?.authorities.all;

const totalOf = (lane: Omit<Lane, "next" | "leaked">) =>
  bands.slice(1).reduce((sum, { of }) => sum + lane[of], 0);

function LaneOf({ name, of, hrefs }: {
  name: string;
  of: Omit<Lane, "next" | "leaked">;
  hrefs: Readonly<Record<string, string>>;
}) {
  const width = (END - SCALE) / of.bins.length;
  return (
    <div class="home-lane">
      <p class="home-lane-name">
        <b>{name}</b> <span class="home-small">{totalOf(of).toLocaleString("en")} will expire</span>
      </p>
      <svg class="home-plot" width="100%" height="38" aria-hidden="true">
        <line x1="0" x2="100%" y1="19" y2="19" />
        {[WEEK, 30, 90, 365, LAST].map((days) => (
          <line key={days} x1={`${placeOf(days)}%`} x2={`${placeOf(days)}%`} y1="0" y2="38" />
        ))}
        <line class="is-now" x1={`${NOW}%`} x2={`${NOW}%`} y1="0" y2="38" />
        <Dot at={NOW / 2} n={of.expired} tone="is-bad" />
        <Dot at={(NOW + SCALE) / 2} n={of.within_7_days} tone="is-bad" />
        {of.bins.map((n, at) => (
          <Dot
            key={at}
            at={SCALE + (at + 0.5) * width}
            n={n}
            tone={SCALE + (at + 0.5) * width < placeOf(30) ? "is-soon" : ""}
          />
        ))}
      </svg>
      <p class="home-bands">
        {bands.map(({ name: band, of: key, tone }) => {
          const n = of[key];
          const href = n > 0 ? hrefs[key] : undefined;
          const text = n.toLocaleString("en");
          const label = say`${name}, ${band.toLowerCase()}: ${text}`;
          return (
            <span key={key} class={n > 0 ? tone : "is-none"}>
              {href
                ? <Link href={href} aria-label={label}>{text}</Link>
                : <span aria-hidden="true">{text}</span>}
            </span>
          );
        })}
      </p>
    </div>
  );
}

/** The meaning of the dots' sizes. */
function Sizes() {
  return (
    <span class="home-sizes" aria-hidden="true">
      {[1, 10, 100].map((n) => (
        <span key={n}>
          <svg class="home-plot" width={2 * radiusOf(n)} height="20">
            <circle cx="50%" cy="10" r={radiusOf(n)} />
          </svg>
          {n}
        </span>
      ))}
    </span>
  );
}

const radiusOf = (n: number) => Math.min(10, 2.6 + 0.66 * (Math.sqrt(n) - 1));

function Dot({ at, n, tone }: { at: number; n: number; tone: string }) {
  if (n === 0) return null;
  return (
    <circle class={tone} cx={`${at}%`} cy="19" r={radiusOf(n)}>
      <title>{n.toLocaleString("en")}</title>
    </circle>
  );
}

/** The table for people who do not see the dots. */
function Table({ ends }: { ends: Expiries }) {
  const lanes = [["Keys", ends.keys], ["Certificates", ends.certificates]] as const;
  return (
    // A table is never less wide than its words, and would widen the page.
    <div class="unseen">
      <table>
        <caption>How many expire when</caption>
        <thead>
          <tr>
            <td />
            {bands.map(({ name }) => <th key={name} scope="col">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {lanes.map(([name, lane]) =>
            lane && (
              <tr key={name}>
                <th scope="row">{name}</th>
                {bands.map(({ of }) => <td key={of}>{lane[of]}</td>)}
              </tr>
            )
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Those that the lane leaves out. */
function Authorities({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <p class="home-aside home-small">
      {"Apart from these: "}
      <Link class="text-link" href="/certificates?ca=only">
        {count.toLocaleString("en")} certificate {count === 1 ? "authority" : "authorities"}
      </Link>
    </p>
  );
}

/** The next to expire, key or certificate. */
function Next({ ends: { keys, certificates } }: { ends: Expiries }) {
  const plans = usePlans();
  const all = [
    ...(keys?.next ?? []).map((key) => ({
      href: `/keys/${encodeURIComponent(key.key_id)}`,
      name: calledKey(key),
      look: key.name ? "" : "home-mask",
      note: say`${ownerOf(key)} · ${titleOf("", key.plans, plans)}`,
      at: key.expires_at,
    })),
    ...(certificates?.next ?? []).map((one) => ({
      href: `/certificates/${encodeURIComponent(one.id)}`,
      name: one.name || one.id.slice(-12),
      look: "",
      note: one.renewed ? "Certificate, renewed by another" : "Certificate",
      at: one.not_after,
      act: one.renewed ? "" as const : "Renew" as const,
    })),
  ].map((one) => ({ act: "Extend" as const, ...one })).sort((a, b) =>
    Date.parse(a.at) - Date.parse(b.at)
  ).slice(0, 4);
  if (all.length === 0) return NOTHING;
  return (
    <ol class="home-rows">
      {all.map(({ href, name, look, note, at, act }) => {
        const left = Date.parse(at) - Date.now();
        const tone = left < 7 * DAY_MS ? "is-bad" : left < 30 * DAY_MS ? "is-soon" : "";
        return (
          <li key={href} class="home-row">
            <span class="home-who">
              <Link class={`home-link ${look}`} href={href}>{name}</Link>
              <span class="home-small">{note}</span>
            </span>
            <span class={`home-age ${tone}`}>{lengthOf(left)}</span>
            <time class="home-date" dateTime={at}>{dayOf(at)}</time>
            <EndAct href={href} name={name} act={act} />
          </li>
        );
      })}
    </ol>
  );
}
