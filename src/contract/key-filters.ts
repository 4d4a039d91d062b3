import type { Filters } from "./filters.ts";

/** What the list of keys is narrowed by. */
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
    description: "Only keys in this state; `expired` is sorted by when they ended.",
    option: ["--state <state>", "only keys in this state"],
    words: "{}",
  },
  environment: {
    takes: "text",
    most: 50,
    description: "Only keys of this environment, as it is written there.",
    option: ["--environment <text>", "only keys of this environment"],
    words: "of the environment {}",
  },
  tag: {
    takes: "text",
    most: 50,
    description: "Only keys with this tag, as it is written there.",
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
    description: "Only keys that nobody has used since then, and that were issued before.",
    option: [
      "--unused-since <time>",
      "only keys that nobody has used since then: a day, a time, or days such as 90d",
    ],
    words: "unused since {}",
  },
  schedule: {
    takes: "choice",
    of: ["warned", "suspended", "revoked", "elsewhere"],
    description:
      "Only keys that nobody uses, by what the schedule of unused keys has done: they were warned of, suspended, revoked, or are left alone since doors elsewhere open for them too. The newest step first.",
    option: ["--schedule <step>", "only keys that nobody uses, by what was done about it"],
    words: "unused, and {}",
  },
} as const satisfies Filters;
