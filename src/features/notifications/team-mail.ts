import type { MailName } from "../../contract/mail-names.ts";
import type { Connection } from "../../storage/storage.ts";
import { COMMENTED, mentionsOf } from "../key-requests/comment.ts";
import { findComment } from "../key-requests/comments.store.ts";
import { teamAmong } from "../key-requests/team.ts";
import type { V1Row } from "../key-requests/v1.store.ts";
import type { PersonRow } from "../people/person.ts";
import { whoMayDecide } from "../key-requests/who-may-decide.ts";

/** The content of a request's message to people of the team. */
interface RequestMessage {
  org_id: string;
  topic: string;
  object_id: string;
  /** JSON text of what it says beyond its ids; null: nothing. */
  detail: string | null;
}

const ASSIGNED = "key_request.assigned";

/** The mails that tell of one request, by their topics, but for that of a new one. */
const mails: Readonly<Record<string, MailName>> = {
  "key_request.reminded": "key_request.reminded",
  "key_request.approval_restarted": "key_request.approval_restarted",
  "key_request.step_approved": "key_request.next_step",
  "key_request.expires_soon": "key_request.expires_soon",
  [ASSIGNED]: ASSIGNED,
  [COMMENTED]: "key_request.mentioned",
};

/** The mail that tells people of one request. */
export function mailOfOne(topic: string): MailName {
  return mails[topic] ?? "key_request.waiting";
}

/**
 * Whether a person is still to hear of a request by a message of this topic: of what is said to
 * them and of what is theirs as long as they are of its team, else while they may decide it.
 */
export async function isToHear(
  db: Connection,
  message: RequestMessage & { at: string },
  row: V1Row,
  person: PersonRow,
): Promise<boolean> {
  const { org_id, topic, at } = message;
  const isAssignee = row.state === "pending" && row.assignee === person.id;
  if (topic !== COMMENTED && topic !== ASSIGNED) {
    const of = { people: [person], now: Date.parse(at) };
    return (await whoMayDecide(db, org_id, row, of)).length > 0;
  }
  const isConcerned = topic === COMMENTED
    ? (await mentionedIn(db, message)).includes(person.id)
    : isAssignee;
  return isConcerned && (await teamAmong(db, { org_id, ...row }, [person])).length > 0;
}

/** Whom the comment mentions that a message tells of; no one once it is removed. */
export async function mentionedIn(
  db: Connection,
  { org_id, object_id: request_id, detail }: Omit<RequestMessage, "topic">,
): Promise<string[]> {
  // as: addComment writes it.
  const { comment: id = "" } = JSON.parse(detail ?? "{}") as { comment?: string };
  const comment = await findComment(db, { org_id, request_id, id });
  return comment?.removed_at === null ? mentionsOf(comment) : [];
}

/** To whom a message says that a request was assigned, where it is theirs still. */
export function assigneeIn(detail: string | null, row: V1Row | undefined): string | undefined {
  // as: assignSeen writes it.
  const said = JSON.parse(detail ?? "{}") as { assignee?: string };
  const assignee = row?.assignee ?? undefined;
  return said.assignee === assignee ? assignee : undefined;
}
