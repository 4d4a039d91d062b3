import { useState } from "preact/hooks";
import { Confirm } from "../../parts/confirm.tsx";
import { say } from "../../said.ts";
import { ReasonField, renewReasons } from "./reason-field.tsx";
import type { RequestRow } from "./request.ts";
import { useTitles } from "./use-titles.ts";

/** Asks why before requests are declined: one field, which Enter leaves. */
export default function DeclineDialog({ requests, reason = "", onDecline, onClose }: {
  requests: readonly RequestRow[];
  /** A reason that stands in the field already. */
  reason?: string;
  /** Declines them, and puts something else in this dialog's place. */
  onDecline: (reason: string) => Promise<void>;
  onClose: () => void;
}) {
  const [text, setText] = useState(reason);
  const [one] = requests;
  const titleOf = useTitles();
  const { length } = requests;
  return (
    <Confirm
      title={length === 1 ? "Decline this request?" : `Decline ${length} requests?`}
      note={length === 1 && one ? say`${one.developer} · ${titleOf(one)}` : "One reason for all."}
      action={text.trim() === "" ? "Decline without a reason" : "Decline"}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await onDecline(text.trim());
        renewReasons();
        return false;
      }}
    >
      <ReasonField label="Reason" value={text} autoFocus onInput={setText} />
    </Confirm>
  );
}
