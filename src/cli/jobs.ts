import { Argument } from "commander";
import type { Client } from "../client/keydesk-client.ts";
import type { Job, JobInput } from "../client/operations.ts";
import type { Filters } from "../contract/filters.ts";
import { jobKinds, type OwnKind, ownKinds } from "../contract/job-kinds.ts";
import { jobLists } from "../contract/list-filters.ts";
import { type FilterOptions, filterTexts, optionNameOf } from "./filters.ts";
import { developerOf, keysOf, plansOf } from "./named.ts";
import { type At, calls, lists, noun, runs } from "./noun.ts";
import { OperatorError } from "./operator-error.ts";
import { choice, flag, found, type Given, opt, several, toCount, upTo } from "./options.ts";
import { print } from "./standard-output.ts";

const job = { kind: "job" };

/** The filters of a job's selection: options by the names of the lists' filters. */
const narrowing = {
  plan: opt("--plan <plan>", "only those for this plan, by id or name"),
  developer: opt("--developer <developer>", "only those of this developer, by id or e-mail"),
  q: opt("-q, --q <text>", "only those that hold this text; of keys, as their list has it"),
  waits_for: choice("--waits-for <who>", "only key requests that its starter may decide", [
    "me",
  ]),
  assignee: opt("--assignee <person>", "only key requests of me, nobody, or a person's id"),
  state: choice("--state <state>", "only those in this state", [
    "active",
    "suspended",
    "revoked",
    "expired",
    "inactive",
  ]),
  environment: opt("--environment <text>", "only keys of this environment"),
  tag: opt("--tag <tag>", "only keys, certificates or developers with this tag"),
  status: choice("--status <status>", "only certificates in this state", [
    "valid",
    "expiring",
    "expired",
    "not_yet_valid",
    "invalid",
  ]),
  expires_within: opt(
    "--expires-within <days>",
    "only certificates that end within so many days",
    toCount,
  ),
  owner: opt(
    "--owner <address>",
    "only certificates of this owner; empty: without one",
  ),
};

const THIRTY_DAYS = 30 * 24 * 60 * 60;

const starting = {
  ids: several("--ids <id>", "one of them, a key by the beginning too; several times"),
  all: flag("--all", "every one; without --ids, and without anything that narrows"),
  ...narrowing,
  reason: opt("--reason <text>", "why; kept with each and in the audit log"),
  message: opt(
    "--message <text>",
    "of approve: said to each developer, who never reads the reason",
  ),
  addresses: several(
    "--address <network...>",
    "of approve: the only addresses that the keys are valid from",
  ),
  review_at: opt("--review-at <time>", "of approve: when people want to look at the keys again"),
  to: opt("--to <person>", "of assign: me, nobody, or a person's id"),
  keys: choice("--keys <choice>", "what becomes of developers' keys", [
    "keep",
    "suspend",
    "resume",
  ]),
  plans: found(
    several("--set-plan <plan>", "of set_key_plans and add_key_plans; several times"),
    plansOf,
  ),
  tags: several("--set-tag <tag>", "of kinds that tag and untag; several times"),
  expires_at: opt(
    "--expires-at <time>",
    "of approve and set_key_end, such as 2030-01-31T09:00:00Z",
  ),
  overlap_seconds: opt(
    "--overlap-seconds <n>",
    "of rotate_keys: how long old keys live on",
    upTo(THIRTY_DAYS, "Expected a number of seconds, up to 30 days."),
  ),
  set_owner: opt("--set-owner <address>", "of set_certificate_owner: who cares for them"),
  until: opt("--until <time>", "of mute_certificates, such as 2030-01-31T09:00:00Z"),
  deliver: flag(
    "--mail",
    "of approve and rotate_keys: developers are mailed their links",
    "mail",
  ),
  count: opt("--count <n>", "so many at the most, else nothing is done", toCount),
};

/** `keydesk jobs`. */
export const addJobsCommands = noun({
  name: "jobs",
  summary:
    "any number of key requests decided, or of keys, certificates or developers changed, in one job",
  about:
    `A job over up to 100 ids is done at once. A running server works on the others, also on those that
are started on its store. Approving, revoking and
rotating can't be undone: --count says how many you mean, and nothing is done where more match.`,
  examples: [
    `start approve --waits-for me --message "Welcome." --count 40`,
    `start decline --plan Tides --reason "the course is over"`,
    "start assign --assignee nobody --to me",
    `start suspend_keys --plan Tides --reason "the course is over"`,
    `start revoke_keys --tag spring --reason "the course is over" --count 120`,
    "start rotate_keys --ids <key id> --ids <key id> --overlap-seconds 86400 --count 2",
    `start set_certificate_owner --owner "" --set-owner lena@example.com`,
    "start deactivate_developers --q school.example --keys suspend --count 40",
    "show <job>",
    "undo <job>",
  ],
  verbs: [
    calls({
      verb: "start",
      args: [new Argument("<kind>", "what is done to each").choices(ownKinds)],
      summary:
        "decide key requests, change keys, certificates or developers: by these ids, or all that match",
      options: starting,
      json: "print the job as JSON",
      call: start,
      done: started,
    }),
    lists({
      verb: "list",
      summary: "list jobs, newest first",
      limit: true,
      read: ({ client, query }) => client.listJobs(query),
      columns: [
        { head: "STARTED", width: 20, of: ({ started_at }) => started_at.slice(0, 19) },
        { head: "KIND", width: 14, of: "kind" },
        { head: "STATE", width: 10, of: "state" },
        { head: "TOTAL", width: 7, of: ({ total }) => total ?? "-" },
        { head: "DONE", width: 7, of: "done" },
        { head: "LEFT", width: 7, of: "left_alone", extra: 2 },
        { head: "FAILED", width: 7, of: "failed" },
        { head: "BY", width: 20, of: "started_by_name", extra: 1 },
        { head: "ID", of: "id" },
      ],
      empty: "There is no job.",
    }),
    calls({
      verb: "show <job>",
      summary: "show how far a job is",
      of: job,
      json: "print JSON",
      call: ({ client, id }) => client.getJob({ id }),
    }),
    calls({
      verb: "stop <job>",
      summary: "stop a job; what is done stays",
      of: job,
      json: "print JSON",
      call: ({ client, id }) => client.stopJob({ id }),
      done: (_, { id }) => `Job ${id} stops. What is done stays.`,
    }),
    runs({
      verb: "result <job>",
      summary: "print what became of each as CSV",
      of: job,
      run: async ({ client, id }) => await print(await client.getJobResult({ id })),
    }),
    runs({
      verb: "links <job>",
      summary: "print the one-time links of a job as CSV, each this once",
      of: job,
      run: async ({ client, id }) => await print(await client.takeJobLinks({ id })),
    }),
    calls({
      verb: "undo <job>",
      summary: "undo a job, but for what has changed since",
      of: job,
      options: {
        reason: opt("--reason <text>", "why; kept with each whose state changes"),
      },
      json: "print the job that does so as JSON",
      async call({ client, id, given: { reason } }) {
        const { undone_by: kind } = await client.getJob({ id });
        if (kind === null) throw new OperatorError("nothing takes back what this job did");
        return await client.startJob({ body: { kind, of_job: id, reason } }, once);
      },
      done: started,
    }),
  ],
});

const once = { idempotencyKey: true } as const;

/** Whatever a list that jobs are over is narrowed by. */
const filters: Filters = Object.assign({}, ...Object.values(jobLists));

/** Why it is not clear which are meant, or how many. */
function unclear(
  { ids, all = false, count, ...given }: Given<typeof starting>,
  kind: OwnKind,
): string | undefined {
  const isNarrowed = Object.values(narrowedBy(given)).some((one) => one !== undefined);
  if ([ids !== undefined, all, isNarrowed].filter(Boolean).length !== 1) {
    return "say which: by --ids, by what narrows them, or --all";
  }
  return jobKinds[kind].isForGood && count === undefined
    ? `${kind} can't be undone: say by --count how many you mean`
    : undefined;
}

/** The filters among the options, by the parser's names. */
function narrowedBy(given: Partial<Given<typeof narrowing>>): FilterOptions {
  const names = Object.keys(narrowing) as (keyof typeof narrowing)[];
  return Object.fromEntries(names.map((name) => [optionNameOf(name), given[name]]));
}

async function start({ client, word, given }: At<typeof starting>): Promise<Job> {
  // as: the parser takes no other word.
  const kind = word as OwnKind;
  const { ids, count, addresses, review_at, plans, tags, expires_at, overlap_seconds } = given;
  const why = unclear(given, kind);
  if (why !== undefined) throw new OperatorError(why);
  const known = ids && await idsOf(client, kind, ids);
  if (known && count !== undefined && known.length > count) {
    throw new OperatorError(`there are ${known.length} ids, and --count is ${count}`);
  }
  const filter: JobInput["filter"] = await filterTexts(client, filters, narrowedBy(given));
  const { reason, message, until, keys, deliver } = given;
  const body: JobInput = {
    kind,
    ...known ? { ids: known } : { filter, at_most: count },
    reason,
    message,
    plans,
    tags,
    expires_at,
    overlap_seconds,
    until,
    keys,
    deliver,
    conditions: addresses || review_at ? { addresses, review_at } : undefined,
    assignee: given.to,
    owner: given.set_owner,
  };
  return await client.startJob({ body }, once);
}

/** The ids of what people named. */
async function idsOf(client: Client, kind: OwnKind, words: readonly string[]): Promise<string[]> {
  const { of } = jobKinds[kind];
  if (of === "keys") return await keysOf(client, words);
  if (of !== "developers") return [...words];
  return await Promise.all(words.map((one) => developerOf(client, one)));
}

/** That a job is started, or what became of a small one. */
function started({ id, done, left_alone, failed, ended_at }: Job): string {
  const counts = `${done} done, ${left_alone} left alone, ${failed} failed`;
  return ended_at === null
    ? `Job ${id} is started; keydesk jobs show ${id} shows its progress.`
    : `Job ${id} is done: ${counts}; keydesk jobs result ${id} lists the result of each.`;
}
