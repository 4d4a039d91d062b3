import { reasonNames } from "../contract/denied-call-words.ts";
import { denialReasons } from "../contract/denied-calls.ts";
import { keyOf } from "./named.ts";
import { lists, noun } from "./noun.ts";
import { choice, found, opt, toTime } from "./options.ts";

/** `keydesk logs`. */
export const addLogsCommands = noun({
  name: "logs",
  summary: "calls that gateways and verification denied",
  verbs: [
    lists({
      verb: "denied",
      summary: "list denied calls, newest first: which key, why, and what its plan gives",
      about:
        `A key itself is never kept: its mask and its id name it, and an unknown one has the first digits of
its SHA-256.`,
      examples: [
        "denied --reason over_quota",
        "denied --key b59c631efc2dab8940ec93e02163bb81cdaf663eea34aba6ead2f5ae82c1074f",
      ],
      options: {
        reason: choice("--reason <reason>", "only for this reason", denialReasons),
        key: found(
          opt("--key <id>", "only calls with the key of this id, or of this beginning of it"),
          keyOf,
        ),
        developer: opt("--developer <id>", "only calls with this developer's keys"),
        plan: opt("--plan <id>", "only calls by this plan"),
        api: opt("--api <id>", "only calls of this API"),
        gateway: opt("--gateway <name>", "only calls at this gateway"),
        after: opt("--after <time>", "from this time on", toTime),
        before: opt("--before <time>", "until shortly before this time", toTime),
      },
      limit: true,
      read: ({ client, query }) => client.listDeniedCalls(query),
      columns: [
        { head: "AT", width: 20, of: ({ at }) => `${at.slice(0, 19)}Z` },
        { head: "GATEWAY", width: 12, of: "gateway", extra: 1 },
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
      empty: "No call was denied.",
    }),
  ],
});
