import { useState } from "preact/hooks";
import { COUNTS } from "../../api/counts.ts";
import { queries } from "../../api/queries.ts";
import { lazily } from "../../parts/lazily.tsx";
import type { Bulk } from "./bulk-dialog.tsx";
import type { Tab } from "./request-filters.ts";
import type { RequestRow } from "./request.ts";
import type { Decisions } from "./use-decisions.ts";

const ApproveDialog = lazily(() => import("./approve-dialog.tsx"), ({ onClose }) => onClose());
const DeclineDialog = lazily(() => import("./decline-dialog.tsx"), ({ onClose }) => onClose());
const ReasonDialog = lazily(() => import("./reason-dialog.tsx"), ({ onClose }) => onClose());
const BulkDialog = lazily(() => import("./bulk-dialog.tsx"), ({ onClose }) => onClose());

/** The dialog that stands open, and what it is about. */
export type Asked =
  | { kind: "approve"; request: RequestRow }
  | { kind: "bulk"; bulk: Bulk }
  | { kind: "decline"; requests: readonly RequestRow[]; reason?: string }
  | { kind: "reason"; requests: readonly RequestRow[]; reason?: string };

/**
 * The dialogs of the screen. What was decided leaves the list behind them; Done goes on to the
 * next.
 */
export function RequestDialogs({
  asked,
  decisions,
  tab,
  onSelect,
  onClearSelection,
  onStarted,
  onClose,
}: {
  asked: Asked;
  decisions: Decisions;
  tab: Tab;
  onSelect: (id: string | undefined) => void;
  onClearSelection: () => void;
  onStarted: (id: string) => void;
  onClose: () => void;
}) {
  const [next, setNext] = useState<string>();
  /** Instead of the question that was asked. */
  const [declined, setDeclined] = useState<Asked>();
  const decided = (ids: readonly string[]) => {
    if (tab === "pending") setNext(decisions.leave(ids));
    void queries.invalidateQueries({ queryKey: COUNTS });
    void queries.invalidateQueries({ queryKey: ["key-requests"] });
  };
  const goOn = () => {
    onClose();
    if (tab === "pending") onSelect(next);
  };
  const shown = declined ?? asked;
  switch (shown.kind) {
    case "approve":
      return (
        <ApproveDialog
          request={shown.request}
          onDecided={() => decided([shown.request.id])}
          onDecline={(reason) =>
            setDeclined({ kind: "decline", requests: [shown.request], reason })}
          onOffered={(request) => {
            decisions.settle(request);
            onClose();
          }}
          onStale={() => void decisions.renew(shown.request.id)}
          onDone={goOn}
          onClose={onClose}
        />
      );
    case "bulk":
      return (
        <BulkDialog
          bulk={shown.bulk}
          onStarted={onStarted}
          onDecided={(ids) => {
            onClearSelection();
            decided(ids);
          }}
          onStale={(ids) => ids.forEach(decisions.reread)}
          onDone={goOn}
          onClose={onClose}
        />
      );
    case "decline":
      return (
        <DeclineDialog
          requests={shown.requests}
          reason={shown.reason ?? ""}
          onDecline={async (reason) => {
            const next = await decisions.decline(shown.requests, reason);
            onClearSelection();
            onClose();
            if (tab === "pending") onSelect(next);
          }}
          onClose={onClose}
        />
      );
    case "reason":
      return (
        <ReasonDialog
          requests={shown.requests}
          reason={shown.reason ?? ""}
          onKept={decisions.settle}
          onClose={onClose}
        />
      );
  }
}
