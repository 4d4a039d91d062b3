import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../../api/client.ts";
import { getTarget, pauseTarget, resumeTarget, testTarget } from "../../api/target-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { isWebhook, type Target } from "../../api/targets.ts";
import { lazily } from "../../parts/lazily.tsx";
import { announce } from "../../parts/announcer.tsx";
import { may } from "../../api/session.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { CopyField, CopyId } from "../../parts/copy.tsx";
import { durationText, statusText } from "../../parts/delivery-words.tsx";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../parts/drawer.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { exactTime, relativeTime } from "../../parts/time.tsx";
import { useBusy } from "../../parts/toasts.tsx";
import { topicsOf } from "../../parts/topics.ts";
import { say } from "../../said.ts";
import { TargetForm } from "./target-form.tsx";
import { deleteAsked, RotateSecret } from "./target-dialogs.tsx";
import { targetNote, TargetPill, templates } from "./target-words.tsx";

const MailForm = lazily(() => import("./mail-form.tsx"));
const MailFacts = lazily(() => import("./mail-facts.tsx"));

type Tested = Awaited<ReturnType<typeof test>> & { at: string };

const test = (id: string) => api.call(testTarget, { params: { id } });

/** A target in full, and what can be done with it. `row` is what the list knows of it. */
export function TargetDrawer({ id, row, onChanged, onDeleted, onClose }: {
  id: string;
  row: Target | undefined;
  onChanged: (target: Target) => void;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const [asked, setAsked] = useState<"edit" | "rotate">();
  const [tested, setTested] = useState<Tested>();
  const [isTesting, run] = useBusy();
  const read = useCall(["target", id], getTarget, { params: { id } }, { gcTime: 30_000 });
  const changed = (target: Target) => {
    queries.setQueryData(["target", id], target);
    onChanged(target);
  };
  useEffect(() => {
    if (read.data && JSON.stringify(read.data) !== JSON.stringify(row)) onChanged(read.data);
  }, [read.data]);
  const target = read.data ?? row;
  const stop = () => setAsked(undefined);
  const tries = () =>
    run(async () => {
      const answer = await test(id);
      setTested({ ...answer, at: new Date().toISOString() });
      announce(answer.ok ? "The test was accepted." : "The test was not accepted.");
    });
  const remove = () => target && deleteAsked(target, onDeleted);
  const isThere = () => target !== undefined && may("admin");
  useShortcuts("This target", [
    { keys: ["t"], label: "Send a test", run: () => void tries(), when: isThere },
    { keys: ["e"], label: "Change it", run: () => setAsked("edit"), when: isThere },
    { keys: ["d"], label: "Delete it", run: () => remove(), when: isThere },
  ]);
  if (!target) return <UnreadDrawer of={id} title="Target" read={read} onClose={onClose} />;
  return (
    <Drawer
      of={id}
      title={target.name}
      onClose={onClose}
      footer={may("admin") && (
        <>
          <Button kind="primary" shortcut="T" busy={isTesting} onClick={() => void tries()}>
            {isWebhook(target) ? "Send a test" : "Send me a test"}
          </Button>
          <Button shortcut="E" onClick={() => setAsked("edit")}>Change</Button>
          <Button kind="danger" shortcut="D" onClick={remove}>Delete</Button>
        </>
      )}
    >
      <State of={target} onChanged={changed} />
      <Missing of={target} />
      <MissingSettings of={target} />
      {tested && <Answer of={tested} />}
      {isWebhook(target) ? <About of={target} /> : <MailFacts of={target} onChanged={changed} />}
      {isWebhook(target) && <Secrets of={target} onRotate={() => setAsked("rotate")} />}
      <p class="delivery-lead settings-note">
        <Link class="text-link" href={`/deliveries?target=${id}`}>What was sent there</Link>
      </p>
      <h3 class="group-title">Target id</h3>
      <CopyId id={id} label="target id" />
      {asked === "edit" && (isWebhook(target)
        ? <TargetForm target={target} onSaved={changed} onClose={stop} />
        : <MailForm target={target} onSaved={changed} onClose={stop} />)}
      {asked === "rotate" && <RotateSecret of={target} onRotated={changed} onClose={stop} />}
    </Drawer>
  );
}

function State({ of: target, onChanged }: { of: Target; onChanged: (target: Target) => void }) {
  const [busy, run] = useBusy();
  const isPaused = target.state === "paused";
  const turn = () =>
    run(async () => {
      const params = { id: target.id };
      onChanged(
        isPaused
          ? await api.call(resumeTarget, { params })
          : await api.call(pauseTarget, { params }),
      );
      announce(say`${target.name} ${isPaused ? "goes on" : "is paused"}.`);
    });
  return (
    <div class="target-state">
      <TargetPill of={target} />
      <span class="muted">{targetNote(target)}</span>
      {may("admin") && (
        <LinkButton disabled={busy} onClick={() => void turn()}>
          {isPaused ? "Resume" : "Pause"}
        </LinkButton>
      )}
    </div>
  );
}

/** Which setting lets it be reached, with the value. */
function Missing({ of: { missing_outbound: host } }: { of: Target }) {
  if (host === null) return null;
  return (
    <div class="notice is-warning target-missing">
      <div>
        <p>
          <b>Nothing can be sent there yet.</b> The setting <code>KEYDESK_OUTBOUND</code>{" "}
          does not name this host. Whoever runs the server adds it there, after a comma where there
          are others already, and starts the server again:
        </p>
        <CopyField label="KEYDESK_OUTBOUND" text={host} />
      </div>
    </div>
  );
}

/** Which settings of the server mails lack. */
function MissingSettings({ of: { missing_settings: names } }: { of: Target }) {
  if (names.length === 0) return null;
  return (
    <div class="notice is-warning target-missing">
      <div>
        <p>
          <b>
            {names.includes("KEYDESK_SMTP_URL")
              ? "No mail can be sent yet."
              : "No mail with a link can be sent yet."}
          </b>{" "}
          Mails wait meanwhile. Whoever runs the server gives it what is missing, and starts it
          again:
        </p>
        {names.map((name) => <CopyField key={name} label={name} text={examples[name] ?? name} />)}
      </div>
    </div>
  );
}

const examples: Readonly<Record<string, string>> = {
  KEYDESK_SMTP_URL: "smtp://user:password@mail.example.org",
  KEYDESK_PUBLIC_URL: "https://keys.example.org",
};

/** What the test was answered, as text. */
function Answer({ of: { ok, status, duration_ms, answer, error, at } }: { of: Tested }) {
  return (
    <div class={ok ? "notice is-good target-test" : "notice is-bad target-test"} role="status">
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

function About({ of: target }: { of: Target }) {
  const topics = topicsOf(target.topics);
  return (
    <Facts>
      <Fact name="Address" of={<code>{target.url}</code>} />
      <Fact name="Gets" of={templates.find(({ value }) => value === target.template)?.text} />
      <Fact name="Topics">
        <span class="target-topics">
          {target.topics.map((one) => <code key={one}>{one}</code>)}
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
      <Fact name="Added">{exactTime(target.created_at)}</Fact>
    </Facts>
  );
}

function Secrets({ of: { old_secret_until }, onRotate }: { of: Target; onRotate: () => void }) {
  return (
    <>
      <div class="key-plans-head">
        <h3 class="group-title">Secret that signs</h3>
        {may("admin") && <LinkButton class="key-change" onClick={onRotate}>Rotate</LinkButton>}
      </div>
      <p class="muted">
        {old_secret_until === null
          ? "One secret signs. It was shown when it was made, and is shown to nobody again."
          : `Two sign: the new one, and the old one until it ends ${
            relativeTime(old_secret_until)
          }, ${exactTime(old_secret_until)}.`}
      </p>
    </>
  );
}
