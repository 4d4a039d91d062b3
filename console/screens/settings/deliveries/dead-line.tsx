import { Link } from "wouter-preact";
import { useDeadLetters } from "../../../api/deliveries.ts";
import type { Channel } from "../../../api/channels.ts";
import { Button } from "../../../parts/button.tsx";
import { clockTime } from "../../../parts/delivery-words.tsx";
import { say } from "../../../said.ts";

/**
 * Failed deliveries in one red line, with the cause if all went to one channel. Nothing without
 * any.
 */
export function DeadLine({ channels, onSelect }: {
  channels: ReadonlyMap<string, Channel> | undefined;
  /** Undefined: whoever looks sends nothing again. */
  onSelect: (() => void) | undefined;
}) {
  const counts = useDeadLetters();
  if (!counts || counts.dead === 0) return null;
  const { dead, dead_by_channel: by } = counts;
  const [first] = by;
  const one = by.length === 1 && first ? channels?.get(first.channel_id) : undefined;
  return (
    <div class="dead-line" role="status">
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d="M8 1.8l6.6 12H1.4z" fill="currentColor" />
        <path d="M8 6v3.6m0 1.5v1.2" class="on-icon" stroke-width="1.4" />
      </svg>
      <p>
        <b>{manyText(dead)} gave up.</b> {one && first ? causeOf(one, first) : placesOf(by.length)}
      </p>
      <span class="dead-line-buttons">
        {one && <Link class="button" href={`/settings/${one.id}?show=channels`}>Open channel</Link>}
        {onSelect && (
          <Button onClick={onSelect}>
            Select {dead === 1 ? "it" : dead > 100 ? "100" : `all ${dead}`}
          </Button>
        )}
      </span>
    </div>
  );
}

function manyText(dead: number): string {
  if (dead === 1) return "1 delivery";
  return `${dead < 1000 ? dead : "1,000 or more"} deliveries`;
}

function causeOf(channel: Channel, { status, error }: { status: number; error: string }): string {
  const { name, state, failing_since } = channel;
  const since = state === "paused"
    ? ", which is paused"
    : failing_since === null
    ? ""
    : `, which has accepted nothing since ${clockTime(failing_since)}`;
  const last = status === 0 ? error : `Last answer: ${status}`;
  return say`All went to ${name}${since}. ${last}${last === "" || last.endsWith(".") ? "" : "."}`;
}

function placesOf(channels: number): string {
  return channels === 1
    ? "All went to a channel that was removed."
    : `They went to ${channels} channels.`;
}
