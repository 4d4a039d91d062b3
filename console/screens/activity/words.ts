/** The trail in words. What is not listed here is shown as the server names it. */

interface Kind {
  /** For the filter: all of them. */
  readonly plural: string;
  readonly one: string;
  /** What the event's `object_id` says, where it is no id of such a thing. */
  readonly told?: string;
  /** The part of the action behind the dot, and what it says behind somebody's name. */
  readonly did: Readonly<Record<string, string>>;
  /** What else happens to such a thing: whole actions, whose words are below. */
  readonly also?: readonly string[];
  /** The screen that shows one, by the event. */
  readonly place?: (id: string, detail: Detail) => string | undefined;
}

/** What the server noted of an event. */
export type Detail = Readonly<Record<string, unknown>>;

/** An event as far as words need it. */
export interface Noted {
  readonly actor: string;
  readonly actor_name: string;
  readonly action: string;
  readonly object: string;
  readonly object_id: string;
  readonly detail: Detail;
}

const at = (base: string) => (id: string) => `${base}/${encodeURIComponent(id)}`;
const textOf = (value: unknown) => typeof value === "string" && value !== "" ? value : undefined;
const by = (base: string, member: string) => (_id: string, detail: Detail) => {
  const id = textOf(detail[member]);
  return id === undefined ? undefined : at(base)(id);
};

/** Every kind of thing that the trail tells of. */
export const kinds: Readonly<Record<string, Kind>> = {
  key_request: {
    plural: "Key requests",
    one: "Key request",
    did: {
      created: "sent a key request",
      updated: "changed a key request",
      approved: "approved a key request",
      declined: "declined a key request",
      reopened: "reopened a key request",
      reason_changed: "changed the reason of a decline",
      reissued: "issued a request’s key anew",
      deleted: "deleted a key request",
    },
    place: at("/key-requests"),
  },
  credential: {
    plural: "Keys",
    one: "Key",
    did: {
      issued: "issued a key",
      revoked: "revoked a key",
      suspended: "suspended a key",
      resumed: "resumed a key",
      rotated: "rotated a key",
      plans_changed: "changed the plans of a key",
      expiry_changed: "changed when a key ends",
      quota_reset: "began the quota of a key anew",
      leaked: "heard that a key has leaked",
      alerts_muted: "muted the alerts of a key",
      alerts_unmuted: "lifted the mute of a key’s alerts",
      rehashed: "stored an imported key’s hash anew",
      damaged: "found a key that was changed past Keydesk",
      accepted: "took a key that was changed past Keydesk as it stands",
      mended: "found a key as it was again",
    },
    place: at("/keys"),
  },
  claim: {
    plural: "Claim links",
    one: "Claim link",
    did: {
      created: "made a claim link",
      opened: "opened a claim link",
      withdrawn: "withdrew a claim link",
    },
    place: by("/key-requests", "request_id"),
  },
  import: {
    plural: "Imports",
    one: "Import",
    did: { imported: "imported keys" },
    also: ["import.batch"],
  },
  certificate: {
    plural: "Certificates",
    one: "Certificate",
    did: {
      added: "added a certificate",
      key_added: "added a certificate’s private key",
      updated: "changed a certificate’s owner or tags",
      alerts_muted: "muted the alerts of a certificate",
      alerts_unmuted: "lifted the mute of a certificate’s alerts",
      deleted: "deleted a certificate",
    },
    place: at("/certificates"),
  },
  alerts: {
    plural: "Alerts",
    one: "Alerts",
    told: "organisation",
    did: { digest: "counted what ends soon", settings_changed: "changed when is told of ends" },
  },
  developer: {
    plural: "Developers",
    one: "Developer",
    did: {
      created: "registered a developer",
      updated: "changed a developer",
      deactivated: "deactivated a developer",
      reactivated: "reactivated a developer",
      password_changed: "changed a developer’s password",
      deleted: "deleted a developer",
    },
    also: ["developer.sign_in_refused"],
    place: at("/developers"),
  },
  plan: {
    plural: "Plans",
    one: "Plan",
    did: {
      created: "added a plan",
      updated: "changed a plan",
      approval_changed: "changed how a plan’s requests are decided",
      deleted: "deleted a plan",
    },
    place: at("/plans"),
  },
  api: {
    plural: "APIs",
    one: "API",
    did: {
      created: "added an API",
      updated: "changed an API",
      deleted: "removed an API",
    },
    place: at("/catalogue"),
  },
  catalogue: { plural: "Catalogue", one: "Catalogue", did: { updated: "changed the catalogue" } },
  configuration: {
    plural: "Portal settings",
    one: "Portal settings",
    did: { updated: "changed the portal’s settings" },
  },
  documentation: {
    plural: "Documents",
    one: "Document",
    did: {
      created: "added a document",
      updated: "changed a document",
      deleted: "deleted a document",
    },
  },
  person: {
    plural: "People",
    one: "Person",
    did: {
      created: "added a person",
      updated: "changed a person",
      deactivated: "deactivated a person",
      suspended: "suspended a person",
      resumed: "resumed a person",
      damaged: "found a person that was changed past Keydesk",
      accepted: "took a person that was changed past Keydesk as it stands",
      mended: "found a person as it was again",
    },
    place: at("/settings"),
  },
  access_token: {
    plural: "Access tokens",
    one: "Access token",
    did: {
      created: "issued an access token",
      revoked: "revoked an access token",
      rotated: "rotated an access token",
      limited: "changed from where an access token opens anything",
      leaked: "heard that an access token has leaked",
      refused: "was refused: not from this address",
      damaged: "found an access token that was changed past Keydesk",
      accepted: "took an access token that was changed past Keydesk as it stands",
      mended: "found an access token as it was again",
    },
    also: ["sign_in_code.created"],
    place: by("/settings", "person_id"),
  },
  session: {
    plural: "Sessions",
    one: "Session",
    did: { created: "signed in", ended: "signed out" },
  },
  organisation: {
    plural: "Organisations",
    one: "Organisation",
    did: { created: "made an organisation" },
  },
  target: {
    plural: "Targets",
    one: "Target",
    did: {
      created: "made a target of messages",
      updated: "changed a target of messages",
      deleted: "removed a target of messages",
      paused: "paused a target of messages",
      resumed: "resumed a target of messages",
      secret_rotated: "rotated a target’s secret",
      replayed: "sent a target messages again",
      tested: "sent a target a test",
    },
    place: (id) => `/settings/${encodeURIComponent(id)}?show=targets`,
  },
  branding: { plural: "Brand", one: "Brand", did: { updated: "changed the brand" } },
  delivery: {
    plural: "Deliveries",
    one: "Delivery",
    did: { replayed: "sent a message again" },
    place: at("/deliveries"),
  },
  sign_in: {
    plural: "Refused sign-ins",
    one: "Refused sign-in",
    told: "Tried at",
    did: { refused: "was refused a sign-in" },
  },
  endpoint: {
    plural: "Refused calls",
    one: "Refused call",
    told: "Called",
    did: {},
    also: ["call.refused"],
  },
  call: { plural: "Many refusals", one: "Refused calls", did: {}, also: ["call.refused"] },
  list: {
    plural: "Whole lists",
    one: "List read whole",
    told: "Read at",
    did: { streamed: "read a whole list" },
  },
  export: {
    plural: "Exports",
    one: "Export",
    told: "What was exported",
    did: {},
    also: ["activity.exported", "certificates.exported", "outbox.exported"],
  },
  table: {
    plural: "Old records",
    one: "Old records",
    told: "Which records",
    did: {},
    also: ["retention.purged", "trail.erased"],
  },
  checksums: {
    plural: "Checksums",
    one: "Checksums",
    told: "Of which rows",
    did: { accepted: "took rows as they stand" },
  },
  trail_key: {
    plural: "Keys of the trail",
    one: "Key of the trail",
    did: {},
    also: ["trail.key_changed"],
  },
};

/** What can happen to things of several kinds, by the whole action. */
const deeds: Readonly<Record<string, string>> = {
  "call.refused": "was refused a call",
  "sign_in_code.created": "made a sign-in link",
  "import.batch": "moved in objects from another system",
  "secret.read": "read secrets",
  "activity.exported": "exported the activity",
  "certificates.exported": "exported certificates",
  "outbox.exported": "exported the outbox",
  "developer.sign_in_refused": "passed on a developer’s sign-in that was refused",
  "retention.purged": "removed what is no longer kept",
  "trail.erased": "erased personal values from the trail",
  "trail.key_changed": "signed the trail’s checkpoints with a new key",
  "secret.lost": "gave up a secret whose sealing key was lost",
};

/** Who did it. */
export function actorOf({ actor, actor_name }: Noted): string {
  if (actor === "operator") return "The operator";
  if (actor === "keydesk") return "Keydesk";
  if (actor === "leak-desk") return "The leak desk";
  if (actor === "unknown") return "Somebody unknown";
  return actor === "claim-link" ? "Whoever held the link" : actor_name;
}

/** What was done, behind the name. */
export function deedOf({ action }: Noted): string {
  return didOf(action) ?? `did ${action}`;
}

/** What stands below the sentence: a reason or a name, where there is one. */
export function noteOf(event: Noted): string {
  const { action, object_id, detail } = event;
  const typed = typedReason(event);
  if (typed !== undefined) return `“${typed}”`;
  if (action.endsWith(".leaked")) return textOf(detail.url) ?? textOf(detail.name) ?? "";
  if (action !== "call.refused") return textOf(detail.name) ?? "";
  const why = refusals[String(detail.reason)] ?? textOf(detail.reason);
  return [[textOf(detail.method), object_id].filter(Boolean).join(" "), why].filter(Boolean)
    .join(": ");
}

/** The reason that somebody typed; the server's own are none. */
export function typedReason({ object, detail }: Noted): string | undefined {
  return object === "key_request" || object === "credential" ? textOf(detail.reason) : undefined;
}

/** Why a call was refused, by the failure's code. */
const refusals: Readonly<Record<string, string>> = {
  access_denied: "the access token does not allow it",
  csrf_refused: "it did not come from the console’s own page",
  fresh_sign_in_required: "it takes a fresh sign-in",
};

/** Where the thing is shown, below `/console`; undefined where it is not. */
export function placeOf({ action, object, object_id, detail }: Noted): string | undefined {
  return action.endsWith(".deleted") ? undefined : kinds[object]?.place?.(object_id, detail);
}

/** Actions of a kind of thing, for the filter. */
export function actionsOf(object: string): readonly { value: string; text: string }[] {
  const { did = {}, also = [] } = kinds[object] ?? {};
  const prefix = object === "import" ? "credentials" : object;
  const own = Object.keys(did).map((name) => `${prefix}.${name}`);
  return [...own, ...also].map((value) => {
    const text = didOf(value) ?? value;
    return { value, text: text.slice(0, 1).toUpperCase() + text.slice(1) };
  });
}

/** By the action alone: the thing that it is told of may be of another kind. */
function didOf(action: string): string | undefined {
  const dot = action.indexOf(".");
  const kind = action.slice(0, dot);
  return deeds[action] ??
    kinds[kind === "credentials" ? "import" : kind]?.did[action.slice(dot + 1)];
}

/** A member's name for people: "expires_at" is "Expires at". */
export function memberName(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** A member's value for people. */
export function memberText(value: unknown): string {
  if (Array.isArray(value)) return value.map(memberText).join(", ") || "none";
  if (value === null || value === undefined || value === "") return "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
