import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { setDeclineReason } from "../../api/endpoints.ts";
import { announce } from "../../parts/announcer.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { say } from "../../said.ts";
import { ReasonField, renewReasons } from "./reason-field.tsx";
import type { RequestDetail, RequestRow } from "./request.ts";
import { useTitles } from "./use-titles.ts";

/**
 * Why something was declined: for other administrators, and for the developer where the portal
 * shows it.
 */
export default function ReasonDialog({ requests, reason = "", onKept, onClose }: {
  requests: readonly RequestRow[];
  reason?: string;
  onKept: (request: RequestDetail) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState(reason);
  const [one] = requests;
  const titleOf = useTitles();
  return (
    <Confirm
      title={reason === "" ? "Add a reason" : "Change the reason"}
      note={requests.length === 1 && one
        ? say`${one.developer} · ${titleOf(one)}`
        : `One reason for ${requests.length} requests`}
      action="Save reason"
      onClose={onClose}
      onConfirm={async () => {
        for (const { id } of requests) {
          onKept(await api.call(setDeclineReason, { params: { id }, body: { reason: text } }));
        }
        renewReasons();
        announce("Reason saved.");
      }}
    >
      <ReasonField label="Reason" value={text} autoFocus onInput={setText} />
    </Confirm>
  );
}
