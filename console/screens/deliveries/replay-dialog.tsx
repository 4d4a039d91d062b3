import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { type Delivery, sendAgain } from "../../api/deliveries.ts";
import { testTarget } from "../../api/target-endpoints.ts";
import type { Target } from "../../api/targets.ts";
import { announce } from "../../parts/announcer.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CheckField } from "../../parts/fields.tsx";
import { say } from "../../said.ts";

/**
 * Sends messages again, in the order in which they happened; after a test where all go to one
 * target.
 */
export function ReplayDialog({ rows, targets, onSent, onClose }: {
  rows: readonly Delivery[];
  targets: ReadonlyMap<string, Target> | undefined;
  onSent: (one: Delivery) => void;
  onClose: () => void;
}) {
  const ids = new Set(rows.map(({ target_id }) => target_id));
  const one = ids.size === 1 ? targets?.get([...ids][0] ?? "") : undefined;
  const isPaused = [...ids].some((id) => targets?.get(id)?.state === "paused");
  const [tests, setTests] = useState(one !== undefined && one.state === "active");
  const [refused, setRefused] = useState("");
  const many = rows.length === 1 ? "1 delivery" : `${rows.length} deliveries`;
  const run = async () => {
    setRefused("");
    if (one && tests) {
      const { ok, status, error } = await api.call(testTarget, { params: { id: one.id } });
      if (!ok) {
        setRefused(
          say`The test was not taken: ${
            status === 0 ? error : say`${one.name} answered ${status}`
          }.`,
        );
        return false;
      }
    }
    for (const row of rows.toSorted((a, b) => a.event_at < b.event_at ? -1 : 1)) {
      onSent(await sendAgain(row.id));
    }
    announce(`${many} sent again.`);
    return true;
  };
  return (
    <Confirm
      title={`Send ${many} again${one ? say` to ${one.name}` : ""}?`}
      note="In the order in which they happened. Each keeps its id, so that the other side can tell a repeat."
      action={tests ? "Test, then send" : "Send again"}
      onConfirm={run}
      onClose={onClose}
    >
      {isPaused && (
        <p class="notice is-warning">
          <span>
            {one ? one.name : "One of the targets"}{" "}
            is paused: what is sent there waits until it is resumed.
          </span>
        </p>
      )}
      {one && (
        <CheckField
          label="Send a test first, and go on only if it is accepted"
          checked={tests}
          onChange={setTests}
        />
      )}
      {refused !== "" && <p class="notice is-bad" role="alert">{refused}</p>}
    </Confirm>
  );
}
