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
  /** For the shell; absent: only the screen does it. */
  line?: string;
  /** The purpose of the line; absent: the words that follow the command on the server. */
  label?: string;
  /** The screen that does it. */
  to?: { href: string; text: string };
}[] = [
  {
    of: "passkey",
    title: "A passkey",
    text: "You sign in by it from any browser, without a command on the server.",
    open: "None yet",
    to: { href: "/settings?show=you", text: "Add a passkey" },
  },
  {
    of: "invitation",
    title: "An invitation",
    text: "Invite the people who work with you. Each signs in on their own.",
    open: "None yet",
    to: { href: "/settings?show=people", text: "Invite a person" },
  },
  {
    of: "approver",
    title: "A second person who approves",
    text: "Requests wait while the only one is away, and no one can decide that person's own.",
    open: "Only one yet",
    to: { href: "/settings?show=people", text: "Let a second person approve" },
  },
  {
    of: "mail",
    title: "Mail",
    text:
      "Developers and approvers are notified by it. Set the mail server, then add a mail channel under Settings → Notifications → Channels. Without mail you pass on one-time links.",
    open: "None sent yet",
    line: lineOf.mail(),
    label: "With an access token in $KEYDESK",
    to: { href: "/settings?show=mail-server", text: "Set the mail server" },
  },
  {
    of: "gateway",
    title: "A gateway",
    text:
      "nginx, Caddy, HAProxy, Envoy or Traefik asks about each call, or keys are written into Tyk Gateway.",
    open: "No call yet",
    line: "gateways add edge-1 --kind nginx",
    to: { href: "/gateways", text: "Add a gateway" },
  },
  {
    of: "portal_token",
    title: "The access token of your own portal",
    text: "Your portal sends requests with it. Shown once. The pages for developers need none.",
    open: "None yet, can wait",
    line: "token create portal --allow portal:read,portal:write,revoke",
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
    text: "Two people can approve: let one decide what the other files for a developer.",
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
              {line && (
                <details class="start-line-of">
                  <summary>
                    Show the command<span class="unseen">: {title}</span>
                  </summary>
                  <CopyField
                    label={say`${label ?? "On the server"}: ${title.toLowerCase()}`}
                    text={label ? line : say`${command} ${line}`}
                    lines
                  />
                </details>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
