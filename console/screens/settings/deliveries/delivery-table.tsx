import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Delivery } from "../../../api/deliveries.ts";
import { type Channel, hostOf } from "../../../api/channels.ts";
import { may } from "../../../api/session.ts";
import { DeliveryPill, noteOf, StackedTime, wordOf } from "../../../parts/delivery-words.tsx";
import { NothingMatches } from "../../../parts/filter-line.tsx";
import { type Column, lines, ListTable, type TableProps } from "../../../parts/list-table.tsx";
import { Empty } from "../../../parts/states.tsx";
import { titleOf } from "../../../parts/topics.ts";
import { say } from "../../../said.ts";
import type { Tab } from "./delivery-filters.ts";

/** The list of deliveries. */
export function DeliveryTable(
  { channels, tab, isNarrowed, onClear, ...table }: TableProps<Delivery> & {
    channels: ReadonlyMap<string, Channel> | undefined;
    tab: Tab;
    isNarrowed: boolean;
    onClear: () => void;
  },
) {
  const columns = useMemo(() => columnsOf(channels), [channels]);
  const isPicking = (table.selection?.ids.size ?? 0) > 0;
  return (
    <div class={isPicking ? "requests is-picking" : "requests"}>
      <ListTable
        {...table}
        label="Deliveries"
        columns={columns}
        nameOf={(one) => say`${titleOf(one.topic)}, ${wordOf(one).text}`}
        lead={({ channel_id }) => <Mark isMail={channels?.get(channel_id)?.kind === "mail"} />}
        empty={isNarrowed
          ? <NothingMatches onClear={onClear}>No message fits these filters.</NothingMatches>
          : <NothingIn tab={tab} hasChannels={(channels?.size ?? 1) > 0} />}
      />
    </div>
  );
}

/** An envelope, or three joined rings: a webhook. */
function Mark({ isMail }: { isMail: boolean }) {
  return (
    <span class="avatar delivery-mark" aria-hidden="true">
      <svg class="icon" viewBox="0 0 16 16" width="16" height="16">
        <path
          d={isMail
            ? "M2.5 4h11v8h-11zM2.5 4.5L8 9l5.5-4.5"
            : "M7 7.5L4.8 11.2M9 7.5l2.2 3.7M6.2 12h3.6M8 7.3a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM4 13.5a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2zm8 0a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2z"}
        />
      </svg>
    </span>
  );
}

function NothingIn({ tab, hasChannels }: { tab: Tab; hasChannels: boolean }) {
  if (!hasChannels) {
    return (
      <Empty
        title="Nothing was sent yet"
        action={may("admin") && (
          <Link class="button is-primary" href="/settings?show=channels">Add a channel</Link>
        )}
      >
        A channel gets messages of changes: a server of yours, or a chat in Slack, Teams or Discord.
      </Empty>
    );
  }
  switch (tab) {
    case "dead":
      return (
        <Empty title="No failed deliveries">
          This tab lists deliveries that failed for 24 hours. You can send them again.
        </Empty>
      );
    case "late":
      return (
        <Empty title="Nothing is late">
          This tab lists deliveries that are still tried after 15 minutes.
        </Empty>
      );
    case "waiting":
      return <Empty title="Nothing waits">All that was sent has arrived, or is late.</Empty>;
    case "delivered":
    case "all":
      return <Empty title="Nothing was sent yet">The next change is sent to your channels.</Empty>;
  }
}

function columnsOf(channels: ReadonlyMap<string, Channel> | undefined): Column<Delivery>[] {
  const nameOf = ({ channel_id }: Delivery) =>
    channels === undefined ? "" : channels.get(channel_id)?.name ?? "A removed channel";
  return [
    {
      title: "What",
      class: "delivery-col-what",
      cell: (one) => (
        <>
          <span class="line-1">{titleOf(one.topic)}</span>
          <span class="line-2 is-wide">
            <code>{one.topic}</code>
          </span>
          <span class="line-2 is-narrow-line">to {nameOf(one)}</span>
        </>
      ),
    },
    {
      title: "To",
      class: "delivery-col-to",
      cell: (one) => {
        const channel = channels?.get(one.channel_id);
        return lines(nameOf(one), channel && hostOf(channel));
      },
    },
    {
      title: "State",
      class: "delivery-col-state",
      cell: (one) => (
        <>
          <DeliveryPill of={one} />
          <span class="line-2">{noteOf(one)}</span>
        </>
      ),
    },
    { title: "Tries", class: "delivery-col-tries is-end", cell: ({ attempts }) => attempts },
    {
      title: "Happened",
      class: "delivery-col-at is-end",
      cell: ({ event_at }) => <StackedTime at={event_at} />,
    },
  ];
}
