import type { StoredEvent } from "../../changes/audit-content.ts";
import { type Personal, withPersonal } from "../../changes/personal.ts";
import { version } from "../../kernel/version.ts";

/** The version of the Open Cybersecurity Schema Framework that events are written in. */
const OCSF_VERSION = "1.3.0";

/** The classes that are used, each with its number and its category's. */
const classes = {
  account_change: { class_uid: 3001, category_uid: 3 },
  authentication: { class_uid: 3002, category_uid: 3 },
  entity_management: { class_uid: 3004, category_uid: 3 },
  api_activity: { class_uid: 6003, category_uid: 6 },
} as const;

const OTHER = 99;
const SUCCESS = 1;
const FAILURE = 2;
const INFORMATIONAL = 1;
const MEDIUM = 3;

/** The activity of an account's event, by the end of its action. */
const accountActivity: Readonly<Record<string, number>> = {
  created: 1,
  reactivated: 2,
  resumed: 2,
  password_changed: 3,
  deactivated: 5,
  suspended: 5,
  deleted: 6,
};

/**
 * The activity of all other events, by the end of their action. Actions that are neither create,
 * read nor delete are updates.
 */
const entityActivity: Readonly<Record<string, number>> = {
  created: 1,
  issued: 1,
  added: 1,
  imported: 1,
  read: 2,
  deleted: 4,
  revoked: 4,
  withdrawn: 4,
  purged: 4,
};

/** A row of the audit log as an event of OCSF. `leaf_index` null: it waits for the log. */
export function ocsfEvent(row: StoredEvent, leaf_index: number | null): Record<string, unknown> {
  // as: recordAudit wrote both, each an object.
  const detail = JSON.parse(row.detail) as Record<string, unknown>;
  const whole = withPersonal(detail, JSON.parse(row.personal) as Personal);
  const isRefusal = row.action.endsWith("refused");
  const { name, activity_id, more } = classOf(row);
  const { class_uid, category_uid } = classes[name];
  return {
    class_uid,
    category_uid,
    activity_id,
    type_uid: class_uid * 100 + activity_id,
    ...activity_id === OTHER ? { activity_name: row.action } : {},
    severity_id: isRefusal ? MEDIUM : INFORMATIONAL,
    status_id: isRefusal ? FAILURE : SUCCESS,
    time: Date.parse(row.at),
    message: row.action,
    metadata: {
      version: OCSF_VERSION,
      product: { name: "Keydesk", vendor_name: "Keydesk", version },
      uid: row.id,
      event_code: row.action,
      tenant_uid: row.org_id,
      original_time: row.at,
      ...row.request_id === "" ? {} : { correlation_uid: row.request_id },
      ...leaf_index === null ? {} : { sequence: leaf_index },
    },
    actor: actorOf(row),
    src_endpoint: endpointOf(row),
    ...more,
    unmapped: {
      object: row.object,
      object_id: row.object_id,
      detail: whole,
      ...row.caller_request_id === "" ? {} : { caller_request_id: row.caller_request_id },
    },
  };
}

type Class = keyof typeof classes;

function classOf(row: StoredEvent): {
  name: Class;
  activity_id: number;
  more: Record<string, unknown>;
} {
  const { action, object, object_id } = row;
  const what = action.slice(action.lastIndexOf(".") + 1);
  const service = { service: { name: "keydesk" } };
  if (object === "session" || object === "sign_in" || what === "sign_in_refused") {
    const user = object === "developer" ? { uid: object_id } : userOf(row);
    const activity_id = what === "ended" ? 2 : 1;
    return { name: "authentication", activity_id, more: { user, ...service } };
  }
  if (object === "person" || object === "developer") {
    const activity_id = accountActivity[what] ?? OTHER;
    return { name: "account_change", activity_id, more: { user: { uid: object_id } } };
  }
  if (action === "call.refused" || action === "list.streamed" || what === "exported") {
    const activity_id = what === "refused" ? OTHER : 2;
    return { name: "api_activity", activity_id, more: { api: { operation: object_id } } };
  }
  const activity_id = entityActivity[what] ?? 3;
  const entity = { uid: object_id === "" ? object : object_id, type: object };
  return { name: "entity_management", activity_id, more: { entity } };
}

function actorOf(row: StoredEvent): Record<string, unknown> {
  const session = row.session === "" ? {} : { session: { uid: row.session } };
  return { user: userOf(row), ...session };
}

function userOf({ actor, token_id }: StoredEvent): Record<string, unknown> {
  return {
    uid: actor === "" ? "unknown" : actor,
    ...token_id === "" ? {} : { credential_uid: token_id },
  };
}

/** The address, if it is a whole one; without one the server itself was the caller. */
function endpointOf({ client_address }: StoredEvent): Record<string, unknown> {
  if (client_address === "") return { name: "keydesk" };
  return client_address.includes("/") ? { name: client_address } : { ip: client_address };
}
