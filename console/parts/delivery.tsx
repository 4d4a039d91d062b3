import { useState } from "preact/hooks";
import { keep, kept } from "../api/kept.ts";
import { absolute } from "./claim-link.ts";
import { RevealedSecret } from "./revealed-secret.tsx";
import { exactTime } from "./time.tsx";

/** How a fresh credential reaches whom it is for. */
export type Delivery = "claim" | "answer";

const NAME = "keydesk.deliver";

/** By a link, unless one chose otherwise the last time, in this browser. */
export function useDelivery(): [Delivery, (delivery: Delivery) => void] {
  const [delivery, setDelivery] = useState<Delivery>(kept(NAME) === "answer" ? "answer" : "claim");
  return [delivery, (one) => {
    keep(NAME, one);
    setDelivery(one);
  }];
}

/** Asks how a credential is handed over. */
export function DeliveryChoice({ to, value, onChange }: {
  /** Whom it is for. */
  to: string;
  value: Delivery;
  onChange: (delivery: Delivery) => void;
}) {
  return (
    <fieldset class="choices">
      <legend class="unseen">How it is handed over</legend>
      <label class="check">
        <input
          type="radio"
          name="deliver"
          checked={value === "claim"}
          onChange={() => onChange("claim")}
        />
        <span>
          Make a claim link
          <small class="field-hint">
            {to} opens it once and sees the credential. You never do.
          </small>
        </span>
      </label>
      <label class="check">
        <input
          type="radio"
          name="deliver"
          checked={value === "answer"}
          onChange={() => onChange("answer")}
        />
        <span>
          Show it to me, once
          <small class="field-hint">You store it or pass it on.</small>
        </span>
      </label>
    </fieldset>
  );
}

/** A link that was just made, this once. */
export function FreshLink({ title, note, claim, to, onDone }: {
  title: string;
  note: string;
  claim: { link: string; expires_at: string };
  /** Whom to send it to. */
  to: string;
  onDone: () => void;
}) {
  return (
    <RevealedSecret
      title={title}
      note={note}
      parts={[{ label: "Claim link", value: absolute(claim.link), lines: true }]}
      stored={
        <>
          Shown once. It opens the credential once, until {exactTime(claim.expires_at)}. Send it to
          {" "}
          {to} alone.
        </>
      }
      confirm="I have passed this link on"
      onDone={onDone}
    />
  );
}
