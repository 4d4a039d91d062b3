/** The kinds of things that the trail tells of, and what happens to them, in words. */

interface Kind {
  /** For the filter: all of them. */
  readonly plural: string;
  readonly one: string;
  /**
   * What its words call one, where that is not `one` in small letters; `of`: it is named by whose
   * it is.
   */
  readonly noun?: string;
  readonly isOf?: true;
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

const at = (base: string) => (id: string) => `${base}/${encodeURIComponent(id)}`;
/** A text that is not empty, or undefined. */
export const textOf = (text: unknown) => typeof text === "string" && text !== "" ? text : undefined;
const by = (base: string, ...members: string[]) => (_id: string, detail: Detail) => {
  const id = members.map((member) => textOf(detail[member])).find((one) => one !== undefined);
  return id === undefined ? undefined : at(base)(id);
};

/** Every kind of thing that the trail tells of. */
export const kinds: Readonly<Record<string, Kind>> = {
  key_request: {
    plural: "Key requests",
    one: "Key request",
    isOf: true,
    did: {
      created: "sent a key request",
      updated: "changed a key request",
      approved: "approved a key request",
      declined: "declined a key request",
      reopened: "reopened a key request",
      reason_changed: "changed why a key request was declined",
      offered: "offered less for a key request",
      offer_withdrawn: "withdrew an offer",
      offer_answered: "answered an offer",
      reissued: "issued the key of a key request anew",
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
      restored: "brought a key back",
      suspended: "suspended a key",
      resumed: "resumed a key",
      rotated: "rotated a key",
      plans_changed: "changed the plans of a key",
      expiry_changed: "changed when a key ends",
      labels_changed: "changed the name or tags of a key",
      quota_reset: "began the quota of a key anew",
      leaked: "heard that a key has leaked",
      leak_dismissed: "said that a key has not leaked",
      alerts_muted: "muted the alerts of a key",
      alerts_unmuted: "lifted the mute of a key’s alerts",
      rehashed: "stored an imported key’s hash anew",
      damaged: "found that a key was changed outside Keydesk",
      accepted: "accepted a key as changed outside Keydesk",
      mended: "found a key as it had been",
    },
    place: at("/keys"),
  },
  claim: {
    plural: "Claim links",
    one: "Claim link",
    isOf: true,
    did: {
      created: "made a claim link",
      opened: "opened a claim link",
      withdrawn: "withdrew a claim link",
    },
    // Events of earlier releases call it by the other name.
    place: by("/key-requests", "key_request_id", "request_id"),
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
    did: {
      digest: "counted what ends soon",
      settings_changed: "changed when people are told of ends",
    },
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
      email_changed: "changed a developer’s e-mail address",
      email_confirmed: "confirmed a developer’s e-mail address",
      deleted: "deleted a developer",
      restored: "brought a developer back",
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
    noun: "API",
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
      invited: "invited a person",
      invitation_withdrawn: "withdrew the invitation of a person",
      damaged: "found that a person was changed outside Keydesk",
      accepted: "accepted a person as changed outside Keydesk",
      mended: "found a person as they had been",
    },
    place: at("/settings"),
  },
  access_token: {
    plural: "Access tokens",
    one: "Access token",
    did: {
      created: "issued an access token",
      revoked: "revoked an access token",
      braked: "tried to end more keys than it may",
      rotated: "rotated an access token",
      limited: "changed the addresses that an access token may be used from",
      leaked: "heard that an access token has leaked",
      refused: "was refused: not from this address",
      damaged: "found that an access token was changed outside Keydesk",
      accepted: "accepted an access token as changed outside Keydesk",
      mended: "found an access token as it had been",
    },
    also: ["sign_in_code.created"],
    place: by("/settings", "person_id"),
  },
  identity_provider: {
    plural: "Identity providers",
    one: "Identity provider",
    did: { created: "added a provider", updated: "changed a provider", deleted: "removed one" },
  },
  identity: {
    plural: "Accounts at identity providers",
    one: "Account at an identity provider",
    did: { created: "linked an account there", deleted: "unlinked an account there" },
  },
  passkey: {
    plural: "Passkeys",
    one: "Passkey",
    did: { created: "added a passkey", updated: "named a passkey", deleted: "removed a passkey" },
  },
  sign_in_rules: {
    plural: "Ways to sign in",
    one: "Ways to sign in",
    did: { updated: "changed how people sign in" },
  },
  session: {
    plural: "Sessions",
    one: "Session",
    did: { created: "signed in", ended: "ended a session" },
  },
  developer_session: {
    plural: "Developers’ sessions",
    one: "Developer’s session",
    did: { created: "signed in as a developer", ended: "ended a developer’s session" },
    isOf: true,
    place: by("/developers", "developer_id"),
  },
  developer_link: {
    plural: "Sign-in links",
    one: "Sign-in link",
    did: { created: "made a link that signs a developer in" },
    isOf: true,
    place: by("/developers", "developer_id"),
  },
  developer_view: {
    plural: "Looks at developers’ pages",
    one: "Look at a developer’s pages",
    did: { created: "went to see what a developer sees" },
    isOf: true,
    place: by("/developers", "developer_id"),
  },
  developer_token: {
    plural: "Developers’ tokens",
    one: "Developer’s token",
    did: { created: "made a developer’s token", ended: "ended a developer’s token" },
    isOf: true,
    place: by("/developers", "developer_id"),
  },
  developer_invitation: {
    plural: "Invitations",
    one: "Invitation",
    did: {
      created: "invited somebody to the developer’s pages",
      withdrawn: "withdrew an invitation to the developer’s pages",
    },
  },
  developer_pages: {
    plural: "Developer’s pages",
    one: "Developer’s pages",
    did: { updated: "changed what the developer’s pages are set to" },
  },
  sso_nonce: {
    plural: "Sign-in nonces",
    one: "Sign-in nonce",
    did: { created: "made a sign-in nonce", redeemed: "redeemed a sign-in nonce" },
    isOf: true,
    place: by("/developers", "developer_id"),
  },
  organisation: {
    plural: "Organisations",
    one: "Organisation",
    did: { created: "made an organisation" },
  },
  target: {
    plural: "Targets",
    one: "Target",
    noun: "target",
    did: {
      created: "made a target",
      updated: "changed a target",
      deleted: "removed a target",
      paused: "paused a target",
      resumed: "resumed a target",
      secret_rotated: "rotated a target’s secret",
      replayed: "sent a target messages again",
      hurried: "had what waits for a target sent at once",
      tested: "sent a target a test",
    },
    place: (id) => `/settings/${encodeURIComponent(id)}?show=targets`,
  },
  view: {
    plural: "Shared views",
    one: "Shared view",
    noun: "shared view|view",
    did: {
      shared: "shared a view",
      updated: "changed a shared view",
      unshared: "took a shared view back",
      deleted: "deleted a shared view",
    },
  },
  door: {
    plural: "Doors",
    one: "Door",
    did: { created: "set up a door", deleted: "removed a door" },
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
  job: {
    plural: "Jobs",
    one: "Job",
    did: {
      started: "started a job",
      stopped: "stopped a job",
      ended: "started a job that has ended",
      links_taken: "took a job’s claim links",
    },
    place: (id) => `/key-requests?job=${encodeURIComponent(id)}`,
  },
  export: {
    plural: "Exports",
    one: "Export",
    told: "What was exported",
    did: {},
    also: [
      "activity.exported",
      "certificates.exported",
      "desk.exported",
      "job_result.exported",
      "outbox.exported",
      "key_requests.exported",
      "keys.exported",
      "developers.exported",
    ],
  },
  table: {
    plural: "Old records",
    one: "Old records",
    told: "Which records",
    did: {},
    also: ["retention.purged", "trail.erased"],
  },
  store: { plural: "Backups", one: "Store", did: { backed_up: "made a backup" } },
  checksums: {
    plural: "Checksums",
    one: "Checksums",
    told: "Of which rows",
    did: { accepted: "accepted rows as they are" },
  },
  trail_key: {
    plural: "Keys of the trail",
    one: "Key of the trail",
    did: {},
    also: ["trail.key_changed"],
  },
  trail_log: {
    plural: "Logs of the trail",
    one: "Log of the trail",
    did: {},
    also: ["trail.accepted"],
  },
};
