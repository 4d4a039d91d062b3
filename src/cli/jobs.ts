import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { Job, JobInput } from "../client/operations.ts";
import type { Filters } from "../contract/filters.ts";
import { jobKinds, type OwnKind, ownKinds } from "../contract/job-kinds.ts";
import { jobLists } from "../contract/list-filters.ts";
import { type FilterOptions, filterTexts, optionNameOf } from "./filters.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { developerOf, keysOf, plansOf } from "./named.ts";
import { OperatorError } from "./operator-error.ts";
import { toCount } from "./requests.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** `keydesk jobs start|list|show|stop|result|links|undo`. */
export function addJobsCommands(program: Command): void {
  const jobs = program.command("jobs")
    .description(
      "any number of key requests decided, or of keys, certificates or developers changed, in one job",
    )
    .addHelpText(
      "after",
      `
A job over up to 100 ids is done at once. A running server works on the others, also on those that
are started on its store. Approving, revoking and
rotating can't be undone: --count says how many you mean, and nothing is done where more match.

Examples:
  keydesk jobs start approve --waits-for me --message "Welcome." --count 40
  keydesk jobs start decline --plan Tides --reason "the course is over"
  keydesk jobs start assign --assignee nobody --to me
  keydesk jobs start suspend_keys --plan Tides --reason "the course is over"
  keydesk jobs start revoke_keys --tag spring --reason "the course is over" --count 120
  keydesk jobs start rotate_keys --ids <key id> --ids <key id> --overlap-seconds 86400 --count 2
  keydesk jobs start set_certificate_owner --owner "" --set-owner lena@example.com
  keydesk jobs start deactivate_developers --q school.example --keys suspend --count 40
  keydesk jobs show <job>
  keydesk jobs undo <job>`,
    );
  withDeskOptions(jobs.command("start"))
    .addArgument(new Argument("<kind>", "what is done to each").choices(ownKinds))
    .description(
      "decide key requests, change keys, certificates or developers: by these ids, or all that match",
    )
    .option("--ids <id>", "one of them, a key by the beginning too; several times", more)
    .option("--all", "every one; without --ids, and without anything that narrows")
    .option("--plan <plan>", "only those for this plan, by id or name")
    .option("--developer <developer>", "only those of this developer, by id or e-mail")
    .option("-q, --q <text>", "only those that hold this text; of keys, as their list has it")
    .addOption(
      new Option("--waits-for <who>", "only key requests that whoever starts it may decide")
        .choices(["me"]),
    )
    .option("--assignee <person>", "only key requests of me, nobody, or a person's id")
    .addOption(
      new Option("--state <state>", "only those in this state")
        .choices(["active", "suspended", "revoked", "expired", "inactive"]),
    )
    .option("--environment <text>", "only keys of this environment")
    .option("--tag <tag>", "only keys, certificates or developers with this tag")
    .addOption(
      new Option("--status <status>", "only certificates that stand so")
        .choices(["valid", "expiring", "expired", "not_yet_valid", "invalid"]),
    )
    .option("--expires-within <days>", "only certificates that end within so many days", toCount)
    .option("--owner <address>", "only certificates that they care for; empty: nobody does")
    .option("--reason <text>", "why; kept with each and in the audit log")
    .option("--message <text>", "of approve: said to each developer, who never reads the reason")
    .option("--address <network...>", "of approve: from where alone the keys open anything")
    .option("--review-at <time>", "of approve: when people want to look at the keys again")
    .option("--to <person>", "of assign: me, nobody, or a person's id")
    .addOption(
      new Option("--keys <choice>", "what becomes of developers' keys")
        .choices(["keep", "suspend", "resume"]),
    )
    .option("--set-plan <plan>", "of set_key_plans and add_key_plans; several times", more)
    .option("--set-tag <tag>", "of kinds that tag and untag; several times", more)
    .option("--expires-at <time>", "of approve and set_key_end, such as 2030-01-31T09:00:00Z")
    .option("--overlap-seconds <n>", "of rotate_keys: how long old keys live on", toSeconds)
    .option("--set-owner <address>", "of set_certificate_owner: who cares for them")
    .option("--until <time>", "of mute_certificates, such as 2030-01-31T09:00:00Z")
    .option("--mail", "of approve and rotate_keys: developers are mailed their links")
    .option("--count <n>", "so many at the most, else nothing is done", toCount)
    .option("--json", "print the job as JSON")
    .action(start);
  addStartedCommands(jobs);
}

/** Commands on jobs that were started. */
function addStartedCommands(jobs: Command): void {
  withWideOption(withDeskOptions(jobs.command("list")))
    .description("list jobs, newest first")
    .option("--limit <n>", "so many at the most", toCount)
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(jobs.command("show <job>"))
    .description("show how far a job is")
    .option("--json", "print JSON")
    .action(show);
  withDeskOptions(jobs.command("stop <job>"))
    .description("stop a job; what is done stays")
    .option("--json", "print JSON")
    .action(stop);
  withDeskOptions(jobs.command("result <job>"))
    .description("print what became of each as CSV")
    .action(result);
  withDeskOptions(jobs.command("links <job>"))
    .description("print the claim links of a job as CSV, each this once")
    .action(links);
  withDeskOptions(jobs.command("undo <job>"))
    .description("take a job back, where nobody has changed anything since")
    .option("--reason <text>", "why; kept with each whose state changes")
    .option("--json", "print the job that does so as JSON")
    .action(undo);
}

interface StartOptions extends DeskOptions, FilterOptions {
  ids?: string[];
  all?: boolean;
  keys?: "keep" | "suspend" | "resume";
  setOwner?: string;
  until?: string;
  reason?: string;
  message?: string;
  address?: string[];
  reviewAt?: string;
  to?: string;
  setPlan?: string[];
  setTag?: string[];
  expiresAt?: string;
  overlapSeconds?: number;
  mail?: boolean;
  count?: number;
  json?: boolean;
}

/** Whatever a list that jobs are over is narrowed by. */
const filters: Filters = Object.assign({}, ...Object.values(jobLists));

async function start(kind: OwnKind, options: StartOptions): Promise<void> {
  const { ids, all, count, address: addresses, reviewAt: review_at } = options;
  const isNarrowed = Object.keys(filters).some((name) => options[optionNameOf(name)] !== undefined);
  if ([ids !== undefined, all ?? false, isNarrowed].filter(Boolean).length !== 1) {
    throw new OperatorError("say which: by --ids, by what narrows them, or --all");
  }
  if (jobKinds[kind].isForGood && count === undefined) {
    throw new OperatorError(`${kind} can't be undone: say by --count how many you mean`);
  }
  await atDesk(options, async ({ client }) => {
    const { of } = jobKinds[kind];
    const known = ids &&
      (of === "developers"
        ? await Promise.all(ids.map((one) => developerOf(client, one)))
        : of === "keys"
        ? await keysOf(client, ids)
        : ids);
    if (known && count !== undefined && known.length > count) {
      throw new OperatorError(`there are ${known.length} ids, and --count is ${count}`);
    }
    const filter: JobInput["filter"] = await filterTexts(client, filters, options);
    const body: JobInput = {
      kind,
      ...known ? { ids: known } : { filter, at_most: count },
      reason: options.reason,
      message: options.message,
      conditions: addresses || review_at ? { addresses, review_at } : undefined,
      assignee: options.to,
      plans: options.setPlan && await plansOf(client, options.setPlan),
      tags: options.setTag,
      expires_at: options.expiresAt,
      overlap_seconds: options.overlapSeconds,
      owner: options.setOwner,
      until: options.until,
      keys: options.keys,
      deliver: options.mail ? "mail" : undefined,
    };
    await told(await client.startJob({ body }, { idempotencyKey: true }), options);
  });
}

/** Says that a job is started, or what became of a small one. */
async function told(job: Job, { json }: { json?: boolean }): Promise<void> {
  if (json) return await print(`${JSON.stringify(job)}\n`);
  const { id, done, left_alone, failed } = job;
  const counts = `${done} done, ${left_alone} left alone, ${failed} failed`;
  terminal().err(
    job.ended_at === null
      ? `Job ${id} is started; keydesk jobs show ${id} tells how far it is.`
      : `Job ${id} has ended: ${counts}; keydesk jobs result ${id} tells what became of each.`,
  );
}

async function list(options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    await printList((place) => client.listJobs(place), options, {
      head: ["STARTED", "KIND", "STATE", "TOTAL", "DONE", "LEFT", "FAILED", "BY", "ID"],
      widths: [20, 14, 10, 7, 7, 7, 7, 20],
      extra: ["BY", "LEFT"],
      cells,
      empty: "There is no job.",
    });
  });
}

function cells(job: Job): string[] {
  return [
    job.started_at.slice(0, 19),
    job.kind,
    job.state,
    String(job.total ?? "-"),
    String(job.done),
    String(job.left_alone),
    String(job.failed),
    job.started_by_name,
    job.id,
  ];
}

type One = DeskOptions & { json?: boolean };

async function show(id: string, options: One): Promise<void> {
  await atDesk(options, async ({ client }) => {
    await printObject(await forOne("job", id, () => client.getJob({ id })), options);
  });
}

async function stop(id: string, options: One): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const job = await forOne("job", id, () => client.stopJob({ id }));
    if (options.json) await print(`${JSON.stringify(job)}\n`);
    else terminal().err(`Job ${id} stops. What is done stays.`);
  });
}

async function result(id: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    await print(await forOne("job", id, () => client.getJobResult({ id })));
  });
}

async function links(id: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    await print(await forOne("job", id, () => client.takeJobLinks({ id })));
  });
}

async function undo(id: string, options: One & { reason?: string }): Promise<void> {
  const { reason } = options;
  await atDesk(options, async ({ client }) => {
    const { undone_by: kind } = await forOne("job", id, () => client.getJob({ id }));
    if (kind === null) throw new OperatorError("nothing takes back what this job did");
    const body = { kind, of_job: id, reason };
    await told(await client.startJob({ body }, { idempotencyKey: true }), options);
  });
}

function more(one: string, others: string[] = []): string[] {
  return [...others, one];
}

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds <= 30 * 24 * 60 * 60) return seconds;
  throw new InvalidArgumentError("Expected a number of seconds, up to 30 days.");
}
