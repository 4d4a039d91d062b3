import { useState } from "preact/hooks";
import { api } from "../../../api/client.ts";
import { type Delivery, sendAgain } from "../../../api/deliveries.ts";
import { testChannel } from "../../../api/channel-endpoints.ts";
import type { Channel } from "../../../api/channels.ts";
import { announce } from "../../../parts/announcer.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { CheckField } from "../../../parts/fields.tsx";
import { say } from "../../../said.ts";

/**
 * Sends messages again, in the order in which they happened; after a test where all go to one
 * channel.
 */
export function ReplayDialog({ rows, channels, onSent, onClose }: {
  rows: readonly Delivery[];
  channels: ReadonlyMap<string, Channel> | undefined;
  onSent: (one: Delivery) => void;
  onClose: () => void;
}) {
  const ids = new Set(rows.map(({ channel_id }) => channel_id));
  const one = ids.size === 1 ? channels?.get([...ids][0] ?? "") : undefined;
  const isPaused = [...ids].some((id) => channels?.get(id)?.state === "paused");
  const [tests, setTests] = useState(one !== undefined && one.state === "active");
  const [refused, setRefused] = useState("");
  const many = rows.length === 1 ? "1 delivery" : `${rows.length} deliveries`;
  const run = async () => {
    setRefused("");
    if (one && tests) {
      const { ok, status, error } = await api.call(testChannel, { params: { id: one.id } });
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
      note="In the order in which they happened. Each keeps its id, so that the other side can recognise a repeat."
      action={tests ? "Test, then send" : "Send again"}
      onConfirm={run}
      onClose={onClose}
    >
      {isPaused && (
        <p class="notice is-warning">
          <span>
            {one ? one.name : "One of the channels"}{" "}
            is paused: its deliveries wait until it is resumed.
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
