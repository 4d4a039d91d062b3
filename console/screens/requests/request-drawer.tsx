import { useEffect, useRef, useState } from "preact/hooks";
import { getKeyRequest } from "../../api/endpoints.ts";
import { questionOf } from "../../../src/kernel/question-words.ts";
import { usePlans, usePlansSettled } from "../../api/plans.ts";
import { useCall } from "../../api/queries.ts";
import { hasScope, known, may } from "../../api/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { OneTimeLinkState } from "../../parts/one-time-link-state.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../parts/drawer.tsx";
import { PlanLines } from "../../parts/plan-lines.tsx";
import { Pill } from "../../parts/pill.tsx";
import { Loading, Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { MessageHistory } from "../../parts/message-history.tsx";
import { UnknownPlans } from "../../parts/unknown-plans.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { whyOf } from "../../parts/request-words.ts";
import { say } from "../../said.ts";
import { DeveloperSection } from "./developer-section.tsx";
import { deletedPlans, Hints, useHints } from "./hints.tsx";
import { RequestHistory } from "./request-history.tsx";
import { authName, type RequestDetail, type RequestRow, stateView, toRow } from "./request.ts";

const TeamComments = lazily(() => import("./team-comments.tsx"));
const GrantedFacts = lazily(() => import("./granted-facts.tsx"));
const IssuedKeys = lazily(() => import("./issued-keys.tsx"));
const TeamAssignee = lazily(() => import("./team-assignee.tsx"));
const GrantedSteps = lazily(() => import("./granted-steps.tsx"));

/** While one walks through many, only those that one stays at are read. */
const DWELL_MS = 120;

/**
 * How often an open request is read again: what another person decides stands there within two
 * seconds.
 */
const NEWS_MS = 1500;

/**
 * A request in full, beside the list. `row` is what the list knows of it: shown until the rest is
 * read.
 */
export function RequestDrawer(
  {
    id,
    row,
    onRead,
    onWhole,
    onClose,
    onApprove,
    onDecline,
    onReopen,
    onReason,
    onWithdraw,
    onAssigned,
  }: {
    id: string;
    row: RequestRow | undefined;
    /** Called with the server's present answer, which may be news. */
    onRead: (request: RequestDetail) => void;
    /** Called once all of it is shown; `isPlain`: no hint is to be looked at first. */
    onWhole: (request: RequestDetail, isPlain: boolean) => void;
    onClose: () => void;
    onApprove: (row: RequestRow) => void;
    onDecline: (row: RequestRow, reason?: string) => void;
    onReopen: (row: RequestRow) => void;
    onReason: (request: RequestDetail) => void;
    /** Takes back what was offered. */
    onWithdraw: (row: RequestRow) => void;
    /** Another person is assigned from now on. */
    onAssigned: (request: RequestDetail) => void;
  },
) {
  const stays = useDwell(id);
  const read = useCall(["key-requests", id], getKeyRequest, { params: { id } }, {
    enabled: stays,
    gcTime: 30_000,
    refetchInterval: NEWS_MS,
  });
  const request = read.data;
  useEffect(() => {
    if (request) onRead(request);
  }, [request]);
  const { hints, isKnown, isUnread } = useHints(stays ? request : undefined);
  useEffect(() => {
    if (request && isKnown) onWhole(request, !isUnread && hints.length === 0);
  }, [request?.id, isKnown]);
  // A visit by the address sees all of it at once below the quotation, even if the list is read
  // first: nothing moves. A walk through the list shows the row's fields first.
  const isWhole = useRef(row !== undefined && !wasOpenedAt(id));
  const [isRead, setIsRead] = useState(false);
  const isSignedIn = known() !== undefined;
  useEffect(() => {
    // Before that it is not known which parts there are.
    if (!isSignedIn) return;
    const parts = may("approve") ? [TeamAssignee, TeamComments] : [];
    void Promise.all(parts.map((part) => part.ahead())).then(() => setIsRead(true));
  }, [isSignedIn]);
  const arePlansThere = usePlansSettled();
  isWhole.current ||= stays && request !== undefined && isKnown && isRead && arePlansThere;
  const shown = request ? toRow(request) : isWhole.current ? row : undefined;
  if (!shown) {
    return (
      <UnreadDrawer
        of={id}
        title="Key request"
        lead={<span class="avatar" />}
        read={read}
        gone={["There is no such request", "It was deleted, or the link is wrong."]}
        onClose={onClose}
      />
    );
  }
  const decides = may("approve");
  return (
    <Drawer
      of={id}
      title={shown.developer}
      lead={<Avatar name={shown.developer} id={shown.developerId} />}
      onClose={onClose}
      footer={decides && (
        shown.state === "pending"
          ? (
            <>
              {shown.offer === "waiting"
                ? !hasScope() && <Button onClick={() => onWithdraw(shown)}>Withdraw offer</Button>
                : (
                  <Button kind="primary" shortcut="A" onClick={() => onApprove(shown)}>
                    Approve
                  </Button>
                )}
              <Button kind="danger" shortcut="D" onClick={() => onDecline(shown)}>Decline</Button>
            </>
          )
          : shown.state === "declined" && (
            <>
              <Button onClick={() => onReopen(shown)}>Reopen</Button>
              {request && (
                <Button kind="quiet" onClick={() => onReason(request)}>
                  {request.reason ? "Change reason" : "Add reason"}
                </Button>
              )}
            </>
          )
      )}
    >
      {shown.why !== "" && <blockquote class="quote">{shown.why}</blockquote>}
      {!isWhole.current ? <Loading key="rest" /> : (
        <>
          {stays && request?.state === "pending" && (
            <Hints
              request={request}
              hints={hints}
              onApprove={decides && shown.offer !== "waiting" ? () => onApprove(shown) : undefined}
              onDecline={decides ? (reason) => onDecline(shown, reason) : undefined}
            />
          )}
          <About row={shown} request={request} deleted={deletedPlans(hints)} />
          {stays && request?.state === "pending" && decides && (
            <TeamAssignee request={request} onAssigned={onAssigned} />
          )}
          {request?.approval && <GrantedSteps request={request} />}
          {request && isMoreSaid(request) && <GrantedFacts request={request} />}
          {stays && !hints.some(({ hint }) => hint === "plan_deleted") && (
            <UnknownPlans asked of={shown.planIds} />
          )}
          {read.error !== null && !request && (
            <Problem
              error={read.error}
              onRetry={() => void read.refetch()}
            />
          )}
          {request && stays && (
            <>
              {request.state === "issued" && (
                <OneTimeLinkState of={{ key_request_id: request.id }} />
              )}
              {request.state === "issued" && may("portal:read") && (
                <IssuedKeys key={request.id} of={request} />
              )}
              <Answers fields={request.fields} />
              {(decides || may("admin:read")) && <TeamComments id={request.id} />}
              <DeveloperSection request={request} />
              <RequestHistory request={request} />
              <MessageHistory of={request.id} />
            </>
          )}
          <h3 class="group-title">Request id</h3>
          <CopyId id={shown.id} label="request id" />
        </>
      )}
    </Drawer>
  );
}

/** Whether the page was opened at the address of this request. */
function wasOpenedAt(id: string): boolean {
  return performance.getEntriesByType("navigation")
    .some(({ name }) => new URL(name).pathname.endsWith(`/${encodeURIComponent(id)}`));
}

/** True once `id` has stayed the same for a moment. */
function useDwell(id: string): boolean {
  const [stayed, setStayed] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setStayed(id), stayed === undefined ? 0 : DWELL_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return stayed === id;
}

function About({ row, request, deleted }: {
  row: RequestRow;
  request: RequestDetail | undefined;
  /** See deletedPlans. */
  deleted: string;
}) {
  const plans = usePlans();
  const [first, ...others] = row.planIds.filter((id) => !plans.has(id));
  const notes = deleted !== "" && first !== undefined && others.length === 0
    ? new Map([[first, say`${deleted}, deleted`]])
    : undefined;
  const plan = plans.get(row.planIds[0] ?? "");
  const { tone, text } = stateView(row);
  return (
    <Facts>
      <Fact name="Status">
        <Pill tone={tone}>{text}</Pill>
        {row.decidedBy && (
          <span class="muted decided">
            by {row.decidedBy} <Time at={row.decidedAt} />
          </span>
        )}
      </Fact>
      <Fact name="Reason">{request?.reason}</Fact>
      <Fact name="Requested" of={<Time at={row.askedAt} />} />
      <Fact name="Expires">{row.expiresAt && <Time at={row.expiresAt} />}</Fact>
      <Fact name={row.planIds.length > 1 ? say`Requests ${row.planIds.length} plans` : "Requests"}>
        <PlanLines of={row.planIds} entry={row.entry} {...notes ? { notes } : {}} />
      </Fact>
      <Fact name="Gives up">
        {request && request.remove_plans.length > 0 && <PlanLines of={request.remove_plans} />}
      </Fact>
      <Fact name="Auth">{authName(plan?.authType ?? row.authType)}</Fact>
      <Fact name="Redirect URI">
        {request?.oauth_info?.redirect_uri && <code>{request.oauth_info.redirect_uri}</code>}
      </Fact>
      <Fact name="Assigned to">{!may("approve") && request?.assignee?.name}</Fact>
      <Fact name="Later expiry">{row.askedEnd && <Time at={row.askedEnd} />}</Fact>
      <Fact name="Changes key">
        {request?.key && <CopyId id={request.key} shown={short(request.key)} label="key id" />}
      </Fact>
    </Facts>
  );
}

/** Whether there is something that GrantedFacts shows. */
function isMoreSaid(
  { granted, offer, message, reminded_at, added_words }: RequestDetail,
): boolean {
  return Boolean(granted || offer || message || reminded_at) || added_words.length > 0;
}

/** Every answer but the one that stands above as the quotation. */
function Answers({ fields }: { fields: Readonly<Record<string, string>> }) {
  const why = whyOf(fields);
  const answers = Object.entries(fields).filter(([, value]) => value !== "" && value !== why);
  if (answers.length === 0) return null;
  return (
    <Facts title="Form answers">
      {answers.map(([name, value]) => <Fact key={name} name={questionOf(name)}>{value}</Fact>)}
    </Facts>
  );
}

/** The end of a long id, which is where they differ. */
function short(id: string): string {
  return id.length > 16 ? `…${id.slice(-12)}` : id;
}
