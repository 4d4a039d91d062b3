import type { ComponentChildren } from "preact";
import type { z } from "zod";
import { Link } from "wouter-preact";
import type { hint } from "../../../src/features/key-requests/hints.operations.ts";
import { listHints } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { Time } from "../../parts/time.tsx";
import { RequestLink } from "./developer-section.tsx";
import { say } from "../../said.ts";
import type { RequestDetail } from "./request.ts";

type Hint = z.output<typeof hint>;

/** So many links stand beside a hint. */
const MOST_LINKS = 3;

/** Hints for a pending request; `isKnown` once they are certain. */
export function useHints(request: RequestDetail | undefined) {
  const enabled = request?.state === "pending";
  const { data, error } = useCall(
    ["key-requests", request?.id, "hints", request?.revision],
    listHints,
    { params: { id: request?.id ?? "" } },
    { enabled, gcTime: 30_000 },
  );
  return {
    hints: data?.data ?? [],
    isKnown: !enabled || data !== undefined || error !== null,
    isUnread: error !== null,
  };
}

/** Hints before a request is decided, worst first; a hint never blocks. */
export function Hints({ request, hints, onApprove, onDecline }: {
  request: RequestDetail;
  hints: readonly Hint[];
  /** Asks for the approval; undefined: the person may not. */
  onApprove: (() => void) | undefined;
  /** Declines it with a reason that is ready; undefined: the person may not. */
  onDecline: ((reason: string) => void) | undefined;
}) {
  return (
    <ul class="hints" aria-label="Hints">
      {hints.map((one) => (
        <li key={one.hint}>
          <b>{one.title}</b>
          <div>
            <About hint={one} request={request} />
            {onApprove && one.hint === "plan_deleted" && !request.key && (
              <>
                {" "}
                <button type="button" class="link-button" onClick={onApprove}>
                  Offer another plan
                </button>{" "}
                ·
              </>
            )}
            {onDecline && (one.hint === "plan_deleted" || one.hint === "plan_withdrawn") && (
              <>
                {" "}
                <button
                  type="button"
                  class="link-button"
                  onClick={() => onDecline(goneReason(one.detail))}
                >
                  Decline, saying so
                </button>
              </>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The names of requested plans that were deleted; "": none was. */
export function deletedPlans(hints: readonly Hint[]): string {
  return hints.find(({ hint }) => hint === "plan_deleted")?.detail ?? "";
}

/** The reason of a decline for plans that are gone. */
export function goneReason(plans: string): string {
  return say`No longer offered: ${plans}. Please request another plan.`;
}

function About({ hint, request }: { hint: Hint; request: RequestDetail }) {
  const { detail, at, key_ids, request_ids } = hint;
  switch (hint.hint) {
    case "holds_active_key":
      return (
        <>
          <KeyLink id={key_ids[0]}>{detail}</KeyLink>, last used <Time at={at} />
        </>
      );
    case "email_unconfirmed":
      return (
        <>
          It became <code>{detail}</code> <Time at={at} />; no link is mailed to it.{" "}
          <Link class="text-link" href={`/developers/${encodeURIComponent(request.by_user)}`}>
            Confirm it
          </Link>
        </>
      );
    case "email_changed":
      return (
        <>
          It became <code>{detail}</code> <Time at={at} />
        </>
      );
    case "email_mixed_script":
      return <code>{detail}</code>;
    case "declined_before":
      return (
        <>
          A request of <Time at={at} />{" "}
          <RequestLink id={request_ids[0] ?? ""}>was declined</RequestLink>. {detail}
        </>
      );
    case "keys_unused":
      return key_ids.slice(0, MOST_LINKS).map((id, at) => (
        <>
          {at > 0 && ", "}
          <KeyLink id={id}>{detail || <code>…{id.slice(-6)}</code>}</KeyLink>
        </>
      ));
    case "same_company":
      return request_ids.slice(0, MOST_LINKS).map((id, at) => (
        <>
          {at > 0 && ", "}
          <RequestLink id={id}>
            <code>…{id.slice(-6)}</code>
          </RequestLink>
        </>
      ));
    default:
      return <>{detail}{at !== null && <Time at={at} />}</>;
  }
}

function KeyLink({ id = "", children }: { id?: string | undefined; children: ComponentChildren }) {
  return <Link class="text-link" href={`/keys/${id}`}>{children}</Link>;
}
