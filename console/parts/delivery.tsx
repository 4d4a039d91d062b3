import { useId } from "preact/hooks";
import { delivery } from "../api/preferences.ts";
import { absolute } from "./one-time-link.ts";
import { RevealedSecret } from "./revealed-secret.tsx";
import { exactTime } from "./time.tsx";

/** How a fresh credential reaches whom it is for. */
export type Delivery = "one_time_link" | "answer";

/** The chosen delivery, with which the next dialog begins. */
export function useDelivery(): [Delivery, (delivery: Delivery) => void] {
  return [delivery.value, (one) => {
    delivery.value = one;
  }];
}

/** Asks how a credential is handed over. */
export function DeliveryChoice({ to, isMailed, value, onChange }: {
  /** The recipient. */
  to: string;
  /** Whether the link is mailed to them. */
  isMailed?: boolean;
  value: Delivery;
  onChange: (delivery: Delivery) => void;
}) {
  const id = useId();
  return (
    <fieldset class="choices">
      <legend class="unseen">How it is handed over</legend>
      <label class="check">
        <input
          type="radio"
          name="deliver"
          checked={value === "one_time_link"}
          aria-labelledby={`${id}-link`}
          aria-describedby={`${id}-link-hint`}
          onChange={() => onChange("one_time_link")}
        />
        <span>
          <span id={`${id}-link`}>Make a one-time link</span>{" "}
          <small id={`${id}-link-hint`} class="field-hint">
            {to} {isMailed
              ? "is mailed the link, opens it once and sees the secret. You never do."
              : "opens it once and sees the secret. You never do."}
          </small>
        </span>
      </label>
      <label class="check">
        <input
          type="radio"
          name="deliver"
          checked={value === "answer"}
          aria-labelledby={`${id}-answer`}
          aria-describedby={`${id}-answer-hint`}
          onChange={() => onChange("answer")}
        />
        <span>
          <span id={`${id}-answer`}>Show it to me, once</span>{" "}
          <small id={`${id}-answer-hint`} class="field-hint">You store it or pass it on.</small>
        </span>
      </label>
    </fieldset>
  );
}

/** A link that was just made, this once. */
export function FreshLink({ title, note, one_time_link, to, isMailed, onDone }: {
  title: string;
  note: string;
  one_time_link: { link: string; expires_at: string };
  /** The recipient. */
  to: string;
  /** Whether it is mailed to them: then it needs no handing over. */
  isMailed?: boolean;
  onDone: () => void;
}) {
  const link = absolute(one_time_link.link);
  return (
    <RevealedSecret
      title={title}
      note={note}
      parts={[{ label: "One-time link", value: link, lines: true }]}
      copied={link}
      isSent={isMailed}
      stored={isMailed
        ? (
          <>
            {to} is mailed the link. It shows the secret once, until{" "}
            {exactTime(one_time_link.expires_at)}. You have nothing to send.
          </>
        )
        : (
          <>
            Shown once. It shows the secret once, until{" "}
            {exactTime(one_time_link.expires_at)}. Send it to {to} alone.
          </>
        )}
      confirm="I have passed this link on"
      onDone={onDone}
    />
  );
}
