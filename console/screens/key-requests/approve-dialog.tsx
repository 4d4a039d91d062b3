import { useMemo, useState } from "preact/hooks";
import type { z } from "zod";
import type { nativeApproval } from "../../../src/features/key-requests/v1.contract.ts";
import { api, codeOf, decisionKey } from "../../api/client.ts";
import { approveKeyRequest } from "../../api/endpoints.ts";
import { limitsOf, titleOf, usePlans } from "../../api/plans.ts";
import { absolute } from "../../parts/claim-link.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { partsOf } from "../../parts/credential-parts.ts";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { RevealedSecret } from "../../parts/revealed-secret.tsx";
import { exactTime } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { TryKey } from "../../parts/try-key.tsx";
import { UnknownPlans } from "../../parts/unknown-plans.tsx";
import { authName, credentialOf, type RequestRow } from "./request.ts";

/** What an approval answered. A credential in it lives here and nowhere else. */
type Approval = z.output<typeof nativeApproval>;

/**
 * Asks, approves once, and shows what was issued until somebody says that it is stored. `onDecided` is told of the
 * approval, `onStale` that the request is no longer what one looked at (and says so), `onDone` that nothing is left to show.
 */
export function ApproveDialog({ request, onDecided, onStale, onDone, onClose }: {
  request: RequestRow;
  onDecided: () => void;
  onStale: () => void;
  onDone: () => void;
  onClose: () => void;
}) {
  const [byLink, setByLink] = useState(false);
  const [answer, setAnswer] = useState<Approval>();
  // Another way of delivery is another decision; the same one again is the same.
  const headers = useMemo(() => ({ ...decisionKey(), "if-match": `"${request.revision}"` }), [
    request.id,
    byLink,
  ]);
  const plans = usePlans();
  const plan = plans.get(request.planId);
  const title = titleOf(request.entry, request.planId, plans);

  if (answer) return <Issued {...{ request, title, answer, onDone }} />;

  const approve = async () => {
    try {
      const deliver = byLink ? "claim" : "answer";
      const made = await api.call(approveKeyRequest, {
        params: { id: request.id },
        body: { deliver },
        headers,
      });
      onDecided();
      if (made.credential || made.claim) setAnswer(made);
      else {
        toast({ text: `${request.developer}'s key has its new plans.` });
        onDone();
      }
      return false;
    } catch (error) {
      const code = codeOf(error);
      if (code !== "already_decided" && code !== "precondition_failed") throw error;
      onClose();
      onStale();
      return false;
    }
  };

  return (
    <Confirm
      title="Approve this request?"
      note={request.changesKey
        ? (
          <>
            A key that {request.developer} has will get other plans: <b>{title}</b>. No new{" "}
            credential is made.
          </>
        )
        : (
          <>
            {request.developer} will get {credentialOf(plan?.authType ?? request.authType)} for{" "}
            <b>{title}</b>, live at once.
          </>
        )}
      action={request.changesKey ? "Approve" : "Approve & issue key"}
      onConfirm={approve}
      onClose={onClose}
    >
      <div class="boxed">
        <Facts>
          <Fact name="For">{request.email || request.developer}</Fact>
          <Fact name="API">{plan?.apis}</Fact>
          <Fact name="Auth">{authName(plan?.authType ?? request.authType)}</Fact>
          <Fact name="Limits">{plan && limitsOf(plan)}</Fact>
          <Fact name="Ends">{plan && (plan.life ?? "never, until it is revoked")}</Fact>
        </Facts>
      </div>
      <UnknownPlans of={[request.planId]} />
      {!request.changesKey && (
        <fieldset class="choices">
          <legend class="unseen">How it is handed over</legend>
          <label class="check">
            <input
              type="radio"
              name="deliver"
              checked={!byLink}
              onChange={() => setByLink(false)}
            />
            <span>
              Show it to me, once
              <small class="field-hint">You store it or pass it on.</small>
            </span>
          </label>
          <label class="check">
            <input type="radio" name="deliver" checked={byLink} onChange={() => setByLink(true)} />
            <span>
              Make a claim link
              <small class="field-hint">
                {request.developer} opens it once and sees the credential. You never do.
              </small>
            </span>
          </label>
        </fieldset>
      )}
    </Confirm>
  );
}

function Issued({ request, title, answer, onDone }: {
  request: RequestRow;
  title: string;
  answer: Approval;
  onDone: () => void;
}) {
  const { claim, credential, mask } = answer;
  if (claim) {
    return (
      <RevealedSecret
        title={`Claim link for ${request.developer}`}
        note={title}
        parts={[{ label: "Claim link", value: absolute(claim.link), lines: true }]}
        stored={
          <>
            Shown once. It opens the credential once, until{" "}
            {exactTime(claim.expires_at)}. Send it to {request.email || "the developer"} alone.
          </>
        }
        confirm="I have passed this link on"
        onDone={onDone}
      />
    );
  }
  return (
    <RevealedSecret
      title={`Key issued to ${request.developer}`}
      note={title}
      parts={credential ? partsOf(credential) : []}
      stored={
        <>
          Shown once. Only a hash is stored, and <code>{mask}</code>{" "}
          to recognise it by, so it cannot be shown again.
        </>
      }
      onDone={onDone}
    >
      {credential && <TryKey credential={credential} plans={[request.planId]} />}
    </RevealedSecret>
  );
}
