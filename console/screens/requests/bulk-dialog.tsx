import { known } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { BulkApproveDialog } from "./bulk-approve-dialog.tsx";
import { BulkAssignDialog } from "./bulk-assign-dialog.tsx";
import { BulkJobDialog } from "./bulk-job-dialog.tsx";
import type { RequestRow } from "./request.ts";
import type { Matching } from "../../parts/bulk-selection.tsx";

/** Requests that are decided at once. */
export interface Bulk {
  kind: "approve" | "decline" | "assign";
  requests: readonly RequestRow[];
  matching: Matching | undefined;
}

/** Asks before several are decided: a few are approved at once, any number by a job. */
export default function BulkDialog({ bulk, onStarted, onDecided, onStale, onDone, onClose }: {
  bulk: Bulk;
  /** Called with the id of the job. */
  onStarted: (id: string) => void;
  onDecided: (ids: readonly string[]) => void;
  onStale: (ids: readonly string[]) => void;
  onDone: () => void;
  onClose: () => void;
}) {
  const { requests, matching } = bulk;
  if (bulk.kind === "approve" && known()?.approvals_closed) {
    return (
      <Dialog
        title="Approvals are closed"
        note="Each had to be signed by a passkey, which this release does not support. An administrator sets it anew in Settings → Access → Sign-in."
        onClose={onClose}
      >
        <DialogButtons>
          <Button autoFocus onClick={onClose}>Close</Button>
        </DialogButtons>
      </Dialog>
    );
  }
  if (bulk.kind === "assign") {
    return <BulkAssignDialog {...bulk} onStarted={onStarted} onClose={onClose} />;
  }
  if (matching || requests.length > 50) {
    return <BulkJobDialog {...bulk} kind={bulk.kind} onStarted={onStarted} onClose={onClose} />;
  }
  return (
    <BulkApproveDialog
      requests={requests}
      onDecided={onDecided}
      onStale={onStale}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
