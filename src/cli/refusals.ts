import { reasonNames } from "../contract/refusal-words.ts";
import { refusals } from "../contract/refusals.ts";
import { keyOf } from "./named.ts";
import { lists } from "./noun.ts";
import { choice, found, opt, toTime } from "./options.ts";

/** `keydesk refusals`. */
export const addRefusalsCommand = lists({
  verb: "refusals",
  summary: "list calls that were refused, newest first: which key, why, and what its plan gives",
  about:
    `A key itself is never kept: it is told by its mask and its id, and an unknown one by the first digits
of its SHA-256.`,
  examples: [
    "refusals --reason over_quota",
    "refusals --key b59c631efc2dab8940ec93e02163bb81cdaf663eea34aba6ead2f5ae82c1074f",
  ],
  options: {
    reason: choice("--reason <reason>", "only for this reason", refusals),
    key: found(opt("--key <id>", "only of the key with this id, or this beginning of it"), keyOf),
    developer: opt("--developer <id>", "only of this developer's keys"),
    plan: opt("--plan <id>", "only those that went by this plan"),
    api: opt("--api <id>", "only those that asked for this API"),
    door: opt("--door <name>", "only those at this door"),
    after: opt("--after <time>", "from this time on", toTime),
    before: opt("--before <time>", "until shortly before this time", toTime),
  },
  limit: true,
  read: ({ client, query }) => client.listRefusals(query),
  columns: [
    { head: "AT", width: 20, of: ({ at }) => `${at.slice(0, 19)}Z` },
    { head: "DOOR", width: 12, of: "door", extra: 1 },
    { head: "API", width: 24, of: ({ api_id }) => api_id ?? "any" },
    {
      head: "WHY",
      width: 32,
      of: ({ reason, limit, per_seconds }) =>
        limit === null
          ? reasonNames[reason]
          : `${reasonNames[reason]} (${limit} in ${per_seconds} s)`,
    },
    { head: "KEY", of: (one) => one.key_mask ?? one.key_id ?? `${one.hash_start}…` },
  ],
  empty: "No call was refused.",
});
