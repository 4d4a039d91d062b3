import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../../api/client.ts";
import {
  getChannel,
  pauseChannel,
  resumeChannel,
  testChannel,
} from "../../api/channel-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { type Channel, isWebhook } from "../../api/channels.ts";
import { lazily } from "../../parts/lazily.tsx";
import { announce } from "../../parts/announcer.tsx";
import { may } from "../../api/session.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { CopyField, CopyId } from "../../parts/copy.tsx";
import { durationText, statusText } from "../../parts/delivery-words.tsx";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../parts/drawer.tsx";
import { Managed } from "../../parts/managed.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { exactTime, relativeTime } from "../../parts/time.tsx";
import { useBusy } from "../../parts/toasts.tsx";
import { topicsOf } from "../../parts/topics.ts";
import { say } from "../../said.ts";
import { ChannelForm } from "./channel-form.tsx";
import { deleteAsked, RotateSecret } from "./channel-dialogs.tsx";
import { channelNote, ChannelPill, templates } from "./channel-words.tsx";

const MailForm = lazily(() => import("./mail-form.tsx"));
const MailFacts = lazily(() => import("./mail-facts.tsx"));

type Tested = Awaited<ReturnType<typeof test>> & { at: string };

const test = (id: string) => api.call(testChannel, { params: { id } });

/** A channel in full, and what can be done with it. `row` is what the list knows of it. */
export function ChannelDrawer({ id, row, onChanged, onDeleted, onClose }: {
  id: string;
  row: Channel | undefined;
  onChanged: (channel: Channel) => void;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const [asked, setAsked] = useState<"edit" | "rotate">();
  const [tested, setTested] = useState<Tested>();
  const [isTesting, run] = useBusy();
  const read = useCall(["channel", id], getChannel, { params: { id } }, { gcTime: 30_000 });
  const changed = (channel: Channel) => {
    queries.setQueryData(["channel", id], channel);
    onChanged(channel);
  };
  useEffect(() => {
    if (read.data && JSON.stringify(read.data) !== JSON.stringify(row)) onChanged(read.data);
  }, [read.data]);
  const channel = read.data ?? row;
  const stop = () => setAsked(undefined);
  const tries = () =>
    run(async () => {
      const answer = await test(id);
      setTested({ ...answer, at: new Date().toISOString() });
      announce(answer.ok ? "The test was accepted." : "The test was not accepted.");
    });
  const remove = () => channel && deleteAsked(channel, onDeleted);
  const isThere = () => channel !== undefined && may("admin");
  useShortcuts("This channel", [
    { keys: ["t"], label: "Send a test", run: () => void tries(), when: isThere },
    { keys: ["e"], label: "Change it", run: () => setAsked("edit"), when: isThere },
    { keys: ["d"], label: "Delete it", run: () => remove(), when: isThere },
  ]);
  if (!channel) return <UnreadDrawer of={id} title="Channel" read={read} onClose={onClose} />;
  return (
    <Drawer
      of={id}
      title={channel.name}
      onClose={onClose}
      footer={may("admin") && (
        <>
          <Button kind="primary" shortcut="T" busy={isTesting} onClick={() => void tries()}>
            {isWebhook(channel) ? "Send a test" : "Send me a test"}
          </Button>
          <Button shortcut="E" onClick={() => setAsked("edit")}>Change</Button>
          <Button kind="danger" shortcut="D" onClick={remove}>Delete</Button>
        </>
      )}
    >
      <State of={channel} onChanged={changed} />
      <Managed kind="channels" id={id} />
      <Missing of={channel} />
      <MissingSettings of={channel} />
      {tested && <Answer of={tested} />}
      {isWebhook(channel) ? <About of={channel} /> : <MailFacts of={channel} onChanged={changed} />}
      {isWebhook(channel) && <Secrets of={channel} onRotate={() => setAsked("rotate")} />}
      <p class="delivery-lead settings-note">
        <Link class="text-link" href={`/settings?show=deliveries&channel=${id}`}>
          Sent to this channel
        </Link>
      </p>
      <h3 class="group-title">Channel id</h3>
      <CopyId id={id} label="channel id" />
      {asked === "edit" && (isWebhook(channel)
        ? <ChannelForm channel={channel} onSaved={changed} onClose={stop} />
        : <MailForm channel={channel} onSaved={changed} onClose={stop} />)}
      {asked === "rotate" && <RotateSecret of={channel} onRotated={changed} onClose={stop} />}
    </Drawer>
  );
}

function State({ of: channel, onChanged }: { of: Channel; onChanged: (channel: Channel) => void }) {
  const [busy, run] = useBusy();
  const isPaused = channel.state === "paused";
  const turn = () =>
    run(async () => {
      const params = { id: channel.id };
      onChanged(
        isPaused
          ? await api.call(resumeChannel, { params })
          : await api.call(pauseChannel, { params }),
      );
      announce(say`${channel.name} ${isPaused ? "goes on" : "is paused"}.`);
    });
  return (
    <div class="channel-state">
      <ChannelPill of={channel} />
      <span class="muted">{channelNote(channel)}</span>
      {may("admin") && (
        <LinkButton disabled={busy} onClick={() => void turn()}>
          {isPaused ? "Resume" : "Pause"}
        </LinkButton>
      )}
    </div>
  );
}

/** Which setting lets it be reached, with the value. */
function Missing({ of: { missing_outbound: host } }: { of: Channel }) {
  if (host === null) return null;
  return (
    <div class="notice is-warning channel-missing">
      <div>
        <p>
          <b>Nothing can be sent to it yet.</b> The setting <code>KEYDESK_OUTBOUND</code>{" "}
          does not name this host. The server administrator adds it to the setting, after a comma if
          it lists others, and starts the server again:
        </p>
        <CopyField label="KEYDESK_OUTBOUND" text={host} />
      </div>
    </div>
  );
}

/** Which settings of the server mails lack. */
function MissingSettings({ of: { missing_settings: names } }: { of: Channel }) {
  if (names.length === 0) return null;
  return (
    <div class="notice is-warning channel-missing">
      <div>
        <p>
          <b>
            {names.includes("KEYDESK_SMTP_URL")
              ? "No mail can be sent yet."
              : "No mail with a link can be sent yet."}
          </b>{" "}
          Mails wait meanwhile. The server’s administrator sets what is missing:
        </p>
        {names.includes("KEYDESK_SMTP_URL") && (
          <p>
            <a class="link" href="/settings?show=mail-server">The mail server</a>, or in the
            environment of the server:
          </p>
        )}
        {names.map((name) => <CopyField key={name} label={name} text={examples[name] ?? name} />)}
      </div>
    </div>
  );
}

const examples: Readonly<Record<string, string>> = {
  KEYDESK_SMTP_URL: "smtp://user:password@mail.example.org",
  KEYDESK_PUBLIC_URL: "https://keys.example.org",
};

/** The answer to the test, as text. */
function Answer({ of: { ok, status, duration_ms, answer, error, at } }: { of: Tested }) {
  return (
    <div class={ok ? "notice is-good channel-test" : "notice is-bad channel-test"} role="status">
      <div>
        <p>
          <b>{ok ? "Accepted" : "Not accepted"}: {statusText(status)}</b> in{" "}
          {durationText(duration_ms)}, <time dateTime={at}>{exactTime(at)}</time>
        </p>
        {error !== "" && <p>{error}</p>}
        {answer !== "" && <pre class="try-answer" tabIndex={0}>{answer.slice(0, 1000)}</pre>}
      </div>
    </div>
  );
}

function About({ of: channel }: { of: Channel }) {
  const topics = topicsOf(channel.topics);
  return (
    <Facts>
      <Fact name="Address" of={<code>{channel.url}</code>} />
      <Fact name="Gets" of={templates.find(({ value }) => value === channel.template)?.text} />
      <Fact name="Topics">
        <span class="channel-topics">
          {channel.topics.map((one) => <code key={one}>{one}</code>)}
        </span>
        <details class="pem">
          <summary class="text-link">
            {topics.length === 1 ? "1 topic today" : `${topics.length} topics today`}
          </summary>
          <ul class="cert-names">
            {topics.map((one) => (
              <li key={one}>
                <code>{one}</code>
              </li>
            ))}
          </ul>
        </details>
      </Fact>
      <Fact name="Added">{exactTime(channel.created_at)}</Fact>
    </Facts>
  );
}

function Secrets({ of: { old_secret_until }, onRotate }: { of: Channel; onRotate: () => void }) {
  return (
    <>
      <div class="key-plans-head">
        <h3 class="group-title">Secret that signs</h3>
        {may("admin") && <LinkButton class="key-change" onClick={onRotate}>Rotate</LinkButton>}
      </div>
      <p class="muted">
        {old_secret_until === null
          ? "One secret signs. It was shown when it was made, and is not shown again."
          : `Two sign: the new one, and the old one until it expires ${
            relativeTime(old_secret_until)
          }, ${exactTime(old_secret_until)}.`}
      </p>
    </>
  );
}
