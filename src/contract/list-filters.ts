import type { Filters } from "./filters.ts";

/** The filters of the list of keys. */
export const keyFilters = {
  developer: {
    takes: "developer",
    description: "Only keys of this developer.",
    option: ["--developer <developer>", "only keys of this developer, by id or e-mail"],
    words: "of {}",
  },
  plan: {
    takes: "plan",
    description: "Only keys for this plan.",
    option: ["--plan <plan>", "only keys for this plan, by id or name"],
    words: "for {}",
  },
  state: {
    takes: "choice",
    of: ["active", "suspended", "revoked", "expired"],
    description: "Only keys in this state; `expired` is sorted by expiry.",
    option: ["--state <state>", "only keys in this state"],
    words: "{}",
  },
  environment: {
    takes: "text",
    most: 50,
    description: "Only keys of exactly this environment.",
    option: ["--environment <text>", "only keys of this environment"],
    words: "of the environment {}",
  },
  tag: {
    takes: "text",
    most: 50,
    description: "Only keys with exactly this tag.",
    option: ["--tag <tag>", "only keys with this tag"],
    words: "tagged {}",
  },
  leaked: {
    takes: "yes",
    description:
      "`true`: only keys that were reported as leaked, the newest report first; `false`: only others.",
    option: ["--leaked <yes>", "only keys that were reported as leaked, or only others"],
    words: { true: "leaked", false: "not leaked" },
  },
  q: {
    takes: "text",
    most: 200,
    description:
      "Only keys that this finds: each word of it begins a word of the name, the key's id, its mask or the last four characters of that, or a word of its developer. Sorted by where it was found.",
    option: ["-q, --q <text>", "words of a name or developer, or the beginning of an id or mask"],
    words: "found by “{}”",
  },
  unused_since: {
    takes: "time",
    description: "Only keys that have not been used since then, and that were issued before.",
    option: [
      "--unused-since <time>",
      "only keys that have not been used since then: a day, a time, or days such as 90d",
    ],
    words: "unused since {}",
  },
  schedule: {
    takes: "choice",
    of: ["warned", "suspended", "revoked", "elsewhere"],
    description:
      "Only unused keys, by the step of the schedule of unused keys: warned, suspended, revoked, or left alone since they are also valid at gateways that do not ask Keydesk. The newest step first.",
    option: ["--schedule <step>", "only unused keys, by what was done about them"],
    words: "unused, and {}",
  },
} as const satisfies Filters;

/** The filters of the list of key requests. */
export const requestFilters = {
  state: {
    takes: "choice",
    of: ["pending", "issued", "declined"],
    description: "Only requests in this state.",
    option: ["--state <state>", "only requests in this state"],
  },
  plan: {
    takes: "plan",
    description: "Only requests whose `for_plan` is this.",
    option: ["--plan <plan>", "only requests whose first plan is this, by id or name"],
    words: "for {}",
  },
  api: {
    takes: "id",
    description: "Only requests for a plan that the catalogue offers for this API.",
    words: "for the API {}",
  },
  developer: {
    takes: "developer",
    description: "Only requests of this developer.",
    option: ["--developer <developer>", "only requests of this developer, by id or e-mail"],
    words: "of {}",
  },
  assignee: {
    takes: "id",
    description:
      "Only waiting requests that are assigned to this person; `me`: to the caller, `nobody`: unassigned ones.",
    option: [
      "--assignee <person>",
      "only waiting ones that are assigned to me, nobody, or a person's id",
    ],
    words: { nobody: "assigned to nobody", else: "assigned to one person" },
  },
  mine: {
    takes: "choice",
    of: ["true"],
    description:
      "Only waiting requests that are assigned to the caller, or wait for their approval; by default the oldest first.",
    option: ["--mine", "only those assigned to the caller, or that they may decide now"],
  },
  waits_for: {
    takes: "choice",
    of: ["me", "nobody"],
    description:
      "`me`: only requests that the caller may decide now, by scope and policy: neither their own, nor those whose present step belongs to others. `nobody`: only those that no person may decide now. With `state` pending, or without it.",
    option: ["--waits-for <who>", "only those that the caller, or nobody, may decide now"],
    words: { me: "waiting for the person who started it" },
  },
  created_after: {
    takes: "time",
    description: "Only with this date_created or later.",
    words: "asked after {}",
  },
  // Every selection has its moment, which says nothing of it.
  created_before: { takes: "time", description: "Only with an earlier date_created.", words: {} },
  q: {
    takes: "text",
    most: 100,
    isLine: true,
    description:
      "Only requests that hold this text, in any case, in id, developer, name, e-mail, answers, or the id or present name of a plan or of an API of one.",
    option: ["-q, --q <text>", "only requests that hold this text, in any case"],
    words: "found by “{}”",
  },
} as const satisfies Filters;

/** The filters of the list of certificates. The command works on the store alone. */
export const certificateFilters = {
  status: {
    takes: "choice",
    of: ["valid", "expiring", "expired", "not_yet_valid", "invalid"],
    description:
      "Only certificates in this state; `expiring`: within 30 days; `invalid`: they expire before they begin.",
    words: {
      valid: "valid",
      expiring: "expiring",
      expired: "expired",
      not_yet_valid: "not yet valid",
      invalid: "never valid",
    },
  },
  is_ca: {
    takes: "yes",
    description: "Only authorities, or only others.",
    words: { true: "CAs", false: "no CAs" },
  },
  has_private: {
    takes: "yes",
    description: "Only certificates with a private key, or only those without.",
    words: { true: "with private key", false: "without private key" },
  },
  expires_before: {
    takes: "time",
    description: "Only certificates that expire before.",
    words: "ending before {}",
  },
  expires_after: {
    takes: "time",
    description: "Only certificates that expire then or later.",
    words: "ending after {}",
  },
  expires_within: {
    takes: "days",
    most: 36_500,
    description: "Only certificates that have not expired and expire within so many days.",
    words: "ending within {} days",
  },
  owner: {
    takes: "whole",
    most: 254,
    description:
      "Only certificates of the owner with this e-mail address; empty: without an owner.",
    words: { "": "without an owner", else: "of the owner {}" },
  },
  tag: {
    takes: "text",
    most: 50,
    description: "Only certificates with this tag.",
    words: "tagged {}",
  },
  q: {
    takes: "search",
    least: 3,
    most: 200,
    description: "Part of a common or alternative name, issuer, serial number or fingerprint.",
    words: "found by “{}”",
  },
} as const satisfies Filters;

/** The filters of the list of developers. */
export const developerFilters = {
  state: {
    takes: "choice",
    of: ["active", "inactive"],
    description: "Only developers in this state.",
    option: ["--state <state>", "only developers in this state"],
    words: "{}",
  },
  tag: {
    takes: "tag",
    description: "Only developers with this tag.",
    option: ["--tag <tag>", "only those with this tag"],
    words: "tagged {}",
  },
  q: {
    takes: "text",
    most: 100,
    isLine: true,
    description:
      "Only developers with words that begin so, in any case: id, e-mail address, its domain, `fields`, tags.",
    option: [
      "-q, --q <text>",
      "only those with words that begin like this: id, e-mail address, fields, tags",
    ],
    words: "found by “{}”",
  },
} as const satisfies Filters;

/** The lists that jobs are over. */
export const jobLists = {
  key_requests: requestFilters,
  keys: keyFilters,
  certificates: certificateFilters,
  developers: developerFilters,
};
