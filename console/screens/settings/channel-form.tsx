import { useRef, useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { createChannel, updateChannel } from "../../api/channel-endpoints.ts";
import type { Channel } from "../../api/channels.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { RevealedSecret } from "../../parts/revealed-secret.tsx";
import { topicsOf } from "../../parts/topics.ts";
import { say } from "../../said.ts";
import { templates } from "./channel-words.tsx";

interface Draft {
  name: string;
  url: string;
  template: Channel["template"];
  /** One pattern a line. */
  topics: string;
}

/** Makes a channel and shows its secret once, or changes one. */
export function ChannelForm({ channel, onSaved, onClose }: {
  channel?: Channel;
  onSaved: (saved: Channel) => void;
  onClose: () => void;
}) {
  const [made, setMade] = useState<{ channel: Channel; secret: string }>();
  const isKept = useRef(false);
  const decision = useRef(decisionKey());
  if (made) {
    return (
      <ChannelSecret
        name={made.channel.name}
        secret={made.secret}
        onDone={() => {
          onSaved(made.channel);
          onClose();
        }}
      />
    );
  }
  return (
    <FormDialog<Draft>
      name={`channel ${channel?.id ?? ""}`}
      title={channel ? say`Change ${channel.name}` : "Add a channel"}
      note={channel
        ? "What waits is sent to the new address. Topics decide about what changes from now on."
        : "It gets messages of changes from now on. Its secret is shown next, this once."}
      action={channel ? "Save" : "Add"}
      initial={{
        name: channel?.name ?? "",
        url: channel?.url ?? "",
        template: channel?.template ?? "standard",
        topics: channel?.topics.join("\n") ?? "*",
      }}
      onSave={async (draft) => {
        const body = bodyOf(draft);
        if (channel) {
          return onSaved(await api.call(updateChannel, { params: { id: channel.id }, body }));
        }
        const { secret, ...rest } = await api.call(createChannel, {
          body,
          headers: decision.current,
        });
        isKept.current = true;
        setMade({ channel: rest, secret });
      }}
      onClose={() => isKept.current || onClose()}
      fields={({ draft }) => [
        { of: "name", label: "Name", maxLength: 100, autoFocus: true, required: true },
        {
          of: "url",
          label: "Address",
          type: "url",
          placeholder: "https://portal.example.org/hooks/keydesk",
          maxLength: 2048,
          required: true,
        },
        { of: "template", label: "What it gets", options: templates },
        {
          of: "topics",
          label: "Topics, one a line",
          hint: fitText(patternsOf(draft.topics)),
          rows: 4,
          required: true,
        },
      ]}
    />
  );
}

/** Shows a channel's fresh secret, which Keydesk never shows again. */
export function ChannelSecret({ name, secret, onDone }: {
  name: string;
  secret: string;
  onDone: () => void;
}) {
  return (
    <RevealedSecret
      title={say`Secret of ${name}`}
      note="It signs every message to this channel. Copy it now to the server that verifies them."
      parts={[{ label: "Secret", value: secret, lines: true }]}
      stored="Keydesk keeps it sealed and never shows it again. Lost? Rotate it."
      confirm="I have stored this secret"
      onDone={onDone}
    />
  );
}

function bodyOf({ name, url, template, topics }: Draft) {
  const patterns = patternsOf(topics);
  const missing = {
    ...name.trim() === "" ? { name: "Write a name here." } : {},
    ...url.trim() === "" ? { url: "Write the address here." } : {},
    ...patterns.length === 0 ? { topics: "Write * for every topic." } : {},
  };
  if (Object.keys(missing).length > 0) throw new Unfit(missing);
  return { name: name.trim(), url: url.trim(), template, topics: patterns };
}

function patternsOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((one) => one !== ""))];
}

/** How many topics some patterns fit, with the first. */
function fitText(patterns: readonly string[]): string {
  const fitting = topicsOf(patterns);
  const forms =
    "A topic such as key_request.approved, a pattern such as key_request.*, or * for all.";
  if (fitting.length === 0) return forms;
  const count = fitting.length === 1 ? "1 topic fits" : `${fitting.length} topics fit`;
  return say`${count} today, such as ${fitting[0]}. New ones that fit are sent too.`;
}
