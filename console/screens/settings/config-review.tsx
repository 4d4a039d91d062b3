import { useEffect, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { z } from "zod";
import type { configReview } from "../../../src/features/config/config.contract.ts";
import { api } from "../../api/client.ts";
import { confirmConfigReview, getConfigReview } from "../../api/config-endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { queries, useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { useOpenedTitle } from "../../parts/page-title.ts";
import { Unread } from "../../parts/states.tsx";
import { exactTime, Time } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import { fileOf, Members } from "./config-words.tsx";
import { PersonLink } from "./person-link.tsx";

type Review = z.output<typeof configReview>;

/** Changes that are shown at first. */
const MOST = 100;

const DAY_MS = 24 * 60 * 60 * 1000;

/** A change by a file, as a person reads it before they confirm it. */
export function ConfigReview({ digest }: { digest: string }) {
  const key = ["config", "reviews", digest];
  const read = useCall(key, getConfigReview, { params: { digest } });
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Review">
      <p>
        <Link class="text-link" href="/settings?show=config">All configuration files</Link>
      </p>
      {read.data ? <View of={read.data} /> : <Unread of={read} gone={GONE} />}
    </div>
  );
}

const GONE = [
  "There is no such change",
  "It was applied, a day has passed, or the link is wrong. If it is still needed, apply the file again.",
] as const;

function View({ of: review }: { of: Review }) {
  const [isWhole, setWhole] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const { digest, changes, loses_access, confirmed_by, confirmed_at } = review;
  const title = say`Change by ${fileOf(review)}`;
  // The link that led here is gone, and the focus with it.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useOpenedTitle(title);
  const shown = isWhole ? changes : changes.slice(0, MOST);
  return (
    <>
      <h2 ref={heading} tabIndex={-1} class="group-title">{title}</h2>
      <Losses of={loses_access} />
      <Facts>
        <Fact name="Changes">{countsOf(changes)}</Fact>
        <Fact name="Requested">
          By <PersonLink id={review.asked_by} />, <Time at={review.asked_at} />
        </Fact>
        <Fact name="Confirmed">
          {confirmed_by !== null && (
            <>
              By <PersonLink id={confirmed_by} />, <Time at={confirmed_at} />
            </>
          )}
        </Fact>
        <Fact name="Digest">
          <CopyId id={digest} label="digest" />
        </Fact>
      </Facts>
      <State of={review} />
      <h3 class="group-title">Changes {grouped(changes.length)}</h3>
      <ul class="cards is-wide">
        {shown.map((one, at) => {
          const label = say`${SIGNS[one.action].word} ${one.noun} ${one.name}`;
          return (
            <li key={at} class="card" aria-label={label}>
              <p class="card-head">
                <b>
                  <span class="config-sign" aria-hidden="true">{SIGNS[one.action].sign}</span>{" "}
                  {label}
                </b>
              </p>
              <Members label={label} members={one.members} heads={["Before", "After"]} />
            </li>
          );
        })}
      </ul>
      {shown.length < changes.length && (
        <Button onClick={() => setWhole(true)}>Show all {grouped(changes.length)}</Button>
      )}
    </>
  );
}

const SIGNS = {
  create: { sign: "+", word: "Add", done: "to add" },
  update: { sign: "~", word: "Change", done: "to change" },
  delete: { sign: "−", word: "Remove", done: "to remove" },
} as const;

function countsOf(changes: Review["changes"]): string {
  const counts = Map.groupBy(changes, ({ action }) => action);
  return listed(
    [...counts].map(([action, those]) => say`${grouped(those.length)} ${SIGNS[action].done}`),
  );
}

/** Whether it waits, or when an access token may apply it. */
function State({ of: review }: { of: Review }) {
  const { confirmed_at } = review;
  if (confirmed_at !== null) {
    const until = exactTime(new Date(Date.parse(confirmed_at) + DAY_MS).toISOString());
    return (
      <p class="notice is-good" role="status">
        It is confirmed. An access token may apply exactly this, once, until {until}.
      </p>
    );
  }
  if (!may("admin")) return <p class="notice">It waits until an administrator confirms it.</p>;
  return (
    <div class="card-actions">
      <Button kind="primary" onClick={() => confirm(review)}>Confirm</Button>
    </div>
  );
}

function confirm(review: Review): void {
  const { digest, loses_access } = review;
  ask({
    title: say`Confirm the change by ${fileOf(review)}?`,
    note:
      "Nothing is applied by it. An access token may apply exactly this change, once, within a day.",
    action: "Confirm",
    more: <Losses of={loses_access} />,
    run: async () => {
      const confirmed = await api.call(confirmConfigReview, { params: { digest } });
      queries.setQueryData(["config", "reviews", digest], confirmed);
      for (const queryKey of [["config", "reviews"], ["server"]]) {
        void queries.invalidateQueries({ queryKey });
      }
    },
    done: "It is confirmed.",
  });
}

/** The keys, developers and requests that lose access. */
function Losses({ of: losses }: { of: Review["loses_access"] }) {
  if (losses.length === 0) return null;
  return (
    <div class="notice is-bad">
      <div>
        <p>
          <b>These lose access</b>
        </p>
        <ul class="config-losses">
          {losses.map(({ plan, because, keys, developers, pending_requests: pending }) => (
            <li key={plan + because}>
              {say`${plan} (${because}): ${counted(keys, "key")} of ${
                counted(developers, "developer")
              }, ${counted(pending, "waiting request")}`}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** Keys and requests of a plan are counted up to a thousand. */
function counted(n: number, one: string): string {
  const many = n >= 1000 ? "1,000 or more" : grouped(n);
  return say`${many} ${one}${n === 1 ? "" : "s"}`;
}
