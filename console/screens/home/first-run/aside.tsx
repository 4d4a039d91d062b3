import type { getFirstSteps } from "../../../../src/features/insight/insight.operations.ts";
import { Link } from "wouter-preact";
import type { z } from "zod";
import { getFirstSteps as endpoint, getServerInfo } from "../../../api/endpoints.ts";
import { useCall } from "../../../api/queries.ts";
import { may } from "../../../api/session.ts";
import { CopyField } from "../../../parts/copy.tsx";
import { Fact, Facts } from "../../../parts/drawer.tsx";
import { lineOf } from "./lines.ts";
import { say } from "../../../said.ts";
import { Time } from "../../../parts/time.tsx";

const engines = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** The column beside the way to the first key. `isEmpty`: the demo still may come in. */
export function Aside({ isEmpty }: { isEmpty: boolean }) {
  const { data: server } = useCall(["server"], getServerInfo, {}, { enabled: may("admin:read") });
  const command = server?.command ?? "keydesk";
  return (
    <div class="start-aside">
      {isEmpty && (
        <section class="start-panel" aria-labelledby="start-look">
          <h2 id="start-look" class="start-title">Only looking?</h2>
          <p class="muted">Fills the empty server with made-up developers and requests.</p>
          <CopyField label="On the server" text={say`${command} seed`} />
        </section>
      )}
      <LiveSteps command={command} />
      <section class="start-panel" aria-labelledby="start-keep">
        <h2 id="start-keep" class="start-title">Keep elsewhere</h2>
        <p class="muted">
          Keep the file <code>sealing-key</code>{" "}
          elsewhere too: without it, sealed secrets in a backup stay closed.
        </p>
        {server?.engine === "sqlite" && (
          <CopyField
            label="A backup, every night"
            text={say`${command} backup /backup/keydesk-$(date +%F).db`}
            lines
          />
        )}
      </section>
      {server && (
        <section class="start-panel" aria-labelledby="start-desk">
          <h2 id="start-desk" class="start-title">This server</h2>
          <Facts>
            <Fact name="Address" of={<code>{location.host}</code>} />
            <Fact name="Version">{server.version}</Fact>
            <Fact name="Store">{engines[server.engine]}</Fact>
          </Facts>
        </section>
      )}
    </div>
  );
}

type Steps = z.output<typeof getFirstSteps.response>;

const EVERY_MS = 2000;

const steps: readonly {
  of: keyof Steps;
  title: string;
  text: string;
  open: string;
  line: string;
  /** The purpose of the line; absent: the words that follow the command on the server. */
  label?: string;
  /** The screen that does it. */
  to?: { href: string; text: string };
}[] = [
  {
    of: "approver",
    title: "An approver",
    text: "Requests wait while no one may decide.",
    open: "None yet",
    line: "token create approver --allow portal:read,approve",
  },
  {
    of: "portal_token",
    title: "The portal’s access token",
    text: "Your portal sends requests with it. Shown once.",
    open: "None yet",
    line: "token create portal --allow portal:read,portal:write,revoke",
  },
  {
    of: "gateway",
    title: "The gateway checks each key",
    text: "With this token nginx, Caddy, Traefik or Envoy ask whether a key may pass.",
    open: "No call yet",
    line: "token create gateway --allow verify",
  },
  {
    of: "mail",
    title: "Mail to developers",
    text:
      "So that they are notified of decisions. Set KEYDESK_SMTP_URL, start again, then make a mail channel: by this line, or under Settings → Notifications → Channels. Without it you pass on one-time links.",
    open: "None sent yet, can wait",
    line: lineOf.mail(),
    label: "With an access token in $KEYDESK",
  },
  {
    of: "pages",
    title: "Pages for developers",
    text:
      "Without a portal of your own they request keys at /portal. Off until you switch them on: by this line, or under Settings → Organisation → Developer pages, where you say who may sign up.",
    open: "Off, can wait",
    line: lineOf.pages(),
    label: "With an access token in $KEYDESK",
    to: { href: "/settings?show=pages", text: "Switch the pages on" },
  },
  {
    of: "not_by_filer",
    title: "No one decides their own filing",
    text: "Two people can approve by now: let one decide what the other files for a developer.",
    open: "Off, can wait",
    line: lineOf.apart(),
    label: "With an access token in $KEYDESK",
    to: { href: "/apis?show=policy", text: "Set the default" },
  },
];

/** Steps before production. The server ticks each, and reopens it if it is undone. */
function LiveSteps({ command }: { command: string }) {
  const { data } = useCall(["insight", "first-steps"], endpoint, {}, {
    refetchInterval: EVERY_MS,
    staleTime: EVERY_MS / 2,
  });
  return (
    <section class="start-panel" aria-labelledby="start-live">
      <h2 id="start-live" class="start-title">Before you go live</h2>
      <ul class="live-steps">
        {steps.map(({ of, title, text, open, line, label, to }) => {
          const step = data?.[of];
          // A step that is not offered yet would only puzzle.
          if (of === "not_by_filer" && !step) return null;
          const isDone = step?.done;
          return (
            <li key={of} class={isDone ? "live-step is-done" : "live-step"}>
              <div class="start-line">
                <h3 class="start-step-title">{title}</h3>
                <span class="start-state">
                  {step && (isDone
                    ? (
                      <>
                        Done <Time at={step.at} never="" />
                      </>
                    )
                    : open)}
                </span>
              </div>
              {!isDone && <p class="muted">{text}</p>}
              {!isDone && to && may("admin") && (
                <Link class="text-link" href={to.href}>{to.text}</Link>
              )}
              <details class="start-line-of" open={!isDone}>
                <summary>
                  Show the command<span class="unseen">: {title}</span>
                </summary>
                <CopyField
                  label={say`${label ?? "On the server"}: ${title.toLowerCase()}`}
                  text={label ? line : say`${command} ${line}`}
                  lines
                />
              </details>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
