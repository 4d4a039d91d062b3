import { useMemo, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { queries } from "../../../api/queries.ts";
import { usePlans } from "../../../api/plans.ts";
import { approveKeyRequest } from "../../../api/endpoints.ts";
import { api, decisionKey } from "../../../api/client.ts";
import type { v1Approval } from "../../../../src/features/key-requests/v1.contract.ts";
import type { z } from "zod";
import { may } from "../../../api/session.ts";
import { putStartAway } from "../../../api/start.ts";
import { ApiForm } from "../../../parts/api-form.tsx";
import { Button } from "../../../parts/button.tsx";
import { CopyField } from "../../../parts/copy.tsx";
import { RevealedSecret } from "../../../parts/revealed-secret.tsx";
import { partsOf } from "../../../parts/key-parts.ts";
import { Loading, Problem } from "../../../parts/states.tsx";
import { Time } from "../../../parts/time.tsx";
import { TryKey } from "../../../parts/try-key.tsx";
import { useBusy } from "../../../parts/toasts.tsx";
import { Aside } from "./aside.tsx";
import { type Facts, useFacts, type Waiting } from "./facts.ts";
import { lineOf } from "./lines.ts";
import { RequestForm } from "./request-form.tsx";
import { Step } from "./step.tsx";
import { TryStep } from "./try-step.tsx";

/**
 * From an empty server to a key that is valid for something: what is done, what comes next, and the
 * form that does it.
 */
export default function FirstRun() {
  const { facts, error, retry } = useFacts();
  return (
    <div class="start">
      {facts
        ? <Steps facts={facts} />
        : error
        ? <Problem error={error} onRetry={retry} />
        : <Loading lines={8} />}
      <Aside isEmpty={facts !== undefined && !facts.offer && !facts.bare && facts.asked === 0} />
    </div>
  );
}

function Steps({ facts }: { facts: Facts }) {
  const [doing, setDoing] = useState<"api" | "request">();
  // The server counts in batches; what passed here is known at once.
  const [passed, setPassed] = useState(false);
  const { offer, bare, asked, issued, waiting, calls, lastCall } = facts;
  const isTried = passed || calls > 0;
  const done = [offer !== undefined, asked > 0, issued > 0, isTried];
  const next = done.indexOf(false);
  const stateOf = (at: number) => done[at] ? "done" : at === next ? "next" : "later";
  const count = done.filter(Boolean).length;
  const [, navigate] = useLocation();
  const putAway = () => {
    putStartAway();
    navigate("/home");
  };
  const stop = () => setDoing(undefined);
  return (
    <section class="start-panel" aria-labelledby="start-title">
      <header class="start-head">
        <Button kind="quiet" onClick={putAway}>Hide this</Button>
        <h2 id="start-title" class="start-title">From an empty server to the first key</h2>
        <p class="muted" role="status">
          {count === done.length
            ? "All done: a key of this server is valid for its API."
            : `${count} of ${done.length} done. Each step ticks itself when Keydesk sees it happen.`}
        </p>
      </header>
      <ol class="start-steps">
        <Step at={1} state={stateOf(0)} title="An API and a plan" line={lineOf.api()}>
          {offer
            ? (
              <p>
                <Link class="text-link" href={`/apis/${encodeURIComponent(offer.api.id)}`}>
                  {offer.api.name || offer.api.id}
                </Link>, with the plan{" "}
                <Link class="text-link" href={`/apis/plans/${encodeURIComponent(offer.plan.id)}`}>
                  {offer.plan.name}
                </Link>.
              </p>
            )
            : bare
            ? (
              <>
                <p>{bare.name || bare.id} is added, but no active plan includes it.</p>
                <Link class="button is-primary" href={`/apis/${encodeURIComponent(bare.id)}`}>
                  Give it a plan
                </Link>
              </>
            )
            : (
              <>
                <p>What keys are valid for, and how often they may call it.</p>
                {may("plans")
                  ? (
                    <Button kind={next === 0 ? "primary" : "plain"} onClick={() => setDoing("api")}>
                      Add an API
                    </Button>
                  )
                  : <p class="muted">Ask a person whose access token allows plans.</p>}
              </>
            )}
        </Step>
        <Step
          at={2}
          state={stateOf(1)}
          title="The first request"
          line={lineOf.request(offer?.plan.id)}
        >
          {asked > 0
            ? <p>{asked === 1 ? "One developer has asked" : "Developers have asked"} for a key.</p>
            : (
              <>
                <p>From your portal, or for a developer that you name.</p>
                {offer && may("portal:write") && (
                  <Button
                    kind={next === 1 ? "primary" : "plain"}
                    onClick={() => setDoing("request")}
                  >
                    Make a request
                  </Button>
                )}
              </>
            )}
        </Step>
        <Step
          at={3}
          state={stateOf(2)}
          title="A person approves it"
          line={lineOf.approve(waiting?.id)}
        >
          <ApproveStep facts={facts} isNext={next === 2} onPassed={() => setPassed(true)} />
        </Step>
        <Step
          at={4}
          state={stateOf(3)}
          title="The key is valid for the API"
          line={lineOf.verify(offer?.api.id)}
        >
          {isTried
            ? (
              <p>
                Keydesk allowed a call{lastCall === null ? "" : (
                  <>
                    {" "}
                    <Time at={lastCall} />
                  </>
                )}.
              </p>
            )
            : issued === 0
            ? <p>Keydesk answers your gateway: may this key pass?</p>
            : <TryStep offer={offer} isNext={next === 3} onPassed={() => setPassed(true)} />}
        </Step>
      </ol>
      {count === done.length && offer && (
        <footer class="start-next">
          <h3 class="start-step-title">Next: your gateway checks each call</h3>
          <p class="muted">
            nginx, Caddy, HAProxy, Envoy and Traefik ask Keydesk about each call, with a token of
            their own.
          </p>
          <CopyField
            label="What it asks, with that token in $GATEWAY and a key in $KEY"
            text={lineOf.gateway(offer.api.id)}
            lines
          />
          <div class="start-do">
            {may("admin") && <Link class="button is-primary" href="/gateways">Add a gateway</Link>}
            <Link class="button" href="/requests" onClick={putStartAway}>Go to key requests</Link>
          </div>
        </footer>
      )}
      {doing === "api" && <ApiForm first onSaved={stop} onClose={stop} />}
      {doing === "request" && offer && (
        <RequestForm plan={offer.plan} onDone={stop} onClose={stop} />
      )}
    </section>
  );
}

/** The answer of an approval. A secret in it lives in this component alone. */
type Approval = z.output<typeof v1Approval>;

/** The decision about the request that waits longest, and what it issues, this once. */
function ApproveStep({ facts, isNext, onPassed }: {
  facts: Facts;
  isNext: boolean;
  onPassed: () => void;
}) {
  const { waiting, issued, asked } = facts;
  const [answer, setAnswer] = useState<{ approval: Approval; plans: readonly string[] }>();
  return (
    <>
      {issued > 0
        ? <p>{issued === 1 ? "The first key is issued." : "Keys are issued."}</p>
        : waiting
        ? <Decision waiting={waiting} isNext={isNext} onIssued={setAnswer} />
        : (
          <p>
            {asked > 0
              ? "No request waits: what was requested was declined."
              : "That issues the key, once."}
          </p>
        )}
      {answer?.approval.key && (
        <RevealedSecret
          title="Your first key"
          parts={partsOf(answer.approval.key)}
          stored={
            <>
              Shown once. Only a hash is stored, and <code>{answer.approval.mask}</code>{" "}
              to recognise it by, so it cannot be shown again.
            </>
          }
          onDone={() => setAnswer(undefined)}
        >
          <TryKey
            credential={answer.approval.key}
            plans={answer.plans}
            onPassed={onPassed}
          />
        </RevealedSecret>
      )}
    </>
  );
}

function Decision({ waiting, isNext, onIssued }: {
  waiting: NonNullable<Waiting>;
  isNext: boolean;
  onIssued: (answer: { approval: Approval; plans: readonly string[] }) => void;
}) {
  const [busy, run] = useBusy();
  const { id, revision, for_plan, plans, portal_developer: developer } = waiting;
  const headers = useMemo(() => ({ ...decisionKey(), "if-match": `"${revision}"` }), [
    id,
    revision,
  ]);
  const plan = usePlans().get(for_plan);
  const approve = async () => {
    await run(async () => {
      const body = { deliver: "answer" } as const;
      const approval = await api.call(approveKeyRequest, { params: { id }, body, headers });
      onIssued({ approval, plans: [for_plan, ...plans] });
    });
    for (const queryKey of [["key-requests"], ["apis"]]) {
      void queries.invalidateQueries({ queryKey });
    }
  };
  return (
    <>
      <p>{developer.email || developer.id} requests {plan?.name ?? for_plan}.</p>
      <div class="start-do">
        {may("approve")
          ? (
            <Button kind={isNext ? "primary" : "plain"} busy={busy} onClick={() => void approve()}>
              Approve & issue key
            </Button>
          )
          : <span class="muted">Ask a person who may approve.</span>}
        <Link class="button is-plain" href={`/requests/${encodeURIComponent(id)}`}>
          Look at the request
        </Link>
      </div>
    </>
  );
}
