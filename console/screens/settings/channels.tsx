import { useState } from "preact/hooks";
import { type Channel, channelsChanged, hostOf, readChannels } from "../../api/channels.ts";
import type { PagedList } from "../../api/paged-list.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { idOf, useListPlace } from "../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty } from "../../parts/states.tsx";
import { topicsOf } from "../../parts/topics.ts";
import { useList } from "../../parts/use-list.ts";
import { ChannelDrawer } from "./channel-drawer.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { channelNote, ChannelPill } from "./channel-words.tsx";
import { listed } from "../../said.ts";
import { SettingsPage } from "./sections.tsx";

/** Notification channels, those that fail first, paused ones last. */
export default function Channels() {
  const [turn, setTurn] = useState(0);
  const [adds, setAdds] = useState(false);
  // They are few, so that all of them can be sorted.
  const list = useList<Channel>(
    `channels ${turn}`,
    idOf,
    async () => ({ data: await readChannels(), next_cursor: null }),
  );
  list.version.value;
  const place = useListPlace("Channels", "/settings", list);
  const { openId } = place;
  const changed = () => {
    channelsChanged();
    setTurn((one) => one + 1);
  };
  useShortcuts("Channels", [{
    keys: ["n"],
    label: "Add a channel",
    run: () => setAdds(true),
    when: () => may("admin"),
  }]);
  return (
    <SettingsPage
      tools={may("admin") && (
        <Button kind="primary" shortcut="N" onClick={() => setAdds(true)}>Add a channel</Button>
      )}
      drawer={openId !== undefined && (
        <ChannelDrawer
          key={openId}
          id={openId}
          row={list.at(list.indexOf(openId))}
          onChanged={(channel) => {
            list.replace(channel);
            channelsChanged();
          }}
          onDeleted={() => {
            place.open(undefined);
            changed();
          }}
          onClose={place.close}
        />
      )}
    >
      <ListTable
        label="Channels"
        list={list}
        columns={columns}
        hrefOf={place.hrefOf}
        nameOf={({ name }) => name}
        current={place.current}
        empty={
          <Empty
            title="There is no notification channel yet"
            action={may("admin") && <Button onClick={() => setAdds(true)}>Add a channel</Button>}
          >
            A channel is a server of yours, a chat in Slack, Teams or Discord, or mail to the people
            concerned. It gets a message about each later change.
          </Empty>
        }
      />
      {adds && (
        <AddChannel
          mails={mailsOf(list)}
          onSaved={({ id }) => {
            changed();
            place.open(id);
          }}
          onClose={() => setAdds(false)}
        />
      )}
    </SettingsPage>
  );
}

/** The mail channel, of which an organisation has one; undefined: there is none. */
function mailsOf(list: PagedList<Channel>): Channel | undefined {
  for (let n = 0;; n++) {
    const one = list.at(n);
    if (!one || one.kind === "mail") return one;
  }
}

const columns: readonly Column<Channel>[] = [
  { title: "Channel", class: "channel-col-name", cell: (one) => lines(one.name, hostOf(one)) },
  {
    title: "Sends",
    class: "channel-col-sends",
    cell: ({ topics, kind }) => (
      <>
        {kind === "mail"
          ? <span class="line-1">Mails</span>
          : <code class="line-1">{listed(topics)}</code>}
        <span class="line-2">
          {kind === "mail" ? "to approvers, developers, owners" : sentText(topics)}
        </span>
      </>
    ),
  },
  {
    title: "State",
    class: "channel-col-state",
    cell: (one) => (
      <>
        <ChannelPill of={one} />
        <span class="line-2">{channelNote(one)}</span>
      </>
    ),
  },
];

function sentText(patterns: readonly string[]): string {
  if (patterns.includes("*")) return "every topic";
  const { length } = topicsOf(patterns);
  return length === 1 ? "1 topic" : `${length} topics`;
}

const MailForm = lazily(() => import("./mail-form.tsx"));

/**
 * Asks of which kind a further channel is, then makes it. `mails`: the mail channel that there
 * is.
 */
function AddChannel({ mails, onSaved, onClose }: {
  mails: Channel | undefined;
  onSaved: (channel: Channel) => void;
  onClose: () => void;
}) {
  const [kind, setKind] = useState<Channel["kind"]>();
  if (kind === "webhook") return <ChannelForm onSaved={onSaved} onClose={onClose} />;
  if (kind === "mail") return <MailForm onSaved={onSaved} onClose={onClose} />;
  return (
    <Dialog title="Add a channel" note="What gets messages of changes?" onClose={onClose}>
      <div class="channel-kinds">
        <button type="button" class="channel-kind" autofocus onClick={() => setKind("webhook")}>
          <b>Webhook</b>
          <span>
            A server of yours, or a chat in Slack, Teams or Discord: it gets a message about each
            change that it wants to know of.
          </span>
        </button>
        {mails
          ? <MailsAreThere name={mails.name} />
          : (
            <button type="button" class="channel-kind" onClick={() => setKind("mail")}>
              <b>Mail</b>
              <span>
                People: approvers about requests that wait, developers about theirs, owners about
                certificates that expire.
              </span>
            </button>
          )}
      </div>
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
      </DialogButtons>
    </Dialog>
  );
}

function MailsAreThere({ name }: { name: string }) {
  return (
    <p class="notice">
      <span>
        Mail can’t be added: an organisation has one mail channel, and <b>{name}</b>{" "}
        is it. Change that one.
      </span>
    </p>
  );
}
