import { Link } from "wouter-preact";
import { grouped } from "../../../api/numbers.ts";
import { may } from "../../../api/session.ts";
import { Pill } from "../../../parts/pill.tsx";
import { Time } from "../../../parts/time.tsx";
import { listed, say } from "../../../said.ts";
import { Days } from "./days.tsx";
import {
  answerOf,
  beOf,
  counted,
  dayOf,
  type MigrationReport,
  sawYesterday,
  shareOf,
} from "./words.ts";
import { Part } from "./part.tsx";
import { PlanTable } from "./plans.tsx";

/** All that is known of the move, with the answer first. */
export function Overview({ of: report }: { of: MigrationReport }) {
  return (
    <div class="page-scroll" tabIndex={0} role="region" aria-label="How far the move is">
      <Answer of={report} />
      <div class="moving">
        <div class="moving-column">
          <Calls of={report} />
          <PlanTable of={report} />
        </div>
        <div class="moving-column">
          <Safe of={report} />
          <StillThere of={report} />
          <NeverSeen of={report} />
          {report.lazy_migrations.length > 0 && <LazyMigrations of={report} />}
        </div>
      </div>
    </div>
  );
}

function Answer({ of }: { of: MigrationReport }) {
  const { tone, title, why } = answerOf(of);
  return (
    <section class={`moving-answer is-${tone}`} aria-label="May the old gateway be switched off?">
      <h2>{title}</h2>
      {why.length > 0 && (
        <ul>
          {why.map((one) => <li key={one}>{one}</li>)}
        </ul>
      )}
    </section>
  );
}

/** Which share of calls was decided here, yesterday and by day. */
function Calls({ of }: { of: MigrationReport }) {
  const { shares, days, since, now } = of;
  const [yesterday, ...longer] = shares;
  const share = yesterday ? shareOf(yesterday) : "";
  return (
    <Part title="Decided in Keydesk" note="whole days, UTC">
      <div class="moving-calls">
        <p class="moving-share">
          {share === ""
            ? (
              <span>
                {sawYesterday(of)
                  ? "No call was decided yesterday, in Keydesk or at the gateway"
                  : "No whole day in shadow mode yet"}
              </span>
            )
            : (
              <>
                <b>{share}</b> <span>of yesterday’s calls were decided in Keydesk</span>
              </>
            )}
        </p>
        {share !== "" && (
          <p class="moving-legend">
            <span class="is-here">{say`in Keydesk, ${grouped(yesterday?.in_keydesk ?? 0)}`}</span>
            <span class="is-there">{say`old gateway, ${grouped(yesterday?.at_gateway ?? 0)}`}</span>
          </p>
        )}
        <Days days={days} since={since} />
        <p class="moving-note">
          {longer.map((one) =>
            shareOf(one) !== "" && (
              <span key={one.days}>
                {say`${one.days} days: `}
                <b>{shareOf(one)}</b>.{" "}
              </span>
            )
          )}
          {say`Today so far: ${grouped(now.in_keydesk)} in Keydesk, ${
            grouped(now.at_gateway)
          } at the old gateway.`}
          {now.denied_at_gateway_only > 0 && (
            <>
              {" "}
              {say`${
                counted(now.denied_at_gateway_only, "call")
              } of today would be allowed by Keydesk and were denied at the gateway. This proves nothing: the gateway denies for other reasons, too.`}
            </>
          )}
        </p>
      </div>
    </Part>
  );
}

/** For how many keys and plans switching off is safe. */
function Safe(
  { of: { keys, plans, more_plans, safe_plans, all_safe_on } }: { of: MigrationReport },
) {
  const all = plans.length + more_plans;
  const isAll = all > 0 && safe_plans === all;
  const left = [
    ...keys.at_gateway_yesterday > 0
      ? [say`${counted(keys.at_gateway_yesterday, "key")} called the old gateway yesterday`]
      : [],
    ...keys.never_seen > 0
      ? [say`${counted(keys.never_seen, "key")} ${beOf(keys.never_seen)} never seen at either`]
      : [],
  ];
  return (
    <Part title="Switching off is safe for">
      <p class={keys.safe > 0 ? "moving-safe is-some" : "moving-safe"}>
        <b>{grouped(keys.safe)}</b>{" "}
        {say`of ${counted(keys.all, "key")}, on ${grouped(safe_plans)} of ${counted(all, "plan")}`}
      </p>
      <ul class="moving-checks">
        <li class={safe_plans > 0 ? "is-good" : ""}>
          No call at the old gateway for 14 whole days
        </li>
        <li class={safe_plans > 0 ? "is-good" : ""}>
          Equal answers at both in the last 2,000,000 compared calls, or those of 90 days
        </li>
        {left.length > 0 && <li class="is-left">{listed(left)}</li>}
      </ul>
      <p class="moving-foot">
        {isAll
          ? "Every plan is safe."
          : all_safe_on === null
          ? "Some plans never will be, unless something changes."
          : (
            <>
              If all goes on as in the last 7 days: all safe by <b>{dayOf(all_safe_on)}</b>.
            </>
          )}
      </p>
    </Part>
  );
}

function StillThere(
  { of: { keys: { at_gateway_yesterday }, still_at_gateway } }: { of: MigrationReport },
) {
  return (
    <Part
      title="Still calling the old gateway"
      note={at_gateway_yesterday > 0 &&
        say`${counted(at_gateway_yesterday, "key")}, calls yesterday`}
    >
      {still_at_gateway.length === 0
        ? <p class="moving-text">No key called it yesterday.</p>
        : (
          <ul class="moving-rows">
            {still_at_gateway.map(({ key_id, name, mask, developer_name, calls }) => (
              <li key={key_id}>
                <Link class="moving-key" href={`/keys/${encodeURIComponent(key_id)}`}>
                  {name || <code>{mask}</code>}
                </Link>
                <span class="moving-owner">{developer_name || "unknown"}</span>
                <span class="moving-number">{grouped(calls)}</span>
              </li>
            ))}
          </ul>
        )}
      {at_gateway_yesterday > still_at_gateway.length && (
        <p class="moving-foot">
          <Link class="text-link" href="/gateways/migration?show=at_gateway">
            {say`All ${counted(at_gateway_yesterday, "key")}`}
          </Link>
        </p>
      )}
    </Part>
  );
}

function NeverSeen({ of: { keys } }: { of: MigrationReport }) {
  const { never_seen, never_seen_developers, mailable_developers } = keys;
  if (never_seen === 0) {
    return (
      <Part title="Never seen at either">
        <p class="moving-text">Every key was seen in Keydesk or at the gateway.</p>
      </Part>
    );
  }
  return (
    <Part title="Never seen at either" note={counted(never_seen, "key")}>
      <p class="moving-text">
        No call since the move began. They came over and should work, but nothing proves it.
      </p>
      <p class="moving-acts">
        <Link class="button" href="/gateways/migration?show=never">See which</Link>
        {mailable_developers > 0 && (
          <Link class="button" href="/gateways/migration?show=mails">
            {say`Mails to ${counted(mailable_developers, "owner")}`}
          </Link>
        )}
      </p>
      {never_seen_developers > mailable_developers && (
        <p class="moving-text">
          {say`${
            counted(never_seen_developers - mailable_developers, "owner")
          } without an address that is known.`}
        </p>
      )}
    </Part>
  );
}

/** Keys that were migrated by gateways, what waits, and the notices. */
function LazyMigrations(
  { of: { lazy_migrations: migrations, keys, unknown } }: { of: MigrationReport },
) {
  return (
    <Part title="Lazy migration" note={say`${counted(keys.migrated, "key")} migrated`}>
      <ul class="moving-rows is-migrating">
        {migrations.map((one) => (
          <li key={one.gateway_id}>
            <div class="moving-taught">
              <b>{one.gateway_name || "A gateway that was removed"}</b>
              <Pill tone={one.on ? "good" : "quiet"}>{one.on ? "On" : "Off"}</Pill>
            </div>
            <p>
              {say`${counted(one.migrated, "key")} migrated; ${one.on ? "it ends " : "it ended "}`}
              <Time at={one.ends_at} />
            </p>
            {one.waiting > 0 && (
              <p class="is-waiting">
                {say`${
                  counted(one.waiting, "key")
                } of them should have been asked about anew: can it be reached?`}
              </p>
            )}
            {one.awaiting > 0 && (
              <p class="is-waiting">
                {say`${
                  counted(one.awaiting, "key")
                } would lose access because of what it says, and a person’s yes is awaited. `}
                <Link class="text-link" href={`/gateways/${encodeURIComponent(one.gateway_id)}`}>
                  Open the gateway
                </Link>
              </p>
            )}
            {one.not_followed > 0 && (
              <p class="is-waiting">
                {say`${
                  timesOf(one.not_followed)
                } a change at the gateway was not made in Keydesk, or a change has no effect at the gateway. `}
                {may("audit") && (
                  <Link
                    class="text-link"
                    href={`/audit-log?object=gateway&action=gateway.key_not_followed&object_id=${
                      encodeURIComponent(one.gateway_id)
                    }`}
                  >
                    See which changes
                  </Link>
                )}
              </p>
            )}
            {one.alarms > 0 && (
              <p class="is-waiting">
                {say`Nothing was migrated ${timesOf(one.alarms)}, since another key has the name. `}
                {may("audit") && (
                  <Link
                    class="text-link"
                    href={`/audit-log?object=gateway&action=gateway.key_not_learned&object_id=${
                      encodeURIComponent(one.gateway_id)
                    }`}
                  >
                    See which
                  </Link>
                )}
              </p>
            )}
          </li>
        ))}
      </ul>
      <p class="moving-foot">
        {unknown.calls === 0
          ? "No call of the last 7 days came with a key that Keydesk does not know."
          : say`In 7 days ${
            counted(unknown.calls, "call")
          } came with keys that Keydesk does not know; ${
            grouped(unknown.opened)
          } were allowed at the gateway.`}
      </p>
    </Part>
  );
}

/** The server counts no further. */
const MOST_ALARMS = 100;

function timesOf(alarms: number): string {
  if (alarms >= MOST_ALARMS) return "100 times or more";
  return alarms === 1 ? "once" : say`${alarms} times`;
}
