import { useState } from "preact/hooks";
import { PlainFailure } from "../../../src/kernel/failure-plain.ts";
import { api, decisionKey } from "../../api/client.ts";
import { confirmDeveloperEmail } from "../../api/endpoints.ts";
import { hasScope, may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import type { EmailStanding } from "../../parts/email.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { Time } from "../../parts/time.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { type DeveloperDetail, type DeveloperRow, forgetDevelopers, nameOf } from "./developer.ts";
import { type AccountOwner, AccountOwnerFields, saidOf } from "./account-owner.tsx";

/** The state of a developer's address. */
export function standingOf(
  { email_state: state, email_changed_at: changed_at }: Pick<
    DeveloperRow,
    "email_state" | "email_changed_at"
  >,
): EmailStanding {
  return { state, changed_at };
}

/** The next step for an unconfirmed address, and the button for people who may confirm it. */
export function ConfirmEmail({ developer, onConfirmed }: {
  developer: DeveloperDetail;
  onConfirmed: (developer: DeveloperDetail) => void;
}) {
  const [isSending, setSending] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [owner, setOwner] = useState<AccountOwner>({});
  const { id, email, email_state: state, email_changed_at, revision, keys } = developer;
  if (state === "proved") return null;
  const send = async (said: AccountOwner) => {
    try {
      const now = await api.call(confirmDeveloperEmail, {
        params: { id },
        body: { email, ...said },
        headers: { ...decisionKey(), "if-match": `"${revision}"` },
      });
      onConfirmed(now);
      const isDone = now.email_state === "proved";
      toast({
        text: isDone
          ? say`The address of ${nameOf(now)} is confirmed.`
          : "Confirmed. It takes effect once the link that was mailed to it is opened.",
      });
    } finally {
      forgetDevelopers();
    }
  };
  const confirm = async () => {
    if (developer.confirmation_asks) return setAsking(true);
    setSending(true);
    await send({}).catch(toastFailure);
    setSending(false);
  };
  return (
    <>
      <small class="field-hint">
        Changed <Time at={email_changed_at} />. {waitsFor[state]}{" "}
        No one-time link is mailed to it before.
        {developer.has_former_keys &&
          " Their id had keys before they were registered: confirming gives them those, too."}
      </small>
      {may("approve") && !hasScope() && state !== "agreed" && (
        <Button
          busy={isSending}
          onClick={() => void confirm()}
        >
          {developer.has_former_keys ? "Confirm, and give the keys" : "Confirm this address"}
        </Button>
      )}
      {isAsking && (
        <Confirm
          title={say`Confirm ${email}?`}
          action="Confirm"
          onConfirm={() => send(saidAloud(owner, keys))}
          onClose={() => setAsking(false)}
        >
          <AccountOwnerFields owner={owner} count={keys} onChange={setOwner} />
        </Confirm>
      )}
    </>
  );
}

/** The body; a missing statement is the dialog's own problem. */
function saidAloud(owner: AccountOwner, count: number): AccountOwner {
  try {
    return saidOf(owner, count);
  } catch (error) {
    const message = error instanceof Unfit ? error.fields.account : undefined;
    throw message === undefined ? error : new PlainFailure("invalid_input", { message });
  }
}

const waitsFor: Readonly<Record<DeveloperRow["email_state"], string>> = {
  proved: "",
  unproved: "Neither address nor a person in Keydesk has confirmed that.",
  reached:
    "The new address has confirmed it. The previous address or a person in Keydesk must confirm it too.",
  agreed: "The link that was mailed to it is not opened yet.",
};
