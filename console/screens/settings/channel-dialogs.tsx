import { useRef, useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { deleteChannel, rotateChannelSecret } from "../../api/channel-endpoints.ts";
import type { Channel } from "../../api/channels.ts";
import { ask, Confirm } from "../../parts/confirm.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { ChannelSecret } from "./channel-form.tsx";

const overlaps = [
  { value: "24", text: "In a day" },
  { value: "0", text: "At once" },
  { value: "1", text: "In an hour" },
  { value: "168", text: "In a week" },
];

/** Asks until when the old secret signs, and shows the fresh one once. */
export function RotateSecret({ of: { id, name, old_secret_until }, onRotated, onClose }: {
  of: Channel;
  onRotated: (channel: Channel) => void;
  onClose: () => void;
}) {
  const [hours, setHours] = useState("24");
  const [secret, setSecret] = useState<string>();
  const decision = useRef(decisionKey());
  if (secret !== undefined) return <ChannelSecret name={name} secret={secret} onDone={onClose} />;
  return (
    <Confirm
      title={say`Rotate the secret of ${name}?`}
      note="Both secrets sign until the old one expires, so that the other side can take the new one over."
      action="Rotate"
      onConfirm={async () => {
        const { secret: fresh, ...channel } = await api.call(rotateChannelSecret, {
          params: { id },
          body: { overlap_hours: Number(hours) },
          headers: decision.current,
        });
        onRotated(channel);
        setSecret(fresh);
        return false;
      }}
      onClose={onClose}
    >
      {old_secret_until !== null && (
        <p class="notice is-warning">
          <span>Two secrets sign now. The older one expires at once when you rotate again.</span>
        </p>
      )}
      <SelectField
        label="The old one expires"
        value={hours}
        options={overlaps}
        onChange={setHours}
      />
    </Confirm>
  );
}

/** Asks before a channel goes with what waits for it. */
export function deleteAsked({ id, name }: Channel, onDeleted: () => void): void {
  ask({
    title: say`Delete ${name}?`,
    note:
      "It gets no more messages. What waits for it, and what was given up, goes with it; what was delivered stays in the list. To stop it for a while, pause it.",
    action: "Delete",
    danger: true,
    run: async () => {
      const { dropped } = await api.call(deleteChannel, { params: { id } });
      const also = dropped === 0 ? "" : ` ${dropped} messages that waited went with it.`;
      toast({ text: say`${name} is deleted.${also}` });
      onDeleted();
    },
  });
}
