/** The audit log in words. What is not listed here is shown as the server names it. */
import { listed, say } from "../../said.ts";
import type { Detail } from "./kind.ts";
import { kinds, textOf } from "./kinds.ts";

/** An event as far as words need it. */
export interface Noted {
  readonly actor: string;
  readonly actor_name: string;
  readonly action: string;
  readonly object: string;
  readonly object_id: string;
  readonly object_name: string;
  readonly developer_name: string;
  readonly plan_name: string;
  readonly detail: Detail;
}

interface Through {
  readonly actor: string;
  readonly action: string;
  readonly token_id: string;
  readonly token_name: string;
}

/** Actions on things of several kinds, by the whole action. */
const actions: Readonly<Record<string, string>> = {
  "call.refused": "was refused a call",
  "sign_in_code.created": "made a sign-in link",
  "import.batch": "imported objects from another system",
  "secret.read": "read secrets",
  "audit_log.exported": "exported the audit log",
  "certificates.exported": "exported certificates",
  "archive.exported": "exported the whole organisation",
  "job_result.exported": "took a job’s result",
  "outbox.exported": "exported the outbox",
  "key_requests.exported": "exported key requests",
  "keys.exported": "exported keys",
  "developers.exported": "exported developers",
  "developer.sign_in_refused": "reported a developer’s refused sign-in",
  "store.backed_up": "made a backup",
  "store.restored": "put the store back",
  "retention.purged": "removed what is no longer kept",
  "audit_log.erased": "erased personal values from the audit log",
  "audit_log.key_changed": "signed the audit log’s checkpoints with a new key",
  "audit_log.accepted": "accepted a restored log as it is",
  "secret.lost": "gave up a secret whose sealing key was lost",
};

/** The actor of an event. */
export function actorOf({ actor, actor_name }: Pick<Noted, "actor" | "actor_name">): string {
  if (actor === "operator") return "The server administrator";
  if (["keydesk", "deliveries", "schedule"].includes(actor)) return "Keydesk";
  if (actor === "leak-desk") return "The leak reports";
  if (actor === "unknown") return "Unknown";
  return actor === "claim-link" ? "The holder of the link" : actor_name;
}

/** With which access token: its name, else what stands for one. */
export function throughOf({ actor, action, token_id, token_name }: Through): string {
  if (actor === "claim-link") return "one-time link";
  if (actor === "keydesk") return "Keydesk itself";
  if (actor === "operator" && token_id === "") return "command line";
  if (action === "sign_in.refused" && token_id === "") return "none matched";
  return token_name || token_id;
}

/** The action, behind the name. */
export function actionOf(event: Noted): string {
  const { before, name, after } = sentenceOf(event);
  return say`${before}${name}${after}`;
}

/** The action in parts: `name` is the object's name; "" if it is unknown. */
export function sentenceOf(event: Noted): { before: string; name: string; after: string } {
  const { action, object } = event;
  const text = action === "session.ended" ? endOf(event) : didOf(action) ?? say`did ${action}`;
  const kind = kinds[object];
  const name = nameOf(event);
  const noun = kind?.noun ?? kind?.one.toLowerCase();
  const found = name === "" ? null : new RegExp(`\\ban? (${noun})(?![a-z])`).exec(text);
  if (!found) return { before: text, name: "", after: "" };
  const end = found.index + found[0].length;
  const before = say`${text.slice(0, found.index)}the ${found[1]} ${kind?.isOf ? "of " : ""}`;
  return { before, name, after: text.slice(end) };
}

/** The object's name: requests and links by their owner. */
export function nameOf({ object, object_name, developer_name, detail }: Noted): string {
  if (!kinds[object]?.isOf && object !== "developer") return object_name;
  return developer_name || (textOf(detail.by_user) ?? "");
}

/** A session ends by its own person's word, or because there is another one. */
function endOf({ detail }: Noted): string {
  const reason = textOf(detail.reason);
  return reason === undefined ? "signed out" : "revoked a session";
}

/** The line below the sentence: a reason, an owner, or a plan, if there is one. */
export function noteOf(event: Noted): string {
  const { action, object, object_id, object_name, developer_name, plan_name, detail } = event;
  const typed = typedReason(event);
  if (typed !== undefined) return say`“${typed}”`;
  if (action.endsWith(".leaked")) return textOf(detail.url) ?? textOf(detail.name) ?? "";
  const owner = object === "key" ? developer_name : object === "one_time_link" ? object_name : "";
  const note = listed([owner, plan_name && say`for ${plan_name}`].filter(Boolean));
  if (note !== "") return note;
  if (object === "session") return sessionNote(detail);
  if (action === "sign_in.refused") return refusedNote(event);
  if (action !== "call.refused") {
    const name = textOf(detail.name) ?? "";
    return name === nameOf(event) ? "" : name;
  }
  const why = refusals[String(detail.reason)] ?? textOf(detail.reason);
  return listed(
    [listed([textOf(detail.method), object_id].filter(Boolean), " "), why].filter(Boolean),
    ": ",
  );
}

const sessionNote = ({ by, reason }: Detail) => signInBy[`${by}`] ?? textOf(reason) ?? "";

/** By what one signed in. */
export const signInBy: Readonly<Record<string, string>> = {
  code: "with a sign-in link",
  credential: "with an access token",
  passkey: "with a passkey",
  invitation: "with an invitation",
};

function refusedNote({ actor, object_id, detail }: Noted): string {
  if (typeof detail.count === "number") return `${detail.count} more than this list shows`;
  const what = actor === "unknown" ? "unknown access token" : "access token no longer in force";
  return listed([what, object_id && say`at ${object_id}`].filter(Boolean));
}

/** The reason that a person typed; the server's own are none. */
export function typedReason({ object, detail }: Noted): string | undefined {
  return object === "key_request" || object === "key" ? textOf(detail.reason) : undefined;
}

/** Why a call was refused, by the failure's code. */
const refusals: Readonly<Record<string, string>> = {
  access_denied: "the access token does not allow it",
  csrf_refused: "it did not come from the console’s own page",
  fresh_sign_in_required: "it takes a fresh sign-in",
};

/** The path of the object's screen, below `/console`; undefined without one. */
export function placeOf({ action, object, object_id, detail }: Noted): string | undefined {
  return action.endsWith(".deleted") ? undefined : kinds[object]?.place?.(object_id, detail);
}

/** Actions of a kind of thing, for the filter. */
export function actionsOf(object: string): readonly { value: string; text: string }[] {
  const { did = {}, also = [] } = kinds[object] ?? {};
  const prefix = object === "import" ? "keys" : object;
  const own = Object.keys(did).map((name) => `${prefix}.${name}`);
  return [...own, ...also].map((value) => {
    const text = didOf(value) ?? value;
    return { value, text: text.slice(0, 1).toUpperCase() + text.slice(1) };
  });
}

/** By the action alone: its object may be of another kind. */
function didOf(action: string): string | undefined {
  const dot = action.indexOf(".");
  const kind = action.slice(0, dot);
  return actions[action] ??
    kinds[kind === "keys" ? "import" : kind]?.did[action.slice(dot + 1)];
}

/** A member's name for people: "expires_at" is "Expires at", "key_id" is "Key". */
export function memberName(name: string): string {
  const words = name === "by_user" ? "developer" : name.replace(/_id$/, "").replaceAll("_", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** A member's value for people. */
export function memberText(value: unknown): string {
  if (Array.isArray(value)) return listed(value.map(memberText)) || "none";
  if (value === null || value === undefined || value === "") return "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
