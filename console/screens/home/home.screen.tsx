import { useState } from "preact/hooks";
import { Link, useSearch } from "wouter-preact";
import { useCountsQuery } from "../../api/counts.ts";
import { useDeadLetters } from "../../api/deliveries.ts";
import { useExpiries } from "../../api/expiries.ts";
import { getFirstSteps, getUsage } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { hasScope, may, session } from "../../api/session.ts";
import { putStartAway, startIsAway } from "../../api/start.ts";
import { Button } from "../../parts/button.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { listed } from "../../said.ts";
import { EndsPanel } from "./ends-panel.tsx";
import { EVERY_MS } from "./panel.tsx";
import startStyles from "./first-run/first-run.css?url";
import styles from "./home.css?url";
import { StatePanel, useNodes, useServer } from "./state-panel.tsx";
import { usePace, useWaiting, WaitingPanel } from "./waiting-panel.tsx";

/** Its styles, on their way. */
export const styled = readStyles(styles);

const DayPanel = lazily(() => import("./day-panel.tsx"));

const FirstRun = lazily(async () => {
  const [screen] = await Promise.all([
    import("./first-run/first-run.tsx"),
    readStyles(startStyles),
  ]);
  return screen;
});

const today = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

/**
 * A person with more decisions than these is past the way to the first key, whatever counts the
 * calls.
 */
const FEW = 3;

/**
 * Is all well, and what is to be done now? Until the first key opens its API: what is missing for
 * that.
 */
export default function HomeScreen() {
  const reads = may("portal:read");
  const mayStart = reads && may("plans");
  const isAsked = new URLSearchParams(useSearch()).has("steps");
  const { data: counts, error } = useCountsQuery();
  // Settled once: a first key stays on the page after it was issued.
  const [isNew, setNew] = useState<boolean>();
  const decided = counts && counts.issued + counts.declined;
  // While few requests were decided, the last step of the way is an allowed call with a key of this
  // server.
  const { data: use, error: unknown } = useCall(["usage", "start"], getUsage, { query: {} }, {
    enabled: mayStart && isNew === undefined && decided !== undefined && decided > 0 &&
      decided <= FEW,
  });
  // Until it is known who is signed in, they may nothing.
  if (isNew === undefined && decided !== undefined && session.value !== "unknown") {
    if (decided === 0) setNew(true);
    else if (!mayStart || decided > FEW || unknown) setNew(false);
    else if (use) setNew(use.total.success === 0);
  }
  const isFirst = mayStart && (isAsked || (isNew && !startIsAway.value));
  const waits = mayStart && !isAsked && isNew === undefined && !error;
  return (
    <Page
      title="Home"
      tabs={<span class="home-now">{today.format(Date.now())}</span>}
      tools={!isFirst && <StepsLine />}
    >
      <div class="page-scroll" tabIndex={0} role="region" aria-label="Home">
        {isFirst ? <FirstRun /> : !waits && <Panels reads={reads} />}
      </div>
    </Page>
  );
}

/**
 * Hidden until it is known how high the upper ones are, or for a second, so that none moves while
 * another loads.
 */
function Panels({ reads }: { reads: boolean }) {
  const dead = useDeadLetters();
  const [server, ends, waiting] = [useServer(), useExpiries(EVERY_MS), useWaiting()];
  const pace = usePace();
  const nodes = useNodes();
  const isThere = ({ data, error }: { data: unknown; error: unknown }) =>
    data !== undefined || error !== null;
  const isKnown = isThere(ends) && (!reads || isThere(waiting) && (hasScope() || isThere(pace))) &&
    (!may("admin:read") || (isThere(server) && nodes.isThere && dead !== undefined));
  return (
    <div class={isKnown ? "home" : "home is-coming"}>
      <StatePanel />
      {reads && <WaitingPanel />}
      <EndsPanel />
      {reads && <DayPanel />}
    </div>
  );
}

const names = {
  passkey: "a passkey",
  invitation: "an invitation",
  approver: "a second approver",
  portal_token: "the portal’s access token",
  gateway: "the gateway",
  mail: "mail",
  not_by_filer: "no one decides their own filing",
} as const;

const wanted = [
  "passkey",
  "invitation",
  "approver",
  "mail",
  "gateway",
  "portal_token",
  "not_by_filer",
] as const;

/**
 * Steps that are still open, in the line of the title, so that nothing moves, until they are done
 * or put away.
 */
function StepsLine() {
  const isShown = may("plans") && may("portal:read") && !startIsAway.value;
  const { data } = useCall(["insight", "first-steps"], getFirstSteps, {}, {
    refetchInterval: EVERY_MS,
    enabled: isShown,
  });
  const open = data ? wanted.filter((name) => data[name]?.done === false) : [];
  if (!isShown || open.length === 0) return null;
  return (
    <p class="home-steps">
      <Link
        class="text-link"
        href="/home?steps=all"
        title={`Before you go live: ${listed(open.map((name) => names[name]))}`}
      >
        {open.length} {open.length === 1 ? "step" : "steps"} left
      </Link>
      <Button kind="quiet" label="Hide the steps left" onClick={putStartAway}>Hide</Button>
    </p>
  );
}
