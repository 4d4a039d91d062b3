import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api, codeOf, decisionKey, wordsOf } from "../../api/client.ts";
import { getKeyRequest, reopenKeyRequest } from "../../api/endpoints.ts";
import { queries, useCall, useQuery } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button, LinkButton } from "../../parts/button.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Drawer, Fact, Facts } from "../../parts/drawer.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty, Loading, Problem } from "../../parts/states.tsx";
import { exactTime, Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { listed, say } from "../../said.ts";
import { type Filters, noFilters } from "./audit-log-filters.ts";
import { findEvent } from "./event.ts";
import type { GroupedEvent as Event } from "./grouped.ts";
import { kinds } from "./kinds.ts";
import { NotedValue, WhatChanged } from "./noted.ts";
import { EachRefused, fromWhere, Lock, refusedOf } from "./refused.tsx";
import { actionOf, actorOf, memberName, nameOf, placeOf, throughOf, typedReason } from "./words.ts";

const ProofPanel = lazily(
  async () => ({ default: (await import("./proof-panel.tsx")).ProofPanel }),
);

/** Its proof, once it is asked for: the code and the proof are read then. */
function Proof({ event }: { event: Event }) {
  const [isAsked, ask] = useState(false);
  return isAsked ? <ProofPanel event={event} /> : (
    <div class="event-proof">
      <p class="muted">
        Is this row as it was written? This browser computes it, by the log that Keydesk signs.
      </p>
      <Button onClick={() => ask(true)}>Check the proof</Button>
    </div>
  );
}

/** An event in full, with the way to what it is about. */
export function EventDrawer({ id, known, onClose, onNarrow, onChanged }: {
  id: string;
  /** The event from the list, if it is in it. */
  known: Event | undefined;
  onClose: () => void;
  onNarrow: (changes: Partial<Filters>) => void;
  onChanged: () => void;
}) {
  const read = useQuery({
    queryKey: ["audit-log", id],
    queryFn: () => findEvent(id),
    enabled: known === undefined,
    staleTime: Infinity,
  });
  const event = known ?? read.data;
  if (!event) {
    return (
      <Drawer of={id} title="Event" onClose={onClose}>
        {read.error !== null
          ? <Problem error={read.error} onRetry={() => void read.refetch()} />
          : read.data === null
          ? <Empty title="There is no such event">The link is wrong.</Empty>
          : <Loading />}
      </Drawer>
    );
  }
  return <View event={event} onClose={onClose} onNarrow={onNarrow} onChanged={onChanged} />;
}

function View({ event, onClose, onNarrow, onChanged }: {
  event: Event;
  onClose: () => void;
  onNarrow: (changes: Partial<Filters>) => void;
  onChanged: () => void;
}) {
  const place = placeOf(event);
  const typed = typedReason(event);
  const idLabel = kinds[event.object]?.idLabel;
  const kind = kinds[event.object]?.one ?? event.object;
  const target = targetOf(place, kind);
  const request = useDeclined(event);
  const { busy, reopen } = useReopen(event.object_id, onChanged);
  const canReopen = request?.state === "declined" && may("approve");
  useShortcuts("This event", [
    { keys: ["o"], label: "Reopen the request", run: reopen, when: () => canReopen && !busy },
  ]);
  // The owner is named above.
  const isTold = ["by_user", "developer_id", "elevation"];
  if (isRecord(event.detail.before) || isRecord(event.detail.after)) {
    isTold.push("before", "after", "shortened");
  }
  const { by_user, developer_id = by_user } = event.detail;
  const details = Object.entries(event.detail).filter(([name]) => !isTold.includes(name));
  const number = refusedOf(event);
  const name = nameOf(event);
  const by = callOf(event);
  return (
    <Drawer
      of={event.id}
      title={number === undefined
        ? say`${actorOf(event)} ${actionOf(event)}`
        : say`${number} refused sign-ins ${fromWhere(event)}`}
      lead={event.action === "sign_in.refused"
        ? <Lock />
        : <Avatar name={actorOf(event)} id={event.actor} />}
      onClose={onClose}
      footer={
        <>
          {canReopen && (
            <Button kind="primary" shortcut="O" busy={busy} onClick={reopen}>Reopen</Button>
          )}
          {place !== undefined && (
            <Link class="button" href={place} aria-label={say`Open the ${target}`}>Open</Link>
          )}
          {event.object_id !== "" && (
            <Button
              kind="quiet"
              onClick={() => onNarrow({ ...noFilters, object_id: event.object_id })}
            >
              History
            </Button>
          )}
        </>
      }
    >
      {typed !== undefined && <blockquote class="quote">{typed}</blockquote>}
      <Facts>
        <Fact name="When">
          {exactTime(event.at)}, <Time at={event.at} />
        </Fact>
        <Fact name="Who">
          {actorOf(event)}
          {event.actor === "operator" && (
            <small class="field-hint">the command line, the first start, or the portal</small>
          )}
        </Fact>
        <Fact name="With">{throughOf(event)}</Fact>
        {name !== event.developer_name && <Fact name={kind}>{event.object_name}</Fact>}
        <Fact name="Developer">
          {developer_id
            ? <NotedValue name="by_user" value={developer_id} event={event} />
            : event.developer_name}
        </Fact>
        <Fact name="Plan">{event.plan_name}</Fact>
        {request && (
          <>
            <Fact name="From">{request.from}</Fact>
            <Fact name="Now">{request.now}</Fact>
          </>
        )}
      </Facts>
      <WhatChanged event={event} />
      <EachRefused event={event} />
      {details.length > 0 && (
        <Facts title="What was noted">
          {details.map(([name, value]) => (
            <Fact key={name} name={memberName(name)}>
              <NotedValue name={name} value={value} event={event} />
            </Fact>
          ))}
        </Facts>
      )}
      {by.length > 0 && (
        <Facts title="The call">
          {by.map(([name, text, value]) => (
            <Fact key={name} name={text}>
              <CopyId id={value} label={text.toLowerCase()} />
              <LinkButton
                aria-label={say`Show all of this ${text.toLowerCase()}`}
                onClick={() => onNarrow({ ...noFilters, [name]: value })}
              >
                Show all
              </LinkButton>
            </Fact>
          ))}
        </Facts>
      )}
      <Facts title="Action">
        <Fact name="Action" of={<code>{event.action}</code>} />
        {event.object_id !== "" && (
          <Fact name={idLabel ?? kind}>
            <CopyId
              id={event.object_id}
              label={idLabel?.toLowerCase() ?? say`id of the ${kind.toLowerCase()}`}
            />
          </Fact>
        )}
      </Facts>
      <h3 class="group-title">Proof</h3>
      <Proof key={event.id} event={event} />
      <h3 class="group-title">Event id</h3>
      <CopyId id={event.id} label="event id" />
    </Drawer>
  );
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The state of a request that the event is about; it may be gone. */
function useDeclined(event: Event) {
  const id = event.object_id;
  const { data } = useCall(["key-requests", id], getKeyRequest, { params: { id } }, {
    enabled: event.object === "key_request" && event.action !== "key_request.deleted" &&
      may("portal:read"),
    gcTime: 30_000,
  });
  if (!data) return undefined;
  const { name, company } = data.portal_developer.fields;
  const states = { pending: "Waits for a decision", issued: "Approved", declined: "Declined" };
  return {
    state: data.state,
    from: listed([name ?? data.portal_developer.email, company].filter(Boolean)),
    now: data.decided_by_name === null || data.state === "pending"
      ? states[data.state]
      : say`${states[data.state]} by ${data.decided_by_name}`,
  };
}

/** Reopens a declined request; says what happened, also if another person was quicker. */
function useReopen(id: string, onChanged: () => void) {
  const [busy, setBusy] = useState(false);
  const reopen = async () => {
    setBusy(true);
    try {
      await api.call(reopenKeyRequest, { params: { id }, headers: decisionKey() });
      toast({ text: "Reopened: the request waits for a decision again." });
      onChanged();
    } catch (error) {
      const text = codeOf(error) === "not_declined"
        ? "Another person reopened it already."
        : wordsOf(error);
      toast({ text, kind: "bad" });
    } finally {
      setBusy(false);
      void queries.invalidateQueries({ queryKey: ["key-requests"] });
    }
  };
  return { busy, reopen: () => void reopen() };
}

/** The call by which it was done: the filter's name, what it is called, and the value. */
function callOf(event: Event): [name: keyof Filters, text: string, value: string][] {
  const all: [keyof Filters, string, string][] = [
    ["token_id", "Access token", event.token_id],
    ["session", "Session", event.session],
    ["temporary_access", "Temporary access", String(event.detail.elevation ?? "")],
    ["request_id", "Request", event.request_id],
    ["request_id", "Caller's id of it", event.caller_request_id],
    ["client_address", "Address", event.client_address],
  ];
  return all.filter(([, , value]) => value !== "");
}

/** The noun of the link's target: not always the thing itself. */
function targetOf(place: string | undefined, kind: string): string {
  if (place?.includes("show=people")) return "person";
  return place?.startsWith("/requests") ? "key request" : kind.toLowerCase();
}
