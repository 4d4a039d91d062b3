import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Delivery, DeliveryDetail } from "../../../api/deliveries.ts";
import { getDelivery } from "../../../api/endpoints.ts";
import { useCall } from "../../../api/queries.ts";
import type { Channel } from "../../../api/channels.ts";
import { may } from "../../../api/session.ts";
import { Button } from "../../../parts/button.tsx";
import { CopyId } from "../../../parts/copy.tsx";
import {
  clockTime,
  DeliveryPill,
  durationText,
  noteOf,
  statusText,
} from "../../../parts/delivery-words.tsx";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../../parts/drawer.tsx";
import { Unread } from "../../../parts/states.tsx";
import { exactTime } from "../../../parts/time.tsx";
import { objectOf, placeOf, titleOf } from "../../../parts/topics.ts";

const EVERY_MS = 5000;
/** So much of an answer is shown. */
const SHOWN = 1000;

/**
 * A message with each of its tries. `row` is what the list knows of it: shown until the rest is
 * read.
 */
export function DeliveryDrawer({ id, row, channels, onRead, onReplay, onClose }: {
  id: string;
  row: Delivery | undefined;
  channels: ReadonlyMap<string, Channel> | undefined;
  onRead: (one: Delivery) => void;
  onReplay: (one: Delivery) => void;
  onClose: () => void;
}) {
  const read = useCall(["deliveries", id], getDelivery, { params: { id } }, {
    // A waiting delivery may be sent while the drawer is open.
    refetchInterval: EVERY_MS,
    gcTime: 30_000,
  });
  const detail = read.data;
  useEffect(() => {
    if (!detail) return;
    const { tries: _, ...rest } = detail;
    onRead(rest);
  }, [detail]);
  const one = detail ?? row;
  if (!one) {
    return (
      <UnreadDrawer
        of={id}
        title="Delivery"
        read={read}
        gone={["There is no such delivery", "It is no longer kept, or the link is wrong."]}
        onClose={onClose}
      />
    );
  }
  const channel = channels?.get(one.channel_id);
  return (
    <Drawer
      of={id}
      title={titleOf(one.topic)}
      onClose={onClose}
      footer={channel && may("admin") && (
        <Button
          kind="primary"
          shortcut="R"
          onClick={() => onReplay(one)}
        >
          {one.state === "waiting" ? "Try now" : "Send again"}
        </Button>
      )}
    >
      <p class="delivery-lead">
        <DeliveryPill of={one} /> <span class="muted">{noteOf(one)}</span>
      </p>
      <About of={one} channel={channel} isKnown={channels !== undefined} />
      {detail ? <Tries of={detail} /> : <Unread of={read} lines={3} />}
      <h3 class="group-title">Delivery id</h3>
      <CopyId id={one.id} label="delivery id" />
    </Drawer>
  );
}

function About({ of: one, channel, isKnown }: {
  of: Delivery;
  channel: Channel | undefined;
  isKnown: boolean;
}) {
  const place = placeOf(one.topic, one.object_id);
  return (
    <Facts>
      <Fact name="To">
        {channel
          ? (
            <Link class="text-link" href={`/settings/${channel.id}?show=channels`}>
              {channel.name}
            </Link>
          )
          : isKnown && "A channel that was removed"}
      </Fact>
      <Fact name="Address">{channel && <code>{channel.url}</code>}</Fact>
      <Fact name="Topic" of={<code>{one.topic}</code>} />
      <Fact name="About">
        {place === undefined
          ? <code>{one.object_id}</code>
          : <Link class="text-link" href={place}>the {objectOf(one.topic)}</Link>}
      </Fact>
      <Fact name="Happened">{exactTime(one.event_at)}</Fact>
      <Fact name="Ended">{one.ended_at && exactTime(one.ended_at)}</Fact>
    </Facts>
  );
}

/** Each try, the newest open. What was answered is shown as text, whatever it is. */
function Tries({ of: { tries, attempts } }: { of: DeliveryDetail }) {
  return (
    <>
      <h3 class="group-title">{attempts === 1 ? "1 try" : `${attempts} tries`}</h3>
      {attempts === 0 && <p class="muted">Not tried yet.</p>}
      {tries.length > 0 && (
        <div class="tries">
          {tries.map(({ n, at, status, duration_ms, answer, error }, index) => (
            <details key={n} class="try" open={index === 0}>
              <summary>
                <span class="try-n">{n}</span>
                <span class={status >= 200 && status < 300 ? "try-status" : "try-status is-bad"}>
                  {statusText(status)}
                </span>
                <span class="try-ms">{durationText(duration_ms)}</span>
                <time dateTime={at} title={exactTime(at)}>{clockTime(at)}</time>
              </summary>
              {error !== "" && <p class="try-error">{error}</p>}
              {answer === ""
                ? error === "" && <p class="muted try-none">Answered with nothing more.</p>
                : (
                  <pre class="try-answer" tabIndex={0}>
                    {answer.slice(0, SHOWN)}
                    {answer.length > SHOWN && "…"}
                  </pre>
                )}
            </details>
          ))}
        </div>
      )}
      {attempts > tries.length && <p class="muted">Only the newest {tries.length} are listed.</p>}
    </>
  );
}
