import { Button } from "../../parts/button.tsx";

/** What can be done to the selected ones; stands in the place of the filters. */
export function BulkBar({ count, onApprove, onDecline, onClear }: {
  count: number;
  onApprove: () => void;
  onDecline: () => void;
  onClear: () => void;
}) {
  return (
    <div class="bulk" role="group" aria-label="Selected requests">
      <span class="bulk-count" role="status">{count} selected</span>
      <Button kind="primary" shortcut="A" onClick={onApprove}>Approve</Button>
      <Button kind="danger" shortcut="D" onClick={onDecline}>Decline</Button>
      <Button kind="quiet" onClick={onClear}>Clear</Button>
    </div>
  );
}
