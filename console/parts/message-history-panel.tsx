import { Link } from "wouter-preact";
import { type Delivery, sendAgain } from "../api/deliveries.ts";
import { listDeliveries } from "../api/endpoints.ts";
import { useCall } from "../api/queries.ts";
import { may } from "../api/session.ts";
import { useChannels } from "../api/channels.ts";
import { say } from "../said.ts";
import { announce } from "./announcer.tsx";
import { LinkButton } from "./button.tsx";
import { DeliveryPill, noteOf } from "./delivery-words.tsx";
import { Unread } from "./states.tsx";
import { Time } from "./time.tsx";
import { useBusy } from "./toasts.tsx";
import { titleOf } from "./topics.ts";

const SHOWN = 10;

/**
 * The newest messages about a thing, by whom they were for; what did not arrive can be sent again.
 */
export default function MessageHistoryPanel({ of }: { of: string }) {
  const channels = useChannels();
  const read = useCall(["deliveries", "of", of], listDeliveries, {
    query: { object_id: of, limit: SHOWN },
  }, { gcTime: 30_000 });
  const events = read.data?.data;
  return (
    <section aria-label="Who was notified" class="messages">
      <h3 class="group-title">Who was notified</h3>
      {events === undefined && <Unread of={read} lines={2} />}
      {events?.length === 0 && (
        <p class="muted">
          {channels?.size === 0
            ? "There is no notification channel yet."
            : "No message about it went to a channel."}
        </p>
      )}
      {events && events.length > 0 && (
        <ul class="message-list">
          {events.map((one) => (
            <DeliveryRow
              key={one.id}
              one={one}
              to={channels === undefined
                ? ""
                : channels.get(one.channel_id)?.name ?? "a removed channel"}
            />
          ))}
        </ul>
      )}
      {events && read.data?.next_cursor != null && (
        <Link class="text-link" href={`/settings?show=deliveries&object=${encodeURIComponent(of)}`}>
          All messages about it
        </Link>
      )}
    </section>
  );
}

function DeliveryRow({ one, to }: { one: Delivery; to: string }) {
  const [busy, run] = useBusy();
  const again = () =>
    run(async () => {
      await sendAgain(one.id);
      announce(say`Sent to ${to} again.`);
    });
  return (
    <li class={one.state === "dead" ? "message-row is-dead" : "message-row"}>
      <span class="message-what">
        <Link
          class="line-1 text-link"
          href={`/settings/${encodeURIComponent(one.id)}?show=deliveries`}
        >
          {to}
          <span class="unseen">: {titleOf(one.topic)}</span>
        </Link>
        <span class="line-2">{titleOf(one.topic)}</span>
      </span>
      <span class="message-state">
        <DeliveryPill of={one} />
        <span class="line-2">{noteOf(one) || <Time at={one.ended_at ?? one.event_at} />}</span>
      </span>
      {one.state === "dead" && may("admin") && (
        <LinkButton
          class="message-again"
          disabled={busy}
          aria-label={say`Send again to ${to}: ${titleOf(one.topic)}`}
          onClick={() => void again()}
        >
          Send again
        </LinkButton>
      )}
    </li>
  );
}
