import { lacksSettings, type Target } from "../../api/targets.ts";
import { clockTime } from "../../parts/delivery-words.tsx";
import { Pill } from "../../parts/pill.tsx";
import { relativeTime } from "../../parts/time.tsx";
import { say } from "../../said.ts";

/** Whether it works, in a word. */
export function TargetPill({ of: target }: { of: Target }) {
  const { state, failing_since, missing_outbound } = target;
  if (state === "paused") return <Pill tone="quiet">Paused</Pill>;
  if (missing_outbound !== null) return <Pill tone="waiting">Not allowed yet</Pill>;
  if (lacksSettings(target)) return <Pill tone="waiting">Not set up</Pill>;
  return failing_since === null ? <Pill tone="good">On</Pill> : <Pill tone="bad">Failing</Pill>;
}

const reasons: Readonly<Record<string, string>> = {
  "by hand": "by hand",
  failing: "it kept failing",
  gone: "it wants nothing any more",
  removed: "it is being removed",
};

/** What stands below. */
export function targetNote(target: Target): string {
  const { state, state_reason, state_changed_at, failing_since, failures } = target;
  if (state === "paused") {
    return say`${reasons[state_reason] ?? state_reason}, ${relativeTime(state_changed_at)}`;
  }
  if (target.missing_outbound !== null) return "its host is not named";
  if (lacksSettings(target)) return "a setting is missing";
  if (failing_since === null) return "";
  return `${failures === 1 ? "1 failed try" : `${failures} failed tries`}, since ${
    clockTime(failing_since)
  }`;
}

/** The forms of a message, by what a target's `template` says. */
export const templates: readonly { value: Target["template"]; text: string }[] = [
  { value: "standard", text: "Signed message (Standard Webhooks)" },
  { value: "slack", text: "Text for a channel of Slack" },
  { value: "teams", text: "Text for a channel of Teams" },
  { value: "discord", text: "Text for a channel of Discord" },
];
