import { type Channel, lacksSettings } from "../../api/channels.ts";
import { clockTime } from "../../parts/delivery-words.tsx";
import { Pill } from "../../parts/pill.tsx";
import { relativeTime } from "../../parts/time.tsx";
import { say } from "../../said.ts";

/** Whether it works, in a word. */
export function ChannelPill({ of: channel }: { of: Channel }) {
  const { state, failing_since, missing_outbound } = channel;
  if (state === "paused") return <Pill tone="quiet">Paused</Pill>;
  if (missing_outbound !== null) return <Pill tone="waiting">Not allowed yet</Pill>;
  if (lacksSettings(channel)) return <Pill tone="waiting">Not set up</Pill>;
  return failing_since === null ? <Pill tone="good">On</Pill> : <Pill tone="bad">Failing</Pill>;
}

const reasons: Readonly<Record<string, string>> = {
  "by hand": "by hand",
  failing: "it kept failing",
  gone: "it wants nothing any more",
  removed: "it is being removed",
};

/** The note below a channel. */
export function channelNote(channel: Channel): string {
  const { state, state_reason, state_changed_at, failing_since, failures } = channel;
  if (state === "paused") {
    return say`${reasons[state_reason] ?? state_reason}, ${relativeTime(state_changed_at)}`;
  }
  if (channel.missing_outbound !== null) return "its host is not named";
  if (lacksSettings(channel)) return "a setting is missing";
  if (failing_since === null) return "";
  return `${failures === 1 ? "1 failed try" : `${failures} failed tries`}, since ${
    clockTime(failing_since)
  }`;
}

/** The forms of a message, by what a channel's `template` says. */
export const templates: readonly { value: Channel["template"]; text: string }[] = [
  { value: "standard", text: "Signed message (Standard Webhooks)" },
  { value: "slack", text: "Text for a chat in Slack" },
  { value: "teams", text: "Text for a chat in Teams" },
  { value: "discord", text: "Text for a chat in Discord" },
];
