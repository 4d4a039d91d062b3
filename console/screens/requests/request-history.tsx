import { listAuditLog } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import type { RequestDetail } from "./request.ts";

const words: Record<string, string> = {
  "key_request.created": "asked",
  "key_request.updated": "changed the request",
  "key_request.approved": "approved",
  "key_request.step_approved": "approved a step",
  "key_request.declined": "declined",
  "key_request.reopened": "reopened",
  "key_request.reason_changed": "changed the reason",
  "key_request.offered": "offered less",
  "key_request.offer_withdrawn": "withdrew the offer",
  "key_request.offer_answered": "answered the offer",
  "key_request.word_added": "added words",
  "key_request.late_soon": "warned: soon late",
  "key_request.late": "reported it as late",
  "key_request.commented": "commented",
  "key_request.comment_removed": "removed a comment",
  "key_request.assigned": "assigned it",
  "key_request.unassigned": "assigned it to no one",
  "key_request.reminded": "reminded approvers",
  "key_request.approval_restarted": "restarted its approval, by today’s policy",
  "key_request.expires_soon": "reminded approvers that it expires",
};

/** The history of a request, newest first: out of the audit log, for people who may read it. */
export function RequestHistory({ request }: { request: RequestDetail }) {
  const { id, revision, added_words, reminded_at } = request;
  const events = useCall(
    ["audit-log", "of", id, revision, added_words.length, reminded_at ?? ""],
    listAuditLog,
    {
      query: { object_id: id, limit: 10 },
    },
    { enabled: may("audit"), gcTime: 30_000 },
  ).data;
  if (!events || events.data.length === 0) return null;
  return (
    <>
      <h3 class="group-title">History</h3>
      <ol class="history">
        {events.data.map((event) => (
          <li key={event.id}>
            <span>
              {event.action === "key_request.created"
                ? "Asked"
                : say`${event.actor_name} ${
                  words[event.action] ?? event.action.replace(/^.*\./, "")
                }`}
            </span>
            <Time at={event.at} />
          </li>
        ))}
      </ol>
    </>
  );
}
