/** One kind of thing that messages are about. */
export interface TopicObject {
  /** What the topic begins with. */
  readonly object: string;
  /** In words, in the middle of a sentence. */
  readonly name: string;
  /** Where `/v1` shows it, and where the console does; absent: nowhere by its id. */
  readonly api?: string;
  readonly console?: string;
  /** What can happen to it: the topic's second half, and what it says. */
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
      deleted: "A gateway was removed. Keys that were not ended before stay there.",
      silent: "A gateway that checks with Keydesk has not called for longer than its minutes.",
      calling: "A gateway that was silent calls again.",
      paused: "A gateway is brought nothing until it is resumed.",
      resumed: "A paused gateway is brought what waits.",
      hurried: "Somebody had keys tried at a gateway at once.",
      ending: "The keys of a gateway are being ended, after which it is removed.",
      reconciled: "Somebody asked for a comparison of a gateway's keys.",
      lazy_migration_started: "Unknown keys are migrated from a gateway at their first call.",
      lazy_migration_ended: "The lazy migration from a gateway was ended.",
      key_not_migrated:
        "A gateway knows a key by the name of another one, or of one that was ended here: look at it.",
      key_not_followed:
        "Something was done with a key at the gateway that it was learned from, and is not done here.",
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
      step_approved: "Somebody approved a step of a key request; there may be others to come.",
      approval_restarted:
        "A key request that nobody could decide is approved from the start, by today's policy.",
      declined: "A key request was declined, or nobody decided it in time.",
      expires_soon: "A key request that waits ends in some days unless somebody decides.",
      reopened: "The decline of a key request was taken back.",
      reason_changed: "The reason of a decline was changed.",
      reissued: "The key of a key request was issued anew.",
      offered: "A developer was offered something else than a key request asks for.",
      offer_withdrawn: "What was offered for a key request was withdrawn.",
      offer_answered: "A developer turned down what was offered, or answered with words.",
      word_added: "A developer added words to a key request that waits.",
      commented: "Somebody of the team said something about a key request.",
      comment_removed: "What somebody had said about a key request was removed.",
      assigned: "A key request that waits was assigned to somebody of the team.",
      unassigned: "A key request that waits is assigned to nobody any more.",
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
      suspended: "A key was suspended: it opens nothing until it is resumed.",
      resumed: "A suspended key opens again what it did.",
      revoked: "A key was revoked: it opens nothing any more, and may be brought back for a while.",
      restored: "A revoked key was brought back.",
      leaked: "A key was reported as found in public.",
      leak_dismissed: "Somebody said that a key has not leaked.",
      plans_changed: "A key has other plans.",
      addresses_changed: "A key opens from other addresses.",
      expiry_changed: "A key ends at another time.",
      labels_changed: "A key has another name, environment, note or other tags.",
      quota_reset: "A quota of a key begins anew.",
      quota_nearly_used: "Four fifths of a key's quota are used.",
      quota_used: "A key's quota is used up: it opens nothing before it begins anew.",
      expires_soon: "A key expires soon.",
      expired: "A key has expired: it is valid for nothing any more.",
      unused: "Nobody uses a key: its developer is warned, before it is suspended where it may be.",
      kept: "Somebody said that an unused key is needed.",
      elsewhere_changed: "Somebody said whether gateways elsewhere open for a key too.",
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
    verbs: { updated: "Who decides about a plan's keys, Keydesk or an old gateway, was changed." },
  },
  {
    object: "unused_rule",
    name: "rule of unused keys",
    verbs: { updated: "What becomes of a plan's unused keys was changed." },
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
    name: "alerts of ends",
    verbs: {
      digest: "What ends soon or has ended already, as alerts of it began.",
      settings_changed: "When people are told of ends was changed.",
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
      suspended: "All access tokens of a person are stopped, and their sessions ended.",
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
      limited: "An access token opens from other networks.",
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
    object: "identity_provider",
    name: "identity provider",
    verbs: {
      created: "An identity provider was added, by which people sign in.",
      updated: "What is set of an identity provider was changed.",
      deleted: "An identity provider was removed.",
    },
  },
  {
    object: "role",
    name: "role",
    verbs: {
      created: "A role was added.",
      updated: "A role was changed, and with it what everybody may do who has it.",
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
      ended: "Temporary access has ended.",
    },
  },
  {
    object: "temporary_access_rule",
    name: "rule of temporary access",
    verbs: {
      updated: "Who may get temporary access, to what and how, was set.",
      removed:
        "A rule of temporary access was removed: nobody has temporary access by it any more.",
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
      updated: "Who must approve requests for a plan, or by default, was changed.",
      removed: "A plan has no approval policy of its own any more.",
    },
  },
  {
    object: "branding",
    name: "brand",
    verbs: { updated: "What the organisation shows of itself was changed." },
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
      tested: "A test that somebody asked for; it goes to that channel alone, whatever it wants.",
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

/** What a channel may want: a topic, those of one kind of thing, or everything. */
export const topicPatterns: ReadonlySet<string> = new Set([
  "*",
  ...topics.map(({ topic }) => topic),
  ...topicObjects.map(({ object }) => `${object}.*`),
]);
