import { useMemo, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { z } from "zod";
import type { v1Approval } from "../../../../src/features/key-requests/v1.contract.ts";
import { api, decisionKey } from "../../../api/client.ts";
import { approveKeyRequest } from "../../../api/endpoints.ts";
import { usePlans } from "../../../api/plans.ts";
import { queries } from "../../../api/queries.ts";
import { may } from "../../../api/session.ts";
import { Button } from "../../../parts/button.tsx";
import { partsOf } from "../../../parts/credential-parts.ts";
import { RevealedSecret } from "../../../parts/revealed-secret.tsx";
import { toastFailure } from "../../../parts/toasts.tsx";
import { TryKey } from "../../../parts/try-key.tsx";
import type { Facts, Waiting } from "./facts.ts";

/** What an approval answered. A credential in it lives here and nowhere else. */
type Approval = z.output<typeof v1Approval>;

/** The decision about the request that waits longest, and what it issues, this once. */
export function ApproveStep({ facts, isNext, onPassed }: {
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
              ? "Nobody waits: what was asked for was declined."
              : "That issues the key, once."}
          </p>
        )}
      {answer?.approval.credential && (
        <RevealedSecret
          title="Your first key"
          parts={partsOf(answer.approval.credential)}
          stored={
            <>
              Shown once. Only a hash is stored, and <code>{answer.approval.mask}</code>{" "}
              to recognise it by, so it cannot be shown again.
            </>
          }
          onDone={() => setAnswer(undefined)}
        >
          <TryKey
            credential={answer.approval.credential}
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
  const [busy, setBusy] = useState(false);
  const { id, revision, for_plan, plans, portal_developer: developer } = waiting;
  const headers = useMemo(() => ({ ...decisionKey(), "if-match": `"${revision}"` }), [
    id,
    revision,
  ]);
  const plan = usePlans().get(for_plan);
  const approve = async () => {
    setBusy(true);
    try {
      const body = { deliver: "answer" } as const;
      const approval = await api.call(approveKeyRequest, { params: { id }, body, headers });
      onIssued({ approval, plans: [for_plan, ...plans] });
    } catch (error) {
      toastFailure(error);
    }
    setBusy(false);
    for (const queryKey of [["key-requests"], ["apis"]]) {
      void queries.invalidateQueries({ queryKey });
    }
  };
  return (
    <>
      <p>{developer.email || developer.id} asks for {plan?.name ?? for_plan}.</p>
      <div class="start-do">
        {may("approve")
          ? (
            <Button kind={isNext ? "primary" : "plain"} busy={busy} onClick={() => void approve()}>
              Approve & issue key
            </Button>
          )
          : <span class="muted">Ask somebody who may approve.</span>}
        <Link class="button is-plain" href={`/key-requests/${encodeURIComponent(id)}`}>
          Look at the request
        </Link>
      </div>
    </>
  );
}
