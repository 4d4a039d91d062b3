import { useState } from "preact/hooks";
import { api, decisionKey, wordsOf } from "../../api/client.ts";
import { confirmDeveloperEmail } from "../../api/endpoints.ts";
import { hasScope, may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import type { EmailStanding } from "../../parts/email.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { type DeveloperDetail, type DeveloperRow, forgetDevelopers, nameOf } from "./developer.ts";

/** What is known of a developer's address. */
export function standingOf(
  { email_state: state, email_changed_at: changed_at }: Pick<
    DeveloperRow,
    "email_state" | "email_changed_at"
  >,
): EmailStanding {
  return { state, changed_at };
}

/** What an address that is not confirmed waits for, and the button for whoever may confirm it. */
export function ConfirmEmail({ developer, onConfirmed }: {
  developer: DeveloperDetail;
  onConfirmed: (developer: DeveloperDetail) => void;
}) {
  const [isSending, setSending] = useState(false);
  const { id, email, email_state: state, email_changed_at, revision } = developer;
  if (state === "proved") return null;
  const confirm = async () => {
    setSending(true);
    try {
      const now = await api.call(confirmDeveloperEmail, {
        params: { id },
        body: { email },
        headers: { ...decisionKey(), "if-match": `"${revision}"` },
      });
      onConfirmed(now);
      const isDone = now.email_state === "proved";
      toast({
        text: isDone
          ? say`The address of ${nameOf(now)} is confirmed.`
          : "Confirmed. It counts once the link that was mailed there is opened.",
      });
    } catch (error) {
      toast({ text: wordsOf(error), kind: "bad" });
    } finally {
      setSending(false);
      forgetDevelopers();
    }
  };
  return (
    <>
      <small class="field-hint">
        Changed <Time at={email_changed_at} />. {waitsFor[state]}{" "}
        No claim link is mailed there before.
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
    </>
  );
}

const waitsFor: Readonly<Record<DeveloperRow["email_state"], string>> = {
  proved: "",
  unproved: "Neither it nor the address before it, nor anybody here, has confirmed that.",
  reached: "It has answered; the address before it, or somebody here, has yet to confirm it.",
  agreed: "It has yet to answer the link that was mailed there.",
};
