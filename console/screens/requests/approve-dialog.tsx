import { useMemo, useState } from "preact/hooks";
import type { z } from "zod";
import type { v1Approval } from "../../../src/features/key-requests/v1.contract.ts";
import { api, codeOf, decisionKey } from "../../api/client.ts";
import {
  approveKeyRequest,
  getKey,
  getKeyRequest,
  offerForKeyRequest,
} from "../../api/endpoints.ts";
import { askedPlans, titleOf, usePlans } from "../../api/plans.ts";
import { useCall } from "../../api/queries.ts";
import { known } from "../../api/session.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { partsOf } from "../../parts/key-parts.ts";
import { DeliveryChoice, FreshLink, useDelivery } from "../../parts/delivery.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { TextField } from "../../parts/fields.tsx";
import { problemsOf } from "../../parts/form-problems.ts";
import { useKeyEnd } from "../../parts/key-end.tsx";
import { ExpiryFacts } from "../../parts/keys/key-expiry.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { useMailedLinks } from "../../parts/mailed-links.ts";
import { PlanLines } from "../../parts/plan-lines.tsx";
import { RevealedSecret } from "../../parts/revealed-secret.tsx";
import { toast } from "../../parts/toasts.tsx";
import { Time } from "../../parts/time.tsx";
import { TryKey } from "../../parts/try-key.tsx";
import { UnknownPlans } from "../../parts/unknown-plans.tsx";
import { say } from "../../said.ts";
import {
  GrantedFields,
  isOffer,
  noTerms,
  sentTerms,
  type TermsDraft,
  termsPlaces,
} from "./granted-fields.tsx";
import { deletedPlans, goneReason, useHints } from "./hints.tsx";
import { authName, type RequestDetail, type RequestRow } from "./request.ts";

const LabelFold = lazily(() => import("../../parts/labels/fold.tsx"));

const APPROVALS_CLOSED =
  "Approvals are closed: each had to be signed by a passkey, which this release does not support. " +
  "An administrator sets it anew in Settings → Access → Sign-in.";

/** The answer of an approval. A secret in it lives in this component alone. */
type Approval = z.output<typeof v1Approval>;

/**
 * Asks, approves once, and shows the issued key until the user says that it is stored. `onDecided`
 * is called with the approval, `onOffered` with an offer in its place, `onDecline` with a reason to
 * decline, `onStale` if the request has changed since it was shown (and says so), `onDone` when
 * nothing is left to show.
 */
export default function ApproveDialog({
  request,
  onDecided,
  onDecline,
  onOffered,
  onStale,
  onDone,
  onClose,
}: {
  request: RequestRow;
  onDecided: () => void;
  onDecline: (reason: string) => void;
  onOffered: (request: RequestDetail) => void;
  onStale: () => void;
  onDone: () => void;
  onClose: () => void;
}) {
  const [deliver, setDeliver] = useDelivery();
  const [labels, setLabels] = useState({});
  const [reason, setReason] = useState("");
  const [message, setMessage] = useState("");
  const [draft, setDraft] = useState<TermsDraft>(noTerms);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const end = useKeyEnd(
    request.askedEnd ? "as asked" : request.changesKey ? "as above" : undefined,
  );
  const mailedTo = useMailedLinks([request.id]).get(request.id);
  const [answer, setAnswer] = useState<Approval>();
  // Another way of delivery is another decision; the same one again is the same.
  const headers = useMemo(() => ({ ...decisionKey(), "if-match": `"${request.revision}"` }), [
    request.id,
    deliver,
    labels,
    reason,
    message,
    end.text,
    draft,
  ]);
  const { data: detail } = useCall(["key-requests", request.id], getKeyRequest, {
    params: { id: request.id },
  });
  const deleted = deletedPlans(useHints(detail).hints);
  const asked = detail ? askedPlans(detail) : request.planIds;
  const offers = isOffer(draft);
  const plans = usePlans();
  // No key can be issued for what is asked.
  const isGone = deleted !== "" && !offers;
  const plan = plans.get(asked[0] ?? "");
  const title = titleOf(request.entry, asked, plans);

  if (answer) {
    return (
      <Issued request={request} title={title} answer={answer} mailedTo={mailedTo} onDone={onDone} />
    );
  }

  const approve = async () => {
    if (isGone) {
      onDecline(goneReason(deleted));
      return false;
    }
    const ends = end.sent();
    if (!ends) return false;
    setErrors({});
    const params = { id: request.id };
    const said = { reason: reason.trim() || undefined, message: message.trim() || undefined };
    try {
      const conditions = sentTerms(draft, asked, plan);
      if (offers) {
        const body = { ...said, conditions: { ...conditions, ...ends } };
        onOffered(await api.call(offerForKeyRequest, { params, body, headers }));
        toast({ text: say`Offered to ${request.developer}. There is no key yet.` });
        return false;
      }
      const body = { deliver, ...said, conditions, ...ends, ...labels };
      const made = await api.call(approveKeyRequest, { params, body, headers });
      if (made.state === "pending") {
        onOffered(await api.call(getKeyRequest, { params }));
        toast({
          text: made.missing
            ? say`Your approval counts. ${made.missing} must approve.`
            : say`Offered to ${request.developer}. There is no key yet.`,
        });
        return false;
      }
      onDecided();
      if (made.key || made.one_time_link) setAnswer(made);
      else {
        const text = request.askedEnd
          ? say`${request.developer}'s key has its later expiry.`
          : say`${request.developer}'s key has its new plans.`;
        toast({ text });
        onDone();
      }
      return false;
    } catch (error) {
      const code = codeOf(error);
      if (code !== "already_decided" && code !== "precondition_failed") {
        const { fields, rest } = problemsOf(error, termsPlaces);
        setErrors(fields);
        if (rest !== "" || Object.keys(fields).length === 0) throw error;
        return false;
      }
      onClose();
      onStale();
      return false;
    }
  };

  return (
    <Confirm
      title={deleted === "" ? "Approve this request?" : "This can't be approved as it is"}
      note={deleted !== ""
        ? (
          <>
            <b>{deleted}</b> was deleted: no key is issued for it. Offer {request.developer}{" "}
            another plan, or decline.
          </>
        )
        : request.askedEnd
        ? (
          <>
            A key that {request.developer} has will live until{" "}
            <Time at={request.askedEnd} />, or another expiry that you choose. It keeps its plans.
          </>
        )
        : request.changesKey
        ? (
          <>
            A key that {request.developer} has will get other plans: <b>{title}</b>. No new{" "}
            secret is made.
          </>
        )
        : (
          <>
            {request.developer} will get {credentialOf(plan?.authType ?? request.authType)} for{" "}
            <b>{title}</b>, live at once.
          </>
        )}
      action={isGone
        ? "Decline, saying so"
        : deleted !== ""
        ? "Offer it"
        : offers
        ? "Offer less"
        : request.changesKey
        ? "Approve"
        : "Approve & issue key"}
      danger={isGone}
      onConfirm={approve}
      onClose={onClose}
    >
      <div class="boxed">
        <Facts>
          <Fact name="For">{request.email || request.developer}</Fact>
          <Fact name={asked.length > 1 ? `${asked.length} plans` : "Plan"}>
            <PlanLines of={asked} entry={request.entry} />
          </Fact>
          <Fact name="Gives up">
            {detail && detail.remove_plans.length > 0 && <PlanLines of={detail.remove_plans} />}
          </Fact>
          <Fact name="Auth">{authName(plan?.authType ?? request.authType)}</Fact>
        </Facts>
      </div>
      {detail && request.changesKey && !request.askedEnd && <ChangedEnd request={detail} />}
      {known()?.approvals_closed && <p class="notice is-warning">{APPROVALS_CLOSED}</p>}
      {deleted === "" && <UnknownPlans asked of={asked} />}
      {!request.changesKey && !offers && !isGone && (
        <DeliveryChoice
          to={mailedTo ?? request.developer}
          isMailed={mailedTo !== undefined}
          value={deliver}
          onChange={setDeliver}
        />
      )}
      {!isGone && end.field}
      {!request.changesKey && (
        <GrantedFields
          draft={draft}
          asked={asked}
          deleted={deleted}
          errors={errors}
          onChange={(next) => {
            setDraft(next);
            setErrors({});
          }}
        />
      )}
      {!isGone && (
        <Words
          reason={reason}
          setReason={setReason}
          message={message}
          setMessage={setMessage}
        />
      )}
      {!request.changesKey && !offers && !isGone && <LabelFold onChange={setLabels} />}
    </Confirm>
  );
}

/** The words about a decision. */
function Words({ reason, setReason, message, setMessage }: {
  reason: string;
  setReason: (text: string) => void;
  message: string;
  setMessage: (text: string) => void;
}) {
  return (
    <>
      <TextField
        label="Why (optional)"
        hint="It is shown with the request and in the audit log; the developer never reads it."
        value={reason}
        maxLength={2000}
        rows={2}
        onInput={setReason}
      />
      <TextField
        label="Message to the developer (optional)"
        hint="The mail and their pages show it."
        value={message}
        maxLength={2000}
        rows={2}
        onInput={setMessage}
      />
    </>
  );
}

/** The kind of secret that a plan's auth type gives. */
function credentialOf(authType: string): string {
  switch (authType) {
    case "basic":
      return "a user name and a password";
    case "oauth":
      return "an OAuth client id and secret";
    case "keyless":
      return "nothing: this API needs no key";
    default:
      return "an API key";
  }
}

/** When the key ends that the request changes, now and with its plans as they will be. */
function ChangedEnd({ request }: { request: RequestDetail }) {
  const { key: key_id } = request;
  const { data: key } = useCall(["keys", key_id], getKey, { params: { key_id } });
  const plans = usePlans();
  if (!key) return null;
  const idOf = (id: string) => plans.get(id)?.id ?? id;
  const removed = new Set(request.remove_plans.map(idOf));
  const all = [...new Set([...key.plans, ...askedPlans(request)])];
  const kept = all.filter((id) => !removed.has(idOf(id)));
  return <ExpiryFacts keyId={key_id} plans={kept} after="plans" />;
}

function Issued({ request, title, answer, mailedTo, onDone }: {
  request: RequestRow;
  title: string;
  answer: Approval;
  /** The address of the mailed link; undefined: none. */
  mailedTo: string | undefined;
  onDone: () => void;
}) {
  const { one_time_link, key, mask } = answer;
  if (one_time_link) {
    return (
      <FreshLink
        title={say`One-time link for ${request.developer}`}
        note={title}
        one_time_link={one_time_link}
        to={mailedTo ?? (request.email || "the developer")}
        isMailed={mailedTo !== undefined}
        onDone={onDone}
      />
    );
  }
  return (
    <RevealedSecret
      title={say`Key issued to ${request.developer}`}
      note={title}
      parts={key ? partsOf(key) : []}
      stored={
        <>
          Shown once. Only a hash is stored, and <code>{mask}</code>{" "}
          to recognise it by, so it cannot be shown again.
        </>
      }
      onDone={onDone}
    >
      {key && <TryKey credential={key} plans={[...request.planIds]} />}
    </RevealedSecret>
  );
}
