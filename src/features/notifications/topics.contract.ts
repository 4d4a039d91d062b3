/** One kind of thing that messages are about. */
export interface TopicObject {
  /** The first half of the topic. */
  readonly object: string;
  /** In words, in the middle of a sentence. */
  readonly name: string;
  /** Its paths in `/v1` and in the console; absent: it has none by its id. */
  readonly api?: string;
  readonly console?: string;
  /** The verbs whose id has a page in the console, and the page of others; absent: every verb. */
  readonly pages?: { readonly byId: readonly string[]; readonly others: string };
  /** Its events: the topic's second half, with a description. */
  readonly verbs: Readonly<Record<string, string>>;
}

const lifeOf = (name: string) => ({
  created: `A ${name} was made.`,
  updated: `A ${name} was changed.`,
  deleted: `A ${name} was deleted.`,
});

const checksumsOf = (name: string) => ({
  damaged: `The row of a ${name} is not as it was written.`,
  accepted: `The damaged row of a ${name} was accepted as it is.`,
  fixed: `The damaged row of a ${name} was fixed.`,
});

/** Everything that Keydesk tells of. */
export const topicObjects: readonly TopicObject[] = [
  {
    object: "view",
    name: "shared view of a list",
    api: "/v1/views/",
    verbs: {
      shared: "A view of a list was shared with the organisation.",
      updated: "A shared view was changed.",
      unshared: "A shared view is its maker's alone again.",
      deleted: "A shared view was deleted.",
    },
  },
  {
    object: "gateway",
    name: "gateway",
    api: "/v1/gateways/",
    verbs: {
      created: "A gateway was added.",
      updated: "Name, URL, plans or secret of a gateway were changed.",
      moved:
        "A gateway, its Redis or the API that it is probed by is elsewhere, or has certificates.",
      confirmed: "A person said yes to a gateway that an access token added or moved.",
      deleted: "A gateway was removed. Keys that were not revoked before stay at it.",
      silent: "A gateway that checks with Keydesk has not called for longer than its minutes.",
      calling: "A gateway that was silent calls again.",
      paused: "A gateway is brought nothing until it is resumed.",
      resumed: "A paused gateway is brought what waits.",
      hurried: "Keys were tried at a gateway at once, on request.",
      ending: "The keys of a gateway are being revoked, after which it is removed.",
      reconciled: "A comparison of a gateway's keys was requested.",
      lazy_migration_started: "Unknown keys are migrated from a gateway at their first call.",
      lazy_migration_ended: "The lazy migration from a gateway was stopped.",
      key_not_migrated:
        "A gateway knows a key by the name of another one, or of one that was revoked in Keydesk: look at it.",
      key_not_followed:
        "A migrated key was changed at its gateway in a way that Keydesk does not follow.",
      losses_await:
        "Keys would lose access because of what a gateway says, and wait for a person's yes.",
      losses_confirmed: "A person said yes to keys losing access because of what a gateway says.",
    },
  },
  {
    object: "key_request",
    name: "key request",
    api: "/v1/key-requests/",
    console: "/console/requests/",
    verbs: {
      ...lifeOf("key request"),
      approved: "A key request was approved: its key is issued.",
      step_approved: "A step of a key request was approved; there may be others to come.",
      approval_restarted:
        "The approval of a key request that no person could decide begins anew, by today's policy.",
      declined: "A key request was declined, or was not decided in time.",
      expires_soon: "A waiting key request expires in some days unless it is decided.",
      reopened: "The decline of a key request was taken back.",
      reason_changed: "The reason of a decline was changed.",
      reissued: "The key of a key request was issued anew.",
      offered: "A developer was offered something else than a key request asks for.",
      offer_withdrawn: "The offer for a key request was withdrawn.",
      offer_answered: "A developer turned down what was offered, or answered with words.",
      word_added: "A developer added words to a key request that waits.",
      commented: "A person of the team commented on a key request.",
      comment_removed: "The words of a comment on a key request were removed.",
      assigned: "A waiting key request was assigned to a person of the team.",
      unassigned: "A waiting key request is no longer assigned.",
      reminded: "A developer reminded approvers of a key request that waits longer than usual.",
    },
  },
  {
    object: "key",
    name: "key",
    api: "/v1/keys/",
    console: "/console/keys/",
    verbs: {
      issued: "A key was issued.",
      migrated: "A key of a gateway was presented for the first time, and is a key of Keydesk now.",
      rotated: "A fresh key took over from a key.",
      suspended: "A key was suspended: it is not valid until it is resumed.",
      resumed: "A suspended key is valid again.",
      revoked: "A key was revoked: it is no longer valid, and may be restored for a while.",
      restored: "A revoked key was brought back.",
      leaked: "A key was reported as found in public.",
      leak_dismissed: "A leaked key was marked as a false positive.",
      plans_changed: "A key has other plans.",
      addresses_changed: "A key is valid from other addresses.",
      expiry_changed: "A key's expiry was changed.",
      labels_changed: "A key has another name, environment, note or other tags.",
      quota_reset: "A quota of a key begins anew.",
      quota_nearly_used: "Four fifths of a key's quota are used.",
      quota_used: "A key's quota is used up: it is denied until the next period.",
      expires_soon: "A key expires soon.",
      expired: "A key has expired: it is valid for nothing any more.",
      unused:
        "A key is unused: its developer is warned, before it is suspended if its plan says so.",
      kept: "An unused key was marked as needed.",
      elsewhere_changed: "It was stated whether a key is also valid at other gateways.",
      review_due: "The day has come on which people want to look at a key again.",
      alerts_muted: "The alerts of a key's end were muted for a while.",
      alerts_unmuted: "The alerts of a key's end were unmuted.",
      rehashed: "An imported key was used for the first time; its id is another one.",
      ...checksumsOf("key"),
    },
  },
  {
    object: "keys",
    name: "keys",
    verbs: { imported: "Existing keys were taken over." },
  },
  {
    object: "one_time_link",
    name: "one-time link",
    verbs: {
      created: "A link that hands over a key or an access token was made.",
      opened: "A one-time link was opened.",
      withdrawn: "A one-time link was withdrawn.",
    },
  },
  {
    object: "developer",
    name: "developer",
    api: "/v1/developers/",
    console: "/console/developers/",
    verbs: {
      ...lifeOf("developer"),
      restored: "A deleted developer was brought back.",
      deactivated: "A developer was deactivated.",
      reactivated: "A developer was reactivated.",
      tags_changed: "A developer has other tags.",
      password_changed: "The password of a developer was changed.",
      email_changed: "A developer has another e-mail address.",
      handed_over: "A developer's account went to a successor.",
      email_asked:
        "A developer's e-mail address was asked for confirmation, by mail where mail is set up.",
      code_asked: "A code to sign in with was asked for, by mail where mail is set up.",
      invited: "An address was invited to sign up at the developer's pages.",
      email_confirmed:
        "A developer's e-mail address was confirmed, by itself, the one before it, or a person.",
    },
  },
  {
    object: "plan",
    name: "plan",
    api: "/v1/plans/",
    console: "/console/apis/plans/",
    verbs: { ...lifeOf("plan"), approval_changed: "How key requests for a plan are decided." },
  },
  {
    object: "plan_switch",
    name: "switch of a plan",
    verbs: { updated: "The decider about a plan's keys, Keydesk or an old gateway, was changed." },
  },
  {
    object: "unused_rule",
    name: "rule of unused keys",
    verbs: { updated: "A plan's rule for unused keys was changed." },
  },
  { object: "api", name: "API", api: "/v1/apis/", verbs: lifeOf("API of the catalogue") },
  { object: "catalogue", name: "catalogue", verbs: { updated: "The catalogue was changed." } },
  {
    object: "configuration",
    name: "configuration",
    verbs: { updated: "The portal's configuration was changed." },
  },
  { object: "documentation", name: "document", verbs: lifeOf("document of an API") },
  {
    object: "certificate",
    name: "certificate",
    api: "/v1/certificates/",
    console: "/console/certificates/",
    verbs: {
      added: "A certificate was added.",
      key_added: "A certificate's private key was added.",
      updated: "A certificate has another owner, other tags or another renewal.",
      deleted: "A certificate was deleted.",
      expires_soon: "A certificate expires soon.",
      expired: "A certificate has expired.",
      alerts_muted: "The alerts of a certificate's end were muted for a while.",
      alerts_unmuted: "The alerts of a certificate's end were unmuted.",
    },
  },
  {
    object: "alerts",
    name: "alerts of expiry",
    verbs: {
      digest: "Objects that expire soon or have expired already, as alerts of them began.",
      settings_changed: "The times of expiry alerts were changed.",
    },
  },
  {
    object: "person",
    name: "person",
    api: "/v1/people/",
    verbs: {
      created: "A person was added.",
      updated: "Name or permissions of a person were changed.",
      deactivated: "A person was deactivated.",
      suspended: "All access tokens of a person are stopped, and their sessions revoked.",
      resumed: "A suspended person goes on.",
      invited: "A person is invited to sign in, by mail.",
      made_delegate: "A person decides in the place of another one who is away.",
      delegation_ended: "A person decides in the place of another one no more.",
      signed_in_anew: "A person signed in by a browser or from a network that is new of them.",
      one_time_codes_set_up: "A person gives a one-time code to sign in from now on.",
      one_time_codes_removed: "A person gives no one-time code to sign in any more.",
      recovery_codes_renewed: "A person has other recovery codes.",
      ...checksumsOf("person"),
    },
  },
  {
    object: "access_token",
    name: "access token",
    verbs: {
      created: "An access token was made.",
      rotated: "A fresh access token took over.",
      limited: "An access token is valid from other networks.",
      revoked: "An access token was revoked.",
      rate_limited: "An access token tried to revoke more keys than it may within an hour.",
      leaked: "An access token was reported as found in public.",
      ...checksumsOf("access token"),
    },
  },
  {
    object: "passkey",
    name: "passkey",
    verbs: {
      created: "A person has a further passkey.",
      deleted: "A passkey of a person was removed.",
    },
  },
  {
    object: "config",
    name: "configuration by files",
    console: "/console/settings/config/",
    pages: { byId: ["review_asked", "confirmed"], others: "/console/settings/config" },
    verbs: {
      applied: "A file that declares the organisation was applied.",
      drifted: "Something that a file manages was changed otherwise.",
      review_asked: "A change by a file waits until a person confirms it.",
      confirmed: "A person confirmed a change by a file.",
      rule_changed: "The rule for changes of what files manage was set.",
    },
  },
  {
    object: "identity_provider",
    name: "identity provider",
    verbs: {
      created: "An identity provider was added, by which people sign in.",
      updated: "The settings of an identity provider were changed.",
      deleted: "An identity provider was removed.",
    },
  },
  {
    object: "role",
    name: "role",
    verbs: {
      created: "A role was added.",
      updated: "A role was changed, and with it the permissions of all who have it.",
      deleted: "A role was removed.",
    },
  },
  {
    object: "temporary_access",
    name: "temporary access",
    verbs: {
      asked: "A person asks for temporary access, and waits for a second one.",
      unanswered: "Temporary access that was asked for never began.",
      started: "A person has temporary access: they hold more than usual for a while.",
      ended: "Temporary access is over.",
    },
  },
  {
    object: "temporary_access_rule",
    name: "rule of temporary access",
    verbs: {
      updated: "The rules of temporary access were changed.",
      removed: "A rule of temporary access was removed: temporary access by it is revoked.",
    },
  },
  {
    object: "identity",
    name: "account at an identity provider",
    verbs: {
      created: "A person has a further account that signs them in.",
      deleted: "An account signs a person in no more.",
    },
  },
  {
    object: "sign_in_rules",
    name: "ways to sign in",
    verbs: { updated: "How people of the organisation sign in was changed." },
  },
  {
    object: "approval_policy",
    name: "approval policy",
    verbs: {
      updated: "The approvers of requests for a plan, or by default, were changed.",
      removed: "A plan has no approval policy of its own any more.",
    },
  },
  {
    object: "mail_server",
    name: "mail server",
    verbs: {
      updated: "The server that mails are handed to was changed.",
      deleted: "The server that mails are handed to was removed.",
    },
  },
  {
    object: "branding",
    name: "brand",
    verbs: { updated: "The organisation's branding was changed." },
  },
  {
    object: "audit_log",
    name: "audit log",
    verbs: {
      checkpoint:
        "How far the audit log has come: once a day and at each stop, to channels that name this topic.",
    },
  },
  { object: "organisation", name: "organisation", verbs: { created: "An organisation was made." } },
  {
    object: "secret",
    name: "secret",
    verbs: { lost: "A sealed value was given up, since its sealing key is gone." },
  },
  {
    object: "channel",
    name: "notification channel",
    api: "/v1/channels/",
    verbs: {
      ...lifeOf("channel"),
      paused: "A channel is sent nothing any more, by hand or because it kept failing.",
      resumed: "A paused channel goes on.",
      secret_rotated: "A fresh secret signs what is sent to a channel.",
      tested: "A test that was requested; it goes to that channel alone, whatever its topics.",
    },
  },
];

/** Every topic with the sentence that it says. */
export const topics: readonly { topic: string; summary: string; object: TopicObject }[] =
  topicObjects.flatMap((object) =>
    Object.entries(object.verbs).map(([verb, summary]) => ({
      topic: `${object.object}.${verb}`,
      summary,
      object,
    }))
  );

/** The patterns of a channel: a topic, those of one kind of thing, or everything. */
export const topicPatterns: ReadonlySet<string> = new Set([
  "*",
  ...topics.map(({ topic }) => topic),
  ...topicObjects.map(({ object }) => `${object}.*`),
]);
